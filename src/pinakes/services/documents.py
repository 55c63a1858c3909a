"""Documents: list, change, download, delete."""

import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from opentelemetry import trace

from pinakes.domain.document import (
    Document,
    DocumentKind,
    DocumentStatus,
    ReadableDocument,
    Tags,
)
from pinakes.domain.errors import NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.knowledge_base import clean_name
from pinakes.services.knowledge_bases import Freed, empty_trash, find_id_or_raise
from pinakes.services.resources import Resources
from pinakes.store import blobs, chunks, documents, operations
from pinakes.store.database import Connection, Row

DOWNLOAD_SECONDS = 900
_DOWNLOAD = "download"
_tracer = trace.get_tracer("pinakes")


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
    """An original on its way out; `size_bytes` counts all of it, also where only a span was asked for."""

    name: str
    media_type: str
    size_bytes: int
    sha256: str
    content: AsyncIterator[bytes]


async def list_documents(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    *,
    status: DocumentStatus | None = None,
    kind: DocumentKind | None = None,
    tag: tuple[str, str] | None = None,
    source: str | None = None,
    name: str | None = None,
    words: str | None = None,
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
            source=source,
            name=name,
            words=words,
            limit=limit,
            offset=offset,
        )


async def list_readable(
    resources: Resources, identity: Identity, *, before: str | None = None, limit: int = 50
) -> list[ReadableDocument]:
    """Documents of all knowledge bases that can be read now, newest first, from those made before `before` on."""
    identity.require(Scope.READ)
    return await documents.list_readable(resources.database, identity.workspace_id, before=before, limit=limit)


async def get_document(resources: Resources, identity: Identity, document_id: str) -> Document:
    """One document."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await find_or_raise(connection, identity.workspace_id, document_id)


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
        document = await find_or_raise(connection, identity.workspace_id, document_id, lock=True)
        changed = replace(
            document,
            title=document.title if title is None else clean_name(title, "title") if title.strip() else None,
            tags=document.tags if tags is None else tags,
        )
        await documents.update_document(
            connection, identity.workspace_id, document_id, title=changed.title, tags=changed.tags
        )
        return await find_or_raise(connection, identity.workspace_id, document_id)


async def delete_document(resources: Resources, identity: Identity, document_id: str) -> Freed:
    """Delete a document's original, chunks and vectors; says what was freed."""
    identity.require(Scope.WRITE)
    freed = await remove_document(resources, identity.workspace_id, document_id)
    if freed is None:
        raise _not_found(document_id)
    return freed


async def remove_document(resources: Resources, workspace_id: str, document_id: str) -> Freed | None:
    """Take a document out with everything it holds; None if it is gone already."""
    async with resources.database.transaction(workspace_id) as connection:
        if await documents.find_document(connection, workspace_id, document_id, lock=True) is None:
            return None
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
        await find_or_raise(connection, identity.workspace_id, document_id)
        return await chunks.list_chunks(connection, identity.workspace_id, document_id, limit=limit, offset=offset)


async def list_versions(resources: Resources, identity: Identity, document_id: str) -> list[Row]:
    """The versions that a document still holds, newest first."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await find_or_raise(connection, identity.workspace_id, document_id)
        return await documents.list_versions_of(connection, identity.workspace_id, document_id)


async def get_chunk(resources: Resources, identity: Identity, document_id: str, chunk_id: str) -> Row:
    """One chunk of the version that answers."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await find_or_raise(connection, identity.workspace_id, document_id)
        chunk = await chunks.find_chunk(connection, identity.workspace_id, document_id, chunk_id)
    if chunk is None:
        raise NotFound(f"There is no passage '{chunk_id}' in this document. It may belong to an earlier version.")
    return chunk


async def read_text(resources: Resources, identity: Identity, document_id: str) -> str:
    """The text of the version that answers, or of the latest while none does; DocumentFault where there is none."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await find_or_raise(connection, identity.workspace_id, document_id)
        original = await documents.find_original(connection, identity.workspace_id, document_id)
    if original is None:
        raise NotFound("The document was deleted meanwhile.")
    async with resources.upload_turns:
        content = await resources.blobs.get(original["blob_key"])
        return (await resources.parser.parse(original["media_type"], content)).text


async def sign_download(resources: Resources, identity: Identity, document_id: str) -> SignedDownload:
    """A token with which anyone can fetch the original for the next 15 minutes."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await find_or_raise(connection, identity.workspace_id, document_id)
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


async def open_download(
    resources: Resources, token: str, choose_span: Callable[[int, str], range | None] = lambda _size, _sha256: None
) -> Download:
    """The original a token stands for, or the span of it that its size and hash let the caller choose."""
    payload = resources.vault.verify(_DOWNLOAD, token, int(time.time()))
    workspace_id, _, document_id = payload.partition("/")
    async with resources.database.transaction(workspace_id) as connection:
        original = await documents.find_original(connection, workspace_id, document_id)
    if original is None:
        raise NotFound("The document this link points to was deleted.")
    sha256: str = original["sha256"].hex()
    span = choose_span(original["size_bytes"], sha256)
    size, content = await resources.blobs.stream(original["blob_key"], span)
    return Download(original["name"], original["media_type"], size, sha256, content)


async def find_or_raise(connection: Connection, workspace_id: str, document_id: str, *, lock: bool = False) -> Document:
    document = await documents.find_document(connection, workspace_id, document_id, lock=lock)
    if document is None:
        raise _not_found(document_id)
    return document


def _not_found(document_id: str) -> NotFound:
    return NotFound(f"There is no document '{document_id}' in this workspace.")
