"""A server that is started again whenever it dies, and everything that belongs to it."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import httpx
import psutil

from pinakes.settings import Settings

VICTIMS = ("worker", "server", "parser", "postgres", "supervisor")
_START_SECONDS = 60.0


class Violation(Exception):
    """Something was lost, doubled, stuck or left behind."""


class Outside(Protocol):
    """A server of somebody else that ours depends on."""

    @property
    def environment(self) -> dict[str, str]:
        """What a Pinakes that uses it has in its environment."""
        ...

    def kill(self) -> None:
        """End it at once."""
        ...

    def start(self) -> object:
        """Start it again on the same data and address."""
        ...


@dataclass
class Installation:
    """A data folder and the server on it, which is started again whenever it dies."""

    home: Path
    outside: Mapping[str, Outside] = field(default_factory=dict[str, Outside])
    url: str = ""
    restarts: int = -1
    _process: "subprocess.Popen[bytes] | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def environment(self) -> dict[str, str]:
        """What a program on this data folder needs."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PINAKES_", "OTEL_"))}
        return clean | self._own_variables

    @property
    def settings(self) -> Settings:
        """The same for a program in this process."""
        given: dict[str, Any] = {"database_url": None, "migrate_url": None}
        given.update((name.removeprefix("PINAKES_").lower(), value) for name, value in self._own_variables.items())
        return Settings(**given)

    @property
    def victims(self) -> tuple[str, ...]:
        """All that can be killed."""
        return (*VICTIMS, *self.outside)

    @property
    def _own_variables(self) -> dict[str, str]:
        own = {"PINAKES_HOME": str(self.home), "PINAKES_HEARTBEAT_SECONDS": "1"}
        for server in self.outside.values():
            own |= server.environment
        return own

    def ensure_running(self) -> None:
        """Start the server unless it runs, and wait until it answers."""
        with self._lock:
            deadline = time.monotonic() + _START_SECONDS
            while self._process is None or self._process.poll() is not None or not self._answers():
                if time.monotonic() > deadline:
                    raise Violation(f"The server does not come back; see {self.home}/server.log")
                if self._process is None or self._process.poll() is not None:
                    self._start()
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server as a person would, and see that nothing of it stays."""
        with self._lock:
            family = self.family()
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
                self._process.wait(_START_SECONDS)
        _, alive = psutil.wait_procs(family, 15)
        if alive:
            raise Violation(f"Still there after the server was stopped: {[process.name() for process in alive]}")

    def remove(self) -> None:
        """Delete the data folder, and the database where that lies elsewhere."""
        engine = self.home / "postgres"
        if engine.is_symlink():
            shutil.rmtree(engine.resolve(), ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)

    @contextmanager
    def client(self) -> Generator[httpx.Client]:
        """A client signed in as the local owner."""
        headers = {"Authorization": f"Bearer {(self.home / 'owner.token').read_text().strip()}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False) as client:
            yield client

    def family(self) -> list[psutil.Process]:
        """The server, all that descend from it, and the database's processes."""
        engine = self._engine()
        found = [psutil.Process(self._process.pid)] if self._process and self._process.poll() is None else []
        found += [
            psutil.Process(engine[name])
            for name in ("supervisor", "postgres")
            if engine.get(name) and psutil.pid_exists(engine[name])
        ]
        for process in list(found):
            try:
                found += process.children(recursive=True)
            except psutil.Error:
                continue
        return found

    def find(self, victim: str) -> psutil.Process | None:
        """A process of this kind, if one lives now."""
        if victim in {"postgres", "supervisor"}:
            pid = self._engine().get(victim)
            return psutil.Process(pid) if pid and psutil.pid_exists(pid) else None
        if self._process is None or self._process.poll() is not None:
            return None
        server = psutil.Process(self._process.pid)
        marks = {"worker": "--attached", "parser": "pinakes.providers.parsers.child"}
        if victim == "server":
            return server
        found = [process for process in server.children(recursive=True) if _mentions(process, marks[victim])]
        return random.choice(found) if found else None

    def _start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "server.json").unlink(missing_ok=True)
        self.restarts += 1
        with (self.home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pinakes", "serve", "--port", "0", "--no-sample"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _answers(self) -> bool:
        try:
            self.url = json.loads((self.home / "server.json").read_text())["url"]
            return httpx.get(f"{self.url}/readyz", timeout=5, trust_env=False).is_success
        except (OSError, ValueError, httpx.HTTPError):
            return False

    def _engine(self) -> dict[str, Any]:
        try:
            return json.loads((self.home / "postgres" / "state.json").read_text())
        except (OSError, ValueError):
            return {}


def _mentions(process: psutil.Process, mark: str) -> bool:
    try:
        return mark in " ".join(process.cmdline())
    except psutil.Error:
        return False
