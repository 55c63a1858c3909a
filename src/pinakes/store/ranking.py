"""The statements that rank by meaning and by keywords, in any number of indexes, small and large."""

from collections.abc import Container, Sequence
from functools import lru_cache
from typing import LiteralString, cast

from psycopg import sql

from pinakes.domain.knowledge_base import KbIndex
from pinakes.store.vectors import vectors_of

_ASKED: LiteralString = """
WITH asked AS MATERIALIZED (
    SELECT index_id, kb_id, vector::halfvec AS vector, size, large,
           set_config('hnsw.ef_search', %(effort)s, true), set_config('hnsw.iterative_scan', %(order)s, true)
    FROM unnest(%(index_ids)s::text[], %(kb_ids)s::text[], %(vectors)s::text[], %(sizes)s::bigint[],
                %(larges)s::boolean[]) AS a (index_id, kb_id, vector, size, large)
), frequency AS MATERIALIZED (
    SELECT a.index_id, t.term, t.n, t.word, a.large, d.df,
           t.n * ln(1 + (greatest(a.size, d.df) - d.df + 0.5) / (d.df + 0.5)) AS weight
    FROM asked a
    CROSS JOIN unnest(%(terms)s::int[], %(counts)s::int[], %(words)s::int[]) AS t (term, n, word)
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(chunks), 0)::float8 AS df FROM term_delta
        WHERE workspace_id = %(workspace_id)s AND index_id = a.index_id AND term = t.term
    ) d
), attainable AS MATERIALIZED (
    SELECT index_id, sum(weight) AS best FROM (
        SELECT index_id, coalesce(max(weight) FILTER (WHERE df > 0), max(weight)) AS weight
        FROM frequency GROUP BY index_id, word
    ) word GROUP BY index_id
), question AS MATERIALIZED (
    SELECT f.index_id, f.large, a.best * %(saturation)s AS best,
           ('{' || string_agg(f.term || ':' || f.weight, ',' ORDER BY f.term) || '}/' || %(space)s::text)::sparsevec
               AS weights
    FROM frequency f JOIN attainable a ON a.index_id = f.index_id GROUP BY f.index_id, f.large, a.best
)
"""
_MATCHES: LiteralString = """
      (k.lifecycle_days = 0 OR d.updated_at > now() - make_interval(days => k.lifecycle_days))
      AND (%(kinds)s::text[] IS NULL OR d.kind = ANY(%(kinds)s))
      AND (%(updated_from)s::timestamptz IS NULL OR d.updated_at >= %(updated_from)s)
      AND (%(updated_to)s::timestamptz IS NULL OR d.updated_at <= %(updated_to)s)
      AND NOT EXISTS (
          SELECT FROM jsonb_each(%(tags)s) AS asked_tag
          WHERE NOT coalesce(
              d.tags -> asked_tag.key ?| ARRAY(SELECT jsonb_array_elements_text(asked_tag.value)), false)
      )
"""
# Each of these is kept to one order of tables: estimates for what was loaded a moment ago are far off, and a planner
# left to itself joins the chunks of all knowledge bases before it looks at a document.
_ALLOWED: LiteralString = f"""
, allowed AS MATERIALIZED (
    SELECT a.index_id, c.chunk_id FROM asked a
    CROSS JOIN LATERAL (
        SELECT lifecycle_days FROM knowledge_base
        WHERE workspace_id = %(workspace_id)s AND kb_id = a.kb_id OFFSET 0
    ) k
    CROSS JOIN LATERAL (
        SELECT d.active_version_id FROM document d
        WHERE d.workspace_id = %(workspace_id)s AND d.kb_id = a.kb_id AND {_MATCHES} OFFSET 0
    ) d
    CROSS JOIN LATERAL (
        SELECT chunk_id FROM chunk
        WHERE workspace_id = %(workspace_id)s AND version_id = d.active_version_id OFFSET 0
    ) c
    WHERE NOT a.large
)
"""
# All vectors have length 1, and of those an inner product takes a third of a cosine's time. Of equals always the same
# are taken, whatever order the rows are found in.
_DENSE: LiteralString = """
    SELECT a.index_id, hit.chunk_id, hit.distance FROM asked a CROSS JOIN LATERAL (
        SELECT v.chunk_id, 1 + (v.embedding <#> a.vector) AS distance FROM chunk_vector v
        WHERE v.workspace_id = %(workspace_id)s AND v.index_id = a.index_id
        ORDER BY distance, v.chunk_id LIMIT %(depth)s
    ) hit WHERE a.vector IS NOT NULL AND NOT a.large
"""
_LEXICAL: LiteralString = """
    SELECT q.index_id, hit.chunk_id, hit.score FROM question q CROSS JOIN LATERAL (
        SELECT chunk_id, score FROM (
            SELECT p.chunk_id, p.weights <#> q.weights AS score FROM chunk_posting p
            WHERE p.workspace_id = %(workspace_id)s AND p.index_id = q.index_id OFFSET 0
        ) posting WHERE score < 0 ORDER BY score, chunk_id LIMIT %(depth)s
    ) hit WHERE NOT q.large
"""
_ALLOWED_DENSE: LiteralString = """
    SELECT a.index_id, hit.chunk_id, hit.distance FROM asked a CROSS JOIN LATERAL (
        SELECT m.chunk_id, v.distance FROM allowed m CROSS JOIN LATERAL (
            SELECT 1 + (embedding <#> a.vector) AS distance FROM chunk_vector
            WHERE workspace_id = %(workspace_id)s AND index_id = a.index_id AND chunk_id = m.chunk_id OFFSET 0
        ) v WHERE m.index_id = a.index_id ORDER BY v.distance, m.chunk_id LIMIT %(depth)s
    ) hit WHERE a.vector IS NOT NULL AND NOT a.large
"""
_ALLOWED_LEXICAL: LiteralString = """
    SELECT q.index_id, hit.chunk_id, hit.score FROM question q CROSS JOIN LATERAL (
        SELECT m.chunk_id, p.score FROM allowed m CROSS JOIN LATERAL (
            SELECT weights <#> q.weights AS score FROM chunk_posting
            WHERE workspace_id = %(workspace_id)s AND index_id = q.index_id AND chunk_id = m.chunk_id OFFSET 0
        ) p WHERE m.index_id = q.index_id AND p.score < 0 ORDER BY p.score, m.chunk_id LIMIT %(depth)s
    ) hit WHERE NOT q.large
"""
_LARGE_DENSE: LiteralString = """
    (SELECT {index_id}, o.chunk_id, o.embedding <=> {vector} FROM {own} o
     WHERE o.workspace_id = %(workspace_id)s ORDER BY o.embedding <=> {vector} LIMIT %(depth)s)
"""
_SOUGHT: LiteralString = """
, ranked AS MATERIALIZED (
    SELECT f.index_id, f.term, f.df, a.size, sum(f.df) OVER rising AS reach, row_number() OVER rising AS place
    FROM frequency f JOIN asked a ON a.index_id = f.index_id WHERE f.large AND f.df > 0
    WINDOW rising AS (PARTITION BY f.index_id ORDER BY f.df, f.term)
), paired AS MATERIALIZED (
    SELECT index_id, array_agg(pair) AS pairs FROM (
        SELECT a.index_id, '{' || a.term || ',' || b.term || '}' AS pair, b.place = 2 AS rarest,
               greatest(%(fewest_paired)s, least(%(paired)s, a.size / 20)) AS allowed,
               sum(a.df * b.df / greatest(a.size, 1)) OVER (
                   PARTITION BY a.index_id ORDER BY a.df * b.df, a.term, b.term) AS expected
        FROM ranked a JOIN ranked b ON b.index_id = a.index_id AND b.place > a.place
        WHERE a.reach > %(reach)s AND (a.place > 1 OR a.df > %(alone)s) AND b.place <= %(pairing)s
    ) pair WHERE rarest OR expected * %(affinity)s <= allowed GROUP BY index_id
), sought AS MATERIALIZED (
    SELECT r.index_id, p.pairs, coalesce(array_agg(r.term) FILTER (
               WHERE r.reach <= %(reach)s OR r.place = 1 AND (r.df <= %(alone)s OR p.pairs IS NULL)), '{}') AS terms
    FROM ranked r LEFT JOIN paired p ON p.index_id = r.index_id GROUP BY r.index_id, p.pairs
)
"""
_LARGE_LEXICAL: LiteralString = """
    SELECT q.index_id, hit.chunk_id, hit.score
    FROM question q JOIN sought s ON s.index_id = q.index_id
    CROSS JOIN LATERAL best_postings(q.index_id, q.weights::text, s.terms, s.pairs, %(depth)s) hit
"""
# Few matches are all read; with many, the nearest and the best are gone through until enough of them match.
_LARGE_MATCHED: LiteralString = f"""
, {{found}} AS MATERIALIZED (
    SELECT v.version_id, v.chunk_count FROM (
        SELECT lifecycle_days FROM knowledge_base
        WHERE workspace_id = %(workspace_id)s AND kb_id = {{kb_id}} OFFSET 0
    ) k
    CROSS JOIN LATERAL (
        SELECT d.active_version_id FROM document d
        WHERE d.workspace_id = %(workspace_id)s AND d.kb_id = {{kb_id}} AND {_MATCHES} OFFSET 0
    ) d
    CROSS JOIN LATERAL (
        SELECT version_id, chunk_count FROM document_version
        WHERE workspace_id = %(workspace_id)s AND version_id = d.active_version_id OFFSET 0
    ) v
    LIMIT {{few}} / 4 + 1
), {{counted}} AS MATERIALIZED (
    SELECT count(*) <= {{few}} / 4 AND coalesce(sum(chunk_count), 0) <= {{few}} AS few FROM {{found}}
), {{matched}} AS MATERIALIZED (
    SELECT c.chunk_id FROM {{found}} f CROSS JOIN LATERAL (
        SELECT chunk_id FROM chunk WHERE workspace_id = %(workspace_id)s AND version_id = f.version_id OFFSET 0
    ) c WHERE (SELECT few FROM {{counted}})
)
"""
_MATCHING: LiteralString = f"""
EXISTS (
    SELECT FROM (
        SELECT version_id FROM chunk WHERE workspace_id = %(workspace_id)s AND chunk_id = hit.chunk_id OFFSET 0
    ) c
    CROSS JOIN LATERAL (
        SELECT document_id, version_id FROM document_version
        WHERE workspace_id = %(workspace_id)s AND version_id = c.version_id OFFSET 0
    ) v
    CROSS JOIN LATERAL (
        SELECT kb_id, kind, tags, updated_at FROM document
        WHERE workspace_id = %(workspace_id)s AND document_id = v.document_id
          AND active_version_id = v.version_id OFFSET 0
    ) d
    CROSS JOIN LATERAL (
        SELECT lifecycle_days FROM knowledge_base
        WHERE workspace_id = %(workspace_id)s AND kb_id = d.kb_id OFFSET 0
    ) k
    WHERE {_MATCHES}
)
"""
_LARGE_DENSE_MATCHED: LiteralString = f"""
    (SELECT {{index_id}}, m.chunk_id, o.distance FROM {{matched}} m CROSS JOIN LATERAL (
         SELECT (o.embedding <=> {{vector}}) + 0 AS distance FROM {{own}} o
         WHERE o.workspace_id = %(workspace_id)s AND o.chunk_id = m.chunk_id OFFSET 0
     ) o WHERE (SELECT few FROM {{counted}}) ORDER BY o.distance LIMIT %(depth)s)
    UNION ALL
    (SELECT {{index_id}}, hit.chunk_id, hit.embedding <=> {{vector}} FROM {{own}} hit
     WHERE hit.workspace_id = %(workspace_id)s AND (SELECT NOT few FROM {{counted}}) AND {_MATCHING}
     ORDER BY hit.embedding <=> {{vector}} LIMIT %(depth)s)
"""
_LARGE_LEXICAL_MATCHED: LiteralString = f"""
    (SELECT q.index_id, m.chunk_id, p.score FROM question q CROSS JOIN {{matched}} m CROSS JOIN LATERAL (
         SELECT p.weights <#> q.weights AS score FROM chunk_posting p WHERE p.workspace_id = %(workspace_id)s
         AND p.index_id = q.index_id AND p.chunk_id = m.chunk_id OFFSET 0
     ) p WHERE q.index_id = {{index_id}} AND (SELECT few FROM {{counted}}) AND p.score < 0
     ORDER BY p.score LIMIT %(depth)s)
    UNION ALL
    (SELECT hit.index_id, hit.chunk_id, hit.score FROM (
         SELECT q.index_id, p.chunk_id, p.score
         FROM question q JOIN sought s ON s.index_id = q.index_id
         CROSS JOIN LATERAL best_postings(q.index_id, q.weights::text, s.terms, s.pairs, NULL) p
         WHERE q.index_id = {{index_id}} AND (SELECT NOT few FROM {{counted}}) ORDER BY p.score OFFSET 0
     ) hit WHERE {_MATCHING} LIMIT %(depth)s)
"""
# A score that its ranking has not brought along is taken from the shared tables, which hold every chunk.
_FOUND: LiteralString = """
, candidate AS MATERIALIZED (
    SELECT coalesce(d.index_id, l.index_id) AS index_id, coalesce(d.chunk_id, l.chunk_id) AS chunk_id,
           d.distance, l.score
    FROM dense d FULL JOIN lexical l ON l.index_id = d.index_id AND l.chunk_id = d.chunk_id
)
"""
_GIVEN: LiteralString = """
, candidate AS MATERIALIZED (
    SELECT index_id, chunk_id, NULL::float8 AS distance, NULL::float8 AS score
    FROM unnest(%(found_in)s::text[], %(found)s::text[]) AS given (index_id, chunk_id)
)
"""
_SCORED: LiteralString = """
, scored AS MATERIALIZED (
    SELECT c.index_id, c.chunk_id, q.best, nullif(1 - coalesce(c.distance, (
               SELECT 1 + (v.embedding <#> a.vector) FROM chunk_vector v WHERE v.workspace_id = %(workspace_id)s
               AND v.index_id = c.index_id AND v.chunk_id = c.chunk_id)), 'NaN') AS dense,
           coalesce(-coalesce(c.score, (
               SELECT p.weights <#> q.weights FROM chunk_posting p WHERE p.workspace_id = %(workspace_id)s
               AND p.index_id = c.index_id AND p.chunk_id = c.chunk_id)), 0) AS lexical
    FROM candidate c JOIN asked a ON a.index_id = c.index_id LEFT JOIN question q ON q.index_id = c.index_id
)
SELECT index_id, chunk_id, dense, lexical, coalesce(lexical / nullif(best, 0), 0) AS lexical_share FROM scored
"""
# Both scores of chunks that are known already.
SCORE_GIVEN: LiteralString = _ASKED + _GIVEN + _SCORED


def rank_indexes(indexes: Sequence[KbIndex], embedders: Container[str], filtered: bool) -> LiteralString:
    """The statement for this kind of search: small indexes together, each large one through its own tables."""
    return _make_statement(tuple((index.own, index.embedder in embedders) for index in indexes), filtered)


@lru_cache(256)
def _make_statement(kinds: tuple[tuple[str | None, bool], ...], filtered: bool) -> LiteralString:
    """For indexes with these tables of their own, and with vectors to compare or without."""
    before: list[sql.Composable] = [sql.SQL(_ASKED + (_ALLOWED if filtered else ""))]
    dense: list[sql.Composable] = []
    lexical: list[sql.Composable] = []
    large = [(number, own, compared) for number, (own, compared) in enumerate(kinds) if own is not None]
    for number, own, compared in large:
        names = _names(number, own)
        if filtered:
            before.append(sql.SQL(_LARGE_MATCHED).format(**names))
            lexical.append(sql.SQL(_LARGE_LEXICAL_MATCHED).format(**names))
        if compared:
            dense.append(sql.SQL(_LARGE_DENSE_MATCHED if filtered else _LARGE_DENSE).format(**names))
    if large:
        before.append(sql.SQL(_SOUGHT))
    if large and not filtered:
        lexical.append(sql.SQL(_LARGE_LEXICAL))
    # What has no place in a statement is not planned either; something has to stand there.
    if len(large) < len(kinds) or not dense:
        dense.append(sql.SQL(_ALLOWED_DENSE if filtered else _DENSE))
    if len(large) < len(kinds) or not lexical:
        lexical.append(sql.SQL(_ALLOWED_LEXICAL if filtered else _LEXICAL))
    made = (
        sql.SQL("").join(before)
        + sql.SQL(", dense (index_id, chunk_id, distance) AS MATERIALIZED (")
        + sql.SQL(" UNION ALL ").join(dense)
        + sql.SQL("), lexical (index_id, chunk_id, score) AS MATERIALIZED (")
        + sql.SQL(" UNION ALL ").join(lexical)
        + sql.SQL(")" + _FOUND + _SCORED)
    )
    # Without what is there for people to read: the client keeps what it has parsed only of short statements.
    return cast("LiteralString", " ".join(made.as_string().split()))


def _names(number: int, own: str) -> dict[str, sql.Composable]:
    """What stands for a large index in the statement."""
    return {
        "own": vectors_of(own),
        "found": sql.Identifier(f"found_{number}"),
        "matched": sql.Identifier(f"matched_{number}"),
        "counted": sql.Identifier(f"counted_{number}"),
        "index_id": sql.Placeholder(f"index_id_{number}"),
        "kb_id": sql.Placeholder(f"kb_id_{number}"),
        "vector": sql.SQL("(SELECT vector FROM asked WHERE index_id = {})").format(
            sql.Placeholder(f"index_id_{number}")
        ),
        "few": sql.Placeholder(f"few_{number}"),
    }
