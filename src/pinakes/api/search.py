"""Search and extractive answers over REST."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import AwareDatetime, Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.documents import PlaceOut, Tag, place_out, tags_out
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.metrics import SEARCHES
from pinakes.domain.document import DocumentKind
from pinakes.domain.packing import DEFAULT_MAX_TOKENS, Ordering
from pinakes.domain.search import MAX_TOP_K, Filters, Hit
from pinakes.services.answers import DEFAULT_MIN_SCORE, answer_question
from pinakes.services.search import SearchRequest, count_cached_queries, search_knowledge

router = APIRouter(prefix="/api", tags=["Search"])


class SearchIn(RequestModel):
    """A question and how to answer it."""

    query: str
    knowledge_base_ids: Annotated[
        list[str], Field(default=[], max_length=100, description="Ids, slugs or names; empty means all.")
    ]
    top_k: int = Field(default=5, ge=1, le=MAX_TOP_K)
    min_score: float = Field(default=0, ge=0, le=1, description="Leave out what is less probably relevant.")
    tag_filters: Annotated[
        list[Tag],
        Field(default=[], max_length=100, description="Values of one name are OR, different names are AND."),
    ]
    kinds: Annotated[list[DocumentKind], Field(default=[], max_length=3)]
    updated_from: AwareDatetime | None = None
    updated_to: AwareDatetime | None = None
    max_tokens: int = Field(default=DEFAULT_MAX_TOKENS, ge=1, le=1_000_000)
    ordering: Ordering = Ordering.SIMILARITY
    reranker: str | None = Field(
        default=None, description="Name or id; `none` for none. Default: the workspace's.", examples=["none"]
    )

    multi_hop: bool = Field(
        default=False, description="Also look for passages about what the first ones name: for questions of two steps."
    )

    diversity: float = Field(default=0, ge=0, le=1, description="How much passages that repeat others give way.")

    def to_request(self) -> SearchRequest:
        """As the service takes it."""
        tags: dict[str, tuple[str, ...]] = {}
        for tag in self.tag_filters:
            tags[tag.tag_name] = (*tags.get(tag.tag_name, ()), tag.tag_value)
        return SearchRequest(
            query=self.query,
            knowledge_bases=tuple(self.knowledge_base_ids),
            top_k=self.top_k,
            min_score=self.min_score,
            filters=Filters(tags, tuple(self.kinds), self.updated_from, self.updated_to),
            max_tokens=self.max_tokens,
            ordering=self.ordering,
            reranker=self.reranker,
            multi_hop=self.multi_hop,
            diversity=self.diversity,
        )


class AskIn(SearchIn):
    """A question to answer, or to leave unanswered where nothing relevant is found."""

    min_score: float = Field(
        default=DEFAULT_MIN_SCORE, ge=0, le=1, description="Do not answer from what is less probably relevant."
    )


class HitMetadata(ApiModel):
    """How a score came about, and more about the document."""

    dense: float | None = Field(description="Cosine of the embeddings; null where there is none.")
    lexical: float = Field(description="BM25 score.")
    fused: float = Field(description="What both say together, as log-odds: what results are ordered by.")
    rerank: float | None = Field(description="The re-ranker's own score; null where none was asked.")
    via: str | None = Field(description="The chunk that names what this one is about, where multiHop led here.")
    also_in: list[str] = Field(description="Where nearly the same passage stands as well.")
    truncated: bool
    tags: list[Tag]
    media_type: str
    created_at: datetime
    updated_at: datetime


class HitOut(ApiModel):
    """A passage that answers, and where it stands."""

    rank: int
    content: str = Field(description="A table's rows come under its header, which the offsets do not cover.")
    similarity: float = Field(description="How probably this is relevant, 0–1, the same scale for every model.")
    citation: str
    document_id: str
    document_name: str
    document_title: str | None
    knowledge_base_id: str
    knowledge_base_name: str
    chunk_id: str
    chunk_index: int
    kind: DocumentKind
    page: int | None
    place: PlaceOut | None
    attachment: str | None = Field(description="The attachment it was found in.")
    section: str | None
    start_offset: int = Field(description="Of the document's text, in characters.")
    end_offset: int
    start_line: int = Field(description="Of the document's text; for plain text, Markdown and code also of the file.")
    end_line: int
    metadata: HitMetadata


class SearchOut(ApiModel):
    """What was found, best first."""

    query: str
    results: list[HitOut]
    result_count: int
    total_tokens: int
    omitted_count: int = Field(description="How many more did not fit into maxTokens.")
    cached: bool = Field(description="The question had been embedded before, for this workspace.")
    warnings: list[str]
    note: str | None = Field(description="Why there is no result; null where there is one.")


class QueryCacheOut(ApiModel):
    """What became of the questions that were looked up in the cache of query embeddings."""

    hits: int
    misses: int
    errors: int = Field(description="The cache was out of reach; the questions were embedded all the same.")
    hit_rate: float | None


class SourceOut(ApiModel):
    """What a number in the answer stands for."""

    number: int
    source: HitOut


class AnswerOut(ApiModel):
    """Sentences of the sources, each followed by the number of its source."""

    query: str
    answer: str
    sources: list[SourceOut]
    warnings: list[str]
    note: str | None = Field(description="Why there is no answer; null where there is one.")


@router.post("/search")
async def search(body: SearchIn, resources: ResourcesDep, caller: Caller) -> Success[SearchOut]:
    """Search knowledge bases by meaning and by keywords."""
    found = await search_knowledge(resources, caller, body.to_request())
    SEARCHES.labels(str(bool(found.hits)).lower()).inc()
    return succeed(
        SearchOut(
            query=body.query,
            results=[_out(rank, hit) for rank, hit in enumerate(found.hits, 1)],
            result_count=len(found.hits),
            total_tokens=found.total_tokens,
            omitted_count=found.omitted_count,
            cached=found.cached,
            warnings=list(found.warnings),
            note=found.note,
        )
    )


@router.get("/search/cache")
async def query_cache(resources: ResourcesDep, caller: Caller) -> Success[QueryCacheOut]:
    """How often questions of this workspace were embedded already, since this server process started."""
    counts = count_cached_queries(resources, caller)
    asked = counts.hits + counts.misses + counts.errors
    return succeed(
        QueryCacheOut(
            hits=counts.hits,
            misses=counts.misses,
            errors=counts.errors,
            hit_rate=round(counts.hits / asked, 4) if asked else None,
        )
    )


@router.post("/ask")
async def ask(body: AskIn, resources: ResourcesDep, caller: Caller) -> Success[AnswerOut]:
    """Answer a question with sentences of the documents, with numbered sources."""
    answer = await answer_question(resources, caller, body.to_request())
    sources = [SourceOut(number=s.number, source=_out(s.number, s.hit)) for s in answer.sources]
    warnings = list(answer.warnings)
    return succeed(
        AnswerOut(query=body.query, answer=answer.text, sources=sources, warnings=warnings, note=answer.note)
    )


def _out(rank: int, hit: Hit) -> HitOut:
    metadata = HitMetadata(
        dense=hit.dense,
        lexical=hit.lexical,
        fused=hit.fused,
        rerank=hit.rerank,
        via=hit.via,
        also_in=list(hit.also_in),
        truncated=hit.truncated,
        tags=tags_out(hit.tags),
        media_type=hit.media_type,
        created_at=hit.created_at,
        updated_at=hit.updated_at,
    )
    return HitOut(
        rank=rank,
        content=hit.content,
        similarity=round(hit.similarity, 4),
        citation=hit.citation,
        document_id=hit.document_id,
        document_name=hit.document_name,
        document_title=hit.document_title,
        knowledge_base_id=hit.kb_id,
        knowledge_base_name=hit.kb_name,
        chunk_id=hit.chunk_id,
        chunk_index=hit.chunk_index,
        kind=hit.kind,
        page=hit.page,
        place=place_out(hit.place),
        attachment=hit.inside,
        section=hit.section,
        start_offset=hit.start_offset,
        end_offset=hit.end_offset,
        start_line=hit.start_line,
        end_line=hit.end_line,
        metadata=metadata,
    )
