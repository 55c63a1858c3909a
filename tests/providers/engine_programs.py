"""How a test drives separate programs that share an engine, and sees what they leave behind."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg
import pytest

import pinakes
from pinakes.providers.postgres.layout import read_json
from pinakes.providers.postgres.status import engine_status

PROGRAM = Path(__file__).with_name("engine_client.py")
IMPORTS = [str(Path(pinakes.__file__).parents[1]), str(Path(psycopg.__file__).parents[1])]


class Program:
    """A separate program that holds the engine of a home open."""

    def __init__(self, home: Path, *, python: str = sys.executable, uid: int | None = None) -> None:
        self.process = subprocess.Popen(
            [python, str(PROGRAM), str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd="/",
            user=uid,
            group=uid,
            extra_groups=None if uid is None else [],
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": os.pathsep.join(IMPORTS), "LANG": "C"},
        )

    def read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ask(self, line: str) -> str:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.read()

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def wait_for(condition: Callable[[], object], otherwise: str, seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.02)


def left_of(home: Path) -> list[psutil.Process]:
    """The supervisors and Postgres processes of this home's engine."""
    folder = str(home.joinpath("postgres").resolve())
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            ours = process.cwd().startswith(folder) or any(part.startswith(folder) for part in process.cmdline())
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


def supervisor_of(home: Path) -> int:
    return int(read_json(home / "postgres" / "state.json")["supervisor"])


def postmaster_of(home: Path) -> int:
    pid = engine_status(home).pid
    assert pid is not None
    return pid


def python_for(uid: int) -> str:
    """An interpreter that this user can run with our packages."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/local/bin/{version}", f"/usr/bin/{version}"):
        try:
            tried = subprocess.run(
                [python, "-c", f"import psycopg; open({str(PROGRAM)!r})"],
                user=uid,
                group=uid,
                extra_groups=[],
                cwd="/",
                env={"PYTHONPATH": os.pathsep.join(IMPORTS)},
                capture_output=True,
                check=False,
            )
        except OSError:
            continue
        if tried.returncode == 0:
            return python
    pytest.skip(f"no interpreter that user id {uid} can run with our packages")
