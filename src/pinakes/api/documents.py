"""Documents over REST."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, Page, RequestModel, Success, succeed
from pinakes.api.knowledge_bases import FreedOut, Limit, Offset
from pinakes.api.paths import ChunkId, DocumentId, KnowledgeBaseId
from pinakes.domain.document import Document, DocumentKind, DocumentStatus, Tags, make_tags, parse_tag
from pinakes.domain.place import Place, PlaceKind
from pinakes.services import documents
from pinakes.services.resources import Resources
from pinakes.store.chunks import place_of
from pinakes.store.database import Row

router = APIRouter(tags=["Documents"])


class Tag(ApiModel):
    """One tag: a name and a value."""

    tag_name: str
    tag_value: str


class DocumentOut(ApiModel):
    """A document and how far its latest version is."""

    id: str
    knowledge_base_id: str
    name: str
    title: str | None
    kind: DocumentKind
    status: DocumentStatus
    progress: int = Field(description="Per cent.")
    error: str | None = Field(description="Why the latest version failed, or what it waits for.")
    retryable: bool = Field(description="Whether it failed for a reason that may pass: trying again may help.")
    searchable: bool = Field(description="Whether a version answers searches, be it an older one.")
    media_type: str
    size_bytes: int
    sha256: str
    version: int
    chunk_count: int
    pages: int | None = Field(description="Pages or slides of the latest version, where its format has them.")
    language: str | None = Field(description="The language most of it is in (BCP 47), where that can be told.")
    tags: list[Tag]
    summary: str | None = Field(description="A few of its own sentences; null until it is indexed.")
    suggested_tags: list[str] = Field(description="Phrases that it keeps coming back to.")
    remarks: list[str] = Field(description="What of the latest version could not be read.")
    source: str | None = Field(description="The address it was fetched from, or the folder it is kept in step with.")
    operation_id: str | None
    created_at: datetime
    updated_at: datetime
    indexed_at: datetime | None
    expires_at: datetime | None = Field(description="When it stops answering and is deleted; null for never.")


class DocumentChange(RequestModel):
    """What to change; what is left out stays, an empty value clears."""

    title: str | None = Field(default=None, max_length=200)
    tags: list[Tag] | None = None


class PlaceOut(ApiModel):
    """A page, slide, sheet or chapter of the original, counted from 1, and the rows of a table."""

    kind: PlaceKind
    number: int
    name: str | None
    first_row: int | None
    last_row: int | None


class ChunkOut(ApiModel):
    """A passage and its place in the original; offsets count characters of the document's text."""

    id: str
    index: int
    content: str
    page: int | None
    place: PlaceOut | None
    attachment: str | None = Field(description="The attachment it was found in.")
    section: str | None
    repeated_header: str = Field(description="The header of the table that these rows belong to.")
    start_offset: int = Field(description="Of the document's text, in characters.")
    end_offset: int
    start_line: int = Field(description="Of the document's text; for plain text, Markdown and code also of the file.")
    end_line: int
    tokens: int


class TextOut(ApiModel):
    """A document's text as it was read; Markdown where the format has headings or tables."""

    text: str


class VersionOut(ApiModel):
    """One upload of a document. A version that was replaced is gone once the newer one answers."""

    number: int
    status: DocumentStatus
    answers: bool = Field(description="Whether it is the one that searches find.")
    error: str | None
    remarks: list[str] = Field(description="What of it could not be read.")
    media_type: str
    size_bytes: int
    sha256: str
    chunk_count: int
    created_at: datetime
    indexed_at: datetime | None


class DownloadLink(ApiModel):
    """Where the original can be fetched, without a credential, until the link expires."""

    url: str
    file_name: str
    media_type: str
    size_bytes: int
    expires_at: datetime
    expires_in: int = documents.DOWNLOAD_SECONDS


@router.get("/api/knowledge-bases/{knowledgeBaseId}/documents")
async def list_documents(
    knowledge_base_id: KnowledgeBaseId,
    resources: ResourcesDep,
    caller: Caller,
    status: DocumentStatus | None = None,
    kind: DocumentKind | None = None,
    tag: Annotated[str | None, Query(description="`name=value`, or a bare value.")] = None,
    source: Annotated[str | None, Query(max_length=1000)] = None,
    name: Annotated[str | None, Query(max_length=1000, description="The document of this very name.")] = None,
    q: Annotated[str | None, Query(max_length=200, description="Part of the name or title, in any case.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Success[Page[DocumentOut]]:
    """List documents, newest first."""
    found, total = await documents.list_documents(
        resources,
        caller,
        knowledge_base_id,
        status=status,
        kind=kind,
        tag=None if tag is None else parse_tag(tag),
        source=source,
        name=name,
        words=(q and q.strip()) or None,
        limit=limit,
        offset=offset,
    )
    return succeed(Page(items=[document_out(document) for document in found], total=total, limit=limit, offset=offset))


@router.get("/api/documents/{documentId}")
async def get_document(document_id: DocumentId, resources: ResourcesDep, caller: Caller) -> Success[DocumentOut]:
    """One document."""
    return succeed(document_out(await documents.get_document(resources, caller, document_id)))


@router.patch("/api/documents/{documentId}")
async def update_document(
    document_id: DocumentId, body: DocumentChange, resources: ResourcesDep, caller: Caller
) -> Success[DocumentOut]:
    """Change title or tags."""
    document = await documents.update_document(
        resources, caller, document_id, title=body.title, tags=read_tags(resources, body.tags)
    )
    return succeed(document_out(document))


@router.delete("/api/documents/{documentId}")
async def delete_document(document_id: DocumentId, resources: ResourcesDep, caller: Caller) -> Success[FreedOut]:
    """Delete a document with its original, chunks and vectors."""
    return succeed(FreedOut.model_validate(await documents.delete_document(resources, caller, document_id)))


@router.get("/api/documents/{documentId}/chunks")
async def list_chunks(
    document_id: DocumentId, resources: ResourcesDep, caller: Caller, limit: Limit = 50, offset: Offset = 0
) -> Success[Page[ChunkOut]]:
    """The passages of a document, in order."""
    rows, total = await documents.list_chunks(resources, caller, document_id, limit=limit, offset=offset)
    items = [_chunk_out(row) for row in rows]
    return succeed(Page(items=items, total=total, limit=limit, offset=offset))


@router.get("/api/documents/{documentId}/versions")
async def list_versions(document_id: DocumentId, resources: ResourcesDep, caller: Caller) -> Success[list[VersionOut]]:
    """The versions that a document still holds, newest first."""
    rows = await documents.list_versions(resources, caller, document_id)
    return succeed([VersionOut.model_validate(row | {"sha256": row["sha256"].hex()}) for row in rows])


@router.get("/api/documents/{documentId}/chunks/{chunkId}")
async def get_chunk(
    document_id: DocumentId, chunk_id: ChunkId, resources: ResourcesDep, caller: Caller
) -> Success[ChunkOut]:
    """One passage of a document."""
    return succeed(_chunk_out(await documents.get_chunk(resources, caller, document_id, chunk_id)))


@router.get("/api/documents/{documentId}/text")
async def read_text(document_id: DocumentId, resources: ResourcesDep, caller: Caller) -> Success[TextOut]:
    """The text that passages, their offsets and lines refer to, read from the original again."""
    return succeed(TextOut(text=await documents.read_text(resources, caller, document_id)))


@router.get("/api/documents/{documentId}/download")
async def download_document(
    document_id: DocumentId, request: Request, resources: ResourcesDep, caller: Caller
) -> Success[DownloadLink]:
    """A signed link to the original, good for 15 minutes."""
    signed = await documents.sign_download(resources, caller, document_id)
    return succeed(
        DownloadLink(
            url=str(request.url_for("fetch_original").include_query_params(token=signed.token)),
            file_name=signed.name,
            media_type=signed.media_type,
            size_bytes=signed.size_bytes,
            expires_at=signed.expires_at,
        )
    )


def read_tags(resources: Resources, tags: list[Tag] | None) -> Tags | None:
    """Tags as the domain knows them, within their limit."""
    if tags is None:
        return None
    return make_tags([(tag.tag_name, tag.tag_value) for tag in tags], resources.limits.tags_per_document)


def tags_out(tags: Tags) -> list[Tag]:
    """Tags as the API shows them."""
    return [Tag(tag_name=name, tag_value=value) for name, values in tags.items() for value in values]


def place_out(place: Place | None) -> PlaceOut | None:
    """A place as the API shows it."""
    return None if place is None else PlaceOut.model_validate(place)


def _chunk_out(row: Row) -> ChunkOut:
    return ChunkOut(
        id=row["chunk_id"],
        index=row["ordinal"],
        place=place_out(place_of(row)),
        attachment=row["inside"],
        section=" > ".join(row["headings"]) or None,
        repeated_header=row["preface"],
        **{name: row[name] for name in ChunkOut.model_fields if name in row and name != "place"},
    )


def document_out(document: Document) -> DocumentOut:
    """A document as the API shows it."""
    latest = document.latest
    return DocumentOut(
        id=document.document_id,
        knowledge_base_id=document.kb_id,
        name=document.name,
        title=document.title,
        kind=document.kind,
        status=latest.status,
        progress=document.progress,
        error=latest.error,
        retryable=latest.retryable,
        searchable=document.answers,
        media_type=latest.media_type,
        size_bytes=latest.size_bytes,
        sha256=latest.sha256.hex(),
        version=latest.number,
        chunk_count=latest.chunk_count,
        pages=latest.pages,
        language=latest.language,
        tags=tags_out(document.tags),
        summary=document.summary,
        suggested_tags=list(document.suggested_tags),
        remarks=list(latest.remarks),
        source=document.source,
        operation_id=document.operation_id,
        created_at=document.created_at,
        updated_at=document.updated_at,
        indexed_at=latest.indexed_at,
        expires_at=document.expires_at,
    )
