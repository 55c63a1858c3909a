"""From our errors to HTTP: the status says who can mend it, the body says how."""

import logging
import secrets
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from psycopg import DataError, OperationalError
from psycopg.errors import DeadlockDetected, DiskFull, ForeignKeyViolation
from psycopg_pool import PoolTimeout
from starlette.exceptions import HTTPException

from pinakes.api.envelope import Failure
from pinakes.api.protected_resource import challenge, challenge_scopes
from pinakes.domain import errors

log = logging.getLogger("pinakes.api")

_STATUS: tuple[tuple[type[errors.PinakesError], int], ...] = (
    (errors.InvalidInput, 422),
    (errors.Unauthenticated, 401),
    (errors.Forbidden, 403),
    (errors.NotFound, 404),
    (errors.Conflict, 409),
    (errors.FileTooLarge, 413),
    (errors.LimitExceeded, 422),
    (errors.UnsupportedFile, 415),
    (errors.CallerError, 400),
    (errors.DocumentFault, 422),
    (errors.ProviderFault, 503),
)
_HTTP_CODES = {404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}


class BodyTooLarge(HTTPException):
    """More came than the route takes. Of a kind that the framework lets through while it reads a body."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(413, message)
        self.code = code


def error_response(status: int, message: str, code: str, details: dict[str, Any] | None = None) -> JSONResponse:
    """The envelope of a failure."""
    failure = Failure(success=False, error=message, error_code=code, details=details)
    return JSONResponse(failure.model_dump(by_alias=True, exclude_none=True), status)


def broken_response(error: Exception) -> JSONResponse:
    """Our own fault: the log gets the details, the caller an id to quote."""
    incident = secrets.token_hex(4)
    log.error("Unhandled error", exc_info=error, extra={"incident": incident})
    return error_response(
        500,
        f"Something went wrong on our side (incident {incident}).",
        "INTERNAL_ERROR",
        {"incident": incident},
    )


def add_error_handlers(api: FastAPI) -> None:
    """Every way a request can fail ends in the same envelope; our own faults are caught around all routes."""
    api.add_exception_handler(errors.PinakesError, _ours)
    api.add_exception_handler(RequestValidationError, _invalid)
    api.add_exception_handler(HTTPException, _http)
    api.add_exception_handler(DataError, _unstorable)
    api.add_exception_handler(DeadlockDetected, _got_in_the_way)
    api.add_exception_handler(ForeignKeyViolation, _gone_meanwhile)
    api.add_exception_handler(DiskFull, _disk_full)
    api.add_exception_handler(OperationalError, _database_away)
    api.add_exception_handler(PoolTimeout, _database_away)


def _ours(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.PinakesError)
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
    details = dict(error.details) if error.details else None
    response = error_response(status, error.message, error.code, details)
    if status == 401:
        response.headers["www-authenticate"] = challenge(request)
    if isinstance(error, errors.InsufficientScope):
        response.headers["www-authenticate"] = challenge_scopes(request, error.scopes)
    return response


def _invalid(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    problems = [
        {"field": ".".join(str(part) for part in problem["loc"][1:]), "problem": _words(problem)}
        for problem in error.errors()
    ]
    if any(problem["type"] == "json_invalid" for problem in error.errors()):
        return error_response(400, "The body is not valid JSON. Check quotes, commas and braces.", "INVALID_JSON")
    first = problems[0] if problems else {"field": "", "problem": "The request is not valid."}
    message = f"{first['field']}: {first['problem']}" if first["field"] else first["problem"]
    return error_response(422, _printable(message), "INVALID_REQUEST", {"problems": problems})


def _words(problem: dict[str, Any]) -> str:
    """The validator's words, where they are fit for a caller."""
    if "UploadFile" in problem["msg"]:
        return "Send a file with a file name, as multipart/form-data."
    if problem["type"] in {"model_attributes_type", "dict_type"}:
        return "Send a JSON object, with 'Content-Type: application/json'."
    return problem["msg"].removeprefix("Value error, ")


def _http(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = error.code if isinstance(error, BodyTooLarge) else _HTTP_CODES.get(error.status_code, "INVALID_REQUEST")
    return error_response(error.status_code, str(error.detail), code)


def _unstorable(_: Request, error: Exception) -> JSONResponse:
    log.info("Refused a value the database cannot hold: %s", error)
    return error_response(
        422,
        "A value contains characters or numbers that cannot be stored (a NUL, for example).",
        "INVALID_REQUEST",
    )


def _gone_meanwhile(_: Request, error: Exception) -> JSONResponse:
    log.info("Something was deleted while it was being used: %s", error)
    return error_response(404, "What this belongs to was deleted meanwhile.", "NOT_FOUND")


def _got_in_the_way(_: Request, error: Exception) -> JSONResponse:
    log.warning("Two changes waited for each other: %s", error)
    return error_response(503, "Another change got in the way and nothing was done. Try again.", "TRY_AGAIN")


def _disk_full(_: Request, error: Exception) -> JSONResponse:
    log.error("The database's disk is full: %s", error)
    return error_response(507, "The server's disk is full and nothing was stored. Free some space.", "DISK_FULL")


def _database_away(_: Request, error: Exception) -> JSONResponse:
    log.warning("The database does not answer: %s", error)
    return error_response(503, "The database does not answer right now. Try again in a moment.", "UNAVAILABLE")


def _printable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()
