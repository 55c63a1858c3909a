"""The folders that a client has open: only their files may be named by path."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urlsplit

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from pinakes.mcp.server import Context

_SECONDS = 5.0
_CALL = "tools/call"
_QUESTION = "roots"
# The argument with which tools take a file of the caller's machine.
_PATH = "path"


class Roots:
    """The folders given when we were started, and those of the one client at the other end."""

    def __init__(self, given: Sequence[Path]) -> None:
        self._given = tuple(given)
        self._asked: tuple[Path, ...] | None = None

    async def find(self, context: Context) -> tuple[Path, ...]:
        """The folders that are open to a call."""
        if context.method != _CALL or not _has_roots(context):
            return self._given
        if not context.session.can_send_request:
            told = _part(context, "inputResponses").get(_QUESTION)
            return (*self._given, *_read(told))
        if self._asked is None:
            self._asked = await _ask(context)
        return (*self._given, *self._asked)

    async def forget(self, _context: Context, _params: types.NotificationParams) -> None:
        """The client has other folders open now."""
        self._asked = None

    async def ask_first(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """From revision 2026-07-28 on nothing can be asked during a call: who names a path is sent back to tell."""
        unknown = _PATH in _part(ctx, "arguments") and _QUESTION not in _part(ctx, "inputResponses")
        if ctx.method != _CALL or not unknown or not _has_roots(ctx) or ctx.session.can_send_request:
            return await call_next(ctx)
        return types.InputRequiredResult(input_requests={_QUESTION: types.ListRootsRequest()})


def _part(context: Context, name: str) -> Mapping[str, Any]:
    """What came under this name, which nobody has looked at yet."""
    part = (context.params or {}).get(name)
    return cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {}


def _has_roots(context: Context) -> bool:
    able = context.session.client_capabilities
    return able is not None and able.roots is not None


async def _ask(context: Context) -> tuple[Path, ...]:
    try:
        answer = await context.session.send_request(
            types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=_SECONDS
        )
    except (MCPError, TimeoutError, ValidationError):
        # Not asked again: every call would wait for it.
        return ()
    return _folders(answer)


def _read(told: object) -> tuple[Path, ...]:
    """Of an answer that was sent along, which may be anything."""
    try:
        return _folders(types.ListRootsResult.model_validate(told))
    except ValidationError:
        return ()


def _folders(answer: types.ListRootsResult) -> tuple[Path, ...]:
    folders = (folder_of(str(root.uri)) for root in answer.roots)
    return tuple(folder for folder in folders if folder is not None)


def folder_of(uri: str) -> Path | None:
    """The folder that a root names; None for one that is not of this machine, or no folder at all."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or not path.startswith("/") or "\0" in path:
        return None
    return Path(path)
