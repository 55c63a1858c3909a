"""The program behind `pinakes serve`."""

import asyncio
import contextlib
import json
import os
import shlex
import socket
import sys
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import uvicorn

from pinakes.api.application import open_api
from pinakes.cli.client import address, running_server
from pinakes.cli.model import ensure_model
from pinakes.cli.terminal import note, out, print_json
from pinakes.cli.working import on_signals, run_until_done
from pinakes.domain.errors import Conflict, InvalidInput, NotFound
from pinakes.logs import configure_logs
from pinakes.services import sign_in
from pinakes.services.sample import load_sample
from pinakes.settings import Settings
from pinakes.telemetry import configure_traces
from pinakes.wiring import App, Report, open_app

_RESTART_SECONDS = 1
# A little longer than a worker waits for its jobs; one that is killed loses nothing.
_STOP_SECONDS = 6


def run_server(settings: Settings, *, with_worker: bool, with_sample: bool, as_json: bool) -> None:
    """Serve until told to stop."""
    configure_logs(settings.log_level)
    configure_traces("pinakes-api")
    run_until_done(_serve(settings, with_worker=with_worker, with_sample=with_sample, as_json=as_json))


async def _serve(settings: Settings, *, with_worker: bool, with_sample: bool, as_json: bool) -> None:
    say: Report = note if not as_json else _silently
    if (url := await running_server(settings)) is not None:
        raise Conflict(f"A server runs on this data folder already: {url}. Stop it first, or set PINAKES_HOME.")
    listener = _listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    url = address(settings.host, port)
    await ensure_model(settings, say)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(open_app(settings, report=say))
        api = await stack.enter_async_context(open_api(app))
        keeper = await stack.enter_async_context(_kept_worker()) if with_worker else None
        if with_sample:
            await _load_sample_once(app, say)
        server = _Server(
            uvicorn.Config(api, log_config=None, access_log=False, proxy_headers=False, timeout_graceful_shutdown=3)
        )
        stop = asyncio.Event()
        on_signals(stop.set)
        stack.enter_context(_announced(settings, url))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        await _greet(app, url, as_json=as_json)
        await asyncio.wait({serving, asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
        say("Stopping …")
        api.state.events.dismiss()
        api.state.mcp.dismiss()
        if keeper is not None:
            keeper.cancel()
        server.should_exit = True
        await serving
    say("Stopped.")


def _silently(_: str) -> None:
    """With --json nothing but JSON is printed."""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Signals are ours: a stop must also reach the worker and the database."""
        yield


@asynccontextmanager
async def _kept_worker() -> AsyncGenerator[asyncio.Task[None]]:
    """A worker in a process of its own, started again whenever it ends, until this task is cancelled."""
    keeper = asyncio.create_task(_keep_worker())
    try:
        yield keeper
    finally:
        # Not twice: the second would interrupt the stopping that the first began.
        if not keeper.cancelling():
            keeper.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeper


async def _keep_worker() -> None:
    command = (sys.executable, "-m", "pinakes", "worker", "--attached")
    while True:
        # In a session of its own: Ctrl-C is for us, and we stop the worker when it is time.
        process = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE, start_new_session=True)
        try:
            code = await process.wait()
        except asyncio.CancelledError:
            await _stop_process(process)
            raise
        note(f"The worker ended (code {code}); starting it again.")
        await asyncio.sleep(_RESTART_SECONDS)


async def _stop_process(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _load_sample_once(app: App, say: Report) -> None:
    marker = app.settings.home_folder / "sample.loaded"
    if app.owner_token is None or marker.exists():
        return
    user = await sign_in.session_user(app.resources, app.owner_token)
    # Somebody who has deleted their last workspace, or made a sample of their own, needs none.
    with contextlib.suppress(Conflict, NotFound):
        identity = await sign_in.identify_user(app.resources, user, None)
        count = await load_sample(app.resources, identity)
        say(f"Loaded the sample knowledge base: {count} documents.")
    marker.touch()


async def _greet(app: App, url: str, *, as_json: bool) -> None:
    link = None
    url = app.settings.public_url or url
    if app.owner_token is not None:
        user = await sign_in.session_user(app.resources, app.owner_token)
        link = f"{url}/sign-in?token={(await sign_in.make_sign_in_link(app.resources, user)).token}"
    if as_json:
        print_json({"url": url, "signInLink": link})
        return
    out.print(f"\n[bold]Pinakes serves on {url}[/bold]")
    if link:
        out.print(f"Sign in (works once, for 15 minutes):\n  {link}", soft_wrap=True)
    out.print("Try it in another terminal:")
    for line in _first_commands(app.settings):
        out.print(f"  {line}", markup=False, soft_wrap=True)
    out.print("Stop with Ctrl-C.\n")


def _first_commands(settings: Settings) -> Generator[str]:
    """What a person types in a terminal that knows nothing of this one."""
    if sys.prefix != sys.base_prefix:
        yield f". {shlex.quote(f'{sys.prefix}/bin/activate')}"
    if "home" in settings.model_fields_set:
        yield f"export PINAKES_HOME={shlex.quote(str(settings.home_folder))}"
    yield 'pinakes ask "How many scrolls did the Pinakes fill?"'


@contextlib.contextmanager
def _announced(settings: Settings, url: str) -> Generator[None]:
    """Let commands on this data folder find the server."""
    path = settings.home_folder / "server.json"
    # At once: whoever finds the file finds the address in it.
    draft = path.with_suffix(".new")
    draft.write_text(json.dumps({"url": url, "pid": os.getpid()}))
    draft.replace(path)
    try:
        yield
    finally:
        with contextlib.suppress(OSError, ValueError):
            if json.loads(path.read_text())["pid"] == os.getpid():
                Path(path).unlink()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        # At once, for until then another could bind the same address and find out only when it is too late.
        listener.listen()
    except OSError as error:
        listener.close()
        raise InvalidInput(
            f"Cannot listen on {host}:{port}: {error.strerror}. Stop what uses it, or choose another --port."
        ) from error
    return listener
