"""The engine's supervisor: a small detached program that keeps Postgres running while any client lives.

It is started by the first client and belongs to none of them. Standard library only: it stays in memory.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from pinakes.providers.postgres.cluster import (
    ClusterError,
    clear_socket_dir,
    prepare_cluster,
    prepare_socket_dir,
    server_command,
    server_environment,
)
from pinakes.providers.postgres.layout import Layout, lock_within, open_private, try_lock, write_private
from pinakes.providers.postgres.processes import (
    DEATH_SIGNAL,
    accepts_connections,
    postmaster_of,
    start_leash,
    start_tied,
    stop_leftovers,
    stop_postmaster,
)
from pinakes.providers.postgres.upgrade import upgrade_cluster

ALREADY_SUPERVISED = 3
FAILING_AFTER = 4

_IDLE_SECONDS = 0.2
_STARTING_SECONDS = 0.02
_SETTLED_SECONDS = 10.0
_LOG_LIMIT = 4 << 20
_LOG_KEPT = 256 << 10


class Supervisor:
    """Starts Postgres, starts it again when it dies, and stops it when the last client has let go."""

    def __init__(self, layout: Layout, own_lock: int) -> None:
        self._layout = layout
        self._own_lock = own_lock
        self._clients_lock = open_private(layout.clients_lock, os.O_RDWR)
        self._asked_to_stop = False
        self._alone = False
        self._server: subprocess.Popen[bytes] | None = None
        self._leash: subprocess.Popen[bytes] | None = None
        self._ready_since: float | None = None
        self._failures = 0
        self._not_before = 0.0

    def run(self) -> None:
        """Returns when no client is left, or on SIGTERM; no Postgres is left then."""
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            if not self._done():
                upgrade_cluster(self._layout, lambda: self._tell("upgrading"))
                prepare_cluster(self._layout)
            while not self._done():
                self._tend()
                time.sleep(_STARTING_SECONDS if self._ready_since is None else _IDLE_SECONDS)
        except (ClusterError, OSError) as error:
            say(f"giving up: {error}")
            self._stop()
            self._tell("failed", str(error))
        else:
            self._stop()
            if not self._is_evicted():
                self._layout.state.unlink(missing_ok=True)

    def release(self) -> None:
        """Lets go of the locks: ours first, so that whoever gets the clients' lock next sees us gone."""
        os.close(self._own_lock)
        os.close(self._clients_lock)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._asked_to_stop = True

    def _done(self) -> bool:
        if not self._asked_to_stop and not self._alone:
            self._alone = self._is_evicted() or try_lock(self._clients_lock, fcntl.LOCK_EX)
        return self._asked_to_stop or self._alone

    def _is_evicted(self) -> bool:
        """Whether the folder was removed or put in another's place under us."""
        try:
            return not os.path.samestat(os.fstat(self._own_lock), self._layout.supervisor_lock.lstat())
        except (FileNotFoundError, NotADirectoryError):
            return True

    def _tend(self) -> None:
        now = time.monotonic()
        trim_log(sys.stderr.fileno())
        if self._server is not None and self._server.poll() is not None:
            self._note_death(self._server.returncode)
        if self._server is None:
            if now >= self._not_before:
                self._start()
        elif self._ready_since is None:
            if accepts_connections(self._layout.data, self._server.pid):
                self._ready_since = now
                self._tell("ready")
        elif now - self._ready_since > _SETTLED_SECONDS:
            self._failures = 0

    def _start(self) -> None:
        data = self._layout.data
        self._tell("failing" if self._failures >= FAILING_AFTER else "starting")
        stop_leftovers(data)
        # Postgres refuses to start while the pid in this file lives, even if a stranger has it by now.
        if postmaster_of(data) is None:
            (data / "postmaster.pid").unlink(missing_ok=True)
        command = server_command(self._layout, prepare_socket_dir(self._layout))
        self._server = start_tied(
            command,
            run_as=self._layout.run_as,
            environment=server_environment(),
            death_signal=DEATH_SIGNAL,
        )
        self._leash = start_leash(self._server.pid)
        self._tell("failing" if self._failures >= FAILING_AFTER else "starting")

    def _note_death(self, code: int) -> None:
        self._failures += 1
        say(f"PostgreSQL ended with {code}")
        self._drop_leash()
        self._server = None
        self._ready_since = None
        self._not_before = time.monotonic() + min(5.0, 0.05 * 2**self._failures)

    def _stop(self) -> None:
        server = self._server
        if server is not None and server.poll() is None:
            self._tell("stopping")
            stop_postmaster(server.pid, lambda: server.poll() is not None)
        self._drop_leash()
        if self._is_evicted():
            return
        stop_leftovers(self._layout.data)
        if self._alone:
            clear_socket_dir(self._layout)

    def _drop_leash(self) -> None:
        if self._leash is not None:
            self._leash.kill()
            self._leash.wait()
            self._leash = None

    def _tell(self, state: str, detail: str = "") -> None:
        if self._is_evicted():
            return
        told = {"state": state, "supervisor": os.getpid(), "detail": detail, "failures": self._failures}
        server = self._server.pid if self._server is not None else None
        try:
            write_private(self._layout.state, json.dumps({**told, "postgres": server}))
        except OSError as error:
            # A full disk must not take a running database away.
            say(f"cannot write {self._layout.state}: {error}")


def say(message: str) -> None:
    """One line into the log."""
    stamp = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
    with contextlib.suppress(OSError):
        os.write(sys.stderr.fileno(), f"{stamp} supervisor: {message}\n".encode(errors="replace"))


def trim_log(descriptor: int) -> None:
    """Keeps the log small: everybody appends to the one file, so it can be cut in place."""
    size = os.fstat(descriptor).st_size
    if size <= _LOG_LIMIT:
        return
    kept = os.pread(descriptor, _LOG_KEPT, size - _LOG_KEPT)
    os.ftruncate(descriptor, 0)
    os.write(descriptor, kept)


def main(arguments: list[str]) -> int:
    """Takes the supervisor's lock and goes on in the background; when the caller ends, it is held."""
    folder, binaries, uid, gid, old_bin = arguments
    run_as = (int(uid), int(gid)) if uid else None
    old = Path(old_bin) if old_bin else None
    layout = Layout(folder=Path(folder), bin=Path(binaries), run_as=run_as, old_bin=old)
    lock = open_private(layout.supervisor_lock, os.O_RDWR)
    # Those who only look whether we live hold it for an instant.
    if not lock_within(lock, fcntl.LOCK_EX, 2.0):
        return ALREADY_SUPERVISED
    # The child holds the same lock on; nobody has to wait for it, so it never becomes a zombie of a client.
    if os.fork():
        os._exit(0)
    supervisor = Supervisor(layout, lock)
    try:
        supervisor.run()
    finally:
        supervisor.release()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
