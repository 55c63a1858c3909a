"""Knowledge bases and their index generations."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import LiteralString

from psycopg.types.json import Jsonb

from pinakes.domain.calibration import Calibration
from pinakes.domain.knowledge_base import KbIndex, KbStats, KnowledgeBase
from pinakes.store.database import Connection, Database, Planned, Row, fetch_all, fetch_one

_SELECT: LiteralString = """
    SELECT kb.kb_id, kb.slug, kb.name, kb.description, kb.lifecycle_days, kb.built_in,
           coalesce(e.name, i.embedder) AS embedder,
           kb.created_at, kb.updated_at, s.documents, s.chunks, s.bytes, s.unfinished, s.failed,
           s.changed,
           EXISTS (
               SELECT 1 FROM operation o WHERE o.workspace_id = kb.workspace_id AND o.kb_id = kb.kb_id
               AND o.kind = 'switch' AND o.status IN ('pending', 'running')
           ) AS switching
    FROM knowledge_base kb
    JOIN kb_index i ON i.workspace_id = kb.workspace_id AND i.index_id = kb.active_index_id
    LEFT JOIN embedder e ON e.workspace_id = i.workspace_id AND e.embedder_id = i.embedder
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT d.document_id) AS documents, coalesce(sum(v.size_bytes), 0)::bigint AS bytes,
               coalesce(sum(v.chunk_count) FILTER (WHERE v.version_id = d.active_version_id), 0)::bigint AS chunks,
               count(*) FILTER (WHERE v.version_id = d.latest_version_id AND v.status IN ('pending', 'indexing'))
                   AS unfinished,
               count(*) FILTER (WHERE v.version_id = d.latest_version_id AND v.status = 'failed') AS failed,
               max(d.updated_at) AS changed
        FROM document d
        JOIN document_version v ON v.workspace_id = d.workspace_id AND v.document_id = d.document_id
        WHERE d.workspace_id = kb.workspace_id AND d.kb_id = kb.kb_id
    ) s
    WHERE kb.workspace_id = %(workspace_id)s
"""
_NAMED: LiteralString = """
    SELECT (
        SELECT kb_id FROM knowledge_base
        WHERE workspace_id = %(workspace_id)s AND (kb_id = asked OR slug = asked OR lower(name) = lower(asked))
        ORDER BY kb_id = asked DESC, name = asked DESC, slug = asked DESC LIMIT 1
    ) AS kb_id
    FROM unnest(%(references)s::text[]) WITH ORDINALITY AS given (asked, place)
"""
_ACTIVE: LiteralString = """
    SELECT i.index_id, i.kb_id, kb.name AS kb_name, i.embedder, i.dims, i.avgdl_ref, i.calibration,
           kb.lifecycle_days > 0 AS expires, i.own, w.default_reranker_id IS NOT NULL AS reranked,
           (SELECT coalesce(sum(t.chunks), 0)::bigint FROM term_delta t
            WHERE t.workspace_id = i.workspace_id AND t.index_id = i.index_id AND t.term = 0) AS chunk_count
    FROM knowledge_base kb
    JOIN kb_index i ON i.workspace_id = kb.workspace_id AND i.index_id = kb.active_index_id
    JOIN workspace w ON w.workspace_id = kb.workspace_id
    WHERE kb.workspace_id = %(workspace_id)s
"""
_ACTIVE_NAMED: LiteralString = f"{_ACTIVE} AND kb.kb_id = ANY(ARRAY({_NAMED})) ORDER BY i.kb_id"
INDEXES = Planned("indexes", "text", _ACTIVE.replace("%(workspace_id)s", "$1") + "ORDER BY i.kb_id")
INDEXES_NAMED = Planned(
    "indexes_named", "text, text[]", _ACTIVE_NAMED.replace("%(workspace_id)s", "$1").replace("%(references)s", "$2")
)


@dataclass(frozen=True, slots=True)
class NewIndex:
    """What a generation is made with."""

    index_id: str
    embedder: str
    dims: int | None
    analyser_version: int
    avgdl_ref: float
    calibration: Calibration


async def insert_knowledge_base(
    connection: Connection,
    workspace_id: str,
    *,
    kb_id: str,
    slug: str,
    name: str,
    description: str,
    lifecycle_days: int,
    built_in: bool,
    created_by: str | None,
    index: NewIndex,
) -> None:
    """A knowledge base and its first generation."""
    await connection.execute(
        "INSERT INTO knowledge_base (workspace_id, kb_id, slug, name, description, lifecycle_days, built_in, "
        "active_index_id, created_by) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
        [workspace_id, kb_id, slug, name, description, lifecycle_days, built_in, index.index_id, created_by],
    )
    await insert_index(connection, workspace_id, kb_id, index, ready=True)


async def insert_index(connection: Connection, workspace_id: str, kb_id: str, index: NewIndex, *, ready: bool) -> None:
    """A generation with nothing in it yet; it is `ready` where there is nothing to be put in first."""
    await connection.execute(
        "INSERT INTO kb_index (workspace_id, index_id, kb_id, embedder, dims, analyser_version, avgdl_ref, "
        "calibration, ready_at) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, CASE WHEN %s THEN now() END)",
        [
            workspace_id,
            index.index_id,
            kb_id,
            index.embedder,
            index.dims,
            index.analyser_version,
            index.avgdl_ref,
            Jsonb(index.calibration.to_json()),
            ready,
        ],
    )


async def list_knowledge_bases(
    connection: Connection, workspace_id: str, *, limit: int, offset: int
) -> tuple[list[KnowledgeBase], int]:
    """A page of knowledge bases by name, and how many there are."""
    rows = await fetch_all(
        connection,
        _SELECT + "ORDER BY lower(kb.name), kb.kb_id LIMIT %(limit)s OFFSET %(offset)s",
        {"workspace_id": workspace_id, "limit": limit, "offset": offset},
    )
    total = await fetch_one(
        connection, "SELECT count(*) AS n FROM knowledge_base WHERE workspace_id = %s", [workspace_id]
    )
    return [_knowledge_base(row) for row in rows], total["n"] if total else 0


async def find_knowledge_base(connection: Connection, workspace_id: str, reference: str) -> KnowledgeBase | None:
    """By id, slug or name."""
    row = await fetch_one(
        connection,
        _SELECT + "AND (kb.kb_id = %(reference)s OR kb.slug = %(reference)s OR lower(kb.name) = lower(%(reference)s)) "
        "ORDER BY kb.kb_id = %(reference)s DESC, kb.name = %(reference)s DESC, kb.slug = %(reference)s DESC LIMIT 1",
        {"workspace_id": workspace_id, "reference": reference},
    )
    return _knowledge_base(row) if row else None


async def find_kb_ids(connection: Connection, workspace_id: str, references: Sequence[str]) -> list[str | None]:
    """The same for several and without the figures, which take time to add up; None for what there is not."""
    rows = await fetch_all(
        connection, _NAMED + "ORDER BY place", {"workspace_id": workspace_id, "references": list(references)}
    )
    return [row["kb_id"] for row in rows]


async def lock_contents(connection: Connection, workspace_id: str, kb_id: str | None = None) -> None:
    """Wait for uploads and workers, and keep new ones out, before a knowledge base or a whole workspace is deleted.

    Locks are taken in the order in which uploads and workers take theirs.
    """
    scope = {"workspace_id": workspace_id, "kb_id": kb_id}
    matches: LiteralString = "WHERE workspace_id = %(workspace_id)s AND (%(kb_id)s::text IS NULL OR kb_id = %(kb_id)s) "
    await connection.execute("SELECT 1 FROM knowledge_base " + matches + "ORDER BY kb_id FOR UPDATE", scope)
    await connection.execute("SELECT 1 FROM document " + matches + "ORDER BY document_id FOR UPDATE", scope)
    await connection.execute("SELECT 1 FROM operation " + matches + "ORDER BY operation_id FOR UPDATE", scope)


async def lock_knowledge_base(connection: Connection, workspace_id: str, kb_id: str) -> bool:
    """Keep a knowledge base from being deleted until the transaction ends; False if it is gone."""
    row = await fetch_one(
        connection,
        "SELECT 1 FROM knowledge_base WHERE workspace_id = %s AND kb_id = %s FOR SHARE",
        [workspace_id, kb_id],
    )
    return row is not None


async def slug_is_taken(connection: Connection, workspace_id: str, slug: str) -> bool:
    """Whether another knowledge base has this slug."""
    row = await fetch_one(
        connection,
        "SELECT 1 FROM knowledge_base WHERE workspace_id = %s AND slug = %s",
        [workspace_id, slug],
    )
    return row is not None


async def count_created_by(connection: Connection, workspace_id: str, user_id: str) -> int:
    """How many knowledge bases a person has made here; concurrent makers wait for each other."""
    await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{workspace_id}/{user_id}"])
    row = await fetch_one(
        connection,
        "SELECT count(*) AS n FROM knowledge_base WHERE workspace_id = %s AND created_by = %s",
        [workspace_id, user_id],
    )
    return row["n"] if row else 0


async def update_knowledge_base(
    connection: Connection,
    workspace_id: str,
    kb_id: str,
    *,
    name: str,
    description: str,
    lifecycle_days: int,
) -> None:
    """Set what a person may change."""
    await connection.execute(
        "UPDATE knowledge_base SET name = %s, description = %s, lifecycle_days = %s, updated_at = now() "
        "WHERE workspace_id = %s AND kb_id = %s",
        [name, description, lifecycle_days, workspace_id, kb_id],
    )


async def delete_knowledge_base(connection: Connection, workspace_id: str, kb_id: str) -> None:
    """Delete a knowledge base with everything in it."""
    await connection.execute("DELETE FROM knowledge_base WHERE workspace_id = %s AND kb_id = %s", [workspace_id, kb_id])


async def active_indexes(connection: Connection, workspace_id: str, references: Sequence[str]) -> list[KbIndex]:
    """The generations that answer for the knowledge bases with these ids, slugs or names.

    What there is not is left out, and what is named twice comes once.
    """
    scope = {"workspace_id": workspace_id, "references": list(references)}
    return _indexes(await fetch_all(connection, _ACTIVE_NAMED, scope))[0]


@asynccontextmanager
async def look_up_indexes(
    database: Database, workspace_id: str, references: Sequence[str], settings: Mapping[str, str]
) -> AsyncGenerator[tuple[Connection, list[KbIndex], bool]]:
    """A snapshot of the workspace with the same, or where none is named with all of them.

    Also tells whether their searches are re-ranked unless they say otherwise.
    """
    asked = INDEXES_NAMED.call(workspace_id, list(references)) if references else INDEXES.call(workspace_id)
    async with database.reading(workspace_id, settings, asked) as (connection, rows):
        yield connection, *_indexes(rows)


def _indexes(rows: Sequence[Row]) -> tuple[list[KbIndex], bool]:
    reranked = [row.pop("reranked") for row in rows]
    for row in rows:
        row["calibration"] = Calibration(**row["calibration"])
    return [KbIndex(**row) for row in rows], any(reranked)


def _knowledge_base(row: Row) -> KnowledgeBase:
    stats = KbStats(*(row.pop(name) for name in ("documents", "chunks", "bytes", "unfinished", "failed", "changed")))
    return KnowledgeBase(**row, stats=stats)
