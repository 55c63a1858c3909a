"""The program behind `pinakes worker`, and what every program that runs until it is told to stop needs.

It knows nothing of the web: a worker has no use for an API, and loading one takes as long as all the rest.
"""

import asyncio
import signal
import sys
from contextlib import AsyncExitStack
from typing import Any

from pinakes.cli.terminal import note
from pinakes.logs import configure_logs
from pinakes.settings import Settings
from pinakes.telemetry import configure_traces
from pinakes.wiring import App, open_app
from pinakes.worker.priority import step_back
from pinakes.worker.tasks import end_task, run_worker


def run_worker_alone(settings: Settings, concurrency: int | None, *, attached: bool) -> None:
    """Index documents until told to stop, or until the server that started us is gone."""
    configure_logs(settings.log_level)
    configure_traces("pinakes-worker")
    step_back(settings.worker_niceness)
    run_until_done(_work(settings, concurrency, attached=attached))


def run_until_done(work: Any) -> None:
    """Run a program on the fastest event loop there is."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        runner.run(work)


def _new_loop() -> asyncio.AbstractEventLoop:
    import uvloop  # noqa: PLC0415 - not on every platform

    return uvloop.new_event_loop()


def on_signals(handler: Any) -> None:
    """Have Ctrl-C and a polite kill end us in our own way."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, handler)


async def _work(settings: Settings, concurrency: int | None, *, attached: bool) -> None:
    stop = asyncio.Event()
    on_signals(stop.set)
    ends: set[asyncio.Task[Any]] = {asyncio.create_task(stop.wait())}
    if attached:
        ends.add(asyncio.create_task(_parent_gone()))
    async with AsyncExitStack() as stack:
        opening = asyncio.create_task(stack.enter_async_context(open_app(settings, report=note)))
        # Whoever is told to stop before it has begun must not start a database first.
        if not await _ended_before(opening, ends):
            working = asyncio.create_task(run_worker(opening.result(), concurrency=concurrency))
            await asyncio.wait({working, *ends}, return_when=asyncio.FIRST_COMPLETED)
            await end_task(working)


async def _ended_before(opening: "asyncio.Task[App]", ends: "set[asyncio.Task[Any]]") -> bool:
    await asyncio.wait({opening, *ends}, return_when=asyncio.FIRST_COMPLETED)
    if opening.done():
        return False
    opening.cancel()
    await asyncio.wait({opening})
    return True


async def _parent_gone() -> None:
    """Ends when the server that started us ends, however it ends: then its end of our pipe closes."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()
