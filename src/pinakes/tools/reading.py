"""The reading toolset: `search` and `fetch`, in the form that research agents such as ChatGPT's expect."""

from urllib.parse import quote

from pydantic import Field

from pinakes.domain.document import Document, DocumentKind
from pinakes.domain.errors import DocumentFault, NotFound
from pinakes.domain.identity import Scope
from pinakes.domain.search import Hit, cite
from pinakes.services import documents
from pinakes.services.notes import get_note
from pinakes.services.search import SearchRequest, search_knowledge
from pinakes.store.chunks import place_of
from pinakes.tools.definition import (
    Annotations,
    Answer,
    Caller,
    Labels,
    Mistake,
    Tool,
    ToolInput,
    ToolOutput,
    Toolset,
    document_uri,
)
from pinakes.tools.fencing import GUIDANCE, fence

_MOST_RESULTS = 10
# Several passages of one document are one result.
_PASSAGES = 3 * _MOST_RESULTS
# About 25,000 tokens: what a model can still read beside its other work.
_MOST_CHARACTERS = 100_000
_READING = Annotations(read_only=True, idempotent=True)


class SearchIn(ToolInput):
    """What to look for."""

    query: str = Field(description="What you want to know, in your own words: a question or keywords, in any language.")


class SearchResult(ToolOutput):
    """A document that answers, with its best passage."""

    id: str = Field(description="Give it to `fetch` to read the document.")
    title: str
    url: str = Field(description="Where a person can open it at this passage.")
    text: str = Field(description="The best passage, quoted.")
    citation: str = Field(description="How to cite the passage: file name and page, section or lines.")
    passage_id: str = Field(description="Give it to `fetch` to read just this passage.")


class SearchOut(ToolOutput):
    """The documents that answer, best first."""

    results: list[SearchResult]
    note: str | None = Field(description="Why there is no result; null where there is one.")


class FetchIn(ToolInput):
    """What to read."""

    id: str = Field(description="An `id` or a `passage_id` from a result of `search`, or the `uri` of a source.")


class FetchOut(ToolOutput):
    """A document, or a passage of one."""

    id: str
    title: str
    text: str = Field(description="What it says, quoted.")
    url: str = Field(description="Where a person can open it.")
    metadata: dict[str, str] = Field(
        description="What else is known about it; `truncated` if the text was cut, `revision` of a note."
    )


async def _search(caller: Caller, given: SearchIn) -> Answer:
    request = SearchRequest(given.query, top_k=_PASSAGES)
    found = await search_knowledge(caller.resources, caller.identity, request)
    best: dict[str, Hit] = {}
    for hit in found.hits:
        best.setdefault(hit.document_id, hit)
    results = [_result(caller, hit) for hit in list(best.values())[:_MOST_RESULTS]]
    return _as_json(SearchOut(results=results, note=found.note))


def _result(caller: Caller, hit: Hit) -> SearchResult:
    return SearchResult(
        id=hit.document_id,
        title=hit.document_title or hit.document_name,
        url=_address(caller, hit.document_id, hit.chunk_id),
        text=fence(hit.content, hit.citation),
        citation=hit.citation,
        passage_id=f"{hit.document_id}/{hit.chunk_id}",
    )


async def _fetch(caller: Caller, given: FetchIn) -> Answer:
    # The address of a citation names the same.
    reference = given.id.strip().removeprefix(document_uri("")).replace("/chunks/", "/", 1)
    document_id, _, chunk_id = reference.partition("/")
    if not given.id.isprintable():
        raise Mistake("DOCUMENT_NOT_FOUND", "This is no id. Call search, and use an id or passage_id of its results.")
    try:
        document = await documents.get_document(caller.resources, caller.identity, document_id)
        if chunk_id:
            return _as_json(await _read_passage(caller, document, chunk_id))
        return _as_json(await _read_document(caller, document))
    except NotFound as missing:
        raise Mistake(
            "DOCUMENT_NOT_FOUND",
            f"There is nothing to read under '{given.id}'. Call search, and use an id or passage_id of its results.",
        ) from missing
    except DocumentFault as fault:
        raise Mistake(fault.code, f"'{given.id}' has no text that could be read: {fault.message}") from fault


async def _read_document(caller: Caller, document: Document) -> FetchOut:
    if document.kind is DocumentKind.NOTE:
        # What it says now, of which its revision is, be it indexed or not: whoever reads it may mean to change it.
        note, written = await get_note(caller.resources, caller.identity, document.document_id)
        document, text = note.document, written.markdown
        known = _known(document) | {"revision": note.revision}
    else:
        text = await documents.read_text(caller.resources, caller.identity, document.document_id)
        known = _known(document)
    if len(text) > _MOST_CHARACTERS:
        known["truncated"] = (
            f"These are the first {_MOST_CHARACTERS} of {len(text)} characters. Search for what you need of the rest "
            "and fetch its passage_id."
        )
    return FetchOut(
        id=document.document_id,
        title=document.title or document.name,
        text=fence(text[:_MOST_CHARACTERS], document.name),
        url=_address(caller, document.document_id),
        metadata=known,
    )


async def _read_passage(caller: Caller, document: Document, chunk_id: str) -> FetchOut:
    chunk = await documents.get_chunk(caller.resources, caller.identity, document.document_id, chunk_id)
    citation = cite(
        document.name,
        place=place_of(chunk),
        inside=chunk["inside"],
        headings=chunk["headings"],
        media_type=document.latest.media_type,
        chunk_index=chunk["ordinal"],
        lines=(chunk["start_line"], chunk["end_line"]),
    )
    return FetchOut(
        id=f"{document.document_id}/{chunk_id}",
        title=document.title or document.name,
        text=fence(chunk["content"], citation),
        url=_address(caller, document.document_id, chunk_id),
        metadata=_known(document) | {"citation": citation},
    )


def _known(document: Document) -> dict[str, str]:
    return {
        "name": document.name,
        "kind": str(document.kind),
        "knowledge_base_id": document.kb_id,
        "media_type": str(document.latest.media_type),
        "updated_at": document.updated_at.isoformat(),
    }


def _address(caller: Caller, document_id: str, chunk_id: str | None = None) -> str:
    page = f"{caller.base_url}/documents/{quote(document_id, safe='')}"
    return page if chunk_id is None else f"{page}/view?chunk={quote(chunk_id, safe='')}"


def _as_json(output: ToolOutput) -> Answer:
    """These clients read one item of text that holds the same as the structured answer."""
    return Answer(output.model_dump_json(), output)


TOOLSET = Toolset(
    toolset_id="reading",
    name="Search and Fetch",
    description="Search everything that is stored, and read what was found",
    category="knowledge",
    icon="🔎",
    tags=("knowledge", "search", "research"),
    guidance=(
        "To answer from stored knowledge, call search first, then fetch what looks relevant, and cite each statement "
        f"with the citation of its passage. {GUIDANCE}"
    ),
    tool_type="reading",
    tools=(
        Tool(
            name="search",
            title="Search all knowledge",
            description=(
                "Search every knowledge base you may read, by meaning and by keywords. Use it whenever the answer may "
                "stand in the user's own documents, notes or files. Returns up to 10 documents, best first, each with "
                "its best passage, how to cite it, and an id for `fetch`. If nothing fits, `note` says why: ask "
                "again in other words before you give up."
            ),
            labels=Labels("Searching all knowledge", "Searched all knowledge"),
            input=SearchIn,
            output=SearchOut,
            scope=Scope.READ,
            annotations=_READING,
            handler=_search,
            subject="query",
            on_by_default=True,
        ),
        Tool(
            name="fetch",
            title="Read a document",
            description=(
                "Read what `search` found: the whole text of a document by its `id`, or one passage by its "
                "`passage_id`. Use it when the passage that search quoted is not enough to answer. A long document is "
                "cut, and `metadata.truncated` says so: then fetch passages instead."
            ),
            labels=Labels("Reading", "Read"),
            input=FetchIn,
            output=FetchOut,
            scope=Scope.READ,
            annotations=_READING,
            handler=_fetch,
            subject="id",
            on_by_default=True,
        ),
    ),
)
