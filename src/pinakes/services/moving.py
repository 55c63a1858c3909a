"""A document's title, tags, name and knowledge base: changed together, without indexing anything anew if possible."""

from dataclasses import dataclass

from pinakes.domain.document import Document, DocumentStatus, Tags
from pinakes.domain.errors import Conflict, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.note import Note
from pinakes.services.documents import find_or_raise
from pinakes.services.resources import Resources
from pinakes.services.uploads import Uploaded, start_indexing
from pinakes.services.vectors import ask_for_own_tables
from pinakes.store import chunks, documents, knowledge_bases, moving, operations
from pinakes.store.database import Connection, outlast_deadlocks


@dataclass(frozen=True, slots=True)
class Arrangement:
    """What a document is to be called and where it is to stand; what is None stays."""

    kb_id: str | None = None
    name: str | None = None
    title: str | None = None
    tags: Tags | None = None
    # Only if it still is as it was read.
    revision: str | None = None


async def rearrange_document(
    resources: Resources, identity: Identity, document_id: str, wanted: Arrangement
) -> Uploaded:
    """Change what is given; the name gives way to those in use where it is to stand."""
    identity.require(Scope.WRITE)
    return await outlast_deadlocks(lambda: _rearrange(resources, identity, document_id, wanted))


async def _rearrange(resources: Resources, identity: Identity, document_id: str, wanted: Arrangement) -> Uploaded:
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        # Knowledge bases before the document before its operations, in the order a deletion takes them.
        held = (await find_or_raise(connection, workspace_id, document_id)).kb_id
        target = wanted.kb_id or held
        for kb_id in sorted({held, target}):
            if not await knowledge_bases.lock_knowledge_base(connection, workspace_id, kb_id):
                raise NotFound("The knowledge base was deleted meanwhile.")
        document = await find_or_raise(connection, workspace_id, document_id, lock=True)
        if document.kb_id != held:
            raise Conflict(f"'{document.name}' was moved meanwhile. Try again.")
        Note(document, document.kb_id).require(wanted.revision)
        await documents.update_document(
            connection,
            workspace_id,
            document_id,
            title=document.title if wanted.title is None else wanted.title,
            tags=document.tags if wanted.tags is None else wanted.tags,
        )
        name = wanted.name or document.name
        if target == held:
            if wanted.name is not None:
                name = await moving.free_name(connection, workspace_id, target, name, document_id)
                await moving.place_document(connection, workspace_id, document_id, target, name)
            return Uploaded(await find_or_raise(connection, workspace_id, document_id), None)
        return await _move(resources, connection, identity, document, target, name)


async def _move(
    resources: Resources, connection: Connection, identity: Identity, document: Document, target: str, wanted: str
) -> Uploaded:
    """Take a document to another knowledge base: it goes on answering, unless passages have to be made anew there."""
    workspace_id, document_id = identity.workspace_id, document.document_id
    await operations.lock_operations(connection, workspace_id, document_id)
    versions = await documents.list_versions(connection, workspace_id, [document_id])
    await chunks.uncount_terms(connection, workspace_id, [version["version_id"] for version in versions])
    indexes = await knowledge_bases.active_indexes(connection, workspace_id, [document.kb_id, target])
    found = {index.kb_id: index.index_id for index in indexes}
    carries = await moving.may_carry(connection, workspace_id, found[document.kb_id], found[target])
    active = await moving.active_version(connection, workspace_id, document_id)
    if not carries:
        await moving.drop_passages(connection, workspace_id, document_id)
    elif active is not None:
        await moving.carry_passages(connection, workspace_id, active, found[document.kb_id], found[target])
        await ask_for_own_tables(resources, connection, workspace_id, found[target])
    name = await moving.free_name(connection, workspace_id, target, wanted, document_id)
    await moving.place_document(connection, workspace_id, document_id, target, name)
    await moving.move_operations(connection, workspace_id, document_id, target)
    if carries and document.latest.status in {DocumentStatus.INDEXED, DocumentStatus.FAILED}:
        return Uploaded(await find_or_raise(connection, workspace_id, document_id), None)
    await documents.set_version_status(connection, workspace_id, document.latest.version_id, DocumentStatus.PENDING)
    return await start_indexing(
        resources, connection, identity, await find_or_raise(connection, workspace_id, document_id)
    )
