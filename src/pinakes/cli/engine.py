"""The whole application inside the command's own process, for when no server runs."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import httpx

from pinakes.api.application import open_api
from pinakes.cli.terminal import note
from pinakes.settings import Settings
from pinakes.wiring import open_app
from pinakes.worker.tasks import working


@dataclass(frozen=True, slots=True)
class OwnEngine:
    """A way to call the API in this process, and the local owner's session."""

    transport: httpx.AsyncBaseTransport
    owner_token: str | None


@asynccontextmanager
async def open_own_engine(settings: Settings, *, work: bool) -> AsyncGenerator[OwnEngine]:
    """Start the engine, with a worker if there is work to do, and give everything back at the end."""
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(settings, report=note))
        api = await stack.enter_async_context(open_api(app))
        if work:
            await stack.enter_async_context(working(app))
        yield OwnEngine(httpx.ASGITransport(app=api), app.owner_token)
