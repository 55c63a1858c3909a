"""Where a document stands: a name that is free in a knowledge base, and the way to another one."""

import re
from typing import LiteralString

from pinakes.store.database import Connection, fetch_all, fetch_one
from pinakes.store.documents import lock_name
from pinakes.store.vectors import add_to_own

_ENTRIES: tuple[LiteralString, ...] = ("chunk_posting", "chunk_vector")
_OF_VERSION: LiteralString = (
    " chunk c WHERE c.workspace_id = %(workspace_id)s AND c.version_id = %(version_id)s "
    "AND t.workspace_id = c.workspace_id AND t.chunk_id = c.chunk_id "
)
_NUMBERED = re.compile(r" \(\d+\)\Z")


async def free_name(
    connection: Connection, workspace_id: str, kb_id: str, wanted: str, document_id: str | None = None
) -> str:
    """The name, or with the first number that makes it free; it stays free until the transaction ends.

    What the document of this id is called does not stand in its way.
    """
    stem, dot, extension = wanted.rpartition(".")
    stem = _NUMBERED.sub("", stem) if document_id is not None else stem
    await lock_name(connection, workspace_id, kb_id, wanted)
    rows = await fetch_all(
        connection,
        "SELECT name FROM document WHERE workspace_id = %s AND kb_id = %s AND starts_with(name, %s) "
        "AND document_id IS DISTINCT FROM %s",
        [workspace_id, kb_id, stem, document_id],
    )
    taken = {row["name"] for row in rows}
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{stem} ({number}){dot}{extension}"
    if name != wanted:
        await lock_name(connection, workspace_id, kb_id, name)
    return name


async def place_document(connection: Connection, workspace_id: str, document_id: str, kb_id: str, name: str) -> None:
    """Put a document into a knowledge base under a name."""
    await connection.execute(
        "UPDATE document SET kb_id = %s, name = %s, updated_at = now() WHERE workspace_id = %s AND document_id = %s",
        [kb_id, name, workspace_id, document_id],
    )


async def may_carry(connection: Connection, workspace_id: str, from_index: str, to_index: str) -> bool:
    """Whether one generation's passages are as another would have made them, and nobody is copying them just now."""
    row = await fetch_one(
        connection,
        """
        SELECT count(DISTINCT (embedder, dims, analyser_version, avgdl_ref)) = 1 AND NOT EXISTS (
            SELECT FROM operation o JOIN kb_index f ON f.workspace_id = o.workspace_id AND f.kb_id = o.kb_id
            WHERE f.workspace_id = %(workspace_id)s AND f.index_id = %(from_index)s
              AND o.kind = 'switch' AND o.status IN ('pending', 'running')
        ) AS may
        FROM kb_index WHERE workspace_id = %(workspace_id)s AND index_id IN (%(from_index)s, %(to_index)s)
        """,
        {"workspace_id": workspace_id, "from_index": from_index, "to_index": to_index},
    )
    return bool(row and row["may"])


async def carry_passages(
    connection: Connection, workspace_id: str, version_id: str, from_index: str, to_index: str
) -> None:
    """Let a version's passages answer in another generation, and in no other; their terms were counted off before."""
    scope = {
        "workspace_id": workspace_id,
        "version_id": version_id,
        "from_index": from_index,
        "to_index": to_index,
    }
    for table in _ENTRIES:
        await connection.execute(
            "DELETE FROM " + table + " t USING" + _OF_VERSION + "AND t.index_id <> %(from_index)s", scope
        )
        await connection.execute("UPDATE " + table + " t SET index_id = %(to_index)s FROM" + _OF_VERSION, scope)
    await connection.execute(
        "INSERT INTO term_delta (workspace_id, index_id, term, chunks) "
        "SELECT p.workspace_id, p.index_id, term, count(*) FROM chunk c "
        "JOIN chunk_posting p ON p.workspace_id = c.workspace_id AND p.chunk_id = c.chunk_id "
        "CROSS JOIN unnest(p.terms || 0) AS term "
        "WHERE c.workspace_id = %(workspace_id)s AND c.version_id = %(version_id)s "
        "GROUP BY p.workspace_id, p.index_id, term ORDER BY term",
        scope,
    )
    await add_to_own(connection, workspace_id, to_index, version_id)


async def drop_passages(connection: Connection, workspace_id: str, document_id: str) -> None:
    """Take a document's passages out, until it is indexed anew; their terms were counted off before."""
    await connection.execute(
        "DELETE FROM chunk c USING document_version v WHERE v.workspace_id = %s AND v.document_id = %s "
        "AND c.workspace_id = v.workspace_id AND c.version_id = v.version_id",
        [workspace_id, document_id],
    )
    await connection.execute(
        "UPDATE document SET active_version_id = NULL WHERE workspace_id = %s AND document_id = %s",
        [workspace_id, document_id],
    )


async def move_operations(connection: Connection, workspace_id: str, document_id: str, kb_id: str) -> None:
    """Let a document's operations follow it; unfinished ones end, since they were for the place it is leaving."""
    await connection.execute(
        "UPDATE operation SET kb_id = %s, "
        "status = CASE WHEN status IN ('pending', 'running') THEN 'terminated' ELSE status END, "
        "finished_at = coalesce(finished_at, now()) WHERE workspace_id = %s AND document_id = %s",
        [kb_id, workspace_id, document_id],
    )


async def active_version(connection: Connection, workspace_id: str, document_id: str) -> str | None:
    """The version of a document that answers."""
    row = await fetch_one(
        connection,
        "SELECT active_version_id FROM document WHERE workspace_id = %s AND document_id = %s",
        [workspace_id, document_id],
    )
    return row["active_version_id"] if row else None
