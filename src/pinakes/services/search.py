"""Search: both rankings, fused in each knowledge base, merged by calibrated score, packed into a context."""

import asyncio
import contextlib
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray
from opentelemetry import trace

from pinakes.domain.bm25 import query_terms
from pinakes.domain.errors import Conflict, InvalidInput, ProviderFault
from pinakes.domain.fusion import fuse_all
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.knowledge_base import KEYWORDS_ONLY, KbIndex
from pinakes.domain.packing import DEFAULT_MAX_TOKENS, Ordering, PackedPassage, Passage, pack
from pinakes.domain.reranker import RerankEndpoint
from pinakes.domain.search import MAX_DEPTH, MAX_QUERY, Filters, Hit
from pinakes.domain.variety import choose_hits
from pinakes.providers.embedding import Embedder
from pinakes.providers.query_cache import CacheCounts, EmbeddedQuery
from pinakes.services.embedders import find_embedder
from pinakes.services.hops import follow_names
from pinakes.services.knowledge_bases import find_ids_or_raise
from pinakes.services.rerankers import choose_reranker, rerank
from pinakes.services.resources import Resources
from pinakes.store import knowledge_bases, search
from pinakes.store.database import Connection
from pinakes.store.search import Question

# How far down each ranking is read: what stands below 30 in both has never been among the best ten.
_FUSED_DEPTH = 32
_LOOKS = 5
_SPARE = 5
_POOL = 4
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A question and how to answer it; no knowledge bases named means all of them."""

    query: str
    knowledge_bases: tuple[str, ...] = ()
    top_k: int = 5
    min_score: float = 0.0
    filters: Filters = field(default_factory=Filters)
    max_tokens: int | None = None
    ordering: Ordering = Ordering.SIMILARITY
    reranker: str | None = None
    multi_hop: bool = False
    diversity: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """The hits that fit the context, best first; with no limit on tokens, all of them.

    `cached` tells that the question did not have to be embedded again, `note` why there is no hit.
    """

    hits: tuple[Hit, ...]
    total_tokens: int
    omitted_count: int
    warnings: tuple[str, ...] = ()
    cached: bool = False
    note: str | None = None


async def search_knowledge(resources: Resources, identity: Identity, request: SearchRequest) -> Found:
    """The passages that answer a question."""
    identity.require(Scope.READ)
    query = check_query(request.query)
    if not 1 <= request.top_k <= MAX_DEPTH:
        raise InvalidInput(f"topK must be 1 to {MAX_DEPTH}.")
    if not 0 <= request.diversity <= 1:
        raise InvalidInput("diversity must be 0 (none) to 1.")
    with _tracer.start_as_current_span("search") as span:
        found = await _outlast_moves(lambda: _find_hits(resources, identity, request, query))
        hits, analysed, best = found.hits, found.analysed, found.best
        span.set_attributes({"pinakes.candidates": found.candidates, "pinakes.hits": len(hits)})
        if found.reranker is not None:
            hits, warnings = await rerank(resources, identity.workspace_id, found.reranker, query, hits)
            best = max((hit.similarity for hit in hits), default=None)
            hits = [hit for hit in hits if hit.similarity >= request.min_score]
            analysed = replace(analysed, warnings=(*analysed.warnings, *warnings))
        hits = choose_hits(hits, request.top_k, request.diversity)
        if not hits:
            return Found((), 0, 0, analysed.warnings, analysed.cached, _why_nothing(request, found.candidates, best))
        if request.max_tokens is None:
            return Found(tuple(hits), 0, 0, analysed.warnings, analysed.cached)
        return await asyncio.to_thread(_pack, resources, request, hits, analysed)


async def _outlast_moves(find: Callable[[], Awaitable["_FoundHits"]]) -> "_FoundHits":
    """Look again where a knowledge base was switched to other tables between its look-up and the search."""
    for _ in range(_LOOKS):
        with contextlib.suppress(search.Moved):
            return await find()
    raise Conflict("The knowledge bases are being changed all the time. Ask again in a moment.")


@dataclass(frozen=True, slots=True)
class _FoundHits:
    hits: list[Hit]
    analysed: "_Analysed"
    candidates: int
    best: float | None
    reranker: RerankEndpoint | None


async def _find_hits(resources: Resources, identity: Identity, request: SearchRequest, query: str) -> _FoundHits:
    """Our own ranking, as far down as a re-ranker has to see it.

    Where the question's vectors are at hand, all of it is one transaction; for a model to answer, none is kept open.
    """
    async with _look_up(resources, identity, request) as (connection, sources):
        analysed = _recall(resources, identity.workspace_id, query, sources)
        if analysed is not None:
            return await _rank(connection, identity, request, sources, analysed)
    analysed = await _analyse(resources, identity.workspace_id, query, sources)
    async with _look_up(resources, identity, request) as (connection, current):
        if current.embedders != sources.embedders:
            raise search.Moved
        return await _rank(connection, identity, request, current, analysed)


@dataclass(frozen=True, slots=True)
class _Sources:
    """What answers a search."""

    indexes: list[KbIndex]
    reranker: RerankEndpoint | None

    @property
    def embedders(self) -> list[str]:
        """The models whose vectors there are."""
        return sorted({index.embedder for index in self.indexes if index.chunk_count} - {KEYWORDS_ONLY})


@asynccontextmanager
async def _look_up(
    resources: Resources, identity: Identity, request: SearchRequest
) -> AsyncGenerator[tuple[Connection, _Sources]]:
    """A snapshot of the workspace, and what answers in it."""
    workspace_id, references = identity.workspace_id, request.knowledge_bases
    looked_up = knowledge_bases.look_up_indexes(resources.database, workspace_id, references, search.SETTINGS)
    async with looked_up as (connection, indexes, reranked):
        if len(indexes) < len(references):
            await find_ids_or_raise(connection, identity, references)
        reranker = None
        if reranked or request.reranker is not None:
            reranker = await choose_reranker(connection, workspace_id, request.reranker)
        yield connection, _Sources(indexes, reranker)


async def _rank(
    connection: Connection, identity: Identity, request: SearchRequest, sources: _Sources, analysed: "_Analysed"
) -> _FoundHits:
    indexes, reach = sources.indexes, _widened(request, sources.reranker)
    workspace_id, question, known = identity.workspace_id, analysed.question, analysed.known
    depth = max(_FUSED_DEPTH, reach.top_k)
    candidates = await search.find_candidates(connection, workspace_id, indexes, question, request.filters, depth)
    ranked = fuse_all(candidates, indexes, known)
    if request.multi_hop:
        ranked = await follow_names(connection, workspace_id, indexes, question, known, request.filters, ranked)
    best = [scored for scored in ranked if scored.similarity >= reach.min_score]
    names = {index.kb_id: index.kb_name for index in indexes}
    hits = await search.load_hits(connection, workspace_id, names, best[: reach.top_k], last=True)
    return _FoundHits(hits, analysed, len(candidates), ranked[0].similarity if ranked else None, sources.reranker)


def _widened(request: SearchRequest, reranker: RerankEndpoint | None) -> SearchRequest:
    """With what may take the place of a hit that says the same as another, or that a re-ranker may lift."""
    pool = request.top_k * _POOL if request.diversity else request.top_k + _SPARE
    if reranker is None:
        return replace(request, top_k=pool)
    return replace(request, top_k=max(pool, reranker.hits), min_score=0.0)


def _why_nothing(request: SearchRequest, candidates: int, best: float | None) -> str:
    if best is not None:
        # Rounded down: a best score that is shown must not look as if it reached the minimum.
        shown = math.floor(best * 100) / 100
        passages = "The only passage found has" if candidates == 1 else f"The best of {candidates} passages found has"
        return f"{passages} a score of {shown:.2f}, below the minimum of {request.min_score:g}."
    if request.filters:
        return "No passage that the filters let through matches."
    return "No passage matches: nothing is there yet, or nothing with a word of the question."


def count_cached_queries(resources: Resources, identity: Identity) -> CacheCounts:
    """How often this workspace's questions were embedded already."""
    identity.require(Scope.READ)
    return resources.query_cache.counts(identity.workspace_id)


def check_query(query: str) -> str:
    """A question that can be asked, or InvalidInput with what to do."""
    query = query.strip()
    if not query:
        raise InvalidInput("The query is empty. Say what you are looking for.")
    if len(query) > MAX_QUERY:
        raise InvalidInput(
            f"The query has {len(query)} characters; at most {MAX_QUERY} are allowed. Ask a shorter question."
        )
    if "\0" in query or any("\ud800" <= character <= "\udfff" for character in query):
        raise InvalidInput("The query contains NUL or broken Unicode characters. Remove them.")
    return query


@dataclass(frozen=True, slots=True)
class _Analysed:
    question: Question
    known: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    cached: bool = False


def _recall(resources: Resources, workspace_id: str, query: str, sources: _Sources) -> _Analysed | None:
    """The question as the built-in model has understood it before; None where somebody has to be asked."""
    built_in = resources.embedder
    names = sources.embedders
    if not names:
        return _analysed(query, {})
    if built_in is None or names != [built_in.name]:
        return None
    embedded = resources.query_cache.recall(workspace_id, built_in, query)
    return None if embedded is None else _analysed(query, {built_in.name: _understood(built_in, query, embedded)})


async def _analyse(resources: Resources, workspace_id: str, query: str, sources: _Sources) -> _Analysed:
    """Terms and vectors of the question, and how much of it each embedder knows.

    A model that does not answer costs the ranking by meaning, not the search.
    """
    names = sources.embedders
    # At the same time: several embedders that do not answer cost no more patience than one.
    outcomes = await asyncio.gather(*(_embed_query(resources, workspace_id, name, query) for name in names))
    understood = {name: found for name, found in zip(names, outcomes, strict=True) if not isinstance(found, str)}
    problems = tuple(f"Searched by keywords only: {problem}" for problem in outcomes if isinstance(problem, str))
    return _analysed(query, understood, problems)


def _analysed(query: str, understood: "Mapping[str, _Understood]", warnings: tuple[str, ...] = ()) -> _Analysed:
    return _Analysed(
        Question(query_terms(query), {name: found.vector for name, found in understood.items()}),
        {name: found.known for name, found in understood.items()},
        warnings,
        cached=bool(understood) and all(found.cached for found in understood.values()),
    )


@dataclass(frozen=True, slots=True)
class _Understood:
    vector: NDArray[np.float32]
    known: float
    cached: bool


def _understood(embedder: Embedder, query: str, embedded: EmbeddedQuery) -> _Understood:
    return _Understood(embedded.vector, 1 - embedder.unknown_share(query), embedded.cached)


async def _embed_query(resources: Resources, workspace_id: str, name: str, query: str) -> _Understood | str:
    """What an embedder makes of the question, or why it makes nothing of it."""
    try:
        embedder = await find_embedder(resources, workspace_id, name)
        assert embedder is not None
        with _tracer.start_as_current_span("embed_query") as span:
            embedded = await resources.query_cache.embed(workspace_id, embedder, query)
            span.set_attribute("pinakes.cached", embedded.cached)
    except ProviderFault as fault:
        return fault.message
    return _understood(embedder, query, embedded)


def _pack(resources: Resources, request: SearchRequest, hits: Sequence[Hit], analysed: _Analysed) -> Found:
    by_id = {hit.chunk_id: hit for hit in hits}
    packed = pack(
        [Passage(hit.chunk_id, hit.content, hit.similarity, hit.updated_at) for hit in hits],
        max_tokens=request.max_tokens or DEFAULT_MAX_TOKENS,
        ordering=request.ordering,
        now=datetime.now(UTC),
        count_tokens=resources.count_tokens,
    )
    fitting = tuple(
        _cut(by_id[passage.key], passage) if passage.truncated else by_id[passage.key] for passage in packed.passages
    )
    return Found(fitting, packed.total_tokens, packed.omitted_count, analysed.warnings, analysed.cached)


def _cut(hit: Hit, passage: PackedPassage) -> Hit:
    """The hit as far as it went in; its place ends with what is left of it."""
    kept = max(0, passage.kept_chars - len(hit.preface))
    lines = hit.content.count("\n", len(hit.preface), len(hit.preface) + kept)
    place = hit.place
    if place is not None and place.first_row is not None:
        place = place.with_rows(place.first_row, place.first_row + lines)
    return replace(
        hit,
        content=passage.text,
        place=place,
        end_offset=hit.start_offset + kept,
        end_line=hit.start_line + lines,
        truncated=True,
    )
