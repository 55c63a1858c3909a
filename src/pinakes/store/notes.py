"""Notes: lists of them, the knowledge bases they may be in, and what their versions were made of."""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from pinakes.domain.note import Resource, is_resource
from pinakes.store.database import Connection, fetch_all, fetch_one

_MATCHING: LiteralString = """
    FROM document d
    WHERE d.workspace_id = %(workspace_id)s AND d.kind = 'note'
    AND (%(kb_id)s::text IS NULL OR d.kb_id = %(kb_id)s)
    AND (%(words)s::text IS NULL OR strpos(lower(d.name), lower(%(words)s)) > 0
         OR strpos(lower(d.title), lower(%(words)s)) > 0)
    AND (%(tag_name)s::text IS NULL OR d.tags -> %(tag_name)s ? %(tag_value)s)
"""


async def list_note_ids(
    connection: Connection,
    workspace_id: str,
    *,
    kb_id: str | None,
    words: str | None,
    tag: tuple[str, str] | None,
    limit: int,
    offset: int,
) -> tuple[list[str], int]:
    """A page of notes, the one changed last first, and how many match."""
    parameters = {
        "workspace_id": workspace_id,
        "kb_id": kb_id,
        "words": words,
        "tag_name": tag and tag[0],
        "tag_value": tag and tag[1],
        "limit": limit,
        "offset": offset,
    }
    rows = await fetch_all(
        connection,
        "SELECT d.document_id" + _MATCHING + "ORDER BY d.updated_at DESC, d.document_id "
        "LIMIT %(limit)s OFFSET %(offset)s",
        parameters,
    )
    total = await fetch_one(connection, "SELECT count(*) AS n" + _MATCHING, parameters)
    return [row["document_id"] for row in rows], total["n"] if total else 0


async def count_waiting(connection: Connection, workspace_id: str, kb_id: str | None) -> int:
    """How many notes are not indexed yet, all told or in one knowledge base."""
    row = await fetch_one(
        connection,
        "SELECT count(*) AS n FROM operation o JOIN document d "
        "ON d.workspace_id = o.workspace_id AND d.document_id = o.document_id "
        "WHERE o.workspace_id = %(workspace_id)s AND o.status IN ('pending', 'running') AND d.kind = 'note' "
        "AND (%(kb_id)s::text IS NULL OR d.kb_id = %(kb_id)s)",
        {"workspace_id": workspace_id, "kb_id": kb_id},
    )
    return row["n"] if row else 0


async def list_resources(connection: Connection, workspace_id: str) -> list[Resource]:
    """The knowledge bases that notes may be in: the one for notes first, then by slug."""
    rows = await fetch_all(
        connection,
        "SELECT kb_id, slug, name AS title, description, lifecycle_days AS cycle FROM knowledge_base "
        "WHERE workspace_id = %s ORDER BY slug <> 'knowledge', slug",
        [workspace_id],
    )
    return [Resource(**row) for row in rows if is_resource(row["slug"])]


async def set_blocks(
    connection: Connection, workspace_id: str, version_id: str, blocks: Sequence[Mapping[str, Any]] | None
) -> None:
    """Keep what a version's Markdown was made of."""
    await connection.execute(
        "UPDATE document_version SET blocks = %s WHERE workspace_id = %s AND version_id = %s",
        [None if blocks is None else Jsonb([dict(block) for block in blocks]), workspace_id, version_id],
    )


async def find_blocks(connection: Connection, workspace_id: str, version_id: str) -> list[dict[str, Any]] | None:
    """What a version's Markdown was made of; None where it was written as it is."""
    row = await fetch_one(
        connection,
        "SELECT blocks FROM document_version WHERE workspace_id = %s AND version_id = %s",
        [workspace_id, version_id],
    )
    return row["blocks"] if row else None
