"""One knowledge base out into a portable file, and in from one by the same way as any upload."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import IO

from psycopg import Error as DatabaseError

from pinakes import __version__
from pinakes.domain.bundle import (
    DOCUMENTS,
    EMBEDDINGS,
    MANIFEST,
    ORIGINALS,
    BundleDocument,
    BundleManifest,
    broken,
    write_document,
    write_manifest,
)
from pinakes.domain.document import DocumentKind
from pinakes.domain.errors import NotFound, PinakesError
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.knowledge_base import KnowledgeBase
from pinakes.domain.note import blocks_of
from pinakes.domain.storable import has_broken_text
from pinakes.providers.bundles import BundleReader, BundleWriter
from pinakes.providers.sniffing import sniff
from pinakes.services.knowledge_bases import (
    create_knowledge_base,
    delete_knowledge_base,
    find_or_raise,
    get_knowledge_base,
)
from pinakes.services.resources import Resources
from pinakes.services.uploads import Written, upload_document
from pinakes.store import bundles
from pinakes.store.bundles import Brought, Generation, KeptDocument


@dataclass(frozen=True, slots=True)
class Export:
    """A bundle on its way out."""

    file_name: str
    content: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class Imported:
    """The knowledge base a bundle became; `embeddings` came along and need not be made again."""

    knowledge_base: KnowledgeBase
    documents: int
    embeddings: int


async def export_knowledge_base(resources: Resources, identity: Identity, reference: str, *, vectors: bool) -> Export:
    """A knowledge base as it is now, with the embeddings of its passages if wanted."""
    identity.require(Scope.READ)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id, snapshot=True) as connection:
        kb = await find_or_raise(connection, identity, reference)
        generation = await bundles.find_generation(connection, workspace_id, kb.kb_id)
        documents = await bundles.list_kept_documents(connection, workspace_id, kb.kb_id)
    content = _write(resources, workspace_id, kb, generation, documents, vectors=vectors)
    return Export(f"{kb.slug}.pinakes.zip", content)


async def _write(
    resources: Resources,
    workspace_id: str,
    kb: KnowledgeBase,
    generation: Generation,
    documents: list[KeptDocument],
    *,
    vectors: bool,
) -> AsyncIterator[bytes]:
    """The bundle piece by piece: its lists come last, when it is known what was still there to be written."""
    writer = BundleWriter()
    kept: list[KeptDocument] = []
    written: set[bytes] = set()
    for document in documents:
        if document.sha256 not in written:
            try:
                content = await resources.blobs.get(document.blob_key)
            except NotFound:
                # Deleted or replaced since we looked.
                continue
            written.add(document.sha256)
            yield await asyncio.to_thread(writer.add, ORIGINALS + document.sha256.hex(), content)
        kept.append(document)
    listed = [_listed(document) for document in kept]
    if vectors and generation.dims is not None:
        first = 0
        for at, document in enumerate(kept):
            async with resources.database.transaction(workspace_id) as connection:
                found = await bundles.list_embeddings(
                    connection, workspace_id, generation.index_id, document.version_id
                )
            listed[at] = replace(listed[at], first_embedding=first, embeddings=len(found))
            first += len(found)
            records = b"".join(text_hash + vector.tobytes() for text_hash, vector in found)
            yield await asyncio.to_thread(writer.append, EMBEDDINGS, records)
        yield writer.end()
    yield await asyncio.to_thread(writer.add, DOCUMENTS, b"".join(map(write_document, listed)))
    yield writer.add(MANIFEST, write_manifest(_manifest(kb, generation, listed)))
    yield writer.close()


def _listed(document: KeptDocument) -> BundleDocument:
    return BundleDocument(
        name=document.name,
        kind=document.kind,
        title=document.title,
        tags=document.tags,
        source=document.source,
        created_at=document.created_at,
        sha256=document.sha256.hex(),
        size_bytes=document.size_bytes,
        author=document.author,
        blocks=blocks_of(document.blocks),
    )


def _manifest(kb: KnowledgeBase, generation: Generation, documents: list[BundleDocument]) -> BundleManifest:
    return BundleManifest(
        program_version=__version__,
        exported_at=datetime.now(UTC),
        name=kb.name,
        slug=kb.slug,
        description=kb.description,
        lifecycle_days=kb.lifecycle_days,
        documents=len(documents),
        embedder=generation.embedder,
        dims=generation.dims,
        embeddings=sum(document.embeddings for document in documents),
    )


async def import_bundle(
    resources: Resources,
    identity: Identity,
    file: IO[bytes],
    *,
    name: str | None = None,
    slug: str | None = None,
    embedder: str | None = None,
) -> Imported:
    """A bundle as a new knowledge base; it is checked as a whole before any of it is stored."""
    identity.require(Scope.WRITE)
    bundle = await asyncio.to_thread(_open_checked, resources, file)
    kb = await create_knowledge_base(
        resources,
        identity,
        name=name or bundle.manifest.name,
        description=bundle.manifest.description,
        lifecycle_days=bundle.manifest.lifecycle_days,
        slug=slug,
        embedder=embedder,
    )
    try:
        brought = await _upload_all(resources, identity, kb, bundle)
    except (PinakesError, DatabaseError, asyncio.CancelledError):
        await delete_knowledge_base(resources, identity, kb.kb_id, confirm=True)
        raise
    made = await get_knowledge_base(resources, identity, kb.kb_id)
    return Imported(made, len(bundle.documents), brought)


def _open_checked(resources: Resources, file: IO[bytes]) -> BundleReader:
    """The bundle, once everything an upload would be refused for has been looked at."""
    bundle = BundleReader(file, resources.limits)
    for document in bundle.documents:
        _check_original(document, bundle.read_original(document))
        bundle.check_embeddings(document)
    bundle.rewind()
    return bundle


def _check_original(document: BundleDocument, content: bytes) -> None:
    if document.kind is not DocumentKind.NOTE:
        sniff(document.name, content)
        return
    # As where notes are written: whatever it begins with, it is Markdown.
    try:
        broken_text = has_broken_text(content.decode())
    except UnicodeDecodeError:
        broken_text = True
    if broken_text:
        raise broken(f"the note '{document.name}' is no text")


async def _upload_all(resources: Resources, identity: Identity, kb: KnowledgeBase, bundle: BundleReader) -> int:
    """Every document in its order; returns how many embeddings go with them."""
    async with resources.database.transaction(identity.workspace_id) as connection:
        generation = await bundles.find_generation(connection, identity.workspace_id, kb.kb_id)
    fits = (generation.embedder, generation.dims) == (bundle.manifest.embedder, bundle.manifest.dims)
    count = 0
    for document in bundle.documents:
        content = await asyncio.to_thread(bundle.read_original, document)
        embeddings = await asyncio.to_thread(bundle.read_embeddings, document) if fits else {}
        count += len(embeddings)
        await upload_document(
            resources,
            identity,
            kb.kb_id,
            name=document.name,
            content=content,
            title=document.title,
            tags=document.tags,
            source=document.source,
            brought=Brought(document.kind, document.created_at, document.author, embeddings),
            written=Written(document.kind, document.blocks) if document.kind is DocumentKind.NOTE else None,
        )
    return count
