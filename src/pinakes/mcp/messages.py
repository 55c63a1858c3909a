"""What is wrong with a body that is no message of the protocol; the SDK tells how its own types failed to match it."""

import json
from collections.abc import Mapping
from typing import Any, cast

import mcp_types as types


def find_fault(body: bytes) -> dict[str, Any] | None:
    """The answer to a body that is no message of JSON-RPC 2.0 as the protocol has it; None to one that is."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return _refuse(
            types.PARSE_ERROR, "The body is not valid JSON. Check quotes, commas and braces.", "INVALID_JSON"
        )
    if not isinstance(message, dict):
        return _refuse(types.INVALID_REQUEST, "Send one message of JSON-RPC 2.0, a JSON object; no batch.")
    said = cast("Mapping[str, Any]", message)
    wrong = _problem(said)
    if wrong is None:
        return None
    # Said back, so that the client knows which it was; half a character cannot be.
    named = said["id"] if _is_id(said.get("id")) and str(said["id"]).isprintable() else None
    return _refuse(types.INVALID_REQUEST, f"This is no message: {wrong}", request_id=named)


def _problem(said: Mapping[str, Any]) -> str | None:
    if said.get("jsonrpc") != "2.0":
        return "'jsonrpc' must be \"2.0\"."
    if "id" in said and not _is_id(said["id"]):
        return "'id' must be a text or an integer; a notification has none."
    if "method" not in said and any(isinstance(said.get(outcome), dict) for outcome in ("result", "error")):
        return None
    if not isinstance(said.get("method"), str):
        return "'method' must be a text, such as \"tools/list\"."
    return None if isinstance(said.get("params"), dict | None) else "'params' must be an object."


def _is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _refuse(code: int, message: str, error_code: str = "INVALID_REQUEST", request_id: object = None) -> dict[str, Any]:
    error = {"code": code, "message": message, "data": {"error_code": error_code}}
    return {"jsonrpc": "2.0", "id": request_id, "error": error}
