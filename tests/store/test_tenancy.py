"""The database keeps workspaces apart by itself: what its catalogue says, and what it answers without our filters."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import pytest
from psycopg import conninfo, sql
from psycopg.errors import InsufficientPrivilege, UniqueViolation

from harness import Server, Workspace
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.store.tenancy import GLOBAL_TABLES
from store.catalogue import Catalogue, connect, find_breaches, role_breaches, shared_tables, tenant_tables

# A table that keeps every rule; each case below spoils one thing about it.
GOOD = """
CREATE TABLE throw_away (
    workspace_id text NOT NULL REFERENCES workspace, id text NOT NULL, other_id text NOT NULL,
    CONSTRAINT throw_away_pkey PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, other_id),
    FOREIGN KEY (workspace_id, other_id) REFERENCES document
);
ALTER TABLE throw_away ENABLE ROW LEVEL SECURITY;
CREATE POLICY workspace_only ON throw_away
    USING (workspace_id = (SELECT nullif(current_setting('pinakes.workspace', true), '')));
CREATE FUNCTION throw_away_ids() RETURNS SETOF text LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, public AS 'SELECT ''''::text';
REVOKE ALL ON FUNCTION throw_away_ids() FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO pinakes_reader;
ALTER FUNCTION throw_away_ids OWNER TO pinakes_reader;
REVOKE CREATE ON SCHEMA public FROM pinakes_reader;
"""
SPOILT: dict[str, tuple[LiteralString, set[str]]] = {
    "another table with nothing": (
        "CREATE TABLE forgotten (id text PRIMARY KEY)",
        {
            "forgotten: row-level security is off",
            "forgotten: the key forgotten_pkey does not begin with workspace_id",
            "forgotten: no policy reads pinakes.workspace in a subselect",
        },
    ),
    "no primary key": (
        "ALTER TABLE throw_away DROP CONSTRAINT throw_away_pkey",
        {"throw_away: has no primary key"},
    ),
    "primary key in the wrong order": (
        "ALTER TABLE throw_away DROP CONSTRAINT throw_away_pkey, ADD CONSTRAINT turned PRIMARY KEY (id, workspace_id)",
        {"throw_away: the key turned does not begin with workspace_id"},
    ),
    "unique across workspaces": (
        "ALTER TABLE throw_away ADD CONSTRAINT everywhere UNIQUE (other_id)",
        {"throw_away: the key everywhere does not begin with workspace_id"},
    ),
    "unique expression across workspaces": (
        "CREATE UNIQUE INDEX everywhere ON throw_away (lower(id))",
        {"throw_away: the key everywhere does not begin with workspace_id"},
    ),
    "foreign key in the wrong order": (
        """ALTER TABLE throw_away ADD CONSTRAINT astray
           FOREIGN KEY (other_id, workspace_id) REFERENCES document (document_id, workspace_id)""",
        {"throw_away: the foreign key astray does not begin with workspace_id"},
    ),
    "row-level security off": (
        "ALTER TABLE throw_away DISABLE ROW LEVEL SECURITY",
        {"throw_away: row-level security is off"},
    ),
    "no policy": (
        "DROP POLICY workspace_only ON throw_away",
        {"throw_away: no policy reads pinakes.workspace in a subselect"},
    ),
    "the setting read once a row": (
        "ALTER POLICY workspace_only ON throw_away USING (workspace_id = current_setting('pinakes.workspace', true))",
        {
            "throw_away: the policy workspace_only lets more through than the workspace's own rows",
            "throw_away: no policy reads pinakes.workspace in a subselect",
        },
    ),
    "a second policy that opens it again": (
        "CREATE POLICY open ON throw_away FOR SELECT USING (true)",
        {"throw_away: the policy open lets more through than the workspace's own rows"},
    ),
    "anything may be written": (
        "ALTER POLICY workspace_only ON throw_away WITH CHECK (true)",
        {
            "throw_away: the policy workspace_only lets more through than the workspace's own rows",
            "throw_away: no policy reads pinakes.workspace in a subselect",
        },
    ),
    "a view, which passes by the policies": (
        "CREATE VIEW peep AS SELECT * FROM throw_away",
        {"peep: is no table that a policy can guard"},
    ),
    "truncate, which passes by the policies": (
        "GRANT TRUNCATE ON throw_away TO {app}",
        {"throw_away: {app} may TRUNCATE"},
    ),
    "the app role becomes the reader": (
        "GRANT pinakes_reader TO {app}",
        {"{app}: is a member of another role"},
    ),
    "the app role creates tables": (
        "GRANT CREATE ON SCHEMA public TO {app}",
        {"{app}: may create tables"},
    ),
    "search_path left open": (
        "ALTER FUNCTION throw_away_ids RESET search_path",
        {"throw_away_ids(): search_path is not pinned"},
    ),
    "everybody may execute": (
        "GRANT EXECUTE ON FUNCTION throw_away_ids TO PUBLIC",
        {"throw_away_ids(): everybody may execute it"},
    ),
    "the reader may write": (
        "GRANT INSERT ON throw_away TO pinakes_reader",
        {"throw_away: pinakes_reader may INSERT"},
    ),
    "the reader may log in": (
        "ALTER ROLE pinakes_reader LOGIN",
        {"best_postings", "throw_away_ids", "workspace_ids"},
    ),
}


@pytest.fixture
def owner(database_urls: EngineUrls) -> Iterator[Catalogue]:
    """The role that owns the tables; nothing it does here stays."""
    with connect(database_urls.migrate_url) as connection:
        yield connection
        connection.rollback()


@pytest.fixture
def app_role(database_urls: EngineUrls) -> str:
    """The name of the role the application runs as."""
    return str(conninfo.conninfo_to_dict(database_urls.app_url)["user"])


def test_every_table_role_and_function_keeps_the_rules_of_tenancy(owner: Catalogue, app_role: str) -> None:
    # F3
    assert find_breaches(owner, app_role) == []
    assert "chunk" in tenant_tables(owner)


def test_every_global_table_that_is_listed_exists(owner: Catalogue) -> None:
    # F3
    rows = owner.execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
    assert {row["relname"] for row in rows} >= GLOBAL_TABLES


@pytest.mark.parametrize("case", SPOILT)
def test_a_table_role_or_function_that_breaks_a_rule_is_noticed(case: str, owner: Catalogue, app_role: str) -> None:
    # F3
    owner.execute(GOOD)
    assert find_breaches(owner, app_role) == []
    statement, expected = SPOILT[case]
    owner.execute(sql.SQL(statement).format(app=sql.Identifier(app_role)))
    found = set(find_breaches(owner, app_role))
    if case == "the reader may log in":
        expected = {f"{function}(): its owner pinakes_reader can log in" for function in expected}
    assert found == {text.replace("{app}", app_role) for text in expected}


def test_a_role_with_special_rights_is_noticed(owner: Catalogue) -> None:
    # F3
    row = owner.execute("SELECT rolname FROM pg_roles WHERE rolsuper LIMIT 1").fetchone()
    assert row is not None
    found = {text.partition(": ")[2] for text in role_breaches(owner, row["rolname"])}
    assert found >= {"is a superuser", "may bypass row-level security", "owns something", "is a member of another role"}


@dataclass(frozen=True)
class Tenant:
    """A workspace with at least one row in every table."""

    id: str
    index_id: str
    term: int


@pytest.fixture(scope="module")
def tenants(server: Server, database_urls: EngineUrls) -> tuple[Tenant, Tenant]:
    """Two workspaces, each with rows in every table."""
    with connect(database_urls.migrate_url) as connection:
        connection.autocommit = True
        return _fill(server.new_workspace("A"), connection), _fill(server.new_workspace("B"), connection)


def _fill(workspace: Workspace, owner: Catalogue) -> Tenant:
    workspace.add(workspace.make_kb(), "trees.txt", f"Oaks of {workspace.id} can live for a thousand years.")
    owner.execute(
        "INSERT INTO embedder (workspace_id, embedder_id, name, base_url, model, dims, max_tokens) "
        "VALUES (%s, 'emb_own', 'Own', 'https://models.example', 'm', 3, 100)",
        [workspace.id],
    )
    owner.execute(
        "INSERT INTO reranker (workspace_id, reranker_id, name, style, base_url, seconds, hits, raw_scores, slope, "
        "bias) VALUES (%s, 'rrk_own', 'Own', 'tei', 'https://models.example', 2, 50, false, 1, 0)",
        [workspace.id],
    )
    owner.execute(
        "INSERT INTO note_template (workspace_id, template_id, name, description, title, content, tags, created_by) "
        "VALUES (%s, 'tpl_own', 'Own', '', '', 'Text', '{}', 'usr_own')",
        [workspace.id],
    )
    owner.execute(
        "INSERT INTO tool_switch (workspace_id, tool, is_on, changed_by) VALUES (%s, 'own', true, 'usr_own')",
        [workspace.id],
    )
    owner.execute(
        "INSERT INTO tool_call (workspace_id, call_id, tool, interface, user_id, result, milliseconds) "
        "VALUES (%s, 'call_own', 'own', 'rest', 'usr_own', 'success', 1)",
        [workspace.id],
    )
    owner.execute(
        "INSERT INTO selected_catalog SELECT workspace_id, 'own', kb_id FROM knowledge_base WHERE workspace_id = %s "
        "LIMIT 1",
        [workspace.id],
    )
    # Embeddings are staged only while a version is being indexed.
    owner.execute(
        "INSERT INTO staged_embedding SELECT c.workspace_id, c.version_id, v.index_id, c.text_hash, v.embedding "
        "FROM chunk c JOIN chunk_vector v USING (workspace_id, chunk_id) WHERE workspace_id = %s",
        [workspace.id],
    )
    for table in shared_tables(owner):
        assert _rows_of(owner, table, workspace.id), f"{table}: fill it, so that this test shows something about it"
    posting = _rows_of(owner, "chunk_posting", workspace.id)[0]
    return Tenant(workspace.id, posting["index_id"], posting["terms"][0])


def _rows_of(connection: Catalogue, table: str, workspace_id: str) -> list[dict[str, Any]]:
    query = sql.SQL("SELECT * FROM {} WHERE workspace_id = %s").format(sql.Identifier(table))
    return connection.execute(query, [workspace_id]).fetchall()


@contextmanager
def app_in(urls: EngineUrls, workspace_id: str | None) -> Generator[Catalogue]:
    """The application's role with this workspace set, in a transaction that is rolled back."""
    with connect(urls.app_url) as connection:
        if workspace_id is not None:
            connection.execute("SELECT set_config('pinakes.workspace', %s, true)", [workspace_id])
        yield connection
        connection.rollback()


def _seen(connection: Catalogue, statement: LiteralString, table: str) -> set[str]:
    rows = connection.execute(sql.SQL(statement).format(sql.Identifier(table)))
    return {row["workspace_id"] for row in rows}


def test_without_filters_only_rows_of_the_set_workspace_are_seen(
    tenants: tuple[Tenant, Tenant], database_urls: EngineUrls
) -> None:
    # F3
    _, other = tenants
    with app_in(database_urls, other.id) as connection:
        for table in shared_tables(connection):
            assert _seen(connection, "SELECT workspace_id FROM {}", table) == {other.id}, table


@pytest.mark.parametrize("setting", [None, "", "ws_nobody", "%", "ws_nobody' OR 'a'='a"])
@pytest.mark.usefixtures("tenants")
def test_without_a_workspace_set_nothing_is_seen(setting: str | None, database_urls: EngineUrls) -> None:
    # F3
    with app_in(database_urls, setting) as connection:
        for table in shared_tables(connection):
            assert _seen(connection, "SELECT workspace_id FROM {}", table) == set(), table


def test_a_setting_does_not_outlive_its_transaction(tenants: tuple[Tenant, Tenant], database_urls: EngineUrls) -> None:
    # F3
    with app_in(database_urls, tenants[0].id) as connection:
        assert _seen(connection, "SELECT workspace_id FROM {}", "document") == {tenants[0].id}
        connection.commit()
        assert _seen(connection, "SELECT workspace_id FROM {}", "document") == set()


def test_without_filters_only_rows_of_the_set_workspace_are_changed_or_deleted(
    tenants: tuple[Tenant, Tenant], database_urls: EngineUrls
) -> None:
    # F3
    mine, other = tenants
    change: LiteralString = "UPDATE {} SET workspace_id = workspace_id RETURNING workspace_id"
    removal: LiteralString = "DELETE FROM {} RETURNING workspace_id"
    for table in _tables(database_urls):
        for statement in (change, removal):
            with app_in(database_urls, other.id) as connection:
                connection.execute("SET CONSTRAINTS ALL DEFERRED")
                assert _seen(connection, statement, table) == {other.id}, (table, statement)
            with app_in(database_urls, None) as connection:
                assert _seen(connection, statement, table) == set(), (table, statement)
    with app_in(database_urls, mine.id) as connection:
        assert _seen(connection, "SELECT workspace_id FROM {}", "workspace") == {mine.id}


def test_a_row_cannot_be_moved_or_added_to_another_workspace(
    tenants: tuple[Tenant, Tenant], database_urls: EngineUrls, owner: Catalogue
) -> None:
    # F3
    mine, other = tenants
    for table in _tables(database_urls):
        name = sql.Identifier(table)
        copy = sql.SQL("INSERT INTO {} OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_record(NULL::{}, %s)")
        copied = sql.SQL("SELECT to_jsonb(t)::text AS text FROM {} t WHERE workspace_id = %s LIMIT 1").format(name)
        row = owner.execute(copied, [mine.id]).fetchone()
        assert row is not None
        for setting in (other.id, None):
            with app_in(database_urls, setting) as connection, _refused_by_policy():
                connection.execute(copy.format(name, name), [row["text"]])
        # Nothing but the policy stood in the way.
        with app_in(database_urls, mine.id) as connection, pytest.raises(UniqueViolation):
            connection.execute(copy.format(name, name), [row["text"]])
        with app_in(database_urls, other.id) as connection, _refused_by_policy():
            connection.execute(sql.SQL("UPDATE {} SET workspace_id = %s").format(name), [mine.id])


def _refused_by_policy() -> "pytest.RaisesExc[InsufficientPrivilege]":
    return pytest.raises(InsufficientPrivilege, match="row-level security")


def _tables(urls: EngineUrls) -> list[str]:
    with app_in(urls, None) as connection:
        return shared_tables(connection)
