"""The embedded engine: many programs share one Postgres, whatever dies, and none is left behind."""

import asyncio
import contextlib
import os
import pwd
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psutil
import psycopg
import pytest
from engine_programs import Program, left_of, mode_of, postmaster_of, python_for, supervisor_of, wait_for

from pinakes.domain.errors import ProviderFault
from pinakes.providers.postgres.engine import EmbeddedEngine, open_engine
from pinakes.providers.postgres.layout import read_json
from pinakes.providers.postgres.status import abandoned_engines, engine_status
from pinakes.providers.postgres.supervisor import trim_log

AS_ROOT = os.geteuid() == 0
ANSWER = "привет"
needs_root = pytest.mark.skipif(not AS_ROOT, reason="only root can become another user")
Start = Callable[..., Program]
Open = Callable[..., Awaitable[EmbeddedEngine]]


@pytest.fixture
def home() -> Iterator[Path]:
    parent = Path(tempfile.mkdtemp(prefix="pinakes engine "))
    made = parent / "home"
    yield made
    folder = made.joinpath("postgres").resolve()
    wait_for(lambda: not left_of(made), "processes are left")
    if folder.parent == Path("/var/lib/pinakes"):
        shutil.rmtree(folder)
    shutil.rmtree(parent)


@pytest.fixture
def start(home: Path) -> Iterator[Start]:
    programs: list[Program] = []

    def start_program(**how: object) -> Program:
        program = Program(home, **how)  # pyright: ignore[reportArgumentType]
        programs.append(program)
        return program

    yield start_program
    for program in programs:
        program.kill()


@pytest.fixture
async def opened(home: Path) -> AsyncIterator[Open]:
    engines: list[EmbeddedEngine] = []

    async def open_for_test(home: Path, report: Callable[[str], None] | None = None) -> EmbeddedEngine:
        engines.append(await open_engine(home, report=report))
        return engines[-1]

    yield open_for_test
    for engine in engines:
        await engine.close()


async def value_of(url: str, query: str) -> object:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        row = await (await connection.execute(query.encode())).fetchone()
        return row and row[0]


async def run_sql(url: str, *statements: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for statement in statements:
            await connection.execute(statement.encode())


async def test_the_engine_opens_and_knows_every_alphabet_and_vectors(home: Path, opened: Open) -> None:  # F2
    said: list[str] = []
    engine = await opened(home, report=said.append)
    assert said[0].startswith("Setting up the database")
    assert await value_of(engine.urls.app_url, "SELECT lower('ПРИВЕТ')") == ANSWER
    assert await value_of(engine.urls.migrate_url, "SHOW server_encoding") == "UTF8"
    assert await value_of(engine.urls.migrate_url, "SHOW fsync") == "on"
    assert await value_of(engine.urls.migrate_url, "SHOW listen_addresses") == ""
    await run_sql(engine.urls.migrate_url, "CREATE EXTENSION vector")
    assert await value_of(engine.urls.app_url, "SELECT '[1,2]'::vector <-> '[1,3]'::vector") == 1.0
    await engine.close()
    await engine.close()


async def test_the_application_role_has_no_power_beyond_its_rows(home: Path, opened: Open) -> None:  # F3
    engine = await opened(home)
    powers = "rolsuper OR rolbypassrls OR rolcreatedb OR rolcreaterole"
    role = f"SELECT {powers} FROM pg_roles WHERE rolname = current_user"
    assert await value_of(engine.urls.app_url, role) is False
    assert await value_of(engine.urls.migrate_url, role) is True
    for forbidden in (
        "CREATE TABLE public.t (a int)",
        "CREATE SCHEMA s",
        "CREATE DATABASE d",
        "SET ROLE pinakes",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await run_sql(engine.urls.app_url, forbidden)
    await engine.close()


async def test_nobody_gets_in_without_the_password(home: Path, opened: Open) -> None:  # F3
    engine = await opened(home)
    for url in (engine.urls.migrate_url, engine.urls.app_url):
        password = urlsplit(url).password
        assert password is not None
        with pytest.raises(psycopg.OperationalError):
            await value_of(url.replace(password, "guess"), "SELECT 1")
    with pytest.raises(psycopg.OperationalError):
        await value_of(engine.urls.app_url.replace("pinakes_app", "postgres", 1), "SELECT 1")
    passwords = home / "postgres" / "passwords.json"
    assert mode_of(passwords) == 0o600
    await engine.close()


async def test_data_outlives_the_engine_and_opens_race_safely(home: Path, opened: Open) -> None:  # K3
    engines = await asyncio.gather(*(opened(home) for _ in range(4)))
    await run_sql(engines[0].urls.migrate_url, "CREATE TABLE kept AS SELECT 7 AS a")
    for engine in engines[:3]:
        await engine.close()
    assert await value_of(engines[3].urls.migrate_url, "SELECT a FROM kept") == 7
    await engines[3].close()
    again = await opened(home)
    assert await value_of(again.urls.migrate_url, "SELECT a FROM kept") == 7
    await again.close()
    await asyncio.to_thread(wait_for, lambda: not left_of(home), "processes are left")
    assert engine_status(home).state == "stopped"


async def test_a_long_path_gets_a_short_socket_that_is_cleaned_up(home: Path, opened: Open) -> None:  # F2
    # In place, as where a volume is mounted: everybody may pass through, so root too can use it.
    place = home / ("long, \"quoted\" and 'spaced' " * 6)
    (place / "postgres").mkdir(parents=True)
    for passed in (home.parent, home, place, place / "postgres"):
        passed.chmod(0o755)
    engine = await opened(place)
    socket = Path(parse_qs(urlsplit(engine.urls.app_url).query)["host"][0])
    assert socket.parent == Path("/tmp")
    assert mode_of(socket) == 0o700
    assert await value_of(engine.urls.app_url, "SELECT lower('ПРИВЕТ')") == ANSWER
    await asyncio.to_thread(os.kill, supervisor_of(place), signal.SIGKILL)
    await asyncio.sleep(1.5)
    await come_back(engine)
    await engine.close()
    await asyncio.to_thread(wait_for, lambda: not left_of(place), "processes are left")
    assert not await asyncio.to_thread(socket.exists)


async def come_back(engine: EmbeddedEngine) -> None:
    """Waits until the same address answers again."""
    for _ in range(400):
        try:
            assert await value_of(engine.urls.app_url, "SELECT lower('ПРИВЕТ')") == ANSWER
        except psycopg.OperationalError:
            await asyncio.sleep(0.05)
        else:
            return
    pytest.fail("the database did not come back")


def test_programs_killed_in_any_order_leave_the_others_the_database(home: Path, start: Start) -> None:  # K3
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")  # noqa: T201
    chance = random.Random(seed)
    for _ in range(10):
        programs = [start() for _ in range(3)]
        for program in programs:
            assert program.read().startswith("ready")
        chance.shuffle(programs)
        while programs:
            programs.pop().kill()
            for program in programs:
                assert program.ask("held") == ANSWER
        # Half of the time the next ones arrive while the last engine is still stopping.
        if chance.random() < 0.5:
            wait_for(lambda: not left_of(home), "processes are left")
    wait_for(lambda: not left_of(home), "processes are left")


def test_a_killed_postmaster_comes_back(home: Path, start: Start) -> None:  # K3
    program = start()
    assert program.read().startswith("ready")
    for _ in range(3):
        killed = postmaster_of(home)
        os.kill(killed, signal.SIGKILL)
        assert program.ask("anew") == ANSWER
        wait_for(lambda killed=killed: engine_status(home).pid not in (None, killed), "no new postmaster")
    program.kill()
    wait_for(lambda: not left_of(home), "processes are left")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_stopped_supervisor_comes_back(home: Path, start: Start, number: int) -> None:  # K3
    programs = [start(), start()]
    for program in programs:
        assert program.read().startswith("ready")
    killed = supervisor_of(home)
    os.kill(killed, number)
    wait_for(lambda: read_json(home / "postgres" / "state.json").get("supervisor") not in (None, killed), "none")
    for program in programs:
        assert program.ask("anew") == ANSWER
    for program in programs:
        program.kill()
    wait_for(lambda: not left_of(home), "processes are left")


def test_nothing_is_left_when_everybody_is_killed_at_once(home: Path, start: Start) -> None:  # K3
    for _ in range(3):
        programs = [start(), start()]
        for program in programs:
            assert program.read().startswith("ready")
        victims = [supervisor_of(home), *(program.process.pid for program in programs)]
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        wait_for(lambda: not left_of(home), "processes are left")


def test_a_first_start_that_is_killed_leaves_nothing_half_made(home: Path, start: Start) -> None:  # K3
    program = start()
    wait_for(lambda: list(home.glob("postgres/data.new-*/base")), "initdb did not start")
    for process in left_of(home):
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    program.kill()
    assert not (home / "postgres" / "data").exists()
    second = start()
    assert second.read().startswith("ready")
    assert second.ask("held") == ANSWER
    assert not list(home.glob("postgres/data.new-*"))


async def test_a_stale_pid_file_that_names_a_stranger_is_not_believed(home: Path, opened: Open) -> None:  # K3
    engine = await opened(home)
    await engine.close()
    await asyncio.to_thread(wait_for, lambda: not left_of(home), "processes are left")
    data = home / "postgres" / "data"
    # Of the same user, for only such a process would keep Postgres from starting.
    user = data.stat().st_uid if AS_ROOT else None
    stranger = await asyncio.to_thread(subprocess.Popen, ["sleep", "60"], cwd="/", user=user)
    try:
        lines = [str(stranger.pid), str(data.resolve()), "1", "5432", "", "", "1 1", "ready", ""]
        (data / "postmaster.pid").write_text("\n".join(lines))
        again = await opened(home)
        assert await value_of(again.urls.app_url, "SELECT lower('ПРИВЕТ')") == ANSWER
        assert stranger.poll() is None
        await again.close()
    finally:
        stranger.kill()
        stranger.wait()


async def test_a_database_that_cannot_start_says_why(home: Path, opened: Open) -> None:  # F2
    engine = await opened(home)
    await engine.close()
    await asyncio.to_thread(wait_for, lambda: not left_of(home), "processes are left")
    data = home / "postgres" / "data"
    (data / "global" / "pg_control").write_bytes(b"broken")
    with pytest.raises(ProviderFault, match=r"again and again(.|\n)*pg_control"):
        await open_engine(home)
    await asyncio.to_thread(wait_for, lambda: not left_of(home), "processes are left")
    (data / "PG_VERSION").write_text("12\n")
    with pytest.raises(ProviderFault, match="made by PostgreSQL 12"):
        await open_engine(home)
    assert engine_status(home).state == "broken"


def test_the_log_stays_small(tmp_path: Path) -> None:  # F4
    path = tmp_path / "engine.log"
    with path.open("ab+") as log:
        log.write(b"old\n" * 2_000_000 + b"new\n")
        log.flush()
        trim_log(log.fileno())
    assert path.stat().st_size < 1_000_000
    assert path.read_bytes().endswith(b"old\nnew\n")


async def test_the_status_is_told_without_starting_anything(home: Path, opened: Open) -> None:  # F6
    assert engine_status(home).state == "stopped"
    assert not list(home.parent.iterdir())
    engine = await opened(home)
    status = engine_status(home)
    assert status.state == "running"
    assert status.pid is not None
    assert psutil.Process(status.pid).name() == "postgres"
    assert status.pid in [process.pid for process in left_of(home)]
    assert status.version is not None
    assert status.version.startswith("18.")
    await engine.close()
    await asyncio.to_thread(wait_for, lambda: engine_status(home).state == "stopped", "it still runs")


@needs_root
async def test_as_root_another_user_runs_postgres_and_no_mode_is_loosened(home: Path, opened: Open) -> None:  # F2
    engine = await opened(home)
    assert mode_of(home) == mode_of(home.parent) == 0o700
    folder = (home / "postgres").readlink()
    assert folder.parent == Path("/var/lib/pinakes")
    assert psutil.Process(postmaster_of(home)).uids().real != 0
    assert folder not in [engine.folder for engine in abandoned_engines()]
    await engine.close()
    await asyncio.to_thread(wait_for, lambda: not left_of(home), "processes are left")
    moved = home.with_name("moved")
    shutil.move(home, moved)
    assert folder in [engine.folder for engine in abandoned_engines()]
    again = await opened(moved)
    await again.close()
    assert folder not in [engine.folder for engine in abandoned_engines()]
    await asyncio.to_thread(wait_for, lambda: not left_of(moved), "processes are left")
    shutil.copytree(moved, home, symlinks=True)
    with pytest.raises(ProviderFault, match="is a copy of"):
        await open_engine(home)


@needs_root
def test_an_ordinary_user_has_everything_in_the_home(home: Path, start: Start) -> None:  # F2
    nobody = pwd.getpwnam("nobody").pw_uid
    python = python_for(nobody)
    home.mkdir()
    for owned in (home.parent, home):
        os.chown(owned, nobody, nobody)
    program = start(python=python, uid=nobody)
    assert program.read().startswith("ready")
    assert program.ask("held") == ANSWER
    folder = home / "postgres"
    assert not folder.is_symlink()
    assert mode_of(folder) == 0o700
    # Root may join: it leaves nothing behind that shuts the owner out.
    guest = start()
    assert guest.read().startswith("ready")
    program.kill()
    assert guest.ask("held") == ANSWER
    os.kill(supervisor_of(home), signal.SIGKILL)
    assert guest.ask("anew") == ANSWER
    again = start(python=python, uid=nobody)
    assert again.read().startswith("ready")
    guest.kill()
    assert again.ask("held") == ANSWER
    assert {path.owner() for path in folder.iterdir()} == {"nobody"}


@needs_root
def test_root_may_come_first_into_a_users_folder(home: Path, start: Start) -> None:  # F2
    nobody = pwd.getpwnam("nobody").pw_uid
    python = python_for(nobody)
    folder = home / "postgres"
    folder.mkdir(parents=True, mode=0o700)
    for owned in (home.parent, home, folder):
        os.chown(owned, nobody, nobody)
    guest = start()
    assert guest.read().startswith("ready")
    assert psutil.Process(postmaster_of(home)).uids().real == nobody
    program = start(python=python, uid=nobody)
    assert program.read().startswith("ready")
    guest.kill()
    os.kill(supervisor_of(home), signal.SIGKILL)
    assert program.ask("anew") == ANSWER
    assert {path.owner() for path in folder.rglob("*")} == {"nobody"}


@needs_root
async def test_a_lost_database_is_missed_in_words(home: Path) -> None:  # F2
    await asyncio.to_thread(home.mkdir, mode=0o700)
    (home / "postgres").symlink_to("/var/lib/pinakes/0000")
    with pytest.raises(ProviderFault, match="which is gone"):
        await open_engine(home)
    assert engine_status(home).state == "broken"
    (home / "postgres").unlink()


@needs_root
def test_a_user_without_a_name_is_told_so(home: Path, start: Start) -> None:  # F2
    nameless = 54321
    python = python_for(nameless)
    home.mkdir()
    for owned in (home.parent, home):
        os.chown(owned, nameless, nameless)
    program = start(python=python, uid=nameless)
    assert "no entry in /etc/passwd" in program.read()
