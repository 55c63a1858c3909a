"""Ways in over REST: files, archives and addresses."""

import json
from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep, WriterFirst
from pinakes.api.documents import DocumentOut, Tag, document_out, read_tags
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.paths import DocumentId, KnowledgeBaseId
from pinakes.domain.document import Tags, make_tags, parse_tag
from pinakes.domain.errors import InvalidInput
from pinakes.services import archives, fetching, uploads
from pinakes.services.resources import Resources

router = APIRouter(tags=["Documents"], route_class=WriterFirst)
ReplaceField = Annotated[bool, Form(description="Put it in the place of a document of the same name.")]
TagsField = Annotated[
    list[str] | None,
    Form(description='Repeated `name=value` (or a bare value), or one JSON list of {"tagName", "tagValue"}.'),
]


class UploadOut(ApiModel):
    """An accepted upload; follow it with the operation."""

    document: DocumentOut
    operation_id: str | None = Field(description="Null where nothing had to be done.")
    unchanged: bool = Field(description="The very same file was there already; nothing happened.")


class UrlIn(RequestModel):
    """What to fetch."""

    url: str = Field(max_length=2000)
    title: str | None = Field(default=None, max_length=200)
    tags: list[Tag] | None = None
    replace: bool = Field(default=False, description="Put it in the place of a document of the same name.")


class ArchivedFileOut(ApiModel):
    """What became of one file of an archive."""

    name: str
    status: archives.MemberStatus
    reason: str | None
    error_code: str | None
    document: DocumentOut | None
    operation_id: str | None


class ArchiveOut(ApiModel):
    """Every file of an archive, in the order of their names."""

    items: list[ArchivedFileOut]
    accepted: int
    refused: int


@router.post("/api/knowledge-bases/{knowledgeBaseId}/documents", status_code=202)
async def upload_document(
    knowledge_base_id: KnowledgeBaseId,
    resources: ResourcesDep,
    caller: Caller,
    file: Annotated[UploadFile, File(description="The file.")],
    replace: ReplaceField = False,
    tags: TagsField = None,
    title: Annotated[str | None, Form(max_length=200)] = None,
    source: Annotated[str | None, Form(max_length=1000, description="The folder it is kept in step with.")] = None,
) -> Success[UploadOut]:
    """Upload a file; it is indexed in the background."""
    async with resources.upload_turns:
        uploaded = await uploads.upload_document(
            resources,
            caller,
            knowledge_base_id,
            name=file.filename or "",
            content=await file.read(),
            title=title,
            tags=_form_tags(resources, tags),
            source=source or None,
            replace_existing=replace,
        )
    return succeed(_uploaded(uploaded))


@router.post("/api/knowledge-bases/{knowledgeBaseId}/archives", status_code=202)
async def upload_archive(
    knowledge_base_id: KnowledgeBaseId,
    resources: ResourcesDep,
    caller: Caller,
    file: Annotated[UploadFile, File(description="A ZIP archive.")],
    replace: ReplaceField = False,
    tags: TagsField = None,
) -> Success[ArchiveOut]:
    """Upload a ZIP archive; every file inside becomes a document of its own."""
    async with resources.upload_turns:
        members = await archives.upload_archive(
            resources,
            caller,
            knowledge_base_id,
            name=file.filename or "",
            content=await file.read(),
            tags=_form_tags(resources, tags),
            replace_existing=replace,
        )
    refused = sum(member.status == "refused" for member in members)
    items = [_member(member) for member in members]
    return succeed(ArchiveOut(items=items, accepted=len(members) - refused, refused=refused))


@router.post("/api/knowledge-bases/{knowledgeBaseId}/urls", status_code=202)
async def add_url(
    knowledge_base_id: KnowledgeBaseId, body: UrlIn, resources: ResourcesDep, caller: Caller
) -> Success[UploadOut]:
    """Fetch a page or file from the web; it is indexed in the background."""
    uploaded = await fetching.add_url(
        resources,
        caller,
        knowledge_base_id,
        body.url,
        title=body.title,
        tags=read_tags(resources, body.tags),
        replace_existing=body.replace,
    )
    return succeed(_uploaded(uploaded))


@router.post("/api/documents/{documentId}/refetch", status_code=202)
async def refetch_document(document_id: DocumentId, resources: ResourcesDep, caller: Caller) -> Success[UploadOut]:
    """Fetch a document from its address again; unchanged content changes nothing."""
    return succeed(_uploaded(await fetching.refetch_document(resources, caller, document_id)))


@router.post("/api/documents/{documentId}/retry", status_code=202)
async def retry_document(document_id: DocumentId, resources: ResourcesDep, caller: Caller) -> Success[UploadOut]:
    """Try again to index a document that failed."""
    return succeed(_uploaded(await uploads.retry_document(resources, caller, document_id)))


def _form_tags(resources: Resources, tags: list[str] | None) -> Tags | None:
    return None if tags is None else make_tags(_pairs(tags), resources.limits.tags_per_document)


def _pairs(tags: list[str]) -> list[tuple[str, str]]:
    if len(tags) == 1 and tags[0].lstrip().startswith("["):
        try:
            return [(str(tag["tagName"]), str(tag["tagValue"])) for tag in json.loads(tags[0])]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InvalidInput('tags must be `name=value` or a JSON list of {"tagName", "tagValue"}.') from error
    return [parse_tag(tag) for tag in tags if tag.strip()]


def _uploaded(uploaded: uploads.Uploaded) -> UploadOut:
    return UploadOut(
        document=document_out(uploaded.document), operation_id=uploaded.operation_id, unchanged=uploaded.unchanged
    )


def _member(member: archives.Member) -> ArchivedFileOut:
    uploaded = member.uploaded
    return ArchivedFileOut(
        name=member.name,
        status=member.status,
        reason=member.reason,
        error_code=member.error_code,
        document=uploaded and document_out(uploaded.document),
        operation_id=uploaded and uploaded.operation_id,
    )
