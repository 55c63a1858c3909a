"""A client's hold on the embedded PostgreSQL that all programs of one home share."""

import asyncio
import fcntl
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from psycopg import pq

from pinakes.domain.errors import ProviderFault
from pinakes.providers.postgres.cluster import APP_ROLE, DATABASE, OWNER_ROLE, PORT, socket_dir
from pinakes.providers.postgres.folder import prepare_folder
from pinakes.providers.postgres.layout import (
    POSTGRES_MAJOR,
    Layout,
    lock_within,
    log_tail,
    open_private,
    read_json,
    supervisor_lives,
    try_lock,
)
from pinakes.providers.postgres.supervisor import ALREADY_SUPERVISED, FAILING_AFTER

_log = logging.getLogger(__name__)

_START_LIMIT = 60.0
_RECOVERY_LIMIT = 600.0
_UPGRADE_LIMIT = 6 * 3600.0
_SPAWN_LIMIT = 30.0
_MAX_SPAWNS = 3
_POLL_SECONDS = 0.03
_WATCH_SECONDS = 1.0
# The supervisor needs nothing but the standard library and our own files, so it starts without site-packages.
_RUN_SUPERVISOR = (
    "import sys; sys.path.append(sys.argv[1]); "
    "from pinakes.providers.postgres.supervisor import main; sys.exit(main(sys.argv[2:]))"
)
# Some interpreters do not find their own library without these; nothing else is passed on.
_KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_SOURCE_ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class EngineUrls:
    """Where to connect: as the owner, who may change the schema, and as the role that row security binds."""

    migrate_url: str
    app_url: str


class EmbeddedEngine:
    """One client's hold on the shared engine; while any is held, Postgres is kept running."""

    def __init__(self, layout: Layout, hold: int, urls: EngineUrls) -> None:
        self.urls = urls
        self._hold: int | None = hold
        self._closing = threading.Event()
        self._watch = threading.Thread(
            target=_watch_supervisor, args=(layout, self._closing), name="pinakes-engine-watch", daemon=True
        )
        self._watch.start()

    async def close(self) -> None:
        """Lets go; Postgres stops once nobody holds it. Closing twice is harmless."""
        self._closing.set()
        await asyncio.to_thread(self._watch.join)
        hold, self._hold = self._hold, None
        if hold is not None:
            os.close(hold)


async def open_engine(home: Path, *, report: Callable[[str], None] | None = None) -> EmbeddedEngine:
    """Starts what is missing and returns once Postgres accepts connections."""
    layout, hold = await asyncio.to_thread(_open_folder, home)
    try:
        await _take_hold(layout, hold)
        if report is not None and not await asyncio.to_thread(layout.data.exists):
            report("Setting up the database, which takes a few seconds the first time …")
        await _wait_until_ready(layout, report)
        urls = await asyncio.to_thread(_read_urls, layout)
        return EmbeddedEngine(layout, hold, urls)
    except BaseException:
        os.close(hold)
        raise


def _open_folder(home: Path) -> tuple[Layout, int]:
    try:
        layout = prepare_folder(home)
        return layout, open_private(layout.clients_lock, os.O_RDWR)
    except OSError as error:
        raise ProviderFault(f"The database's folder in {home} cannot be used: {error}") from error


async def _take_hold(layout: Layout, hold: int) -> None:
    """Waits where the last supervisor is just stopping: it holds the lock until Postgres is gone."""
    deadline = time.monotonic() + _START_LIMIT
    while not try_lock(hold, fcntl.LOCK_SH):
        if time.monotonic() > deadline:
            raise _fault(layout, "The database is still shutting down.")
        await asyncio.sleep(_POLL_SECONDS)


async def _wait_until_ready(layout: Layout, report: Callable[[str], None] | None) -> None:
    started = time.monotonic()
    spawns = 0
    told = False
    while True:
        lives = await asyncio.to_thread(supervisor_lives, layout)
        state = await asyncio.to_thread(read_json, layout.state)
        if lives and await asyncio.to_thread(_accepts, layout, state):
            return
        waited = time.monotonic() - started
        _raise_if_hopeless(layout, state, waited, spawns if not lives else None)
        if not lives:
            await asyncio.to_thread(ensure_supervisor, layout)
            spawns += 1
        if report is not None and not told and (news := _news(state, waited)) is not None:
            report(news)
            told = True
        await asyncio.sleep(_POLL_SECONDS)


def _news(state: dict[str, Any], waited: float) -> str | None:
    """What to tell a person about the wait."""
    if state.get("state") == "upgrading":
        return f"Upgrading the database to PostgreSQL {POSTGRES_MAJOR}; this may take minutes …"
    if waited > 10 and state.get("postgres"):
        return "PostgreSQL is still starting; it may be recovering from a crash …"
    return None


def _accepts(layout: Layout, state: dict[str, Any]) -> bool:
    if state.get("state") != "ready":
        return False
    # Asked as well, for a postmaster that was killed stays `ready` here until its supervisor notices.
    url = f"{_url(layout, APP_ROLE, '')}&connect_timeout=2"
    return pq.PGconn.ping(url.encode()) == pq.Ping.OK


def _raise_if_hopeless(layout: Layout, state: dict[str, Any], waited: float, spawns: int | None) -> None:
    """`spawns`: how many supervisors we started, where none lives."""
    detail = str(state.get("detail") or "")
    if spawns and (state.get("state") == "failed" or spawns >= _MAX_SPAWNS):
        raise _fault(layout, f"The database could not be started. {detail}".rstrip())
    if spawns is None and state.get("state") == "failing" and int(state["failures"]) >= FAILING_AFTER:
        raise _fault(layout, "PostgreSQL stops again and again right after its start.")
    # Recovery after a crash may take minutes, and giving up on it would only begin it anew.
    limit = _RECOVERY_LIMIT if state.get("postgres") else _START_LIMIT
    if waited > (_UPGRADE_LIMIT if state.get("state") == "upgrading" else limit):
        raise _fault(layout, f"The database did not start within {waited:.0f} seconds.")


def _fault(layout: Layout, message: str) -> ProviderFault:
    return ProviderFault(f"{message}\nThe last lines of {layout.log}:\n{log_tail(layout)}")


def ensure_supervisor(layout: Layout) -> None:
    """Starts a supervisor where none lives; on return one holds its lock, or has ended again."""
    start = open_private(layout.start_lock, os.O_RDWR)
    try:
        if not lock_within(start, fcntl.LOCK_EX, _SPAWN_LIMIT):
            raise _fault(layout, f"Another program does not let go of {layout.start_lock}.")
        if supervisor_lives(layout):
            return
        # What the last one said is not true any more, and must not be taken for the new one's word.
        layout.state.unlink(missing_ok=True)
        _spawn_supervisor(layout)
    finally:
        os.close(start)


def _spawn_supervisor(layout: Layout) -> None:
    uid, gid = layout.run_as or ("", "")
    arguments = [str(_SOURCE_ROOT), str(layout.folder), str(layout.bin), str(uid), str(gid), str(layout.old_bin or "")]
    log = open_private(layout.log, os.O_RDWR | os.O_APPEND)
    try:
        starter = subprocess.Popen(  # noqa: S603
            [sys.executable, "-I", "-S", "-c", _RUN_SUPERVISOR, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
            start_new_session=True,
        )
    finally:
        os.close(log)
    try:
        # It ends as soon as the supervisor proper, its child, holds the lock.
        code = starter.wait(_SPAWN_LIMIT)
    except subprocess.TimeoutExpired:
        starter.kill()
        starter.wait()
        raise _fault(layout, "The database's supervisor does not come up.") from None
    if code not in (0, ALREADY_SUPERVISED):
        raise _fault(layout, f"The database's supervisor ended with {code}.")


def _watch_supervisor(layout: Layout, closing: threading.Event) -> None:
    """Brings the supervisor back when it was killed; it in turn brings back Postgres."""
    while not closing.wait(_WATCH_SECONDS):
        try:
            if not supervisor_lives(layout):
                _log.warning("The database's supervisor is gone; starting another.")
                ensure_supervisor(layout)
        except (OSError, ProviderFault) as error:
            _log.error("The database's supervisor cannot be started: %s", error)


def _read_urls(layout: Layout) -> EngineUrls:
    passwords = read_json(layout.passwords)
    return EngineUrls(
        migrate_url=_url(layout, OWNER_ROLE, passwords[OWNER_ROLE]),
        app_url=_url(layout, APP_ROLE, passwords[APP_ROLE]),
    )


def _url(layout: Layout, role: str, password: str) -> str:
    host = quote(str(socket_dir(layout)), safe="")
    return f"postgresql://{role}:{quote(password, safe='')}@/{DATABASE}?host={host}&port={PORT}"
