"""Telling a connected client that its list of tools has changed."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from pinakes.domain.errors import CallerError
from pinakes.tools.calling import list_tools
from pinakes.tools.definition import Caller

# Somebody who switches a tool off watches it disappear.
_SECONDS = 2.0
_MOST_STREAMS = 200
FindCaller = Callable[[], Awaitable[Caller]]


class Streams:
    """The clients of revision 2026-07-28 that listen, each on a stream of its own."""

    def __init__(self) -> None:
        self._open: set[ListenHandler] = set()

    async def listen(
        self, context: ServerRequestContext[Any], params: types.SubscriptionsListenRequestParams, find: FindCaller
    ) -> types.SubscriptionsListenResult:
        """Serve one stream, until its client leaves, may not listen any more, or we close."""
        if len(self._open) >= _MOST_STREAMS:
            raise MCPError(types.INTERNAL_ERROR, "Too many clients are listening. Try again later.")
        bus = InMemorySubscriptionBus()
        handler = ListenHandler(bus)
        self._open.add(handler)
        try:
            async with _watching(find, lambda: bus.publish(ToolsListChanged()), handler.close):
                return await handler(context, params)
        finally:
            self._open.discard(handler)

    def close(self) -> None:
        """End every stream; clients come back and list anew."""
        for handler in self._open:
            handler.close()


@asynccontextmanager
async def _watching(
    find: FindCaller, changed: Callable[[], Awaitable[None]], refused: Callable[[], None]
) -> AsyncGenerator[None]:
    task = asyncio.create_task(watch_tools(find, changed, refused))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def watch_tools(
    find: FindCaller, changed: Callable[[], Awaitable[None]], refused: Callable[[], None] = lambda: None
) -> None:
    """Look again and again at what the caller may call; tell of changes, end when the caller is refused."""
    known: list[str] | None = None
    while True:
        try:
            names = [tool.name for tool in await list_tools(await find())]
        except CallerError:
            refused()
            return
        if known is not None and names != known:
            await changed()
        known = names
        await asyncio.sleep(_SECONDS)
