"""What a back-up reads past row security: one snapshot, what it holds, and who may do what in it."""

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, LiteralString, cast

from psycopg import AsyncConnection, sql
from psycopg.errors import LockNotAvailable
from psycopg.rows import DictRow, dict_row

from pinakes.domain.errors import Conflict
from pinakes.store.database import Connection, fetch_all, fetch_one

# Whoever removes objects holds it shared, for that moment; a back-up holds it alone, to its end.
_REMOVAL = 0x72656D6F7665
_APP = "app"


@dataclass(frozen=True, slots=True)
class Original:
    """An object that a snapshot needs, and what the database says about it."""

    key: str
    sha256: bytes | None


async def may_remove_objects(connection: Connection) -> bool:
    """Whether objects may be removed until the transaction ends; not while a back-up still reads them."""
    row = await fetch_one(connection, "SELECT pg_try_advisory_xact_lock_shared(%s) AS had", [_REMOVAL])
    return bool(row and row["had"])


@asynccontextmanager
async def keep_objects(owner_url: str) -> AsyncGenerator[Connection]:
    """A connection of the owner's during whose life no object is removed, however its process ends."""
    connecting = AsyncConnection[DictRow].connect(owner_url, row_factory=dict_row, autocommit=True)
    async with await connecting as connection:
        # A large original may be read for longer than a server lets a connection rest.
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            await connection.execute(sql.SQL("SET {} = 0").format(sql.Identifier(setting)))
        await connection.execute("SET lock_timeout = '60s'")
        try:
            await connection.execute("SELECT pg_advisory_lock(%s)", [_REMOVAL])
        except LockNotAvailable as error:
            raise Conflict("Another back-up is running. Wait for its end, then try again.") from error
        yield connection


@asynccontextmanager
async def hold_snapshot(connection: Connection) -> AsyncGenerator[str]:
    """A transaction that sees one moment, under a name that other connections can see it by."""
    async with connection.transaction():
        await connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        row = await fetch_one(connection, "SELECT pg_export_snapshot() AS name")
        assert row
        yield row["name"]


async def list_live_originals(connection: Connection) -> list[Original]:
    """Every object that is needed, of every workspace."""
    rows = await fetch_all(
        connection,
        "SELECT b.blob_key AS key, v.sha256 FROM blob b LEFT JOIN document_version v "
        "ON v.workspace_id = b.workspace_id AND v.blob_key = b.blob_key WHERE b.state = 'live' ORDER BY b.blob_key",
    )
    return [Original(**row) for row in rows]


async def list_migrations(connection: Connection) -> list[str]:
    """What has been applied to this database; empty where it is none of ours."""
    row = await fetch_one(connection, "SELECT to_regclass('public.schema_migration') IS NOT NULL AS ours")
    if not row or not row["ours"]:
        return []
    return [row["name"] for row in await fetch_all(connection, "SELECT name FROM schema_migration ORDER BY name")]


async def count_everything(connection: Connection) -> dict[str, int]:
    """How much there is."""
    row = await fetch_one(
        connection,
        """
        SELECT (SELECT count(*) FROM workspace) AS workspaces,
               (SELECT count(*) FROM knowledge_base) AS "knowledgeBases",
               (SELECT count(*) FROM document) AS documents,
               (SELECT count(*) FROM chunk) AS chunks,
               (SELECT count(*) FROM operation WHERE status IN ('pending', 'running')) AS "unfinishedOperations"
        """,
    )
    return dict(row or {})


async def is_empty(connection: Connection) -> bool:
    """Whether nobody has made anything in this database yet."""
    row = await fetch_one(
        connection,
        "SELECT EXISTS (SELECT FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS "
        "(SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')) AS used",
    )
    return not (row and row["used"])


async def server_version(connection: Connection) -> int:
    """The server's version as a number, 180004 for 18.4."""
    row = await fetch_one(connection, "SELECT current_setting('server_version_num')::int AS version")
    assert row
    return row["version"]


async def read_rights(connection: Connection, app_role: str) -> dict[str, Any]:
    """Who may do what, with the application's role unnamed: where it is restored it may have another name."""
    relations = await fetch_all(
        connection,
        """
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind, c.relname AS name,
               CASE r.rolname WHEN %(app_role)s THEN NULL ELSE r.rolname END AS role,
               array_agg(a.privilege_type ORDER BY a.privilege_type) AS privileges
        FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) a JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.relnamespace = 'public'::regnamespace AND a.grantee <> c.relowner
        GROUP BY c.relkind, c.relname, r.rolname ORDER BY c.relname, r.rolname
        """,
        {"app_role": app_role},
    )
    functions = await fetch_all(
        connection,
        """
        SELECT p.proname AS name, pg_get_function_identity_arguments(p.oid) AS arguments,
               CASE WHEN o.rolname <> current_user THEN o.rolname END AS owner, ARRAY(
                   SELECT CASE r.rolname WHEN %(app_role)s THEN %(app)s ELSE r.rolname END
                   FROM aclexplode(p.proacl) a JOIN pg_roles r ON r.oid = a.grantee WHERE a.grantee <> p.proowner
               ) AS executors
        FROM pg_proc p JOIN pg_roles o ON o.oid = p.proowner
        WHERE p.pronamespace = 'public'::regnamespace AND p.proacl IS NOT NULL
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
        ORDER BY 1, 2
        """,
        {"app_role": app_role, "app": _APP},
    )
    return {"relations": relations, "functions": functions}


def rights_statements(rights: Mapping[str, Any], app_role: str) -> tuple[list[str], list[str]]:
    """The statements that make the roles, to be run before the tables are, and those that give the rights after."""
    roles = {entry["role"] for entry in rights["relations"]} | {entry["owner"] for entry in rights["functions"]}
    before = [_text(_MAKE_ROLE.format(role=sql.Literal(role))) for role in sorted(roles - {None})]
    after = [_grant(entry, entry["role"] or app_role) for entry in rights["relations"]]
    for entry in rights["functions"]:
        after += _function_rights(entry, app_role)
    return before, [_text(statement) for statement in after]


_MAKE_ROLE = sql.SQL(
    "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role}) THEN "
    "EXECUTE format('CREATE ROLE %I NOLOGIN', {role}); END IF; "
    "IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN "
    "EXECUTE format('GRANT %I TO %I', {role}, current_user); END IF; END $$"
)


def _grant(entry: Mapping[str, Any], role: str) -> sql.Composed:
    privileges = sql.SQL(", ").join(_words(privilege) for privilege in entry["privileges"])
    name = sql.Identifier("public", entry["name"])
    return sql.SQL("GRANT {} ON {} {} TO {}").format(privileges, _words(entry["kind"]), name, sql.Identifier(role))


def _function_rights(entry: Mapping[str, Any], app_role: str) -> Iterable[sql.Composed]:
    # As PostgreSQL itself spells them.
    arguments = sql.SQL(cast("LiteralString", entry["arguments"]))
    function = sql.SQL("{}({})").format(sql.Identifier("public", entry["name"]), arguments)
    if entry["owner"] is not None:
        owner = sql.Identifier(entry["owner"])
        # To own something in a schema a role must be allowed to create there, for that moment.
        yield sql.SQL("GRANT CREATE ON SCHEMA public TO {}").format(owner)
        yield sql.SQL("ALTER FUNCTION {} OWNER TO {}").format(function, owner)
        yield sql.SQL("REVOKE CREATE ON SCHEMA public FROM {}").format(owner)
    yield sql.SQL("REVOKE ALL ON FUNCTION {} FROM PUBLIC").format(function)
    for role in entry["executors"]:
        executor = sql.Identifier(app_role if role == _APP else role)
        yield sql.SQL("GRANT EXECUTE ON FUNCTION {} TO {}").format(function, executor)


def _words(text: str) -> sql.SQL:
    """A privilege or a kind of object; nothing but capital letters gets into a statement this way."""
    if not text.isascii() or not text.isalpha() or not text.isupper():
        raise ValueError(f"{text!r} is no privilege.")
    return sql.SQL(cast("LiteralString", text))


def _text(statement: sql.Composed) -> str:
    return statement.as_string(None) + ";\n"
