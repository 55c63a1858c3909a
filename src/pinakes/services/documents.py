"""Documents: upload, list, change, retry, download, delete."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from opentelemetry import trace

from pinakes.domain.document import (
    Document,
    DocumentKind,
    DocumentStatus,
    Tags,
    clean_file_name,
)
from pinakes.domain.errors import Conflict, FileTooLarge, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import clean_name
from pinakes.providers.sniffing import sniff
from pinakes.services.knowledge_bases import Freed, empty_trash, find_id_or_raise
from pinakes.services.resources import Resources
from pinakes.services.tracing import current_traceparent
from pinakes.store import blobs, chunks, documents, jobs, knowledge_bases, operations
from pinakes.store.database import Connection, Row
from pinakes.store.documents import NewVersion

DOWNLOAD_SECONDS = 900
_DOWNLOAD = "download"
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What became of an upload; `unchanged` means the very same file was there already."""

    document: Document
    operation_id: str | None
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class SignedDownload:
    """Leave to fetch the original of the version that answers."""

    token: str
    expires_at: datetime
    name: str
    media_type: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Download:
    """An original on its way out."""

    name: str
    media_type: str
    size_bytes: int
    content: AsyncIterator[bytes]


async def upload_document(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    *,
    name: str,
    content: bytes,
    title: str | None = None,
    tags: Tags | None = None,
    replace_existing: bool = False,
) -> Uploaded:
    """Take a file in: what can be refused is refused before anything is stored, the rest happens behind."""
    identity.require(Scope.WRITE)
    with _tracer.start_as_current_span("upload") as span:
        name = clean_file_name(name)
        title = None if title is None else clean_name(title, "title")
        if len(content) > resources.limits.file_bytes:
            raise FileTooLarge(resources.limits.file_too_large(f"'{name}'"))
        media_type = await asyncio.to_thread(sniff, name, content)
        digest = (await asyncio.to_thread(hashlib.sha256, content)).digest()
        async with resources.database.transaction(identity.workspace_id) as connection:
            kb_id = await find_id_or_raise(connection, identity, kb_reference)
            there = await documents.find_document_by_name(connection, identity.workspace_id, kb_id, name)
            unchanged = _clash(there, name, digest, replace_existing)
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
        span.set_attributes({"pinakes.size": len(content), "pinakes.media_type": media_type})
        if unchanged and there is not None:
            return Uploaded(there, None, unchanged=True)
        await resources.blobs.put(version.blob_key, content)
        request = _Upload(name, title, tags, replace_existing)
        return await _commit_upload(resources, identity, kb_id, request, version)


@dataclass(frozen=True, slots=True)
class _Upload:
    name: str
    title: str | None
    tags: Tags | None
    replace: bool


async def _commit_upload(
    resources: Resources, identity: Identity, kb_id: str, upload: _Upload, version: NewVersion
) -> Uploaded:
    """Make a stored original a document with a job, in one transaction."""
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        if not await knowledge_bases.lock_knowledge_base(connection, workspace_id, kb_id):
            raise NotFound("The knowledge base was deleted meanwhile.")
        await documents.lock_name(connection, workspace_id, kb_id, upload.name)
        there = await documents.find_document_by_name(connection, workspace_id, kb_id, upload.name)
        _clash(there, upload.name, version.sha256, upload.replace)
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
                kind=DocumentKind.FILE,
                name=upload.name,
                title=upload.title,
                tags=upload.tags or {},
                created_by=identity.user.user_id,
                version=version,
            )
        else:
            document_id = there.document_id
            given_way = await _add_version(connection, workspace_id, there, upload, version)
        document = await _find(connection, workspace_id, document_id)
        uploaded = await _start_indexing(resources, connection, identity, document)
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
        await chunks.delete_versions(connection, workspace_id, [there.latest.version_id])
        await blobs.trash_blobs(connection, workspace_id, given_way)
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
    if not replacing:
        raise Conflict(
            f"'{name}' is in this knowledge base already. Upload with replace to put this version in its place.",
            code="DUPLICATE_FILE",
            details={"documentId": there.document_id},
        )
    return there.latest.sha256 == digest and there.latest.status is not DocumentStatus.FAILED


async def list_documents(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    *,
    status: DocumentStatus | None = None,
    kind: DocumentKind | None = None,
    tag: tuple[str, str] | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[list[Document], int]:
    """A page of a knowledge base's documents, newest first, and how many match."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        kb_id = await find_id_or_raise(connection, identity, kb_reference)
        return await documents.list_documents(
            connection,
            identity.workspace_id,
            kb_id,
            status=status,
            kind=kind,
            tag=tag,
            limit=limit,
            offset=offset,
        )


async def get_document(resources: Resources, identity: Identity, document_id: str) -> Document:
    """One document."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await _find(connection, identity.workspace_id, document_id)


async def update_document(
    resources: Resources,
    identity: Identity,
    document_id: str,
    *,
    title: str | None = None,
    tags: Tags | None = None,
) -> Document:
    """Change what is given; an empty title or an empty list of tags clears it."""
    identity.require(Scope.WRITE)
    async with resources.database.transaction(identity.workspace_id) as connection:
        document = await _find(connection, identity.workspace_id, document_id, lock=True)
        changed = replace(
            document,
            title=document.title if title is None else clean_name(title, "title") if title.strip() else None,
            tags=document.tags if tags is None else tags,
        )
        await documents.update_document(
            connection, identity.workspace_id, document_id, title=changed.title, tags=changed.tags
        )
        return await _find(connection, identity.workspace_id, document_id)


async def retry_document(resources: Resources, identity: Identity, document_id: str) -> Uploaded:
    """Try again to index a document that failed."""
    identity.require(Scope.WRITE)
    async with resources.database.transaction(identity.workspace_id) as connection:
        document = await _find(connection, identity.workspace_id, document_id, lock=True)
        if document.latest.status is not DocumentStatus.FAILED:
            raise Conflict(f"'{document.name}' is {document.latest.status}; only a failed document can be retried.")
        version_id = document.latest.version_id
        await documents.set_version_status(connection, identity.workspace_id, version_id, DocumentStatus.PENDING)
        return await _start_indexing(
            resources, connection, identity, await _find(connection, identity.workspace_id, document_id)
        )


async def delete_document(resources: Resources, identity: Identity, document_id: str) -> Freed:
    """Delete a document's original, chunks and vectors; says what was freed."""
    identity.require(Scope.WRITE)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        await _find(connection, workspace_id, document_id, lock=True)
        await operations.lock_operations(connection, workspace_id, document_id)
        versions = await documents.list_versions(connection, workspace_id, [document_id])
        keys = [version["blob_key"] for version in versions]
        await chunks.uncount_terms(connection, workspace_id, [version["version_id"] for version in versions])
        await blobs.trash_blobs(connection, workspace_id, keys)
        await documents.delete_documents(connection, workspace_id, [document_id])
    await empty_trash(resources, workspace_id, keys)
    return Freed(
        documents=1,
        chunks=sum(version["chunk_count"] for version in versions),
        size_bytes=sum(version["size_bytes"] for version in versions),
    )


async def list_chunks(
    resources: Resources, identity: Identity, document_id: str, *, limit: int = 50, offset: int = 0
) -> tuple[list[Row], int]:
    """A page of the chunks that answer for a document, in order."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await _find(connection, identity.workspace_id, document_id)
        return await chunks.list_chunks(connection, identity.workspace_id, document_id, limit=limit, offset=offset)


async def sign_download(resources: Resources, identity: Identity, document_id: str) -> SignedDownload:
    """A token with which anyone can fetch the original for the next 15 minutes."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await _find(connection, identity.workspace_id, document_id)
        original = await documents.find_original(connection, identity.workspace_id, document_id)
    if original is None:
        raise NotFound("The document was deleted meanwhile.")
    expires_at = int(time.time()) + DOWNLOAD_SECONDS
    return SignedDownload(
        token=resources.vault.sign(_DOWNLOAD, f"{identity.workspace_id}/{document_id}", expires_at),
        expires_at=datetime.fromtimestamp(expires_at, UTC),
        name=original["name"],
        media_type=original["media_type"],
        size_bytes=original["size_bytes"],
    )


async def open_download(resources: Resources, token: str) -> Download:
    """The original a token stands for."""
    payload = resources.vault.verify(_DOWNLOAD, token, int(time.time()))
    workspace_id, _, document_id = payload.partition("/")
    async with resources.database.transaction(workspace_id) as connection:
        original = await documents.find_original(connection, workspace_id, document_id)
    if original is None:
        raise NotFound("The document this link points to was deleted.")
    size, content = await resources.blobs.stream(original["blob_key"])
    return Download(original["name"], original["media_type"], size, content)


async def _start_indexing(
    resources: Resources, connection: Connection, identity: Identity, document: Document
) -> Uploaded:
    """The operation and its job, in the caller's transaction: both are there, or neither."""
    operation_id, workspace_id = new_id("op"), identity.workspace_id
    waiting = await operations.count_unfinished(connection, workspace_id)
    await operations.insert_operation(
        connection,
        workspace_id,
        operation_id=operation_id,
        kind="index",
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


async def _find(connection: Connection, workspace_id: str, document_id: str, *, lock: bool = False) -> Document:
    document = await documents.find_document(connection, workspace_id, document_id, lock=lock)
    if document is None:
        raise NotFound(f"There is no document '{document_id}' in this workspace.")
    return document
