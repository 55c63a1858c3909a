"""One tree of errors, split by who can mend them: the caller, the document's author, a provider, or us."""

from collections.abc import Mapping
from typing import Any


class PinakesError(Exception):
    """Every error of ours: a stable code, a message for a person, optional details."""

    code = "INTERNAL_ERROR"

    def __init__(self, message: str, *, code: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.details = details


class CallerError(PinakesError):
    """The caller asked for something that cannot be done as asked."""

    code = "INVALID_REQUEST"


class InvalidInput(CallerError):
    """A value is malformed or out of range."""


class Unauthenticated(CallerError):
    """No valid credential came with the request."""

    code = "UNAUTHENTICATED"


class Forbidden(CallerError):
    """The credential is valid but does not allow this."""

    code = "FORBIDDEN"


class NotFound(CallerError):
    """It does not exist, or not in the caller's workspace; the two look the same."""

    code = "NOT_FOUND"


class Conflict(CallerError):
    """It clashes with what is there already."""

    code = "CONFLICT"


class LimitExceeded(CallerError):
    """A documented limit would be exceeded; the message names it."""

    code = "LIMIT_EXCEEDED"


class FileTooLarge(LimitExceeded):
    """The file is over the size limit."""

    code = "FILE_TOO_LARGE"


class UnsupportedFile(CallerError):
    """The content is of no supported type, or not of the type its name claims."""

    code = "UNSUPPORTED_FILE_TYPE"


class DocumentFault(PinakesError):
    """This document cannot be indexed, for a reason that trying again will not change."""

    code = "DOCUMENT_UNREADABLE"


class ProviderFault(PinakesError):
    """Something we depend on did not answer as it should; trying again later may help."""

    code = "PROVIDER_UNAVAILABLE"


class Superseded(PinakesError):
    """Another worker took this operation over; what this one did must not count."""

    code = "SUPERSEDED"
