"""What happens, told to those who watch: one listener on the database for all of them."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.responses import StreamingResponse

from pinakes.store.database import Database
from pinakes.store.events import Happening, subscribe

Kind = TypeVar("Kind", bound=Happening)
Found = TypeVar("Found")
_Queue = asyncio.Queue[Happening | None]
_KEEP_ALIVE_SECONDS = 15
_MOST_WAITING = 1000
_MOST_LOOKED_UP = 100
STILL_HERE = ": still here\n\n"


class EventHub:
    """One listener on the database for all the clients that watch."""

    def __init__(self) -> None:
        self._watching: dict[_Queue, tuple[str, tuple[type[Happening], ...]]] = {}
        self._looked_up: dict[str, asyncio.Task[Any]] = {}

    @asynccontextmanager
    async def listening(self, database: Database) -> AsyncGenerator["EventHub"]:
        """Pass events on for as long as the block runs, then send every watcher away."""
        task = asyncio.create_task(self._listen(database))
        try:
            yield self
        finally:
            task.cancel()
            self.dismiss()

    @asynccontextmanager
    async def watch(
        self, workspace_id: str, kinds: tuple[type[Kind], ...], still_allowed: Callable[[], Awaitable[bool]]
    ) -> AsyncGenerator[AsyncIterator[Kind | None]]:
        """What happens of these kinds in one workspace from now on; None now and then while nothing does.

        It ends when the server does, when something may have been missed, or with the watcher's rights.
        """
        queue: _Queue = asyncio.Queue(_MOST_WAITING)
        self._watching[queue] = (workspace_id, kinds)
        try:
            yield _follow(queue, kinds, still_allowed)
        finally:
            del self._watching[queue]

    async def look_up(self, key: str, look: Callable[[], Coroutine[Any, Any, Found]]) -> Found:
        """What everybody who watches is told, looked up by the first of them alone."""
        if key not in self._looked_up:
            self._looked_up[key] = asyncio.create_task(look())
            if len(self._looked_up) > _MOST_LOOKED_UP:
                del self._looked_up[next(iter(self._looked_up))]
        # The first one may leave while others wait.
        return await asyncio.shield(self._looked_up[key])

    def dismiss(self) -> None:
        """End every stream; clients come back and are shown where things stand."""
        for queue in self._watching:
            _put(queue, None)

    async def _listen(self, database: Database) -> None:
        async for event in subscribe(database):
            if event is None:
                self.dismiss()
                continue
            for queue, (workspace_id, kinds) in self._watching.items():
                if workspace_id == event.workspace_id and isinstance(event, kinds):
                    _put(queue, event)


async def _follow(
    queue: _Queue, kinds: tuple[type[Kind], ...], still_allowed: Callable[[], Awaitable[bool]]
) -> AsyncIterator[Kind | None]:
    checked = time.monotonic()
    while True:
        if time.monotonic() - checked >= _KEEP_ALIVE_SECONDS:
            if not await still_allowed():
                return
            checked = time.monotonic()
        try:
            event = await asyncio.wait_for(queue.get(), _KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield None
            continue
        if event is None:
            return
        assert isinstance(event, kinds)
        yield event


def _put(queue: _Queue, event: Happening | None) -> None:
    """A watcher too slow to follow loses its stream rather than holding everything up."""
    if queue.full():
        while not queue.empty():
            queue.get_nowait()
        event = None
    queue.put_nowait(event)


def _hub(request: Request) -> EventHub:
    return request.app.state.events


Hub = Annotated[EventHub, Depends(_hub)]


def stream_events(stream: AsyncIterator[str]) -> StreamingResponse:
    """Server-sent events, which no proxy may keep back."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)
