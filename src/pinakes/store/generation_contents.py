"""What a generation holds of its knowledge base's passages, what it lacks, and what is put into it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import LiteralString

import numpy as np
from numpy.typing import NDArray

from pinakes.domain.analysis import TERM_SPACE
from pinakes.domain.bm25 import Posting
from pinakes.domain.chunk import put_under_headings
from pinakes.domain.knowledge_base import KbIndex
from pinakes.store.chunks import vector_literal
from pinakes.store.database import Connection, Row, fetch_all, fetch_one

# What of a knowledge base's passages a generation lacks; one with keywords only lacks no vector. The planner is kept to
# the order of documents, their chunks and what each has: left to itself it joins chunks of all knowledge bases.
_MISSING: LiteralString = """
    FROM (
        SELECT workspace_id, document_id, active_version_id FROM document
        WHERE workspace_id = %(workspace_id)s AND kb_id = %(kb_id)s AND document_id >= %(document_id)s
        ORDER BY document_id OFFSET 0
    ) d
    CROSS JOIN LATERAL (
        SELECT chunk_id, ordinal, text_hash, headings, preface, content FROM chunk
        WHERE workspace_id = d.workspace_id AND version_id = d.active_version_id
          AND (d.document_id > %(document_id)s OR ordinal > %(ordinal)s) OFFSET 0
    ) c
    LEFT JOIN LATERAL (
        SELECT chunk_id FROM chunk_posting
        WHERE workspace_id = d.workspace_id AND index_id = %(index_id)s AND chunk_id = c.chunk_id OFFSET 0
    ) p ON true
    LEFT JOIN LATERAL (
        SELECT chunk_id FROM chunk_vector
        WHERE workspace_id = d.workspace_id AND index_id = %(index_id)s AND chunk_id = c.chunk_id OFFSET 0
    ) v ON true
"""
_LACKS: LiteralString = "(p.chunk_id IS NULL OR %(embeds)s AND v.chunk_id IS NULL)"

_COUNTED: LiteralString = """
    , counted AS (
        INSERT INTO term_delta (workspace_id, index_id, term, chunks)
        SELECT %(workspace_id)s, %(index_id)s, term, count(*)
        FROM added CROSS JOIN unnest(terms || 0) AS term GROUP BY term ORDER BY term
    )
    SELECT chunk_id FROM added
"""


@dataclass(frozen=True, slots=True)
class Missing:
    """A passage that a generation lacks the posting or the vector of."""

    chunk_id: str
    document_id: str
    ordinal: int
    text_hash: bytes
    headings: tuple[str, ...]
    text: str
    unposted: bool
    unembedded: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """How many passages a knowledge base has, and how many of them a generation lacks."""

    chunks: int
    missing: int


async def measure_gap(connection: Connection, workspace_id: str, index: KbIndex) -> Gap:
    """How much a generation lacks."""
    row = await fetch_one(
        connection,
        f"SELECT count(*) AS chunks, count(*) FILTER (WHERE {_LACKS}) AS missing {_MISSING}",
        _scope(workspace_id, index),
    )
    return Gap(**row) if row else Gap(0, 0)


async def list_missing(
    connection: Connection, workspace_id: str, index: KbIndex, after: Missing | None, limit: int
) -> list[Missing]:
    """The next passages that a generation lacks, document by document."""
    rows = await fetch_all(
        connection,
        "SELECT c.chunk_id, d.document_id, c.ordinal, c.text_hash, c.headings, c.preface, c.content, "
        f"p.chunk_id IS NULL AS unposted, %(embeds)s AND v.chunk_id IS NULL AS unembedded {_MISSING} WHERE {_LACKS} "
        "ORDER BY d.document_id, c.ordinal LIMIT %(limit)s",
        {**_scope(workspace_id, index, after), "limit": limit},
    )
    return [_missing(row) for row in rows]


async def keep_documents(connection: Connection, workspace_id: str, chunk_ids: Sequence[str]) -> list[str]:
    """Which of these passages are still there; they and their documents stay until the transaction ends.

    Otherwise a deletion could miss terms that are being counted while it counts them off.
    """
    await connection.execute(
        "SELECT 1 FROM document WHERE workspace_id = %(workspace_id)s AND document_id IN ("
        "SELECT v.document_id FROM chunk c JOIN document_version v "
        "ON v.workspace_id = c.workspace_id AND v.version_id = c.version_id "
        "WHERE c.workspace_id = %(workspace_id)s AND c.chunk_id = ANY(%(chunk_ids)s)) "
        "ORDER BY document_id FOR KEY SHARE",
        {"workspace_id": workspace_id, "chunk_ids": list(chunk_ids)},
    )
    rows = await fetch_all(
        connection,
        "SELECT chunk_id FROM chunk WHERE workspace_id = %s AND chunk_id = ANY(%s)",
        [workspace_id, list(chunk_ids)],
    )
    return [row["chunk_id"] for row in rows]


async def copy_postings(
    connection: Connection, workspace_id: str, source_id: str, index_id: str, chunk_ids: Sequence[str]
) -> set[str]:
    """Postings of another generation for this one, and their terms counted; which passages got one."""
    rows = await fetch_all(
        connection,
        "WITH added AS (INSERT INTO chunk_posting (workspace_id, index_id, chunk_id, terms, weights) "
        "SELECT workspace_id, %(index_id)s, chunk_id, terms, weights FROM chunk_posting "
        "WHERE workspace_id = %(workspace_id)s AND index_id = %(source_id)s AND chunk_id = ANY(%(chunk_ids)s) "
        "ON CONFLICT DO NOTHING RETURNING chunk_id, terms)" + _COUNTED,
        {
            "workspace_id": workspace_id,
            "index_id": index_id,
            "source_id": source_id,
            "chunk_ids": list(chunk_ids),
        },
    )
    return {row["chunk_id"] for row in rows}


async def insert_postings(
    connection: Connection, workspace_id: str, index_id: str, postings: Mapping[str, Posting]
) -> None:
    """Postings by their passages, and their terms counted."""
    await connection.execute(
        "WITH added AS (INSERT INTO chunk_posting (workspace_id, index_id, chunk_id, terms, weights) "
        "SELECT %(workspace_id)s, %(index_id)s, chunk_id, terms::int[], weights::sparsevec "
        "FROM unnest(%(chunk_ids)s::text[], %(terms)s::text[], %(weights)s::text[]) AS g (chunk_id, terms, weights) "
        "ON CONFLICT DO NOTHING RETURNING chunk_id, terms)" + _COUNTED,
        {
            "workspace_id": workspace_id,
            "index_id": index_id,
            "chunk_ids": list(postings),
            "terms": ["{" + ",".join(map(str, posting.terms)) + "}" for posting in postings.values()],
            "weights": [_sparse_literal(posting) for posting in postings.values()],
        },
    )


async def reuse_vectors(
    connection: Connection, workspace_id: str, index: KbIndex, chunk_ids: Sequence[str]
) -> set[str]:
    """Give passages the vectors that the same workspace has of the same text by the same model; which got one."""
    rows = await fetch_all(
        connection,
        """
        INSERT INTO chunk_vector (workspace_id, index_id, chunk_id, embedding)
        SELECT DISTINCT ON (c.chunk_id) c.workspace_id, %(index_id)s, c.chunk_id, v.embedding
        FROM chunk c
        JOIN chunk o ON o.workspace_id = c.workspace_id AND o.text_hash = c.text_hash
        JOIN chunk_vector v ON v.workspace_id = o.workspace_id AND v.chunk_id = o.chunk_id
        JOIN kb_index i ON i.workspace_id = v.workspace_id AND i.index_id = v.index_id
        WHERE c.workspace_id = %(workspace_id)s AND c.chunk_id = ANY(%(chunk_ids)s)
          AND i.embedder = %(embedder)s AND i.dims = %(dims)s
        ON CONFLICT DO NOTHING RETURNING chunk_id
        """,
        {
            "workspace_id": workspace_id,
            "index_id": index.index_id,
            "chunk_ids": list(chunk_ids),
            "embedder": index.embedder,
            "dims": index.dims,
        },
    )
    return {row["chunk_id"] for row in rows}


async def insert_vectors(
    connection: Connection, workspace_id: str, index: KbIndex, vectors: Mapping[str, NDArray[np.float32]]
) -> None:
    """Vectors by their passages."""
    await connection.execute(
        "INSERT INTO chunk_vector (workspace_id, index_id, chunk_id, embedding) "
        "SELECT %s, %s, chunk_id, embedding::halfvec FROM unnest(%s::text[], %s::text[]) AS g (chunk_id, embedding) "
        "ON CONFLICT DO NOTHING",
        [workspace_id, index.index_id, list(vectors), [vector_literal(vector) for vector in vectors.values()]],
    )


async def find_faults(connection: Connection, workspace_id: str, index: KbIndex) -> list[str]:
    """What is wrong with a generation that was filled, in words; passages that came meanwhile are no fault."""
    row = await fetch_one(
        connection,
        """
        SELECT (SELECT count(*) FROM chunk_posting p
                WHERE p.workspace_id = i.workspace_id AND p.index_id = i.index_id) AS postings,
               (SELECT count(*) FROM chunk_posting p
                JOIN chunk c ON c.workspace_id = p.workspace_id AND c.chunk_id = p.chunk_id
                JOIN document d ON d.workspace_id = c.workspace_id AND d.active_version_id = c.version_id
                WHERE p.workspace_id = i.workspace_id AND p.index_id = i.index_id AND d.kb_id = i.kb_id) AS answering,
               (SELECT coalesce(sum(t.chunks), 0) FROM term_delta t
                WHERE t.workspace_id = i.workspace_id AND t.index_id = i.index_id AND t.term = 0) AS counted,
               (SELECT count(*) FROM chunk_vector v
                WHERE v.workspace_id = i.workspace_id AND v.index_id = i.index_id) AS vectors,
               (SELECT count(*) FROM chunk_vector v WHERE v.workspace_id = i.workspace_id
                AND v.index_id = i.index_id AND vector_dims(v.embedding) <> i.dims) AS misfits
        FROM kb_index i WHERE i.workspace_id = %s AND i.index_id = %s
        """,
        [workspace_id, index.index_id],
    )
    if row is None:
        return ["it is gone"]
    wanted = row["postings"] if index.dims is not None else 0
    checks = {
        "passages that do not belong there": row["postings"] - row["answering"],
        "passages too many or too few in the counts of its terms": row["counted"] - row["postings"],
        "vectors too many or too few": row["vectors"] - wanted,
        "vectors of another length": row["misfits"],
    }
    return [f"{abs(number)} {what}" for what, number in checks.items() if number]


def _scope(workspace_id: str, index: KbIndex, after: Missing | None = None) -> dict[str, object]:
    return {
        "document_id": after.document_id if after else "",
        "ordinal": after.ordinal if after else -1,
        "workspace_id": workspace_id,
        "kb_id": index.kb_id,
        "index_id": index.index_id,
        "embeds": index.dims is not None,
    }


def _missing(row: Row) -> Missing:
    headings, preface, content = tuple(row.pop("headings")), row.pop("preface"), row.pop("content")
    return Missing(**row, headings=headings, text=put_under_headings(headings, preface + content))


def _sparse_literal(posting: Posting) -> str:
    """pgvector's text form of a sparsevec, which counts dimensions from 1."""
    pairs = zip(posting.terms, posting.weights, strict=True)
    return "{" + ",".join(f"{term}:{weight:.9g}" for term, weight in pairs) + f"}}/{TERM_SPACE}"
