"""Uploads: a file becomes a document with a job, or is refused before anything is stored."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from opentelemetry import trace

from pinakes.domain.document import Document, DocumentKind, DocumentStatus, Tags, clean_file_name
from pinakes.domain.errors import Conflict, FileTooLarge, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import clean_name
from pinakes.domain.note import Note
from pinakes.domain.operation import OperationKind
from pinakes.providers.sniffing import sniff
from pinakes.services.documents import find_or_raise
from pinakes.services.knowledge_bases import empty_trash, find_id_or_raise
from pinakes.services.resources import Resources
from pinakes.services.tracing import current_traceparent
from pinakes.store import blobs, chunks, documents, jobs, knowledge_bases, moving, notes, operations
from pinakes.store.bundles import Brought, receive
from pinakes.store.database import Connection, outlast_deadlocks
from pinakes.store.documents import NewVersion

MARKDOWN = "text/markdown"
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class Written:
    """That Markdown was written here instead of uploaded, and the blocks it was made of.

    With `document_id` it is that document's next version, if that is still of the `revision` where one is given; else a
    new document, whose name gives way to those in use.
    """

    kind: DocumentKind
    blocks: Sequence[Mapping[str, Any]] | None = None
    document_id: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What became of an upload; `unchanged` means the very same file was there already."""

    document: Document
    operation_id: str | None
    unchanged: bool = False


async def upload_document(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    *,
    name: str,
    content: bytes,
    title: str | None = None,
    tags: Tags | None = None,
    source: str | None = None,
    replace_existing: bool = False,
    brought: Brought | None = None,
    written: Written | None = None,
) -> Uploaded:
    """Take a file in: what can be refused is refused before anything is stored, the rest happens behind."""
    identity.require(Scope.WRITE)
    with _tracer.start_as_current_span("upload") as span:
        name = clean_file_name(name)
        title = None if title is None else clean_name(title, "title")
        if len(content) > resources.limits.file_bytes:
            raise FileTooLarge(resources.limits.file_too_large(f"'{name}'"))
        # What was written as Markdown is Markdown, whatever it begins with.
        media_type = MARKDOWN if written else await asyncio.to_thread(sniff, name, content)
        digest = (await asyncio.to_thread(hashlib.sha256, content)).digest()
        async with resources.database.transaction(identity.workspace_id) as connection:
            kb_id = await find_id_or_raise(connection, identity, kb_reference)
            request = _Upload(name, title, tags, source, replace_existing or written is not None, brought, written)
            there = await _find_there(connection, identity.workspace_id, kb_id, request)
            unchanged = _clash(there, name, digest, request.replace)
            version_id = new_id("ver")
            version = NewVersion(
                version_id,
                f"{identity.workspace_id}/{kb_id}/{version_id}",
                len(content),
                digest,
                media_type,
            )
            if not unchanged:
                await blobs.record_blob(connection, identity.workspace_id, version.blob_key)
            elif there is not None and source is not None:
                await documents.set_source(connection, identity.workspace_id, there.document_id, source)
        span.set_attributes({"pinakes.size": len(content), "pinakes.media_type": media_type})
        if unchanged and there is not None:
            return Uploaded(there, None, unchanged=True)
        await resources.blobs.put(version.blob_key, content)
        return await outlast_deadlocks(lambda: _commit_upload(resources, identity, kb_id, request, version))


@dataclass(frozen=True, slots=True)
class _Upload:
    name: str
    title: str | None
    tags: Tags | None
    source: str | None
    replace: bool
    brought: Brought | None
    written: Written | None


async def _find_there(connection: Connection, workspace_id: str, kb_id: str, upload: _Upload) -> Document | None:
    """The document that an upload is the next version of, locked; None for a new one."""
    if upload.written is None:
        return await documents.find_document_by_name(connection, workspace_id, kb_id, upload.name)
    if upload.written.document_id is None:
        return None
    there = await find_or_raise(connection, workspace_id, upload.written.document_id, lock=True)
    if there.kb_id != kb_id:
        raise Conflict(f"'{there.name}' was moved meanwhile. Try again.")
    Note(there, kb_id).require(upload.written.revision)
    return there


async def _take_name(connection: Connection, workspace_id: str, kb_id: str, upload: _Upload) -> str:
    """The name that a new document gets; others who want it wait until the transaction ends."""
    if upload.written is not None and upload.written.document_id is None:
        return await moving.free_name(connection, workspace_id, kb_id, upload.name)
    await documents.lock_name(connection, workspace_id, kb_id, upload.name)
    return upload.name


async def _commit_upload(
    resources: Resources, identity: Identity, kb_id: str, upload: _Upload, version: NewVersion
) -> Uploaded:
    """Make a stored original a document with a job, in one transaction."""
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        if not await knowledge_bases.lock_knowledge_base(connection, workspace_id, kb_id):
            raise NotFound("The knowledge base was deleted meanwhile.")
        name = await _take_name(connection, workspace_id, kb_id, upload)
        there = await _find_there(connection, workspace_id, kb_id, upload)
        _clash(there, name, version.sha256, upload.replace)
        if not await blobs.commit_blob(connection, workspace_id, version.blob_key):
            raise Conflict("The upload took so long that it was cleaned up. Send the file again.")
        given_way: list[str] = []
        if there is None:
            document_id = new_id("doc")
            await documents.insert_document(
                connection,
                workspace_id,
                document_id=document_id,
                kb_id=kb_id,
                kind=upload.written.kind if upload.written else DocumentKind.FILE,
                name=name,
                title=upload.title,
                tags=upload.tags or {},
                source=upload.source,
                created_by=identity.user.user_id,
                version=version,
            )
            if upload.brought is not None:
                await receive(connection, workspace_id, document_id, version.version_id, upload.brought)
        else:
            document_id = there.document_id
            given_way = await _add_version(connection, workspace_id, there, upload, version)
        if upload.written is not None:
            await notes.set_blocks(connection, workspace_id, version.version_id, upload.written.blocks)
        document = await find_or_raise(connection, workspace_id, document_id)
        uploaded = await start_indexing(resources, connection, identity, document)
    await empty_trash(resources, workspace_id, given_way)
    return uploaded


async def _add_version(
    connection: Connection, workspace_id: str, there: Document, upload: _Upload, version: NewVersion
) -> list[str]:
    """A version that never got to answer gives way at once; one that answers stays until the swap.

    Returns the objects that gave way.
    """
    given_way: list[str] = []
    await documents.add_version(connection, workspace_id, there, version)
    if there.latest.status is not DocumentStatus.INDEXED:
        given_way = [there.latest.blob_key]
        # Its worker may hold the operation and want the version: the operation first, in the order workers take.
        await operations.lock_operations(connection, workspace_id, there.document_id)
        await chunks.delete_versions(connection, workspace_id, [there.latest.version_id])
        await blobs.trash_blobs(connection, workspace_id, given_way)
    if upload.source is not None:
        await documents.set_source(connection, workspace_id, there.document_id, upload.source)
    if upload.title is not None or upload.tags is not None:
        await documents.update_document(
            connection,
            workspace_id,
            there.document_id,
            title=there.title if upload.title is None else upload.title,
            tags=there.tags if upload.tags is None else upload.tags,
        )
    return given_way


def _clash(there: Document | None, name: str, digest: bytes, replacing: bool) -> bool:
    """Whether replacing would change nothing; raises where a document of this name may not be replaced."""
    if there is None:
        return False
    if not replacing and not _is_expired(there):
        raise Conflict(
            f"'{name}' is in this knowledge base already. Upload with replace to put this version in its place.",
            code="DUPLICATE_FILE",
            details={"documentId": there.document_id},
        )
    same = there.latest.sha256 == digest and there.latest.status is not DocumentStatus.FAILED
    return same and not _is_expired(there)


def _is_expired(document: Document) -> bool:
    return document.expires_at is not None and document.expires_at <= datetime.now(UTC)


async def retry_document(resources: Resources, identity: Identity, document_id: str) -> Uploaded:
    """Try again to index a document that failed."""
    identity.require(Scope.WRITE)
    async with resources.database.transaction(identity.workspace_id) as connection:
        # The knowledge base before the document, in the order a deletion takes them: the operation holds on to both.
        kb_id = (await find_or_raise(connection, identity.workspace_id, document_id)).kb_id
        await knowledge_bases.lock_knowledge_base(connection, identity.workspace_id, kb_id)
        document = await find_or_raise(connection, identity.workspace_id, document_id, lock=True)
        if document.latest.status is not DocumentStatus.FAILED:
            raise Conflict(f"'{document.name}' is {document.latest.status}; only a failed document can be retried.")
        version_id = document.latest.version_id
        await documents.set_version_status(connection, identity.workspace_id, version_id, DocumentStatus.PENDING)
        return await start_indexing(
            resources, connection, identity, await find_or_raise(connection, identity.workspace_id, document_id)
        )


async def start_indexing(
    resources: Resources, connection: Connection, identity: Identity, document: Document
) -> Uploaded:
    """The operation and its job, in the caller's transaction: both are there, or neither."""
    operation_id, workspace_id = new_id("op"), identity.workspace_id
    waiting = await operations.count_unfinished(connection, workspace_id)
    await operations.insert_operation(
        connection,
        workspace_id,
        operation_id=operation_id,
        kind=OperationKind.INDEX,
        kb_id=document.kb_id,
        document_id=document.document_id,
        version_id=document.latest.version_id,
        traceparent=current_traceparent(),
        created_by=identity.user.user_id,
    )
    await jobs.enqueue_indexing(
        resources.queue,
        connection,
        workspace_id,
        operation_id,
        size_bytes=document.latest.size_bytes,
        waiting=waiting,
    )
    waiting_now = replace(document, operation_id=operation_id, progress=0, latest=replace(document.latest, error=None))
    return Uploaded(waiting_now, operation_id)
