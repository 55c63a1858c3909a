"""What an older release left behind goes on working: its schema, and a cluster of its older PostgreSQL."""

import json
import secrets
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from harness import Server, data_of, remove_home, wait_for
from pinakes.providers.postgres.binaries import older_binaries, shared_older_binaries, wheel_binaries
from pinakes.providers.postgres.cluster import (
    APP_ROLE,
    DATABASE,
    OWNER_ROLE,
    ClusterError,
    prepare_cluster,
    prepare_socket_dir,
    require_passwords,
    run_program,
    run_single,
    server_environment,
)
from pinakes.providers.postgres.engine import open_engine
from pinakes.providers.postgres.folder import prepare_folder
from pinakes.providers.postgres.layout import Layout, kept_clusters, made_by, write_private
from pinakes.providers.postgres.processes import start_tied
from pinakes.providers.postgres.status import engine_status
from pinakes.store.migrate import latest_migration

DUMP = Path(__file__).parent / "store" / "databases" / "0.1.0.sql"
LIGHTHOUSES = """# Lighthouses

The lighthouse of Alexandria stood on the island of Pharos.

## Lamps

Early lamps burned olive oil; later ones burned paraffin.
"""
BEES = """Honey bees dance to tell their sisters where the flowers are.
A hive of bees keeps its brood at thirty-five degrees.
"""


def load_dump(url: str) -> None:
    """The database that version 0.1.0 made."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE pinakes_reader NOLOGIN")
    # The first setting is unknown to older servers; everything else is counted below.
    command = [str(wheel_binaries() / "psql"), "--no-psqlrc", "--quiet", "--output=/dev/null", "-f", str(DUMP), url]
    subprocess.run(command, check=True, capture_output=True)
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT count(*) FROM chunk_vector").fetchone() == (3,)


def put_originals(home: Path, url: str) -> None:
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT name, blob_key FROM document JOIN document_version USING (document_id)")
        for name, key in rows.fetchall():
            place = home / "originals" / key
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text({"lighthouses.md": LIGHTHOUSES, "bees.txt": BEES}[name])


def check_old_documents(server: Server) -> None:
    """They are found, can be fetched, and new ones go in beside them."""
    with server.owner as owner:
        kb = data_of(owner.get("/api/knowledge-bases/Old papers"))
        assert kb["stats"]["documentCount"] == 2
        found = data_of(owner.post("/api/search", json={"query": "Where did the lighthouse stand?"}))["results"]
        assert found[0]["documentName"] == "lighthouses.md"
        assert found[0]["metadata"]["tags"] == [{"tagName": "year", "tagValue": "2024"}]
        link = data_of(owner.get(f"/api/documents/{found[0]['documentId']}/download"))["url"]
        assert owner.get(link).text == LIGHTHOUSES
        sent = owner.post(
            f"/api/knowledge-bases/{kb['id']}/documents", files={"file": ("owls.txt", b"Owls hunt by night.\n")}
        )
        added = data_of(sent)["document"]["id"]

        def indexed() -> bool:
            return data_of(owner.get(f"/api/documents/{added}"))["status"] == "indexed"

        wait_for(indexed, "the new document is indexed")
        found = data_of(owner.post("/api/search", json={"query": "When do owls hunt?"}))["results"]
        assert found[0]["documentName"] == "owls.txt"


async def test_a_database_of_the_first_release_is_migrated_and_goes_on_working(home: Path) -> None:
    # F5
    engine = await open_engine(home)
    load_dump(engine.urls.migrate_url)
    put_originals(home, engine.urls.migrate_url)
    server = Server(home)
    told = server.run("upgrade", "--check", "--json", check=False)
    assert told.returncode == 1
    assert latest_migration() in json.loads(told.stdout)["migrations"]
    with psycopg.connect(engine.urls.migrate_url) as connection:
        names = {str(row[0]) for row in connection.execute("SELECT name FROM schema_migration").fetchall()}
    assert latest_migration() not in names, "a check changes nothing"
    assert latest_migration() in server.run("upgrade").stdout
    server.start()
    try:
        check_old_documents(server)
    finally:
        server.stop()
        await engine.close()


@pytest.fixture
def old_home(home: Path) -> Iterator[Path]:
    """A data folder whose cluster was made by PostgreSQL 16 and whose server was killed."""
    old_bin = older_binaries("16")
    if old_bin is None:
        pytest.skip("the wheel carries no older PostgreSQL for this machine")
    layout = prepare_folder(home)
    if layout.run_as is not None:
        old_bin = shared_older_binaries("16")
    assert old_bin is not None
    make_old_cluster(home, Layout(layout.folder, old_bin, layout.run_as))
    yield home
    remove_home(home)


def make_old_cluster(home: Path, layout: Layout) -> None:
    passwords = {role: secrets.token_urlsafe(12) for role in (OWNER_ROLE, APP_ROLE)}
    write_private(layout.passwords, json.dumps(passwords))
    (layout.folder / "data").mkdir(mode=0o700)
    if layout.run_as is not None:
        shutil.chown(layout.data, *layout.run_as)
    initdb = ("-U", OWNER_ROLE, "-E", "UTF8", "-A", "trust", "--locale=C", "--no-sync", "-D", str(layout.data))
    run_program(layout, [str(layout.bin / "initdb"), *initdb])
    statements = [f"CREATE ROLE {APP_ROLE} LOGIN", f"CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}"]
    statements += [f"ALTER ROLE {role} PASSWORD '{password}'" for role, password in passwords.items()]
    run_single(layout, layout.data, "postgres", statements)
    require_passwords(layout.data)
    sockets = prepare_socket_dir(layout)
    options = ("-c", "listen_addresses=", "-c", f'unix_socket_directories="{sockets}"')
    command = [str(layout.bin / "postgres"), "-D", str(layout.data), *options]
    server = start_tied(command, run_as=layout.run_as, environment=server_environment(), death_signal=signal.SIGQUIT)
    url = f"postgresql://{OWNER_ROLE}:{passwords[OWNER_ROLE]}@/{DATABASE}?host={quote(str(sockets), safe='')}"
    try:
        wait_for(lambda: (sockets / ".s.PGSQL.5432").exists() and _answers(url), "the old PostgreSQL starts")
        load_dump(url)
        put_originals(home, url)
    finally:
        server.kill()
        server.wait()


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_a_cluster_of_an_older_postgres_is_upgraded_at_the_next_start(old_home: Path) -> None:
    # F5
    server = Server(old_home)
    assert "next start upgrades it" in engine_status(old_home).detail
    assert "would be upgraded from PostgreSQL 16 to 18" in server.run("upgrade", "--check", check=False).stdout
    server.start()
    try:
        check_old_documents(server)
        folder = (old_home / "postgres").resolve()
        assert made_by(folder) == "18"
        assert [path.name for path in kept_clusters(folder)] == ["data.old-16"]
    finally:
        server.stop()
    assert "Removed" in server.run("upgrade", "--remove-old").stdout
    assert kept_clusters(folder) == []


async def test_an_upgrade_that_was_killed_is_begun_anew(old_home: Path) -> None:
    # F5
    folder = (old_home / "postgres").resolve()
    # Killed while it wrote the copy, and another time between the two renames.
    (folder / "data.new-half").mkdir()
    (folder / "data").rename(folder / "data.old-16")
    engine = await open_engine(old_home)
    try:
        with psycopg.connect(engine.urls.migrate_url) as connection:
            assert connection.execute("SELECT count(*) FROM document").fetchone() == (2,)
        assert made_by(folder) == "18"
        assert not list(folder.glob("data.new-*"))
    finally:
        await engine.close()


def test_without_the_older_programs_it_says_how_to_go_on(tmp_path: Path) -> None:
    # F5
    layout = Layout(tmp_path, wheel_binaries())
    layout.data.mkdir()
    (layout.data / "PG_VERSION").write_text("12\n")
    with pytest.raises(ClusterError, match="pinakes restore"):
        prepare_cluster(layout)
