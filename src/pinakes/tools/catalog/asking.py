"""Asking a catalog: an answer out of its documents, with the places it stands in."""

from pinakes.domain.knowledge_base import KnowledgeBase
from pinakes.domain.search import Hit
from pinakes.services.answers import answer_question
from pinakes.services.search import SearchRequest
from pinakes.services.selections import selected_catalog
from pinakes.tools.catalog.arguments import QueryCatalog
from pinakes.tools.catalog.lookup import find_catalog
from pinakes.tools.catalog.outputs import CatalogQueried, SourceQuoted
from pinakes.tools.definition import Answer, Caller, Mistake, document_uri
from pinakes.tools.fencing import fence


async def query(caller: Caller, given: QueryCatalog) -> Answer:
    """What the documents say, in their own sentences."""
    kb = await _choose(caller, given)
    if not kb.stats.chunk_count:
        raise Mistake("CATALOG_EMPTY", "Catalog has no indexed documents")
    request = SearchRequest(given.query, knowledge_bases=(kb.kb_id,), top_k=given.num_results, min_score=0.0)
    answer = await answer_question(caller.resources, caller.identity, request)
    if not answer.sources:
        raise Mistake("NO_RESULTS", "No relevant information found for your query")
    numbers = {source.hit.chunk_id: source.number for source in answer.sources}
    # Quoted in the data as well: some clients show a model nothing else.
    quoted = fence(answer.text)
    cited = "\n".join(f"{source.number}. {source.hit.citation}" for source in answer.sources)
    return Answer(
        f"Based on your documents:\n\n{quoted}\n\n**Sources:**\n{cited}",
        CatalogQueried(
            query=given.query,
            catalog_id=kb.kb_id,
            answer=quoted,
            sources=[_quoted(hit, numbers.get(hit.chunk_id)) for hit in answer.passages],
        ),
    )


async def _choose(caller: Caller, given: QueryCatalog) -> KnowledgeBase:
    reference = given.catalog_id or await selected_catalog(caller.resources, caller.identity, given.thread_id)
    if reference is None:
        raise Mistake("NO_CATALOG_SELECTED", "No catalog selected. Use select_catalog first or specify catalog_id")
    return await find_catalog(caller, reference)


def _quoted(hit: Hit, number: int | None) -> SourceQuoted:
    return SourceQuoted(
        number=number,
        filename=hit.document_name,
        citation=hit.citation,
        page=hit.page,
        section=hit.section,
        chunk_text=fence(hit.content),
        relevance_score=round(hit.similarity, 4),
        document_id=hit.document_id,
        chunk_id=hit.chunk_id,
        uri=document_uri(hit.document_id, hit.chunk_id),
    )
