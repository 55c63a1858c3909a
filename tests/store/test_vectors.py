"""A large knowledge base is searched in tables of its own, which always hold what it holds and nothing else."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from psycopg import OperationalError, conninfo, sql

from harness import Server, Workspace, data_of, remove_home
from pinakes.domain.analysis import TERM_SPACE
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.services.vectors import build_own_tables, sweep_own_tables
from pinakes.settings import Settings
from pinakes.store import vectors
from pinakes.store.database import Database, fetch_one
from pinakes.wiring import open_app
from store.catalogue import connect, find_breaches
from stored import Stored, look_into

TOPICS = ("oak", "fox", "tide", "bridge", "violin", "glacier", "copper", "lantern", "harbour", "saffron")


@pytest.fixture
async def database(database_urls: EngineUrls) -> AsyncIterator[Database]:
    """The server's database as the application sees it."""
    database = Database(database_urls.app_url, size=3)
    await database.open()
    yield database
    await database.close()


async def build(database: Database, workspace: Workspace, index_id: str) -> str:
    """Give a generation its own tables, however small it is."""
    async with database.transaction(workspace.id) as connection:
        own = await vectors.build_own_tables(connection, workspace.id, index_id)
    assert own is not None
    return own


def index_of(stored: Stored, kb: str) -> str:
    """The generation that answers."""
    ((index_id,),) = stored.rows("SELECT active_index_id FROM knowledge_base WHERE kb_id = %s", kb)
    return index_id


def ids_in(stored: Stored, table: str) -> set[str]:
    """The chunks in a table."""
    return {
        row[0] for row in stored.connection.execute(sql.SQL("SELECT chunk_id FROM {}").format(sql.Identifier(table)))
    }


def assert_in_line(stored: Stored, index_id: str, own: str, *, at_least: int = 1) -> None:
    """The own tables hold exactly what the shared ones do."""
    for kind in ("chunk_vector", "chunk_posting"):
        shared = {row[0] for row in stored.rows(f"SELECT chunk_id FROM {kind} WHERE index_id = %s", index_id)}
        assert ids_in(stored, f"{kind}_{own}") == shared
        assert len(shared) >= at_least


def text_about(topic: str) -> str:
    return f"The {topic} of the north. Everything about a {topic} is told here, and nothing else.\n"


@pytest.fixture
def library(workspace: Workspace) -> tuple[str, dict[str, dict[str, Any]]]:
    """A knowledge base with a document on each topic."""
    kb = workspace.make_kb()
    return kb, {topic: workspace.add(kb, f"{topic}.txt", text_about(topic), tags=[topic]) for topic in TOPICS}


async def test_the_same_is_found_with_and_without_own_tables(
    workspace: Workspace, library: tuple[str, dict[str, Any]], database: Database, stored: Stored
) -> None:
    # K6, K7
    kb, _ = library
    asked = ["Where is the violin?", "glacier", "something that flickers and gives light", "zzz"]
    options = [{}, {"tagFilters": [{"tagName": "tag", "tagValue": "fox"}]}]
    before = [
        workspace.search(query, knowledgeBaseIds=[kb], topK=10, **option) for query in asked for option in options
    ]
    own = await build(database, workspace, index_of(stored, kb))
    after = [workspace.search(query, knowledgeBaseIds=[kb], topK=10, **option) for query in asked for option in options]
    assert [[hit["chunkId"] for hit in hits] for hits in after] == [[hit["chunkId"] for hit in hits] for hits in before]
    assert len(before[0]) == 10
    # It is really they that are searched in.
    stored.connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(f"chunk_vector_{own}")))
    stored.connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(f"chunk_posting_{own}")))
    stored.connection.commit()
    assert workspace.search("violin", knowledgeBaseIds=[kb]) == []


async def test_what_is_written_replaced_and_deleted_is_so_in_own_tables(
    workspace: Workspace, library: tuple[str, dict[str, Any]], database: Database, stored: Stored
) -> None:
    # K4, K7
    kb, documents = library
    index_id = index_of(stored, kb)
    own = await build(database, workspace, index_id)
    assert_in_line(stored, index_id, own, at_least=len(TOPICS))
    workspace.add(kb, "comet.txt", text_about("comet"))
    assert workspace.search("comet", knowledgeBaseIds=[kb], topK=1)[0]["documentName"] == "comet.txt"
    workspace.add(kb, "oak.txt", text_about("elm"), replace="true")
    assert_in_line(stored, index_id, own, at_least=len(TOPICS) + 1)
    data_of(workspace.client.delete(f"/api/documents/{documents['fox']['id']}"))
    assert_in_line(stored, index_id, own, at_least=len(TOPICS))
    found = [hit["content"] for hit in workspace.search("oak fox elm", knowledgeBaseIds=[kb], topK=20)]
    assert any("elm" in content for content in found)
    assert not any("oak" in content or "fox" in content for content in found)


async def test_what_is_written_while_the_tables_are_built_is_not_lost(
    workspace: Workspace, library: tuple[str, dict[str, Any]], database: Database, stored: Stored
) -> None:
    # K7
    kb, documents = library
    index_id = index_of(stored, kb)
    async with database.transaction(workspace.id) as connection:
        await vectors.build_own_tables(connection, workspace.id, index_id)
        # Built, but not committed: whoever writes now either comes before or waits.
        late = asyncio.create_task(asyncio.to_thread(workspace.add, kb, "comet.txt", text_about("comet")))
        gone = asyncio.create_task(
            asyncio.to_thread(workspace.client.delete, f"/api/documents/{documents['fox']['id']}")
        )
        await asyncio.sleep(1)
        assert workspace.search("oak", knowledgeBaseIds=[kb])
    assert (await late)["status"] == "indexed"
    assert (await gone).is_success
    ((own,),) = stored.rows("SELECT own FROM kb_index WHERE index_id = %s", index_id)
    assert_in_line(stored, index_id, own, at_least=len(TOPICS))
    assert workspace.search("comet", knowledgeBaseIds=[kb], topK=1)[0]["documentName"] == "comet.txt"


async def test_a_build_that_is_killed_leaves_nothing_behind(
    workspace: Workspace, library: tuple[str, dict[str, Any]], database: Database, stored: Stored
) -> None:
    # K7
    index_id = index_of(stored, library[0])
    before = stored.tables()

    async def build_and_die() -> None:
        async with database.transaction(workspace.id) as connection:
            await vectors.build_own_tables(connection, workspace.id, index_id)
            await connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(OperationalError):
        await build_and_die()
    assert stored.tables() == before
    assert stored.rows("SELECT own FROM kb_index WHERE index_id = %s", index_id) == [(None,)]


async def test_the_tables_go_with_their_knowledge_base_and_workspace(
    server: Server, database: Database, stored: Stored
) -> None:
    # K7, F3
    workspace = server.new_workspace()
    owns = list[str]()
    for name in ("Kept", "Deleted"):
        kb = workspace.make_kb(name)
        workspace.add(kb, "oak.txt", text_about("oak"))
        owns.append(await build(database, workspace, index_of(stored, kb)))
        if name == "Deleted":
            data_of(workspace.client.delete(f"/api/knowledge-bases/{kb}?confirm=true"))
    await drop_unnamed(database)
    assert own_tables(stored, *owns) == {f"chunk_posting_{owns[0]}", f"chunk_vector_{owns[0]}"}
    with server.owner as owner:
        data_of(
            owner.delete(f"/api/workspaces/{workspace.id}?confirm=true", headers={"X-Pinakes-Workspace": workspace.id})
        )
    await drop_unnamed(database)
    assert own_tables(stored, *owns) == set()


async def drop_unnamed(database: Database) -> None:
    async with database.transaction() as connection:
        await vectors.drop_unnamed(connection)


def own_tables(stored: Stored, *owns: str) -> set[str]:
    return {table for table in stored.tables() if table.endswith(owns)}


async def test_own_tables_keep_the_rules_of_tenancy(
    server: Server, database: Database, stored: Stored, database_urls: EngineUrls
) -> None:
    # F3
    mine, other = server.new_workspace(), server.new_workspace()
    kb = mine.make_kb()
    mine.add(kb, "oak.txt", text_about("oak"))
    index_id = index_of(stored, kb)
    own = await build(database, mine, index_id)
    with connect(database_urls.migrate_url) as owner:
        assert find_breaches(owner, str(conninfo.conninfo_to_dict(database.url)["user"])) == []
    ((terms,),) = stored.rows("SELECT terms FROM chunk_posting WHERE index_id = %s", index_id)
    look = sql.SQL(
        "SELECT (SELECT count(*) FROM {vectors}) AS vectors, (SELECT count(*) FROM {postings}) AS postings, "
        "(SELECT count(*) FROM best_postings(%s, %s, %s, NULL, 9)) AS best"
    ).format(vectors=sql.Identifier(f"chunk_vector_{own}"), postings=sql.Identifier(f"chunk_posting_{own}"))
    for workspace_id, seen in ((mine.id, 1), (other.id, 0), (None, 0)):
        async with database.transaction(workspace_id) as connection:
            row = await fetch_one(connection, look, [index_id, f"{{1:1}}/{TERM_SPACE}", terms])
            assert row == {"vectors": seen, "postings": seen, "best": seen}
    # Another workspace's generation is none.
    async with database.transaction(other.id) as connection:
        assert await vectors.build_own_tables(connection, other.id, index_id) is None


def test_own_tables_are_asked_for_built_once_and_come_back_from_a_backup(home: Path, tmp_path: Path) -> None:
    # K7, K13
    origin = Server(home).start()
    workspace = origin.new_workspace()
    kb = workspace.make_kb()
    documents = [workspace.add(kb, f"{topic}.txt", text_about(topic)) for topic in TOPICS[:3]]
    with look_into(origin) as stored:
        index_id = index_of(stored, kb)
        asyncio.run(_ask_and_build(stored, home, workspace.id, index_id))
    before = workspace.search("oak", knowledgeBaseIds=[kb])
    origin.run("backup", str(tmp_path / "all.tar"))
    origin.stop()
    elsewhere = Server(tmp_path / "elsewhere")
    elsewhere.run("restore", str(tmp_path / "all.tar"))
    elsewhere.start()
    restored = Workspace(workspace.id, workspace.key, elsewhere.url)
    assert restored.search("oak", knowledgeBaseIds=[kb]) == before
    data_of(restored.client.delete(f"/api/documents/{documents[0]['id']}"))
    restored.add(kb, "comet.txt", text_about("comet"))
    with look_into(elsewhere) as stored:
        ((own,),) = stored.rows("SELECT own FROM kb_index WHERE index_id = %s", index_id)
        assert_in_line(stored, index_id, own, at_least=3)
    elsewhere.stop()
    remove_home(elsewhere.home)


async def _ask_and_build(stored: Stored, home: Path, workspace_id: str, index_id: str) -> None:
    """The tables of a generation of three chunks, which four would be too many for and three are not."""
    async with open_app(Settings(home=home)) as app:
        await sweep_own_tables(app.resources, workspace_id, size=4)
        assert not stored.rows("SELECT 1 FROM procrastinate_jobs WHERE lock = %s", index_id)
        await sweep_own_tables(app.resources, workspace_id, size=3)
        assert stored.rows("SELECT 1 FROM procrastinate_jobs WHERE lock = %s", index_id)
        assert not await build_own_tables(app.resources, workspace_id, index_id, size=4)
        assert await build_own_tables(app.resources, workspace_id, index_id, size=3)
        assert not await build_own_tables(app.resources, workspace_id, index_id, size=3)
