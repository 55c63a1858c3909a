"""Telling our Postgres processes from everybody else's, stopping them, and tying them to their parent."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 0.02
# A fast shutdown that arrives during the recovery from a crash can hang, so patience is short: after an
# immediate one the log is replayed at the next start and nothing is lost.
_POLITE_FIRST = ((signal.SIGINT, 15.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))
# Nobody will be there to insist when the supervisor is dead.
DEATH_SIGNAL = signal.SIGQUIT
_LINUX = sys.platform == "linux"


def is_postgres_of(pid: int, data: Path) -> bool:
    """Whether this process is a Postgres of this cluster; a pid alone proves nothing, pids are reused."""
    if _LINUX:
        process = Path("/proc") / str(pid)
        try:
            named = (process / "comm").read_text(errors="replace").strip() == "postgres"
            return named and (process / "cwd").readlink() == data.resolve()
        except OSError:
            return False
    shown = subprocess.run(  # noqa: S603
        ["/bin/ps", "-ww", "-p", str(pid), "-o", "command="], capture_output=True, text=True, check=False
    ).stdout
    return "postgres" in shown and str(data) in shown


def postmaster_of(data: Path) -> int | None:
    """The pid of the postmaster that serves this cluster now."""
    pid = recorded_postmaster(data)
    return pid if pid is not None and is_postgres_of(pid, data) else None


def recorded_postmaster(data: Path) -> int | None:
    """The pid in the cluster's pid file, which may be long dead or somebody else's."""
    try:
        return int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None


def accepts_connections(data: Path, pid: int) -> bool:
    """Whether this postmaster has written into its pid file that it is ready."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[0] == str(pid) and lines[7].strip() == "ready"


def postgres_processes(data: Path) -> list[int]:
    """Every Postgres process of this cluster; only Linux tells of those without a postmaster."""
    if not _LINUX:
        pid = postmaster_of(data)
        return [] if pid is None else [pid]
    pids = (int(entry) for entry in os.listdir("/proc") if entry.isdigit())  # noqa: PTH208
    return [pid for pid in pids if is_postgres_of(pid, data)]


def stop_postmaster(pid: int, gone: Callable[[], bool]) -> bool:
    """Stops a postmaster, politely first; whether it is gone."""
    for number, seconds in _POLITE_FIRST:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return True
        if wait_until(gone, seconds):
            return True
    return False


def stop_leftovers(data: Path) -> None:
    """Ends whatever still serves this cluster: an orphaned postmaster, or backends that outlived theirs."""
    pid = postmaster_of(data)
    if pid is not None:
        stop_postmaster(pid, lambda: not is_postgres_of(pid, data))
    # A backend notices its postmaster's death only when it next waits, and until then nothing can start.
    for number, seconds in ((0, 1.0), (signal.SIGQUIT, 1.0), (signal.SIGKILL, 5.0)):
        for stray in postgres_processes(data):
            try:
                os.kill(stray, number)
            except ProcessLookupError:
                continue
        if wait_until(lambda: not postgres_processes(data), seconds):
            return


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether the condition came true in that time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def start_tied(
    command: list[str],
    *,
    run_as: tuple[int, int] | None,
    environment: dict[str, str],
    death_signal: int,
    stdin: int = subprocess.DEVNULL,
    folder: Path | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a child as that user; on Linux the kernel signals it when we die, however we die."""
    parent = os.getpid()
    libc = ctypes.CDLL(None, use_errno=True) if _LINUX else None

    def become() -> None:
        if run_as is not None:
            os.setgroups([])
            os.setgid(run_as[1])
            os.setuid(run_as[0])
        # After setuid, which clears it; and a parent that died before this line sends no signal any more.
        if libc is not None and (libc.prctl(_PR_SET_PDEATHSIG, death_signal) or os.getppid() != parent):
            os._exit(1)
        os.umask(0o077)

    return subprocess.Popen(  # noqa: S603
        command, env=environment, stdin=stdin, cwd=folder or "/", preexec_fn=become, start_new_session=True
    )


def start_leash(pid: int) -> subprocess.Popen[bytes] | None:
    """Where the kernel has no death signal: a shell that waits for our end and then stops Postgres."""
    if _LINUX:
        return None
    return subprocess.Popen(  # noqa: S603
        ["/bin/sh", "-c", 'read -r _; kill -QUIT "$0"', str(pid)],
        stdin=subprocess.PIPE,
        cwd="/",
        start_new_session=True,
    )
