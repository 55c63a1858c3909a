"""Indexing one version of a document: parse, chunk, embed, write, swap. Safe to be killed at any point."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from opentelemetry import trace

from pinakes.domain.bm25 import make_posting
from pinakes.domain.chunk import MAX_CHUNKS
from pinakes.domain.chunking import chunk_document
from pinakes.domain.document import Document, DocumentStatus
from pinakes.domain.errors import (
    Conflict,
    DocumentFault,
    NotFound,
    PinakesError,
    ProviderFault,
    RetryableFault,
    Superseded,
)
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import MAX_NAME, KbIndex
from pinakes.domain.languages import tell_language
from pinakes.domain.operation import Operation, OperationStatus
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.summary import Summary, summarise
from pinakes.providers.embedding import Embedder
from pinakes.services.embedders import find_ready_embedder
from pinakes.services.embedding import Embedding, embed_batch, embed_batches, split_batches
from pinakes.services.knowledge_bases import empty_trash
from pinakes.services.resources import Resources
from pinakes.services.tracing import trace_context
from pinakes.services.vectors import ask_for_own_tables
from pinakes.store import blobs, chunks, documents, events, generations, knowledge_bases, operations
from pinakes.store.chunks import IndexedChunk
from pinakes.store.database import Connection
from pinakes.store.operations import Claim

MAX_ATTEMPTS = 25
# A provider that is away this long will not come back by itself.
PATIENCE = timedelta(days=7)
_KEYWORD_CHUNK_TOKENS = 254
_CHUNKED, _EMBEDDED = 10, 95
_CANCELLED = "Indexing was cancelled. Retry it, or delete the document."
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class Indexed:
    """A version ready to be written; `last` are the embeddings that are not staged."""

    parsed: ParsedDocument
    language: str | None
    summary: Summary
    entries: Sequence[IndexedChunk]
    last: Mapping[bytes, Embedding]


class _Switched(Exception):
    """The generation this version is indexed for does not answer any more."""


async def index_version(resources: Resources, workspace_id: str, operation_id: str) -> None:
    """Carry an operation through to its end; raises ProviderFault where it is worth trying again later."""
    async with resources.database.transaction(workspace_id) as connection:
        claim = await operations.claim_operation(connection, workspace_id, operation_id)
    if claim is None:
        return
    with _tracer.start_as_current_span("index", context=trace_context(claim.traceparent)) as span:
        span.set_attributes({"pinakes.operation": operation_id, "pinakes.attempt": claim.attempts})
        try:
            await _index(resources, claim)
        except Superseded:
            return
        except (RetryableFault, NotFound) as fault:
            await _fail(resources, claim, fault.message)
        except DocumentFault as fault:
            await _fail(resources, claim, fault.message, retryable=False)
        except ProviderFault as fault:
            await _wait_or_give_up(resources, claim, fault)


async def _fail(resources: Resources, claim: Claim, reason: str, *, retryable: bool = True) -> None:
    """End an operation with the reason its document could not be indexed."""
    async with resources.database.transaction(claim.workspace_id) as connection:
        await documents.find_document(connection, claim.workspace_id, claim.document_id, lock=True)
        try:
            await operations.hold(connection, claim)
        except Superseded:
            return
        await operations.finish_operation(connection, claim, OperationStatus.FAILED, reason)
        await documents.set_version_status(
            connection, claim.workspace_id, claim.version_id, DocumentStatus.FAILED, reason, retryable=retryable
        )
        await events.publish(connection, _event("failed", claim, 100))


async def fail_operation(resources: Resources, workspace_id: str, operation_id: str, reason: str) -> None:
    """End an operation whose worker hit a fault of ours."""
    async with resources.database.transaction(workspace_id) as connection:
        claim = await operations.claim_operation(connection, workspace_id, operation_id)
    if claim is not None:
        await _fail(resources, claim, reason)


async def cancel_indexing(resources: Resources, workspace_id: str, operation: Operation) -> None:
    """Stop the indexing of a version: it can be retried, and what answered before goes on answering."""
    async with resources.database.transaction(workspace_id) as connection:
        # The document first, in the order workers and deletions take them.
        await documents.find_document(connection, workspace_id, operation.document_id or "", lock=True)
        claim = await operations.claim_operation(connection, workspace_id, operation.operation_id)
        if claim is None:
            raise Conflict("This operation is over already.", code="OPERATION_OVER")
        await operations.finish_operation(connection, claim, OperationStatus.TERMINATED)
        await documents.set_version_status(
            connection, workspace_id, claim.version_id, DocumentStatus.FAILED, _CANCELLED
        )
        await events.publish(connection, _event("failed", claim, 100))


async def _wait_or_give_up(resources: Resources, claim: Claim, fault: PinakesError) -> None:
    """Wait with the reason for all to see; whoever took the operation over meanwhile goes on with it."""
    if datetime.now(UTC) - claim.started_at > PATIENCE:
        await _fail(resources, claim, f"Gave up after {PATIENCE.days} days. {fault.message}")
        return
    async with resources.database.transaction(claim.workspace_id) as connection:
        await documents.find_document(connection, claim.workspace_id, claim.document_id, lock=True)
        if not await operations.note_setback(connection, claim, fault.message):
            return
        await documents.set_version_status(connection, claim.workspace_id, claim.version_id, DocumentStatus.PENDING)
    raise fault


async def _index(resources: Resources, claim: Claim) -> None:
    if claim.attempts > MAX_ATTEMPTS:
        raise RetryableFault(
            f"Indexing was interrupted {claim.attempts - 1} times. Something about this file may bring the worker "
            "down; retry it, or remove it."
        )
    while True:
        try:
            return await _index_into(resources, claim, await _find_index(resources, claim))
        except _Switched:
            # Nothing is written to a generation that no longer answers: it would be missing in the new one.
            continue


async def _index_into(resources: Resources, claim: Claim, index: KbIndex) -> None:
    # Before anything is read: a thousand documents that wait for one embedder must cost next to nothing.
    embedder = await find_ready_embedder(resources, claim.workspace_id, index.embedder)
    document = await _begin(resources, claim)
    parsed = await _parse(resources, document)
    entries = await _chunk(parsed, index, embedder)
    last: Mapping[bytes, Embedding] = {}
    if embedder is not None:
        last = await _embed(resources, claim, index, embedder, entries)
    summary = await asyncio.to_thread(summarise, [entry.chunk.content for entry in entries], title=parsed.title)
    language = await asyncio.to_thread(tell_language, parsed.text)
    await _finish(resources, claim, index, Indexed(parsed, language, summary, entries, last))


async def _find_index(resources: Resources, claim: Claim) -> KbIndex:
    async with resources.database.transaction(claim.workspace_id) as connection:
        found = await knowledge_bases.active_indexes(connection, claim.workspace_id, [claim.kb_id])
    if not found:
        raise Superseded("The knowledge base was deleted.")
    return found[0]


async def _begin(resources: Resources, claim: Claim) -> Document:
    async with resources.database.transaction(claim.workspace_id, durable=False) as connection:
        document = await documents.find_document(connection, claim.workspace_id, claim.document_id, lock=True)
        await operations.hold(connection, claim)
        if document is None or document.latest.version_id != claim.version_id:
            raise Superseded("A newer version took this one's place.")
        await documents.set_version_status(connection, claim.workspace_id, claim.version_id, DocumentStatus.INDEXING)
        await operations.set_progress(connection, claim, 1)
        await events.publish(connection, _event("progress", claim, 1))
    return document


async def _parse(resources: Resources, document: Document) -> ParsedDocument:
    with _tracer.start_as_current_span("parse"):
        content = await resources.blobs.get(document.latest.blob_key)
        return await resources.parser.parse(document.latest.media_type, content)


async def _chunk(parsed: ParsedDocument, index: KbIndex, embedder: Embedder | None) -> list[IndexedChunk]:
    with _tracer.start_as_current_span("chunk") as span:
        entries = await asyncio.to_thread(_make_entries, parsed, index, embedder)
        span.set_attribute("pinakes.chunks", len(entries))
    if not entries:
        raise DocumentFault("There is no text in this document.")
    if len(entries) > MAX_CHUNKS:
        raise DocumentFault(
            f"This document has {len(entries):,} passages; at most {MAX_CHUNKS:,} are indexed. Split it."
        )
    return entries


def _make_entries(parsed: ParsedDocument, index: KbIndex, embedder: Embedder | None) -> list[IndexedChunk]:
    # Two tokens of the model's limit are its own.
    max_tokens = embedder.max_tokens - 2 if embedder else _KEYWORD_CHUNK_TOKENS
    count: Callable[[str], int] = embedder.count_tokens if embedder else _estimate_tokens
    return [
        IndexedChunk(
            chunk_id=new_id("chk"),
            chunk=chunk,
            text_hash=hashlib.sha256(chunk.index_text.encode()).digest(),
            posting=make_posting(chunk.index_text, index.avgdl_ref, chunk.headings),
        )
        for chunk in chunk_document(parsed, max_tokens=max_tokens, count_tokens=count)
    ]


def _estimate_tokens(text: str) -> int:
    """Where no model sets the size of a chunk, a byte count that treats all scripts alike will do."""
    return len(text.encode()) // 4 + 1


async def _embed(
    resources: Resources,
    claim: Claim,
    index: KbIndex,
    embedder: Embedder,
    entries: Sequence[IndexedChunk],
) -> Mapping[bytes, Embedding]:
    """Embed what is not embedded yet and keep every batch at once, but for the last, which is returned.

    A crash of the database costs the latest batches at worst, so none waits for the disk.
    """
    texts = {entry.text_hash: entry.chunk.index_text for entry in entries}
    with _tracer.start_as_current_span("embed") as span:
        async with resources.database.transaction(claim.workspace_id, durable=False) as connection:
            await _hold(connection, claim, index)
            staged = await chunks.staged_hashes(connection, claim, index, list(texts))
            await _note_progress(connection, claim, _CHUNKED)
        missing = [text_hash for text_hash in texts if text_hash not in staged]
        span.set_attributes({"pinakes.embedded": len(missing), "pinakes.reused": len(texts) - len(missing)})
        waiting = split_batches({text_hash: texts[text_hash] for text_hash in missing})
        if not waiting:
            return {}
        last = waiting.pop()

        async def stage(embedded: Mapping[bytes, Embedding]) -> None:
            async with resources.database.transaction(claim.workspace_id, durable=False) as connection:
                await _hold(connection, claim, index)
                await chunks.stage_embeddings(connection, claim, index, embedded)
                done = len(texts) - sum(map(len, waiting)) - 1
                await _note_progress(connection, claim, _CHUNKED + (_EMBEDDED - _CHUNKED) * done // len(texts))

        await embed_batches(resources, embedder, waiting, stage)
        return await embed_batch(resources, embedder, last)


async def _finish(
    resources: Resources,
    claim: Claim,
    index: KbIndex,
    made: Indexed,
) -> None:
    """Write and swap in one transaction: the version answers as a whole or not at all."""
    workspace_id = claim.workspace_id
    with _tracer.start_as_current_span("write"):
        async with resources.database.transaction(workspace_id) as connection:
            # In the order a deletion takes them: the knowledge base, the document, the operation.
            await _keep_generation(connection, claim, index)
            document = await documents.find_document(connection, workspace_id, claim.document_id, lock=True)
            await operations.hold(connection, claim)
            assert document is not None
            await chunks.insert_chunks(connection, claim, index, made.entries, made.last)
            replaced = await chunks.swap_version(connection, claim, len(made.entries))
            await ask_for_own_tables(resources, connection, workspace_id, index.index_id)
            if replaced:
                await blobs.trash_blobs(connection, workspace_id, replaced)
            await documents.describe_version(connection, workspace_id, claim.version_id, made.parsed, made.language)
            title = made.parsed.title and made.parsed.title[:MAX_NAME]
            await documents.describe_document(
                connection, workspace_id, document.document_id, title=title, summary=made.summary
            )
            await operations.finish_operation(connection, claim, OperationStatus.COMPLETED)
            await events.publish(connection, _event("done", claim, 100))
    await empty_trash(resources, workspace_id, replaced)


async def _hold(connection: Connection, claim: Claim, index: KbIndex) -> None:
    """Keep generation and operation as they are until the transaction ends."""
    await _keep_generation(connection, claim, index)
    await operations.hold(connection, claim)


async def _keep_generation(connection: Connection, claim: Claim, index: KbIndex) -> None:
    if not await generations.is_active(connection, claim.workspace_id, claim.kb_id, index.index_id):
        raise _Switched


async def _note_progress(connection: Connection, claim: Claim, progress: int) -> None:
    await operations.set_progress(connection, claim, progress)
    await events.publish(connection, _event("progress", claim, progress))


def _event(kind: events.EventType, claim: Claim, progress: int) -> events.Event:
    return events.Event(
        type=kind,
        workspace_id=claim.workspace_id,
        operation_id=claim.operation_id,
        document_id=claim.document_id,
        kb_id=claim.kb_id,
        progress=progress,
    )
