"""Telling a connected client that its list of tools has changed."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError

from pinakes.domain.errors import CallerError

log = logging.getLogger("pinakes.mcp")
# Somebody who switches a tool off watches it disappear.
_SECONDS = 2.0
_MOST_STREAMS = 200
# Nobody takes them all: what one client opens must not keep another's from listening.
_MOST_EACH = 20
# The tools that a caller may call now; raises CallerError once it may not call any more.
ListNames = Callable[[], Awaitable[list[str]]]


class Streams:
    """The clients of revision 2026-07-28 that listen, each on a stream of its own."""

    def __init__(self) -> None:
        self._open: dict[ListenHandler, str] = {}

    async def listen(
        self,
        context: ServerRequestContext[Any],
        params: types.SubscriptionsListenRequestParams,
        names: ListNames,
        *,
        whose: str = "",
    ) -> types.SubscriptionsListenResult:
        """Serve one stream, until its client leaves, may not listen any more, or we close."""
        if len(self._open) >= _MOST_STREAMS:
            raise MCPError(types.INTERNAL_ERROR, "Too many clients are listening. Try again later.")
        if sum(owner == whose for owner in self._open.values()) >= _MOST_EACH:
            raise MCPError(types.INTERNAL_ERROR, f"You are listening on {_MOST_EACH} streams already. End some first.")
        bus = InMemorySubscriptionBus()
        handler = ListenHandler(bus)
        self._open[handler] = whose
        try:
            async with watching_tools(names, lambda: bus.publish(ToolsListChanged()), handler.close):
                return await handler(context, params)
        finally:
            del self._open[handler]

    def close(self) -> None:
        """End every stream; clients come back and list anew."""
        for handler in self._open:
            handler.close()


@asynccontextmanager
async def watching_tools(
    names: ListNames, changed: Callable[[], Awaitable[None]], refused: Callable[[], None] = lambda: None
) -> AsyncGenerator[None]:
    """For as long as the block runs, tell of changes; what is refused once is not looked at again."""
    task = asyncio.create_task(_watch(names, changed, refused))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _watch(names: ListNames, changed: Callable[[], Awaitable[None]], refused: Callable[[], None]) -> None:
    known: list[str] | None = None
    told = False
    while True:
        try:
            current = await names()
            if known not in (None, current):
                await changed()
            known, told = current, False
        except CallerError:
            refused()
            return
        except Exception as error:  # the database or the server may be away for a moment, and come back
            # Told once, not every other second.
            if not told:
                log.warning("Could not look for changes of the tools: %s", type(error).__name__, exc_info=True)
            told = True
        await asyncio.sleep(_SECONDS)
