"""One tree of errors, split by who can mend them: the caller, the document's author, a provider, or us."""

from collections.abc import Mapping, Sequence
from typing import Any

# A message repeats what it is about, be that ever so long, and it may end up in a model's context.
_LONGEST_MESSAGE = 3_000


class PinakesError(Exception):
    """Every error of ours: a stable code, a message for a person, optional details."""

    code = "INTERNAL_ERROR"

    def __init__(self, message: str, *, code: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        self.message = _shorten(message)
        super().__init__(self.message)
        self.code = code or self.code
        self.details = details


def _shorten(message: str) -> str:
    """Without its middle, where it is too long: what is wrong stands at the beginning, what to do at the end."""
    left_out = len(message) - _LONGEST_MESSAGE
    if left_out <= 0:
        return message
    half = _LONGEST_MESSAGE // 2
    return f"{message[:half]} [… {left_out:,} characters left out …] {message[-half:]}"


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


class InsufficientScope(Forbidden):
    """An access token does not allow this, though its user may do it; one with `scopes` would."""

    def __init__(self, message: str, scopes: Sequence[str]) -> None:
        super().__init__(message)
        self.scopes = scopes


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


class RetryableFault(DocumentFault):
    """This document was not indexed, but the same file may be by another try, or with other settings."""


class ProviderFault(PinakesError):
    """Something we depend on did not answer as it should; trying again later may help."""

    code = "PROVIDER_UNAVAILABLE"


class Superseded(PinakesError):
    """Another worker took this operation over; what this one did must not count."""

    code = "SUPERSEDED"
