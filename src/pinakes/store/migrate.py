"""Numbered SQL files applied in order, once each, under one lock; the job queue's own schema goes along."""

import re
from importlib import resources
from typing import LiteralString, cast

import procrastinate.schema
from psycopg import AsyncConnection, conninfo, sql

_LOCK = 0x70696E616B6573  # any number will do as long as nobody else takes it
_QUEUE = "procrastinate/"
# Applied to databases that were empty, and to no other.
FIRST = "0001_spine"


async def migrate(migrate_url: str, app_url: str) -> list[str]:
    """Bring the database up to date and return what was applied."""
    app_role = conninfo.conninfo_to_dict(app_url).get("user")
    if not isinstance(app_role, str) or not app_role:
        raise ValueError("PINAKES_DATABASE_URL must name the role the application connects as.")
    async with await AsyncConnection.connect(migrate_url, autocommit=True) as connection:
        await connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migration "
            "(name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        cursor = await connection.execute("SELECT name FROM schema_migration")
        applied = {str(row[0]) for row in await cursor.fetchall()}
        async with connection.transaction():
            done = await _migrate_queue(connection, applied, app_role)
        for name, statements in _own_migrations():
            if name not in applied:
                async with connection.transaction():
                    await connection.execute(sql.SQL(statements).format(app_role=sql.Identifier(app_role)))
                    await _record(connection, name)
                done.append(name)
        await connection.execute(sql.SQL("GRANT SELECT ON schema_migration TO {}").format(sql.Identifier(app_role)))
    return done


async def pending_migrations(migrate_url: str) -> list[str]:
    """What `migrate` would apply; nothing is changed."""
    async with await AsyncConnection.connect(migrate_url) as connection:
        cursor = await connection.execute("SELECT to_regclass('public.schema_migration') IS NOT NULL")
        row = await cursor.fetchone()
        if not row or not row[0]:
            return sorted(known_migrations())
        cursor = await connection.execute("SELECT name FROM schema_migration")
        return sorted(known_migrations() - {str(row[0]) for row in await cursor.fetchall()})


def known_migrations() -> frozenset[str]:
    """The names of all migrations this code knows, the queue's included."""
    return frozenset([*(name for name, _ in _own_migrations()), *(_QUEUE + name for name in _queue_migrations())])


def latest_migration() -> str:
    """The name of the newest migration this code knows."""
    return _own_migrations()[-1][0]


def _own_migrations() -> list[tuple[str, LiteralString]]:
    folder = resources.files("pinakes.store") / "migrations"
    names = sorted(entry.name for entry in folder.iterdir() if re.fullmatch(r"\d{4}_\w+\.sql", entry.name))
    # The files are part of the package, as trusted as the code beside them.
    return [(name.removesuffix(".sql"), cast("LiteralString", (folder / name).read_text("utf-8"))) for name in names]


def _queue_migrations() -> list[str]:
    folder = resources.files("procrastinate.sql") / "migrations"
    return sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))


async def _migrate_queue(connection: AsyncConnection, applied: set[str], app_role: str) -> list[str]:
    """A fresh database gets the queue's whole schema, an older one the queue's migrations it lacks."""
    folder = resources.files("procrastinate.sql") / "migrations"
    files = _queue_migrations()
    missing = [name for name in files if _QUEUE + name not in applied]
    if not missing:
        return []
    if len(missing) == len(files):
        await connection.execute(procrastinate.schema.SchemaManager.get_schema())
    else:
        for name in missing:
            await connection.execute(cast("LiteralString", (folder / name).read_text("utf-8")))
    for name in missing:
        await _record(connection, _QUEUE + name)
    await connection.execute(
        sql.SQL(
            """
            GRANT SELECT, INSERT, UPDATE, DELETE ON procrastinate_workers, procrastinate_jobs,
                procrastinate_periodic_defers, procrastinate_events TO {role};
            GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO {role};
            """
        ).format(role=sql.Identifier(app_role))
    )
    return [_QUEUE.rstrip("/")]


async def _record(connection: AsyncConnection, name: str) -> None:
    await connection.execute("INSERT INTO schema_migration (name) VALUES (%s)", [name])
