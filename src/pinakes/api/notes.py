"""Notes over REST."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.documents import Tag, tags_out
from pinakes.api.envelope import ApiModel, Page, RequestModel, Success, succeed
from pinakes.api.knowledge_bases import FreedOut, Limit, Offset
from pinakes.api.paths import NoteId
from pinakes.domain.document import DocumentStatus, parse_tag
from pinakes.domain.knowledge_base import MAX_NAME
from pinakes.domain.note import ContentType, Note, blocks_json
from pinakes.services import notes
from pinakes.services.notes import Created, NewNote, NoteChange

router = APIRouter(prefix="/api/notes", tags=["Notes"])
Content = Annotated[
    str | list[dict[str, Any]], Field(description="Markdown; with contentType `blocks` a list of blocks, or its JSON.")
]
ResourceField = Annotated[
    str | None,
    Field(max_length=MAX_NAME, description="Slug, id or name of a knowledge base.", examples=["knowledge"]),
]
TagsIn = Annotated[list[str] | None, Field(description="`name=value`, or a bare value.")]


class NoteOut(ApiModel):
    """A note, and how far its latest text is on its way into the index."""

    id: str
    title: str
    resource: str = Field(description="The slug of the knowledge base it is in.")
    knowledge_base_id: str
    name: str = Field(description="The name that citations give.")
    tags: list[Tag]
    status: DocumentStatus
    progress: int = Field(description="Per cent.")
    error: str | None
    retryable: bool = Field(description="Whether it failed for a reason that may pass: trying again may help.")
    searchable: bool = Field(description="Whether a version answers searches, be it an older one.")
    size_bytes: int
    version: int
    revision: str = Field(
        description="Stands for its text, title, tags and place, and becomes another with any of them."
    )
    summary: str | None
    suggested_tags: list[str] = Field(description="Phrases that it keeps coming back to.")
    operation_id: str | None
    created_by: str | None = Field(description="The id of the user who wrote it, whose key did, or who imported it.")
    author: str | None = Field(description="The name of that user; of an imported note, of whoever wrote it.")
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None


class NoteDetail(NoteOut):
    """A note with what it says."""

    content: str = Field(description="As Markdown.")
    content_type: ContentType
    blocks: list[dict[str, Any]] | None = Field(description="What the Markdown was made of, where it was.")


class NoteIn(RequestModel):
    """A note to write."""

    content: Content
    content_type: ContentType = ContentType.MARKDOWN
    resource: ResourceField = None
    title: str | None = Field(default=None, max_length=MAX_NAME)
    tags: TagsIn = None


class NoteChangeIn(RequestModel):
    """What to change; what is left out stays, an empty list of tags clears them."""

    content: Content | None = None
    content_type: ContentType | None = None
    resource: ResourceField = None
    title: str | None = Field(default=None, max_length=MAX_NAME)
    tags: TagsIn = None
    revision: str | None = Field(
        default=None,
        examples=[None],
        description="The revision that was read: if somebody else was faster, nothing is changed (409 `NOTE_CHANGED`).",
    )


class CreatedOut(ApiModel):
    """A note that was written; follow it with the operation."""

    note: NoteOut
    operation_id: str | None
    suggested_resource: str | None = Field(description="Where no resource was given: one that fits clearly better.")
    suggested_tags: list[str] = Field(description="Where no tags were given: phrases of the text.")


class ChangedOut(ApiModel):
    """A note that was changed."""

    note: NoteOut
    updated_fields: list[str]
    operation_id: str | None = Field(description="Null where nothing has to be indexed anew.")


@router.get("")
async def list_notes(
    resources: ResourcesDep,
    caller: Caller,
    q: Annotated[str | None, Query(max_length=200, description="Part of the title, in any case.")] = None,
    resource: Annotated[str | None, Query(max_length=MAX_NAME, description="Only in this knowledge base.")] = None,
    tag: Annotated[str | None, Query(max_length=MAX_NAME, description="`name=value`, or a bare value.")] = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Success[Page[NoteOut]]:
    """List notes of all knowledge bases, the one changed last first."""
    found, total = await notes.list_notes(
        resources,
        caller,
        words=(q and q.strip()) or None,
        resource=resource or None,
        tag=parse_tag(tag) if tag else None,
        limit=limit,
        offset=offset,
    )
    return succeed(Page(items=[note_out(note) for note in found], total=total, limit=limit, offset=offset))


@router.get("/{noteId}")
async def get_note(note_id: NoteId, resources: ResourcesDep, caller: Caller) -> Success[NoteDetail]:
    """One note with what it says now, be it indexed or not."""
    note, text = await notes.get_note(resources, caller, note_id)
    detail = NoteDetail(
        **note_out(note).model_dump(),
        content=text.markdown,
        content_type=text.content_type,
        blocks=blocks_json(text.blocks),
    )
    return succeed(detail)


@router.post("", status_code=201)
async def create_note(body: NoteIn, resources: ResourcesDep, caller: Caller) -> Success[CreatedOut]:
    """Write a note; it is indexed in the background."""
    new = NewNote(body.content, body.content_type, body.resource, body.title, body.tags)
    return succeed(created_out(await notes.create_note(resources, caller, new)))


@router.patch("/{noteId}")
async def update_note(
    note_id: NoteId, body: NoteChangeIn, resources: ResourcesDep, caller: Caller
) -> Success[ChangedOut]:
    """Change a note's text, title or tags, or move it; only another text is indexed anew."""
    change = NoteChange(body.content, body.content_type, body.resource, body.title, body.tags, body.revision)
    changed = await notes.update_note(resources, caller, note_id, change)
    return succeed(
        ChangedOut(
            note=note_out(changed.note),
            updated_fields=list(changed.updated_fields),
            operation_id=changed.operation_id,
        )
    )


@router.delete("/{noteId}")
async def delete_note(note_id: NoteId, resources: ResourcesDep, caller: Caller) -> Success[FreedOut]:
    """Delete a note with its original, passages and vectors."""
    return succeed(FreedOut.model_validate(await notes.delete_note(resources, caller, note_id)))


def created_out(created: Created) -> CreatedOut:
    """A new note as the API shows it."""
    return CreatedOut(
        note=note_out(created.note),
        operation_id=created.operation_id,
        suggested_resource=created.better_resource,
        suggested_tags=list(created.suggested_tags),
    )


def note_out(note: Note) -> NoteOut:
    """A note as the API shows it."""
    document, latest = note.document, note.document.latest
    return NoteOut(
        id=document.document_id,
        title=note.title,
        resource=note.resource,
        knowledge_base_id=document.kb_id,
        name=document.name,
        tags=tags_out(document.tags),
        status=latest.status,
        progress=document.progress,
        error=latest.error,
        retryable=latest.retryable,
        searchable=document.answers,
        size_bytes=latest.size_bytes,
        version=latest.number,
        revision=note.revision,
        summary=document.summary,
        suggested_tags=list(document.suggested_tags),
        operation_id=document.operation_id,
        created_by=document.created_by,
        author=document.author,
        created_at=document.created_at,
        updated_at=document.updated_at,
        expires_at=document.expires_at,
    )
