"""What is really in the database and in the store, seen past the API and past row security."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from harness import Server
from pinakes.providers.postgres.engine import open_engine


class Stored:
    """The tables and the originals of a server's data folder."""

    def __init__(self, connection: "psycopg.Connection[tuple[Any, ...]]", home: Path) -> None:
        self.connection = connection
        self.home = home

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        return self.connection.execute(query.encode(), parameters).fetchall()

    def tables(self) -> list[str]:
        """Every table there is, the queue's included."""
        return [
            name
            for (name,) in self.rows(
                "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
            )
        ]

    def tables_with(self, text: str) -> list[str]:
        """The tables in which any column of any row contains this text."""
        return [
            name
            for name in self.tables()
            if self.connection.execute(
                sql.SQL("SELECT 1 FROM {} AS entry WHERE strpos(entry::text, %s) > 0 LIMIT 1").format(
                    sql.Identifier(name)
                ),
                [text],
            ).fetchone()
        ]

    def files(self, workspace_id: str) -> list[Path]:
        """The originals of a workspace, and whatever else lies beside them."""
        folder = self.home / "originals" / workspace_id
        return sorted(path for path in folder.rglob("*") if path.is_file())

    def footprint(self, workspace_id: str) -> dict[str, int]:
        """How much of a workspace there is in each table and in the store."""
        counts: dict[str, int] = {}
        for name in self.tables():
            query = sql.SQL("SELECT count(*) FROM {} AS entry WHERE strpos(entry::text, %s) > 0")
            found = self.connection.execute(query.format(sql.Identifier(name)), [workspace_id]).fetchone()
            counts[name] = found[0] if found else 0
        return counts | {"files": len(self.files(workspace_id))}


@contextmanager
def look_into(server: Server) -> Generator[Stored]:
    """A look at what a server stored, as the role that owns the tables."""
    engine = None
    url = server.environment.get("PINAKES_MIGRATE_URL")
    if url is None:
        engine = asyncio.run(open_engine(server.home))
        url = engine.urls.migrate_url
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            yield Stored(connection, server.home)
    finally:
        if engine is not None:
            asyncio.run(engine.close())
