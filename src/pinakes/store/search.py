"""Both rankings in one statement, and the passages behind the winners."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

import numpy as np
from numpy.typing import NDArray
from psycopg.types.json import Jsonb

from pinakes.domain.analysis import TERM_SPACE
from pinakes.domain.bm25 import K1
from pinakes.domain.document import DocumentKind
from pinakes.domain.fusion import Candidate, Scored
from pinakes.domain.knowledge_base import KbIndex
from pinakes.domain.search import Filters, Hit
from pinakes.store.chunks import place_of, vector_literal
from pinakes.store.database import Connection, Row, fetch_all
from pinakes.store.documents import tags_of

# Up to here every posting is read; beyond, only those that hold one of the question's rarest terms.
_SCAN_POSTINGS_UP_TO = 20_000

_ASKED: LiteralString = """
WITH asked AS MATERIALIZED (
    SELECT index_id, vector::halfvec AS vector, size
    FROM unnest(%(index_ids)s::text[], %(vectors)s::text[], %(sizes)s::bigint[]) AS a (index_id, vector, size)
), frequency AS MATERIALIZED (
    SELECT a.index_id, t.term, t.n, coalesce(sum(d.chunks), 0) AS df,
           t.n * ln(1 + (greatest(a.size, sum(d.chunks)) - coalesce(sum(d.chunks), 0) + 0.5)::float8
                      / (coalesce(sum(d.chunks), 0) + 0.5)::float8) AS weight
    FROM asked a
    CROSS JOIN unnest(%(terms)s::int[], %(counts)s::int[]) AS t (term, n)
    LEFT JOIN term_delta d
        ON d.workspace_id = %(workspace_id)s AND d.index_id = a.index_id AND d.term = t.term
    GROUP BY a.index_id, a.size, t.term, t.n
), question AS MATERIALIZED (
    SELECT index_id, sum(weight) * %(saturation)s AS best,
           ('{' || string_agg(term || ':' || weight, ',' ORDER BY term) || '}/' || %(space)s::text)::sparsevec
               AS weights
    FROM frequency GROUP BY index_id
)
"""
_ALLOWED: LiteralString = """
, allowed AS MATERIALIZED (
    SELECT c.chunk_id FROM document d
    JOIN knowledge_base k ON k.workspace_id = d.workspace_id AND k.kb_id = d.kb_id
    JOIN chunk c ON c.workspace_id = d.workspace_id AND c.version_id = d.active_version_id
    WHERE d.workspace_id = %(workspace_id)s AND d.kb_id = ANY(%(kb_ids)s)
      AND (k.lifecycle_days = 0 OR d.updated_at > now() - make_interval(days => k.lifecycle_days))
      AND (%(kinds)s::text[] IS NULL OR d.kind = ANY(%(kinds)s))
      AND (%(updated_from)s::timestamptz IS NULL OR d.updated_at >= %(updated_from)s)
      AND (%(updated_to)s::timestamptz IS NULL OR d.updated_at <= %(updated_to)s)
      AND NOT EXISTS (
          SELECT FROM jsonb_each(%(tags)s) AS asked_tag
          WHERE NOT coalesce(
              d.tags -> asked_tag.key ?| ARRAY(SELECT jsonb_array_elements_text(asked_tag.value)), false)
      )
)
"""
# Adding 0 keeps the planner from an approximate index: under the threshold, exact is both right and fast.
_RANKED: LiteralString = """
, candidate AS (
    SELECT a.index_id, hit.chunk_id FROM asked a CROSS JOIN LATERAL (
        SELECT v.chunk_id FROM chunk_vector v
        WHERE v.workspace_id = %(workspace_id)s AND v.index_id = a.index_id {dense_filter}
        ORDER BY (v.embedding <=> a.vector) + 0 LIMIT %(depth)s
    ) hit WHERE a.vector IS NOT NULL
    UNION
    SELECT q.index_id, hit.chunk_id FROM question q CROSS JOIN LATERAL (
        SELECT p.chunk_id FROM chunk_posting p
        WHERE p.workspace_id = %(workspace_id)s AND p.index_id = q.index_id {lexical_filter}
          AND (p.weights <#> q.weights) < 0
        ORDER BY p.weights <#> q.weights LIMIT %(depth)s
    ) hit
)
SELECT c.index_id, c.chunk_id, nullif(1 - (v.embedding <=> a.vector), 'NaN') AS dense,
       coalesce(-(p.weights <#> q.weights), 0) AS lexical,
       coalesce(-(p.weights <#> q.weights) / nullif(q.best, 0), 0) AS lexical_share
FROM candidate c
JOIN asked a ON a.index_id = c.index_id
LEFT JOIN question q ON q.index_id = c.index_id
JOIN chunk_posting p
    ON p.workspace_id = %(workspace_id)s AND p.index_id = c.index_id AND p.chunk_id = c.chunk_id
LEFT JOIN chunk_vector v
    ON v.workspace_id = %(workspace_id)s AND v.index_id = c.index_id AND v.chunk_id = c.chunk_id
"""
_ONLY_ALLOWED_VECTORS: LiteralString = "AND v.chunk_id IN (SELECT chunk_id FROM allowed)"
_ONLY_ALLOWED_POSTINGS: LiteralString = "AND p.chunk_id IN (SELECT chunk_id FROM allowed)"
_ONLY_RARE_POSTINGS: LiteralString = """
AND p.chunk_id IN (SELECT posting_candidates(q.index_id, (
    SELECT array_agg(term) FROM (
        SELECT term, df, sum(df) OVER (ORDER BY df, term) AS reach
        FROM frequency f WHERE f.index_id = q.index_id AND df > 0
    ) rare WHERE reach <= %(reach)s OR reach = df
)))
"""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, analysed: its terms with their counts, and its vector for each embedder that knows it."""

    terms: Mapping[int, int]
    vectors: Mapping[str, NDArray[np.float32]]


async def find_candidates(
    connection: Connection,
    workspace_id: str,
    indexes: Sequence[KbIndex],
    question: Question,
    filters: Filters,
    depth: int,
) -> list[Candidate]:
    """The best chunks of each index by meaning and by keywords, each with both raw scores."""
    parameters: dict[str, Any] = {
        "workspace_id": workspace_id,
        "index_ids": [index.index_id for index in indexes],
        "kb_ids": [index.kb_id for index in indexes],
        "sizes": [index.chunk_count for index in indexes],
        "vectors": [_literal(question.vectors.get(index.embedder)) for index in indexes],
        "terms": list(question.terms.keys()),
        "counts": list(question.terms.values()),
        "saturation": K1 + 1,
        "space": TERM_SPACE,
        "reach": _SCAN_POSTINGS_UP_TO,
        "depth": depth,
        "kinds": list(filters.kinds) or None,
        "updated_from": filters.updated_from,
        "updated_to": filters.updated_to,
        "tags": Jsonb({name: list(values) for name, values in filters.tags.items()}),
    }
    large = any(index.chunk_count > _SCAN_POSTINGS_UP_TO for index in indexes)
    # Never prepared: the right plan depends on which knowledge bases are asked and how large they are.
    # Where documents expire, they must not answer any more before they are deleted.
    filtered = bool(filters) or any(index.expires for index in indexes)
    cursor = await connection.execute(_statement(filtered, large), parameters, prepare=False)
    return [Candidate(**row) async for row in cursor]


def _statement(filtered: bool, large: bool) -> LiteralString:
    """The statement for this kind of search; a filter narrows more than the rarest terms do."""
    if filtered:
        dense, lexical = _ONLY_ALLOWED_VECTORS, _ONLY_ALLOWED_POSTINGS
    else:
        dense, lexical = "", _ONLY_RARE_POSTINGS if large else ""
    ranked = _RANKED.replace("{dense_filter}", dense).replace("{lexical_filter}", lexical)
    return _ASKED + (_ALLOWED if filtered else "") + ranked


async def load_hits(
    connection: Connection, workspace_id: str, kb_names: Mapping[str, str], scored: Sequence[Scored]
) -> list[Hit]:
    """The passages of these candidates in the same order; one whose document has just gone is left out."""
    rows = await fetch_all(
        connection,
        """
        SELECT c.chunk_id, c.ordinal, c.content, c.page, c.place, c.preface, c.inside, c.headings,
               c.start_offset, c.end_offset, c.start_line, c.end_line, d.document_id, d.name, d.title,
               d.kind, d.tags, d.kb_id, v.media_type, d.created_at, d.updated_at
        FROM chunk c
        JOIN document_version v ON v.workspace_id = c.workspace_id AND v.version_id = c.version_id
        JOIN document d ON d.workspace_id = v.workspace_id AND d.active_version_id = v.version_id
            AND d.document_id = v.document_id
        WHERE c.workspace_id = %s AND c.chunk_id = ANY(%s)
        """,
        [workspace_id, [entry.candidate.chunk_id for entry in scored]],
    )
    found = {row["chunk_id"]: row for row in rows}
    return [
        _hit(found[entry.candidate.chunk_id], entry, kb_names) for entry in scored if entry.candidate.chunk_id in found
    ]


def _hit(row: Row, entry: Scored, kb_names: Mapping[str, str]) -> Hit:
    return Hit(
        chunk_id=row["chunk_id"],
        chunk_index=row["ordinal"],
        content=row["preface"] + row["content"],
        preface=row["preface"],
        document_id=row["document_id"],
        document_name=row["name"],
        document_title=row["title"],
        kind=DocumentKind(row["kind"]),
        tags=tags_of(row["tags"]),
        kb_id=row["kb_id"],
        kb_name=kb_names.get(row["kb_id"], ""),
        place=place_of(row),
        inside=row["inside"],
        headings=tuple(row["headings"]),
        start_offset=row["start_offset"],
        end_offset=row["end_offset"],
        start_line=row["start_line"],
        end_line=row["end_line"],
        media_type=row["media_type"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        similarity=entry.similarity,
        dense=entry.candidate.dense,
        lexical=entry.candidate.lexical,
        fused=entry.fused,
    )


def _literal(vector: NDArray[np.float32] | None) -> str | None:
    return None if vector is None else vector_literal(vector)
