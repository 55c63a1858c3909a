"""Reads the database's catalogue and says where a table, role or function breaks the rules of tenancy."""

import re
from collections.abc import Iterator, Set
from typing import Any

from psycopg import Connection
from psycopg.rows import dict_row

from pinakes.store.tenancy import GLOBAL_TABLES

Catalogue = Connection[dict[str, Any]]

# As a subselect the setting is read once a query and not once a row.
_OWN_WORKSPACE = re.compile(
    r"\(workspace_id = \( ?SELECT NULLIF\(current_setting\('pinakes\.workspace'::text, true\), ''::text\).*\)\)"
)
# People see which workspaces they are members of before they have chosen one.
_FURTHER_POLICIES = frozenset({("member", "own_membership"), ("workspace", "own_membership")})
# Only an owner can make, fill and drop tables: these run as the role that migrates.
_OWNERS_FUNCTIONS = frozenset({"build_own_tables", "renew_own_tables", "drop_own_tables"})
_OWN_TABLE = re.compile(r"chunk_(posting|vector)_[0-9a-f]{16}")
_BEYOND_ROWS = ("TRUNCATE", "REFERENCES", "TRIGGER")
_BEYOND_READING = ("INSERT", "UPDATE", "DELETE", *_BEYOND_ROWS)


def connect(url: str) -> Catalogue:
    """A connection whose rows are dictionaries."""
    return Connection[dict[str, Any]].connect(url, row_factory=dict_row)


def tenant_tables(connection: Catalogue) -> list[str]:
    """Every table that is not listed as global."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "ORDER BY relname"
    )
    return [row["relname"] for row in rows if row["relname"] not in GLOBAL_TABLES]


def shared_tables(connection: Catalogue) -> list[str]:
    """Those that every workspace has rows in; not the own tables of a large knowledge base."""
    return [table for table in tenant_tables(connection) if not _OWN_TABLE.fullmatch(table)]


def find_breaches(connection: Catalogue, app_role: str) -> list[str]:
    """Every breach of the rules, in words."""
    tables = frozenset(tenant_tables(connection))
    return [
        *_other_relations(connection),
        *_tables_without_security(connection, tables),
        *_keys(connection, tables),
        *_foreign_keys(connection, tables),
        *_policies(connection, tables, app_role),
        *_privileges(connection, app_role, _BEYOND_ROWS),
        *role_breaches(connection, app_role),
        *_definer_functions(connection),
    ]


def _other_relations(connection: Catalogue) -> Iterator[str]:
    """A view reads with its owner's rights, past the policies; a stored or foreign one has none of its own."""
    rows = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND (relkind IN ('m', 'f') "
        "OR relkind = 'v' AND NOT 'security_invoker=true' = ANY(coalesce(reloptions, '{}')))"
    )
    for row in rows:
        yield f"{row['relname']}: is no table that a policy can guard"


def _tables_without_security(connection: Catalogue, tables: Set[str]) -> Iterator[str]:
    rows = connection.execute(
        "SELECT relname, relrowsecurity, EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisprimary) "
        "AS has_key FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relname = ANY(%s)",
        [sorted(tables)],
    )
    for row in rows:
        if not row["relrowsecurity"]:
            yield f"{row['relname']}: row-level security is off"
        if not row["has_key"]:
            yield f"{row['relname']}: has no primary key"


def _keys(connection: Catalogue, tables: Set[str]) -> Iterator[str]:
    rows = connection.execute(
        "SELECT c.relname, i.relname AS index, a.attname FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid "
        "JOIN pg_class i ON i.oid = x.indexrelid "
        "LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0] AND a.attnum > 0 "
        "WHERE c.relnamespace = 'public'::regnamespace AND (x.indisunique OR x.indisexclusion)"
    )
    for row in rows:
        if row["relname"] in tables and row["attname"] != "workspace_id":
            yield f"{row['relname']}: the key {row['index']} does not begin with workspace_id"


def _foreign_keys(connection: Catalogue, tables: Set[str]) -> Iterator[str]:
    rows = connection.execute(
        "SELECT k.conname, c.relname AS source, t.relname AS target, a.attname AS here, b.attname AS there "
        "FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid "
        "JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] "
        "JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1] "
        "WHERE k.contype = 'f' AND k.connamespace = 'public'::regnamespace"
    )
    for row in rows:
        if row["source"] in tables and row["target"] in tables and (row["here"], row["there"]) != ("workspace_id",) * 2:
            yield f"{row['source']}: the foreign key {row['conname']} does not begin with workspace_id"


def _policies(connection: Catalogue, tables: Set[str], app_role: str) -> Iterator[str]:
    """One policy for everything, by workspace; further ones would be joined with OR and open it again."""
    guarded: set[str] = set()
    for row in connection.execute("SELECT * FROM pg_policies WHERE schemaname = 'public'"):
        table, name = row["tablename"], row["policyname"]
        if table not in tables or not {"public", app_role} & set(row["roles"]):
            continue
        checks = [row["qual"], *([row["with_check"]] if row["with_check"] is not None else [])]
        if row["cmd"] == "ALL" and all(check and _OWN_WORKSPACE.fullmatch(check) for check in checks):
            guarded.add(table)
        elif (table, name) not in _FURTHER_POLICIES or row["cmd"] != "SELECT":
            yield f"{table}: the policy {name} lets more through than the workspace's own rows"
    for table in sorted(tables - guarded):
        yield f"{table}: no policy reads pinakes.workspace in a subselect"


def _privileges(connection: Catalogue, role: str, forbidden: tuple[str, ...]) -> Iterator[str]:
    """TRUNCATE and foreign keys pass by the policies."""
    rows = connection.execute(
        "SELECT relname, p AS privilege FROM pg_class, unnest(%s::text[]) p WHERE relkind IN ('r', 'p', 'v', 'm') "
        "AND relnamespace = 'public'::regnamespace AND has_table_privilege(%s, pg_class.oid, p)",
        [list(forbidden), role],
    )
    for row in rows:
        yield f"{row['relname']}: {role} may {row['privilege']}"


def role_breaches(connection: Catalogue, role: str) -> Iterator[str]:
    """A role that the policies bind: it has no special rights, owns nothing and can become nobody else."""
    row = connection.execute(
        "SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication, "
        "has_schema_privilege(oid, 'public', 'CREATE') AS creates, "
        # Temporary tables are a connection's own scratch paper.
        "EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relowner = r.oid "
        "AND n.nspname NOT LIKE 'pg\\_temp%%' AND n.nspname NOT LIKE 'pg\\_toast\\_temp%%') "
        "OR EXISTS (SELECT FROM pg_namespace WHERE nspowner = r.oid) "
        "OR EXISTS (SELECT FROM pg_database WHERE datdba = r.oid) AS owns, "
        "EXISTS (SELECT FROM pg_roles o WHERE o.oid <> r.oid AND pg_has_role(r.oid, o.oid, 'MEMBER')) AS becomes "
        "FROM pg_roles r WHERE rolname = %s",
        [role],
    ).fetchone()
    assert row is not None, f"there is no role {role}"
    words = {
        "rolsuper": "is a superuser",
        "rolbypassrls": "may bypass row-level security",
        "rolcreaterole": "may create roles",
        "rolcreatedb": "may create databases",
        "rolreplication": "may replicate",
        "creates": "may create tables",
        "owns": "owns something",
        "becomes": "is a member of another role",
    }
    for column, fault in words.items():
        if row[column]:
            yield f"{role}: {fault}"


def _definer_functions(connection: Catalogue) -> Iterator[str]:
    """Functions that run with their owner's rights, so the owner must have hardly any."""
    rows = connection.execute(
        "SELECT p.proname, r.rolname, r.rolcanlogin, p.proconfig, EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, "
        "acldefault('f', p.proowner))) WHERE grantee = 0 AND privilege_type = 'EXECUTE') AS public_may "
        "FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner "
        "WHERE p.prosecdef AND p.pronamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)"
    ).fetchall()
    for row in rows:
        name = row["proname"]
        if "search_path=pg_catalog, public" not in (row["proconfig"] or ()):
            yield f"{name}(): search_path is not pinned"
        if row["public_may"]:
            yield f"{name}(): everybody may execute it"
        if row["rolcanlogin"] and name not in _OWNERS_FUNCTIONS:
            yield f"{name}(): its owner {row['rolname']} can log in"
    for owner in sorted({row["rolname"] for row in rows if row["proname"] not in _OWNERS_FUNCTIONS}):
        yield from role_breaches(connection, owner)
        yield from _privileges(connection, owner, _BEYOND_READING)
