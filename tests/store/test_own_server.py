"""A PostgreSQL server of one's own in place of the embedded one, under roles that are not allowed everything."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import psycopg
import pytest
from bench.servers import seaweedfs

from harness import Server, data_of, failure_of, remove_home, wait_for
from pinakes.providers.postgres.folder import prepare_folder
from pinakes.providers.postgres.processes import start_tied
from store.catalogue import connect, find_breaches

PASSWORD = secrets.token_hex(8)
SET_UP = (
    f"CREATE ROLE owner LOGIN CREATEROLE PASSWORD '{PASSWORD}'",
    f"CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'",
    "CREATE DATABASE knowledge OWNER owner",
)


class OwnPostgres:
    """A plain server on 127.0.0.1."""

    def __init__(self, port: int) -> None:
        self.port = port

    def url(self, role: str, database: str = "knowledge") -> str:
        """How a role reaches a database."""
        return f"postgresql://{role}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def variables(self, app: str = "app", migrate: str = "owner") -> dict[str, str]:
        """The settings for two roles."""
        return {"PINAKES_DATABASE_URL": self.url(app), "PINAKES_MIGRATE_URL": self.url(migrate)}

    def answers(self) -> bool:
        """Whether it accepts connections."""
        try:
            psycopg.connect(self.url("boss", "postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnPostgres]:
    """A server as an administrator would hand it over: two roles, a database, the extension."""
    layout = prepare_folder(tmp_path_factory.mktemp("own") / "home")
    data, password_file = layout.folder / "own", layout.folder / "password"
    data.mkdir(mode=0o700)
    password_file.write_text(PASSWORD)
    if layout.run_as is not None:
        os.chown(data, *layout.run_as)
        os.chown(password_file, *layout.run_as)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def start(program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        command = [str(layout.bin / program), "-D", str(data), *arguments]
        environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        return start_tied(command, run_as=layout.run_as, environment=environment, death_signal=signal.SIGQUIT)

    initdb = ("-U", "boss", "-E", "UTF8", "-A", "scram-sha-256", f"--pwfile={password_file}", "--no-sync")
    assert start("initdb", *initdb).wait(60) == 0
    settings = ("listen_addresses=127.0.0.1", f"port={port}", "unix_socket_directories=", "fsync=off")
    server = start("postgres", *(argument for setting in settings for argument in ("-c", setting)))
    own = OwnPostgres(port)
    try:
        wait_for(own.answers, "PostgreSQL starts")
        with psycopg.connect(own.url("boss", "postgres"), autocommit=True) as connection:
            for statement in SET_UP:
                connection.execute(statement.encode())
        with psycopg.connect(own.url("boss"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        yield own
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
        shutil.rmtree(layout.folder, ignore_errors=True)


def test_documents_go_in_and_are_found(postgres: OwnPostgres, tmp_path: Path) -> None:
    # F2, F3, K3, K6
    server = Server(tmp_path / "home", environment=postgres.variables()).start()
    try:
        workspace = server.new_workspace()
        kb = workspace.make_kb()
        assert workspace.add(kb, "trees.md", "# Oak\n\nOaks can live for a thousand years.\n")["status"] == "indexed"
        assert workspace.search("How old do oaks get?")[0]["documentName"] == "trees.md"
        assert data_of(httpx.get(f"{server.url}/readyz"))["checks"]["role"] == "ok"
        assert not (server.home / "postgres").exists()
        with psycopg.connect(postgres.url("app")) as connection:
            assert connection.execute("SELECT count(*) FROM document").fetchone() == (0,), "row security binds the role"
    finally:
        server.stop()


def test_an_existing_installation_is_not_handed_to_whoever_starts_next(postgres: OwnPostgres, tmp_path: Path) -> None:
    # F2
    # Whoever comes to an empty database first owns it; here that may have happened before.
    Server(tmp_path / "first", environment=postgres.variables()).run("status", check=False)
    assert "Error: " in _error(Server(tmp_path / "second", environment=postgres.variables()))
    assert not (tmp_path / "second" / "owner.token").exists()


@pytest.mark.parametrize(("role", "words"), [("boss", "is a superuser"), ("owner", "owns tables")])
def test_a_role_that_row_security_does_not_bind_is_not_ready(
    postgres: OwnPostgres, tmp_path: Path, role: str, words: str
) -> None:
    # F3, F4
    server = Server(tmp_path / "home", environment=postgres.variables(app=role))
    server.home.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "pinakes", "serve", "--port", "0", "--no-sample", "--no-worker", "--json"],
        env=server.variables(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        wait_for(lambda: (server.home / "server.json").exists(), "the server starts")
        url = httpx.URL((server.home / "server.json").read_text().split('"')[3])
        said = wait_for(lambda: _readiness(url), "the server answers")
        assert words in failure_of(said, 503, "NOT_READY")
    finally:
        process.terminate()
        process.communicate(timeout=20)
    findings = server.run("doctor", check=False)
    assert findings.returncode == 1
    assert words in findings.stdout


def _readiness(url: httpx.URL) -> httpx.Response | None:
    try:
        return httpx.get(url.copy_with(path="/readyz"))
    except httpx.ConnectError:
        return None


@pytest.mark.parametrize("name", ["PINAKES_DATABASE_URL", "PINAKES_MIGRATE_URL"])
def test_one_address_without_the_other_is_refused(postgres: OwnPostgres, tmp_path: Path, name: str) -> None:
    # F4
    server = Server(tmp_path / "home", environment={name: postgres.variables()[name]})
    done = server.run("status", check=False)
    assert done.returncode == 1
    assert "Only one of PINAKES_DATABASE_URL and PINAKES_MIGRATE_URL is set" in " ".join(done.stderr.split())
    assert not (server.home / "postgres").exists()


def test_what_is_wrong_with_a_server_is_said_in_words(postgres: OwnPostgres, tmp_path: Path) -> None:
    # F4
    nobody_there = dict.fromkeys(postgres.variables(), "postgresql://app:x@127.0.0.1:9/knowledge")
    assert "does not answer" in _error(Server(tmp_path / "a", environment=nobody_there))
    may_not = postgres.variables(migrate="app") | {"PINAKES_DATABASE_URL": postgres.url("app", "postgres")}
    may_not["PINAKES_MIGRATE_URL"] = postgres.url("app", "postgres")
    assert "could not be prepared: permission denied" in _error(Server(tmp_path / "b", environment=may_not))
    no_address = postgres.variables() | {"PINAKES_MIGRATE_URL": "my database"}
    assert "could not be prepared" in _error(Server(tmp_path / "c", environment=no_address))


def test_a_laptop_moves_in_with_a_backup_and_its_originals_go_to_s3(postgres: OwnPostgres, tmp_path: Path) -> None:
    # F3, F5, K13
    with psycopg.connect(postgres.url("boss", "postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE moved OWNER owner")
    with psycopg.connect(postgres.url("boss", "moved"), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    laptop, file, text = Server(tmp_path / "laptop"), tmp_path / "all.tar", "Oaks can live for a thousand years.\n"
    (tmp_path / "oaks.txt").write_text(text)
    try:
        laptop.run("add", str(tmp_path / "oaks.txt"), "--kb", "Trees")
        laptop.run("backup", str(file))
    finally:
        remove_home(laptop.home)
    urls = {"PINAKES_DATABASE_URL": postgres.url("app", "moved"), "PINAKES_MIGRATE_URL": postgres.url("owner", "moved")}
    with seaweedfs() as s3:
        cluster = Server(tmp_path / "cluster", environment=urls | s3.environment)
        cluster.run("restore", str(file))
        assert len(s3.stored_keys()) == 1
        cluster.start()
        try:
            with cluster.owner as owner:
                found = data_of(owner.post("/api/search", json={"query": "How old do oaks get?"}))["results"]
                assert found[0]["content"] == text.strip()
                link = data_of(owner.get(f"/api/documents/{found[0]['documentId']}/download"))["url"]
                assert httpx.get(link, follow_redirects=True).text == text
        finally:
            cluster.stop()
    with connect(postgres.url("owner", "moved")) as catalogue:
        assert find_breaches(catalogue, "app") == []


def _error(server: Server) -> str:
    done = server.run("status", check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return " ".join(done.stderr.split())
