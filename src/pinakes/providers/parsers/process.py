"""One parser child as its parent sees it: started, asked, watched, killed."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import psutil

from pinakes.domain.errors import ProviderFault
from pinakes.providers.parsers.wire import LENGTHS, Frame

_ROOT = Path(__file__).parents[3]  # the folder that holds the package
_BOOT = "import sys; sys.path.append(sys.argv[1]); from pinakes.providers.parsers.child import main; main()"
# Some interpreters find their own library only through these, and tesseract its data; nothing else of the
# environment is passed on.
_KEPT_VARIABLES = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TESSDATA_PREFIX")
_START_SECONDS = 60
_WATCH_SECONDS = 0.02
_KEPT_STDERR = 2_000


class ChildDiedError(Exception):
    """The child went away without an answer."""


class ChildProcess(asyncio.SubprocessProtocol):
    """A running child; answers one question at a time."""

    def __init__(self, largest_answer: int) -> None:
        self.asked = 0
        self.peak_bytes = 0
        self.offline = False
        self.overflowed = False
        self._largest_answer = largest_answer
        self._received = bytearray()
        self._stderr = bytearray()
        self._answer: asyncio.Future[Frame] = asyncio.get_running_loop().create_future()
        self._gone = asyncio.Event()
        self._transport: asyncio.SubprocessTransport | None = None

    @property
    def alive(self) -> bool:
        """False once the child is known to be dead."""
        return self._transport is not None and self._transport.get_returncode() is None and not self._gone.is_set()

    @property
    def exit_code(self) -> int | None:
        """The exit status once it is dead; minus the signal where one killed it."""
        return self._transport.get_returncode() if self._transport else None

    @property
    def pid(self) -> int:
        """The process id."""
        return self._transport.get_pid() if self._transport else -1

    async def wait_until_ready(self) -> None:
        """Return once the child has confined itself; ProviderFault with what it printed if it does not."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                ready = (await self._answer).fields
        except (ChildDiedError, TimeoutError) as error:
            printed = self._stderr.decode(errors="replace").strip().splitlines()
            reason = printed[-1] if printed else f"exit code {self.exit_code}"
            raise ProviderFault(f"The document reader could not be started: {reason}") from error
        self.offline = bool(ready.get("offline"))

    async def ask(self, question: Frame) -> Frame:
        """The child's answer; ChildDiedError if it went away before giving one."""
        self.asked += 1
        self.peak_bytes = 0
        self._answer = asyncio.get_running_loop().create_future()
        if self._transport is None or self._gone.is_set():
            raise ChildDiedError
        stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        stdin.write(question.head)
        stdin.write(question.body)
        return await self._answer

    async def watch_memory(self, limit: int) -> None:
        """Note how much address space the child takes, and kill it where it uses more than the limit."""
        # The kernel refuses memory over the limit; native code then aborts without saying why, and some
        # systems know no such limit. What was last seen explains the one and stands in for the other.
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(self.pid)
            while True:
                usage = process.memory_info()
                self.peak_bytes = max(self.peak_bytes, usage.vms if sys.platform == "linux" else usage.rss)
                if usage.rss > limit:
                    self.kill()
                await asyncio.sleep(_WATCH_SECONDS)

    def kill(self) -> None:
        """End the child at once; safe to call twice."""
        if self._transport is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._transport.send_signal(signal.SIGKILL)

    async def wait_until_gone(self) -> None:
        """Return once the child is dead and its pipes are closed."""
        await self._gone.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by the event loop."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Called by the event loop."""
        if fd != 1:
            self._stderr += data
            del self._stderr[:-_KEPT_STDERR]
            return
        if self.overflowed:
            return
        self._received += data
        if len(self._received) < LENGTHS.size:
            return
        header, body = LENGTHS.unpack_from(self._received)
        end = LENGTHS.size + header + body
        if end > self._largest_answer or len(self._received) > end:
            self.overflowed = True
            self._received.clear()
            self.kill()
        elif len(self._received) == end:
            view = bytes(self._received)
            self._received = bytearray()
            if not self._answer.done():
                self._answer.set_result(Frame(view[LENGTHS.size : -body or None], view[end - body :]))

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by the event loop once the process has ended and its pipes are closed."""
        self._gone.set()
        if not self._answer.done():
            self._answer.set_exception(ChildDiedError())
            self._answer.exception()


async def start_child(options: Mapping[str, Any], *, largest_answer: int) -> ChildProcess:
    """A fresh child, confined and ready: its own program, not a copy of ours, with nothing of ours open."""
    _, child = await asyncio.get_running_loop().subprocess_exec(
        lambda: ChildProcess(largest_answer),
        sys.executable,
        "-I",
        "-c",
        _BOOT,
        str(_ROOT),
        json.dumps({**options, "parent": os.getpid()}),
        cwd="/",
        env={name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ},
        start_new_session=True,
    )
    try:
        await child.wait_until_ready()
    except BaseException:
        child.kill()
        raise
    return child
