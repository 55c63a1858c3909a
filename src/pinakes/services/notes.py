"""Notes: write, read, find, change, move, delete; they go the same way as files."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pinakes.domain.document import Document, DocumentKind
from pinakes.domain.errors import CallerError, Conflict, InvalidInput, NotFound, ProviderFault
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.knowledge_base import NOTES_SLUG
from pinakes.domain.note import (
    ContentType,
    Note,
    NoteText,
    Resource,
    blocks_of,
    choose_title,
    name_of,
    read_note,
    read_tags,
)
from pinakes.domain.search import Filters, Hit
from pinakes.services import documents as all_documents
from pinakes.services.knowledge_bases import Freed
from pinakes.services.moving import Arrangement, rearrange_document
from pinakes.services.resources import Resources
from pinakes.services.search import SearchRequest, search_knowledge
from pinakes.services.suggestions import suggest_resource, suggest_tags
from pinakes.services.templates import fill
from pinakes.services.uploads import Written, upload_document
from pinakes.store import documents, notes
from pinakes.store.database import Connection

# A note may answer with several passages; so many are looked through for each that is shown.
_PASSAGES_A_NOTE = 4
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class NewNote:
    """What to write; without a resource it goes where notes go."""

    content: str | Sequence[object]
    content_type: ContentType = ContentType.MARKDOWN
    resource: str | None = None
    title: str | None = None
    tags: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class NoteChange:
    """What to change: what is None stays, an empty list of tags clears them, an empty title is made from the text.

    With a `revision` it is changed only if it still is as it was read.
    """

    content: str | Sequence[object] | None = None
    content_type: ContentType | None = None
    resource: str | None = None
    title: str | None = None
    tags: Sequence[str] | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """A new note on its way into the index, and what its text suggests where nothing was said."""

    note: Note
    operation_id: str | None
    better_resource: str | None = None
    suggested_tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """A changed note; `operation_id` is there where it is indexed anew."""

    note: Note
    updated_fields: tuple[str, ...]
    operation_id: str | None


@dataclass(frozen=True, slots=True)
class NoteHit:
    """A note that answers a question, with its best passage."""

    hit: Hit
    resource: str


@dataclass(frozen=True, slots=True)
class FoundNotes:
    """The notes that answer, best first; `waiting` ones are not indexed yet."""

    hits: tuple[NoteHit, ...]
    waiting: int
    note: str | None


async def list_resources(resources: Resources, identity: Identity) -> list[Resource]:
    """The knowledge bases that notes may be in, the one for notes first."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await notes.list_resources(connection, identity.workspace_id)


async def create_note(resources: Resources, identity: Identity, new: NewNote) -> Created:
    """Write a note; where no resource or no tags were given, say which would fit."""
    identity.require(Scope.WRITE)
    text = read_note(new.content, new.content_type, resources.limits.note_characters)
    title = choose_title(new.title, text.markdown)
    tags = read_tags(new.tags or (), resources.limits.tags_per_document)
    there = await list_resources(resources, identity)
    chosen = _choose(there, new.resource or NOTES_SLUG)
    uploaded = await upload_document(
        resources,
        identity,
        chosen.kb_id,
        name=name_of(title),
        content=text.markdown.encode(),
        title=title,
        tags=tags,
        written=Written(DocumentKind.NOTE, text.blocks),
    )
    better = None
    if not new.resource:
        better = await suggest_resource(
            resources,
            identity,
            # A title that was made of the first line would count twice.
            f"{new.title or ''}\n\n{text.markdown}".strip(),
            chosen=chosen,
            others=[resource for resource in there if resource.kb_id != chosen.kb_id],
            leave_out=uploaded.document.document_id,
        )
    return Created(
        Note(uploaded.document, chosen.slug),
        uploaded.operation_id,
        better and better.slug,
        () if tags else await suggest_tags(text.markdown, new.title),
    )


async def create_from_template(
    resources: Resources,
    identity: Identity,
    template: str,
    variables: Mapping[str, str],
    *,
    resource: str | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
) -> Created:
    """Write a note from a template; title and tags are the template's where none are given."""
    identity.require(Scope.WRITE)
    filled = await fill(resources, identity, template, variables)
    new = NewNote(
        filled.content, resource=resource, title=title or filled.title, tags=filled.tags if tags is None else tags
    )
    return await create_note(resources, identity, new)


async def create_notes(
    resources: Resources,
    identity: Identity,
    items: Sequence[NewNote | CallerError],
    begin_next: Callable[[int], Awaitable[None]],
) -> list[Created | CallerError | ProviderFault]:
    """Write several notes, each by itself: one that cannot be written does not keep the others from it.

    `begin_next` is told between two how many are done.
    """
    identity.require(Scope.WRITE)
    outcomes: list[Created | CallerError | ProviderFault] = []
    for item in items:
        if outcomes:
            await begin_next(len(outcomes))
        try:
            outcomes.append(item if isinstance(item, CallerError) else await create_note(resources, identity, item))
        except (CallerError, ProviderFault) as error:
            outcomes.append(error)
    return outcomes


async def get_note(resources: Resources, identity: Identity, note_id: str) -> tuple[Note, NoteText]:
    """A note with what it says now, be it indexed or not."""
    identity.require(Scope.READ)
    for _ in range(_LOOKS):
        async with resources.database.transaction(identity.workspace_id) as connection:
            note = await _find(connection, identity, note_id)
            version = note.document.latest
            blocks = await notes.find_blocks(connection, identity.workspace_id, version.version_id)
        # Another version may take this one's place, and its original away, before it is read.
        with suppress(NotFound):
            markdown = (await resources.blobs.get(version.blob_key)).decode("utf-8", "replace")
            return note, NoteText(markdown, blocks_of(blocks))
    raise Conflict("The note is being changed all the time. Try again in a moment.")


async def list_notes(
    resources: Resources,
    identity: Identity,
    *,
    words: str | None = None,
    resource: str | None = None,
    tag: tuple[str, str] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[list[Note], int]:
    """A page of notes, the one changed last first, and how many match."""
    identity.require(Scope.READ)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        there = await notes.list_resources(connection, workspace_id)
        kb_id = None if resource is None else _choose(there, resource).kb_id
        note_ids, total = await notes.list_note_ids(
            connection, workspace_id, kb_id=kb_id, words=words, tag=tag, limit=limit, offset=offset
        )
        found = await documents.find_documents(connection, workspace_id, note_ids)
    return [_note(document, there) for document in found], total


async def search_notes(
    resources: Resources,
    identity: Identity,
    query: str,
    *,
    resource: str | None = None,
    tags: Sequence[str] = (),
    limit: int = 5,
    min_score: float = 0.0,
) -> FoundNotes:
    """The notes that answer a question, each once with its best passage."""
    there = await list_resources(resources, identity)
    chosen = None if resource is None else _choose(there, resource)
    filters = Filters(read_tags(tags, resources.limits.tags_per_document), (DocumentKind.NOTE,))
    found = await search_knowledge(
        resources,
        identity,
        SearchRequest(
            query,
            knowledge_bases=(chosen.kb_id,) if chosen else (),
            top_k=limit * _PASSAGES_A_NOTE,
            min_score=min_score,
            filters=filters,
        ),
    )
    best: dict[str, Hit] = {}
    for hit in found.hits:
        best.setdefault(hit.document_id, hit)
    slugs = {one.kb_id: one.slug for one in there}
    async with resources.database.transaction(identity.workspace_id) as connection:
        waiting = await notes.count_waiting(connection, identity.workspace_id, chosen and chosen.kb_id)
    hits = [NoteHit(hit, slugs.get(hit.kb_id, hit.kb_name)) for hit in best.values()]
    return FoundNotes(tuple(hits[:limit]), waiting, found.note)


async def update_note(resources: Resources, identity: Identity, note_id: str, change: NoteChange) -> Changed:
    """Change what is given; only another text is indexed anew, and a note that moves keeps its id."""
    # Whoever may write here is an editor or an owner, who may change any note; its author is not asked for.
    identity.require(Scope.WRITE)
    note, now = await get_note(resources, identity, note_id)
    text = _changed_text(resources, now, change)
    tags = None if change.tags is None else read_tags(change.tags, resources.limits.tags_per_document)
    title = None if change.title is None else choose_title(change.title, (text or now).markdown)
    there = await list_resources(resources, identity)
    target = _choose(there, change.resource) if change.resource else None
    if target is not None and target.kb_id == note.document.kb_id:
        target = None
    updated = _updated_fields(change, moves=target is not None)
    operation_id, revision = None, change.revision
    if text is not None:
        operation_id = await _rewrite(resources, identity, note.document, text, revision)
        # With another text it is another one now, of which we were the first; with the same one it has to be asked for.
        revision = None if operation_id else revision
    arrangement = Arrangement(target and target.kb_id, None if title is None else name_of(title), title, tags)
    if arrangement != Arrangement():
        arrangement = replace(arrangement, revision=revision)
        moved = await rearrange_document(resources, identity, note_id, arrangement)
        operation_id = moved.operation_id or operation_id
    async with resources.database.transaction(identity.workspace_id) as connection:
        return Changed(await _find(connection, identity, note_id), updated, operation_id)


async def delete_note(resources: Resources, identity: Identity, note_id: str) -> Freed:
    """Delete a note with its original, passages and vectors; says what was freed."""
    identity.require(Scope.WRITE)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await _find(connection, identity, note_id)
    return await all_documents.delete_document(resources, identity, note_id)


def _changed_text(resources: Resources, now: NoteText, change: NoteChange) -> NoteText | None:
    """The text that a change asks for; without a content type it is of the type that it was."""
    if change.content is None:
        return None
    content_type = change.content_type or now.content_type
    if change.content_type is None and not isinstance(change.content, str):
        content_type = ContentType.BLOCKS
    elif change.content_type is None and not str(change.content).lstrip().startswith("["):
        content_type = ContentType.MARKDOWN
    return read_note(change.content, content_type, resources.limits.note_characters)


def _updated_fields(change: NoteChange, *, moves: bool) -> tuple[str, ...]:
    given = {
        "title": change.title is not None,
        "content": change.content is not None,
        "tags": change.tags is not None,
        "resource": moves,
    }
    updated = tuple(field for field, is_given in given.items() if is_given)
    if not updated and change.resource:
        raise InvalidInput(
            f"It is in '{change.resource}' already, and nothing else was to be changed.", code="NO_CHANGE"
        )
    if not updated:
        raise InvalidInput(
            "No fields to update. Please provide at least one field (content, resource, title, or tags).",
            code="NO_CHANGE",
        )
    return updated


async def _rewrite(
    resources: Resources, identity: Identity, document: Document, text: NoteText, revision: str | None
) -> str | None:
    """The next version of a note; None where it says what it said before."""
    uploaded = await upload_document(
        resources,
        identity,
        document.kb_id,
        name=document.name,
        content=text.markdown.encode(),
        written=Written(DocumentKind.NOTE, text.blocks, document.document_id, revision),
    )
    if uploaded.unchanged:
        async with resources.database.transaction(identity.workspace_id) as connection:
            version_id = uploaded.document.latest.version_id
            await notes.set_blocks(connection, identity.workspace_id, version_id, text.blocks)
    return uploaded.operation_id


async def _find(connection: Connection, identity: Identity, note_id: str) -> Note:
    document = await documents.find_document(connection, identity.workspace_id, note_id)
    if document is None or document.kind is not DocumentKind.NOTE:
        raise NotFound(f"Knowledge not found: {note_id}. Search for the note, or list them, to get its id.")
    return _note(document, await notes.list_resources(connection, identity.workspace_id))


def _note(document: Document, there: Sequence[Resource]) -> Note:
    slug = next((resource.slug for resource in there if resource.kb_id == document.kb_id), document.kb_id)
    return Note(document, slug)


def _choose(there: Sequence[Resource], reference: str) -> Resource:
    """A resource by its slug, else by id or name; NotFound says which there are."""
    for resource in there:
        if reference == resource.slug:
            return resource
    for resource in there:
        if reference == resource.kb_id or reference.casefold() == resource.title.casefold():
            return resource
    slugs = [resource.slug for resource in there]
    raise NotFound(
        f"Resource '{reference}' not found. Available resources: {', '.join(slugs)}.",
        code="RESOURCE_NOT_FOUND",
        details={"available": slugs},
    )
