"""Chunks and their index entries: written in one go, so that a version is searchable as a whole or not at all."""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from pinakes.domain.analysis import TERM_SPACE
from pinakes.domain.bm25 import Posting
from pinakes.domain.chunk import Chunk
from pinakes.domain.errors import ProviderFault
from pinakes.domain.knowledge_base import KbIndex
from pinakes.domain.place import Place
from pinakes.store.database import Connection, Row, fetch_all, fetch_one
from pinakes.store.operations import Claim
from pinakes.store.vectors import add_to_own, remove_from_own

# The types of `incoming_chunk`; a sparsevec goes in as its bytes.
_SELECT_CHUNKS = (
    "SELECT c.chunk_id, c.ordinal, c.content, c.start_offset, c.end_offset, c.page, c.headings, "
    "c.start_line, c.end_line, c.tokens, c.place, c.preface, c.inside FROM document d "
    "JOIN chunk c ON c.workspace_id = d.workspace_id AND c.version_id = d.active_version_id "
    "WHERE d.workspace_id = %s AND d.document_id = %s"
)
_INCOMING_TYPES = [
    "text",
    "int4",
    "text",
    "int4",
    "int4",
    "int4",
    "text[]",
    "int4",
    "int4",
    "int4",
    "bytea",
    "jsonb",
    "text",
    "text",
    "int4[]",
    "bytea",
    "bytea",
]


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk on its way into the index."""

    chunk_id: str
    chunk: Chunk
    text_hash: bytes
    posting: Posting


async def staged_hashes(connection: Connection, claim: Claim, index: KbIndex, hashes: Sequence[bytes]) -> set[bytes]:
    """Which of these texts need no embedding any more.

    That is what an interrupted run staged, and what the same workspace embedded before with the same model.
    """
    await connection.execute(
        """
        INSERT INTO staged_embedding (workspace_id, version_id, index_id, text_hash, embedding)
        SELECT DISTINCT ON (c.text_hash) c.workspace_id, %(version_id)s, %(index_id)s, c.text_hash, v.embedding
        FROM chunk c
        JOIN chunk_vector v ON v.workspace_id = c.workspace_id AND v.chunk_id = c.chunk_id
        JOIN kb_index i ON i.workspace_id = v.workspace_id AND i.index_id = v.index_id
        WHERE c.workspace_id = %(workspace_id)s AND c.text_hash = ANY(%(hashes)s)
          AND i.embedder = %(embedder)s AND i.dims = %(dims)s
        ON CONFLICT DO NOTHING
        """,
        {
            "workspace_id": claim.workspace_id,
            "version_id": claim.version_id,
            "index_id": index.index_id,
            "hashes": list(hashes),
            "embedder": index.embedder,
            "dims": index.dims,
        },
    )
    rows = await fetch_all(
        connection,
        "SELECT text_hash FROM staged_embedding WHERE workspace_id = %s AND version_id = %s AND index_id = %s",
        [claim.workspace_id, claim.version_id, index.index_id],
    )
    return {row["text_hash"] for row in rows}


async def stage_embeddings(
    connection: Connection, claim: Claim, index: KbIndex, embeddings: Mapping[bytes, NDArray[np.float32]]
) -> None:
    """Keep finished embeddings of a version that is still being indexed."""
    await connection.execute(
        "INSERT INTO staged_embedding (workspace_id, version_id, index_id, text_hash, embedding) "
        "SELECT %s, %s, %s, text_hash, embedding::halfvec "
        "FROM unnest(%s::bytea[], %s::text[]) AS given (text_hash, embedding) ON CONFLICT DO NOTHING",
        [
            claim.workspace_id,
            claim.version_id,
            index.index_id,
            list(embeddings.keys()),
            [vector_literal(embedding) for embedding in embeddings.values()],
        ],
    )


async def insert_chunks(
    connection: Connection,
    claim: Claim,
    index: KbIndex,
    chunks: Sequence[IndexedChunk],
    embeddings: Mapping[bytes, NDArray[np.float32]],
) -> None:
    """Write a version's chunks, postings and vectors, and count its terms; other embeddings are staged."""
    await _copy_incoming(connection, chunks, embeddings)
    scope = {
        "workspace_id": claim.workspace_id,
        "version_id": claim.version_id,
        "index_id": index.index_id,
    }
    await connection.execute(
        "INSERT INTO chunk (workspace_id, chunk_id, version_id, ordinal, content, start_offset, end_offset, "
        "page, headings, start_line, end_line, tokens, text_hash, place, preface, inside) "
        "SELECT %(workspace_id)s, chunk_id, %(version_id)s, ordinal, content, start_offset, end_offset, "
        "page, headings, start_line, end_line, tokens, text_hash, place, preface, inside FROM incoming_chunk",
        scope,
    )
    await connection.execute(
        "INSERT INTO chunk_posting (workspace_id, index_id, chunk_id, terms, weights) "
        "SELECT %(workspace_id)s, %(index_id)s, chunk_id, terms, weights FROM incoming_chunk",
        scope,
    )
    await connection.execute(
        "INSERT INTO term_delta (workspace_id, index_id, term, chunks) "
        "SELECT %(workspace_id)s, %(index_id)s, term, count(*) "
        "FROM incoming_chunk CROSS JOIN unnest(terms || 0) AS term GROUP BY term ORDER BY term",
        scope,
    )
    if index.dims is not None:
        cursor = await connection.execute(
            "INSERT INTO chunk_vector (workspace_id, index_id, chunk_id, embedding) "
            "SELECT %(workspace_id)s, %(index_id)s, i.chunk_id, coalesce(i.embedding, s.embedding) "
            "FROM incoming_chunk i LEFT JOIN staged_embedding s ON s.workspace_id = %(workspace_id)s "
            "AND s.version_id = %(version_id)s AND s.index_id = %(index_id)s AND s.text_hash = i.text_hash "
            "WHERE coalesce(i.embedding, s.embedding) IS NOT NULL",
            scope,
        )
        if cursor.rowcount != len(chunks):
            raise ProviderFault(f"{len(chunks) - cursor.rowcount} passages have no embedding yet.")
    await add_to_own(connection, claim.workspace_id, index.index_id, claim.version_id)
    await connection.execute(
        "DELETE FROM staged_embedding WHERE workspace_id = %(workspace_id)s AND version_id = %(version_id)s",
        scope,
    )


async def swap_version(connection: Connection, claim: Claim, chunk_count: int) -> list[str]:
    """Let a fully written version answer from now on; returns the objects of those it replaces."""
    scope = {
        "workspace_id": claim.workspace_id,
        "document_id": claim.document_id,
        "version_id": claim.version_id,
    }
    await connection.execute(
        "UPDATE document_version SET status = 'indexed', error = NULL, chunk_count = %(chunk_count)s, "
        "indexed_at = now() WHERE workspace_id = %(workspace_id)s AND version_id = %(version_id)s",
        {**scope, "chunk_count": chunk_count},
    )
    await connection.execute(
        "UPDATE document SET active_version_id = %(version_id)s, updated_at = now() "
        "WHERE workspace_id = %(workspace_id)s AND document_id = %(document_id)s",
        scope,
    )
    old = await fetch_all(
        connection,
        "SELECT version_id, blob_key FROM document_version WHERE workspace_id = %(workspace_id)s "
        "AND document_id = %(document_id)s AND number < (SELECT number FROM document_version "
        "WHERE workspace_id = %(workspace_id)s AND version_id = %(version_id)s)",
        scope,
    )
    if old:
        await delete_versions(connection, claim.workspace_id, [row["version_id"] for row in old])
    return [row["blob_key"] for row in old]


async def delete_versions(connection: Connection, workspace_id: str, version_ids: list[str]) -> None:
    """Delete versions with all their index entries, and count their terms off."""
    await uncount_terms(connection, workspace_id, version_ids)
    await connection.execute(
        "DELETE FROM document_version WHERE workspace_id = %s AND version_id = ANY(%s)",
        [workspace_id, version_ids],
    )


async def uncount_terms(connection: Connection, workspace_id: str, version_ids: list[str]) -> None:
    """Take versions that are about to be deleted out of the term counts and own tables of every generation."""
    # The generations before their counts, in the order in which a deletion takes them: one may be on its way out.
    await connection.execute(
        "SELECT 1 FROM kb_index WHERE workspace_id = %(workspace_id)s AND kb_id IN (SELECT d.kb_id FROM document d "
        "JOIN document_version v ON v.workspace_id = d.workspace_id AND v.document_id = d.document_id "
        "WHERE v.workspace_id = %(workspace_id)s AND v.version_id = ANY(%(version_ids)s)) "
        "ORDER BY index_id FOR KEY SHARE",
        {"workspace_id": workspace_id, "version_ids": version_ids},
    )
    await connection.execute(
        "INSERT INTO term_delta (workspace_id, index_id, term, chunks) "
        "SELECT p.workspace_id, p.index_id, term, -count(*) FROM chunk c "
        "JOIN chunk_posting p ON p.workspace_id = c.workspace_id AND p.chunk_id = c.chunk_id "
        "CROSS JOIN unnest(p.terms || 0) AS term "
        "WHERE c.workspace_id = %s AND c.version_id = ANY(%s) GROUP BY p.workspace_id, p.index_id, term",
        [workspace_id, version_ids],
    )
    await remove_from_own(connection, workspace_id, version_ids)


async def compact_terms(connection: Connection, workspace_id: str) -> None:
    """Add up the deltas of every generation that has gathered more of them than terms."""
    rows = await fetch_all(
        connection,
        "SELECT index_id FROM term_delta WHERE workspace_id = %s GROUP BY index_id "
        "HAVING count(*) > 1.5 * count(DISTINCT term)",
        [workspace_id],
    )
    for row in rows:
        scope = {"workspace_id": workspace_id, "index_id": row["index_id"]}
        # The generation before its counts, in the order in which a deletion takes them.
        await connection.execute(
            "SELECT 1 FROM kb_index WHERE workspace_id = %(workspace_id)s AND index_id = %(index_id)s FOR KEY SHARE",
            scope,
        )
        await connection.execute(
            "WITH gone AS (DELETE FROM term_delta WHERE workspace_id = %(workspace_id)s "
            "AND index_id = %(index_id)s RETURNING term, chunks) "
            "INSERT INTO term_delta (workspace_id, index_id, term, chunks) "
            "SELECT %(workspace_id)s, %(index_id)s, term, sum(chunks) FROM gone "
            "GROUP BY term HAVING sum(chunks) <> 0 ORDER BY term",
            scope,
        )


async def list_chunks(
    connection: Connection, workspace_id: str, document_id: str, *, limit: int, offset: int
) -> tuple[list[Row], int]:
    """A page of the chunks that answer for a document, in order, and how many there are."""
    rows = await fetch_all(
        connection,
        f"{_SELECT_CHUNKS} ORDER BY c.ordinal LIMIT %s OFFSET %s",
        [workspace_id, document_id, limit, offset],
    )
    total = await fetch_one(
        connection,
        "SELECT count(*) AS n FROM document d "
        "JOIN chunk c ON c.workspace_id = d.workspace_id AND c.version_id = d.active_version_id "
        "WHERE d.workspace_id = %s AND d.document_id = %s",
        [workspace_id, document_id],
    )
    return rows, total["n"] if total else 0


async def find_chunk(connection: Connection, workspace_id: str, document_id: str, chunk_id: str) -> Row | None:
    """One of the chunks that answer for a document."""
    return await fetch_one(connection, f"{_SELECT_CHUNKS} AND c.chunk_id = %s", [workspace_id, document_id, chunk_id])


async def _copy_incoming(
    connection: Connection, chunks: Sequence[IndexedChunk], embeddings: Mapping[bytes, NDArray[np.float32]]
) -> None:
    # COPY cannot write to a table under row-level security, hence the way through a private table.
    await connection.execute(
        "CREATE TEMP TABLE IF NOT EXISTS incoming_chunk (chunk_id text, ordinal int, content text, "
        "start_offset int, end_offset int, page int, headings text[], start_line int, end_line int, "
        "tokens int, text_hash bytea, place jsonb, preface text, inside text, terms int[], weights sparsevec, "
        "embedding halfvec) ON COMMIT DELETE ROWS"
    )
    async with (
        connection.cursor() as cursor,
        cursor.copy("COPY incoming_chunk FROM STDIN (FORMAT binary)") as copy,
    ):
        copy.set_types(_INCOMING_TYPES)
        for entry in chunks:
            await copy.write_row((*_incoming_row(entry), _halfvec(embeddings.get(entry.text_hash))))


def _incoming_row(entry: IndexedChunk) -> tuple[object, ...]:
    chunk = entry.chunk
    place = chunk.place
    return (
        entry.chunk_id,
        chunk.ordinal,
        chunk.content,
        chunk.start,
        chunk.end,
        place.number if place and place.kind == "page" else None,
        list(chunk.headings),
        chunk.start_line,
        chunk.end_line,
        chunk.tokens,
        entry.text_hash,
        Jsonb(asdict(place)) if place and place.kind != "page" else None,
        chunk.preface,
        chunk.inside,
        entry.posting.terms,
        _sparsevec(entry.posting),
    )


def place_of(row: Row) -> Place | None:
    """The place of a chunk's row, which keeps a page's number apart from all other kinds."""
    if row["place"] is not None:
        return Place(**row["place"])
    return None if row["page"] is None else Place("page", row["page"])


def _halfvec(embedding: NDArray[np.float32] | None) -> bytes | None:
    """pgvector's binary form of a halfvec."""
    if embedding is None:
        return None
    return struct.pack(">hh", len(embedding), 0) + embedding.astype(">f2").tobytes()


def vector_literal(embedding: NDArray[np.float32]) -> str:
    """pgvector's text form of a vector, to the precision a half has and a little more."""
    return "[" + ",".join(["%.6g"] * len(embedding)) % tuple(embedding.tolist()) + "]"


def _sparsevec(posting: Posting) -> bytes:
    """pgvector's binary form of a sparsevec; it counts dimensions from 0, its text form from 1."""
    head = struct.pack(">iii", TERM_SPACE, len(posting.terms), 0)
    return (
        head
        + (np.asarray(posting.terms, ">i4") - 1).astype(">i4").tobytes()
        + np.asarray(posting.weights, ">f4").tobytes()
    )
