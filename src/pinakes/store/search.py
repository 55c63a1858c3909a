"""Both rankings in one statement, and the passages behind the winners."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, LiteralString

import numpy as np
from numpy.typing import NDArray
from psycopg import AsyncClientCursor, AsyncCursor
from psycopg.errors import UndefinedTable
from psycopg.rows import args_row
from psycopg.types.json import Jsonb

from pinakes.domain.analysis import TERM_SPACE
from pinakes.domain.bm25 import K1, AskedTerm
from pinakes.domain.document import DocumentKind
from pinakes.domain.fusion import Candidate, Scored
from pinakes.domain.knowledge_base import KbIndex
from pinakes.domain.search import Filters, Hit
from pinakes.store.chunks import place_of, vector_literal
from pinakes.store.database import Connection, Planned, Row, fetch_all, fetch_and_end
from pinakes.store.documents import tags_of
from pinakes.store.knowledge_bases import INDEXES, INDEXES_NAMED
from pinakes.store.ranking import SCORE_GIVEN, rank_indexes

# Of a large generation only so many postings are read: those of the question's rarest terms, and those that hold two
# of the others. At 100,000 chunks they have 99 of 100 of the ten best; the rarest alone, for the same time, 96.
_REACH = 300
# The rarest of all is read whatever it takes, up to so many; one that is no rarer is read with a second term.
_ALONE = 3_000
_FEWEST_PAIRED, _PAIRED = 500, 2_500
# Of how many of its terms pairs are made at most, up to so many chunks and beyond, where more bring nothing; and how
# much more often two words meet than they would by chance.
_PAIRING, _WIDELY_PAIRED, _FEW_PAIRING = 16, 300_000, 6
_AFFINITY = 3
# How many vectors the graph is walked along with, up to so many chunks: what 98 of 100 of the ten nearest take.
_EFFORTS = ((20_000, 160), (300_000, 300))
_GREATEST_EFFORT = 800
# More pgvector does not take.
_MOST_EFFORT = 1_000
# Reading a chunk that a filter lets through costs this much less than finding one that it may let through.
_EXACT_GAIN = 500
_MOST_READ = 20_000


# What a search's transaction is made with. Whole tables are never read: beside those of other workspaces a small
# knowledge base is a needle in a haystack. A plan is made once: it would be the same whatever is asked.
SETTINGS: Mapping[str, str] = {
    "enable_seqscan": "off",
    "plan_cache_mode": "force_generic_plan",
    "hnsw.max_scan_tuples": "200000",
    "hnsw.scan_mem_multiplier": "16",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A question, analysed: its terms with their counts, and its vector for each embedder that knows it."""

    terms: Sequence[AskedTerm]
    vectors: Mapping[str, NDArray[np.float32]]


class Moved(Exception):
    """A knowledge base does not answer any more with the tables that it was looked up with."""


async def find_candidates(
    connection: Connection,
    workspace_id: str,
    indexes: Sequence[KbIndex],
    question: Question,
    filters: Filters,
    depth: int,
) -> list[Candidate]:
    """The best chunks of each index by meaning and by keywords, each with both raw scores; Moved if one is gone."""
    filtered = _is_filtered(indexes, filters)
    statement = rank_indexes(indexes, question.vectors, filtered)
    try:
        parameters = _parameters(workspace_id, indexes, question, filters, depth)
        # With filters the right plan depends on what is asked: then it stands in the statement, and is planned with it.
        kind = AsyncClientCursor[Candidate] if filtered else AsyncCursor[Candidate]
        cursor = kind(connection, row_factory=args_row(Candidate))
        await cursor.execute(statement, parameters)
        return await cursor.fetchall()
    except UndefinedTable as error:
        raise Moved from error


def _is_filtered(indexes: Sequence[KbIndex], filters: Filters) -> bool:
    # Where documents expire, they must not answer any more before they are deleted.
    return bool(filters) or any(index.expires for index in indexes)


def _largest(indexes: Sequence[KbIndex]) -> int:
    return max((index.chunk_count for index in indexes if index.own), default=0)


def _effort(largest: int, depth: int) -> int:
    """How many to walk along with: as many as it takes, and as are wanted, since no more are found."""
    wanted = next((effort for size, effort in _EFFORTS if largest <= size), _GREATEST_EFFORT)
    return min(_MOST_EFFORT, max(wanted, depth))


def _parameters(
    workspace_id: str, indexes: Sequence[KbIndex], question: Question, filters: Filters, depth: int
) -> dict[str, Any]:
    largest = _largest(indexes)
    parameters: dict[str, Any] = {
        "workspace_id": workspace_id,
        "index_ids": _array(index.index_id for index in indexes),
        "kb_ids": _array(index.kb_id for index in indexes),
        "sizes": _array(str(index.chunk_count) for index in indexes),
        "larges": _array("f" if index.own is None else "t" for index in indexes),
        "vectors": _array(_literal(question.vectors.get(index.embedder)) for index in indexes),
        "terms": _array(str(asked.term) for asked in question.terms),
        "counts": _array(str(asked.count) for asked in question.terms),
        "words": _array(str(asked.word) for asked in question.terms),
        "saturation": K1 + 1,
        "space": TERM_SPACE,
        "reach": _REACH,
        "alone": _ALONE,
        "fewest_paired": _FEWEST_PAIRED,
        "paired": _PAIRED,
        "pairing": _PAIRING if largest <= _WIDELY_PAIRED else _FEW_PAIRING,
        "affinity": _AFFINITY,
        "depth": depth,
        # Set where the vector is read, before the walk begins: a message of its own would cost a round trip.
        "effort": str(_effort(largest, depth)),
        "order": "relaxed_order" if _is_filtered(indexes, filters) else "off",
        "kinds": list(filters.kinds) or None,
        "updated_from": filters.updated_from,
        "updated_to": filters.updated_to,
        "tags": Jsonb({name: list(values) for name, values in filters.tags.items()}),
    }
    for number, index in enumerate(indexes):
        if index.own is not None:
            parameters |= {
                f"index_id_{number}": index.index_id,
                f"kb_id_{number}": index.kb_id,
                f"few_{number}": min(_MOST_READ, math.isqrt(_EXACT_GAIN * index.chunk_count)),
            }
    return parameters


async def score_candidates(
    connection: Connection,
    workspace_id: str,
    indexes: Sequence[KbIndex],
    question: Question,
    found: Sequence[Candidate],
) -> list[Candidate]:
    """The same chunks with the raw scores they have for this question."""
    parameters = _parameters(workspace_id, indexes, question, Filters(), len(found))
    parameters |= {"found_in": [c.index_id for c in found], "found": [c.chunk_id for c in found]}
    cursor = await connection.cursor(row_factory=args_row(Candidate)).execute(SCORE_GIVEN, parameters)
    return await cursor.fetchall()


_LOADED: LiteralString = """
    SELECT c.chunk_id, c.ordinal, c.content, c.page, c.place, c.preface, c.inside, c.headings,
           c.start_offset, c.end_offset, c.start_line, c.end_line, d.document_id, d.name, d.title,
           d.kind, d.tags, d.kb_id, v.media_type, d.created_at, d.updated_at
    FROM chunk c
    JOIN document_version v ON v.workspace_id = c.workspace_id AND v.version_id = c.version_id
    JOIN document d ON d.workspace_id = v.workspace_id AND d.active_version_id = v.version_id
        AND d.document_id = v.document_id
    WHERE c.workspace_id = %(workspace_id)s AND c.chunk_id = ANY(%(chunk_ids)s::text[])
"""
LOADED = Planned(
    "loaded_hits", "text, text[]", _LOADED.replace("%(workspace_id)s", "$1").replace("%(chunk_ids)s", "$2")
)
# What every connection has to know for this and for finding out what to search in.
PLANNED = (INDEXES, INDEXES_NAMED, LOADED)


async def load_hits(
    connection: Connection,
    workspace_id: str,
    kb_names: Mapping[str, str],
    scored: Sequence[Scored],
    *,
    last: bool = False,
) -> list[Hit]:
    """The passages of these candidates in the same order; one whose document has just gone is left out.

    With `last` the transaction, which is one for reading, ends with it.
    """
    chunk_ids = _array(entry.candidate.chunk_id for entry in scored)
    if last:
        rows = await fetch_and_end(connection, LOADED.call(workspace_id, chunk_ids))
    else:
        rows = await fetch_all(connection, _LOADED, {"workspace_id": workspace_id, "chunk_ids": chunk_ids})
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
        via=entry.via,
    )


def _array(items: Iterable[str]) -> str:
    """The text of an array of ids and numbers, made in a tenth of the time that a list of anything takes."""
    return "{" + ",".join(items) + "}"


def _literal(vector: NDArray[np.float32] | None) -> str:
    return "NULL" if vector is None else _literal_of(vector.tobytes())


@lru_cache(256)
def _literal_of(vector: bytes) -> str:
    """Of a question that is asked again, kept like its vector."""
    return f'"{vector_literal(np.frombuffer(vector, np.float32))}"'
