"""The switch itself: a generation is filled and checked behind the one that answers, then takes its place."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from opentelemetry import trace

from pinakes.domain.bm25 import make_posting
from pinakes.domain.errors import DocumentFault, ProviderFault, Superseded
from pinakes.domain.knowledge_base import KbIndex
from pinakes.domain.operation import OperationStatus
from pinakes.providers.embedding import Embedder
from pinakes.services.embedders import find_ready_embedder
from pinakes.services.embedding import AT_ONCE, Embedding, embed_batch, embed_batches, split_batches
from pinakes.services.ingestion import MAX_ATTEMPTS, PATIENCE
from pinakes.services.resources import Resources
from pinakes.services.tracing import trace_context
from pinakes.services.vectors import build_own_tables
from pinakes.store import events, generation_contents, generations, operations, vectors
from pinakes.store.database import Connection
from pinakes.store.generation_contents import Missing
from pinakes.store.operations import SwitchClaim

_PAGE = 1_000
# After so many rounds that others kept adding passages in, the last few are filled in while they wait.
_PATIENT_ROUNDS = 3
_FILLED = 98
_BEAT_SECONDS = 60
_tracer = trace.get_tracer("pinakes")


async def switch_generation(resources: Resources, workspace_id: str, operation_id: str) -> None:
    """Carry a switch through to its end; raises ProviderFault where it is worth trying again later."""
    async with resources.database.transaction(workspace_id) as connection:
        claim = await operations.claim_switch(connection, workspace_id, operation_id)
    if claim is None:
        return
    with _tracer.start_as_current_span("switch", context=trace_context(claim.traceparent)) as span:
        span.set_attributes({"pinakes.operation": operation_id, "pinakes.attempt": claim.attempts})
        try:
            await _build_and_switch(resources, claim)
        except Superseded:
            return
        except DocumentFault as fault:
            await _fail(resources, claim, fault.message)
        except ProviderFault as fault:
            await _wait_or_give_up(resources, claim, fault)


async def fail_switch(resources: Resources, workspace_id: str, operation_id: str, reason: str) -> None:
    """End a switch whose worker hit a fault of ours."""
    async with resources.database.transaction(workspace_id) as connection:
        claim = await operations.claim_switch(connection, workspace_id, operation_id)
    if claim is not None:
        await _fail(resources, claim, reason)


async def _fail(resources: Resources, claim: SwitchClaim, reason: str) -> None:
    async with resources.database.transaction(claim.workspace_id) as connection:
        try:
            await operations.hold(connection, claim)
        except Superseded:
            return
        await operations.finish_operation(connection, claim, OperationStatus.FAILED, reason)
        await events.publish(connection, switch_event("failed", claim, 100))


async def _wait_or_give_up(resources: Resources, claim: SwitchClaim, fault: ProviderFault) -> None:
    if datetime.now(UTC) - claim.started_at > PATIENCE:
        await _fail(resources, claim, f"Gave up after {PATIENCE.days} days. {fault.message}")
        return
    async with resources.database.transaction(claim.workspace_id) as connection:
        if not await operations.note_setback(connection, claim, fault.message):
            return
    raise fault


@dataclass(frozen=True, slots=True)
class _Build:
    """A generation on its way; `embedder` is None where it has keywords only."""

    resources: Resources
    claim: SwitchClaim
    index: KbIndex
    embedder: Embedder | None

    @property
    def workspace_id(self) -> str:
        return self.claim.workspace_id


async def _build_and_switch(resources: Resources, claim: SwitchClaim) -> None:
    if claim.attempts > MAX_ATTEMPTS:
        raise DocumentFault(f"The switch was interrupted {claim.attempts - 1} times. Look at the log; try again.")
    async with resources.database.transaction(claim.workspace_id) as connection:
        index = await generations.find_index(connection, claim.workspace_id, claim.index_id)
    if index is None:
        raise Superseded("The generation was deleted.")
    build = _Build(resources, claim, index, await find_ready_embedder(resources, claim.workspace_id, index.embedder))
    for rounds in count(1):
        await _fill(build)
        await _verify(build)
        async with _signs_of_life(build):
            await build_own_tables(resources, claim.workspace_id, claim.index_id)
        if await _switch(build, insist=rounds > _PATIENT_ROUNDS):
            return


async def _fill(build: _Build) -> None:
    """Give the generation every posting and vector that it lacks, page by page."""
    async with build.resources.database.transaction(build.workspace_id) as connection:
        gap = await generation_contents.measure_gap(connection, build.workspace_id, build.index)
    done, last = gap.chunks - gap.missing, None
    while True:
        async with build.resources.database.transaction(build.workspace_id) as connection:
            page = await generation_contents.list_missing(connection, build.workspace_id, build.index, last, _PAGE)
        if not page:
            return
        await _fill_page(build, page, done, gap.chunks)
        done, last = done + len(page), page[-1]


async def _fill_page(build: _Build, page: list[Missing], done: int, total: int) -> None:
    async with build.resources.database.transaction(build.workspace_id, durable=False) as connection:
        unembedded = await _add_known(connection, build, page)
        await _note_progress(connection, build.claim, done + len(page) - len(unembedded), total)
    if build.embedder is None or not unembedded:
        return
    texts = await asyncio.to_thread(_fitting_texts, unembedded, build.embedder)
    waiting = split_batches(texts)

    async def keep(embedded: dict[bytes, Embedding]) -> None:
        async with build.resources.database.transaction(build.workspace_id, durable=False) as connection:
            await _add_vectors(connection, build, unembedded, embedded)
            left = sum(map(len, waiting))
            await _note_progress(connection, build.claim, done + len(page) - left, total)

    await embed_batches(build.resources, build.embedder, waiting, keep)


async def _add_known(connection: Connection, build: _Build, page: list[Missing]) -> list[Missing]:
    """Add every posting of these passages, and the vectors that are known already; what is still to be embedded."""
    workspace_id, index = build.workspace_id, build.index
    there = set(
        await generation_contents.keep_documents(connection, workspace_id, [missing.chunk_id for missing in page])
    )
    await operations.hold(connection, build.claim)
    await _add_postings(connection, build, [m for m in page if m.unposted and m.chunk_id in there])
    wanting = {missing.chunk_id for missing in page if missing.unembedded} & there
    reused = await generation_contents.reuse_vectors(connection, workspace_id, index, sorted(wanting))
    return [missing for missing in page if missing.chunk_id in wanting - reused]


async def _add_postings(connection: Connection, build: _Build, unposted: list[Missing]) -> None:
    """Copied from the generation that answers where they would be the same, else made from the text."""
    workspace_id, index = build.workspace_id, build.index
    source = await generations.find_posted_alike(connection, workspace_id, index.index_id)
    copied: set[str] = set()
    if source is not None:
        chunk_ids = [missing.chunk_id for missing in unposted]
        copied = await generation_contents.copy_postings(connection, workspace_id, source, index.index_id, chunk_ids)
    rest = [missing for missing in unposted if missing.chunk_id not in copied]
    if rest:
        postings = await asyncio.to_thread(
            lambda: {m.chunk_id: make_posting(m.text, index.avgdl_ref, m.headings) for m in rest}
        )
        await generation_contents.insert_postings(connection, workspace_id, index.index_id, postings)


async def _add_vectors(
    connection: Connection, build: _Build, unembedded: list[Missing], embedded: dict[bytes, Embedding]
) -> None:
    chunk_ids = {missing.chunk_id: missing.text_hash for missing in unembedded if missing.text_hash in embedded}
    there = await generation_contents.keep_documents(connection, build.workspace_id, list(chunk_ids))
    await operations.hold(connection, build.claim)
    vectors = {chunk_id: embedded[chunk_ids[chunk_id]] for chunk_id in there}
    await generation_contents.insert_vectors(connection, build.workspace_id, build.index, vectors)


def _fitting_texts(unembedded: list[Missing], embedder: Embedder) -> dict[bytes, str]:
    """Each text once, as much of it as the embedder takes: it may have been cut for one that takes more."""
    texts: dict[bytes, str] = {}
    for missing in unembedded:
        text = missing.text
        while (tokens := embedder.count_tokens(text)) > embedder.max_tokens - 2:
            text = text[: len(text) * (embedder.max_tokens - 2) // tokens]
        texts[missing.text_hash] = text
    return texts


async def _verify(build: _Build) -> None:
    async with build.resources.database.transaction(build.workspace_id) as connection:
        faults = await generation_contents.find_faults(connection, build.workspace_id, build.index)
    if faults:
        raise DocumentFault(
            f"The new generation did not pass its check: {', '.join(faults)}. The one before goes on answering. "
            "Drop the new one (`pinakes kb drop-generation`) and switch again."
        )


async def _switch(build: _Build, *, insist: bool) -> bool:
    """Let the generation answer, unless it lacks passages that came meanwhile; a few are added if we `insist`."""
    workspace_id, claim = build.workspace_id, build.claim
    async with build.resources.database.transaction(workspace_id) as connection:
        if await generations.lock_active(connection, workspace_id, claim.kb_id) is None:
            raise Superseded("The knowledge base was deleted.")
        await operations.hold(connection, claim)
        late = await generation_contents.list_missing(connection, workspace_id, build.index, None, AT_ONCE + 1)
        if late and (not insist or len(late) > AT_ONCE):
            return False
        unembedded = await _add_known(connection, build, late) if late else []
        if build.embedder is not None and unembedded:
            texts = await asyncio.to_thread(_fitting_texts, unembedded, build.embedder)
            embedded = await embed_batch(build.resources, build.embedder, texts)
            await _add_vectors(connection, build, unembedded, embedded)
        await vectors.hand_over(connection, workspace_id, claim.kb_id, claim.index_id)
        await generations.activate(connection, workspace_id, build.index)
        await operations.finish_operation(connection, claim, OperationStatus.COMPLETED)
        await events.publish(connection, switch_event("done", claim, 100))
    return True


@asynccontextmanager
async def _signs_of_life(build: _Build) -> AsyncGenerator[None]:
    """While something takes long and tells nothing, say that it goes on: after a silence others would take over."""

    async def beat() -> None:
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            async with build.resources.database.transaction(build.workspace_id, durable=False) as connection:
                await operations.hold(connection, build.claim)
                await operations.set_progress(connection, build.claim, _FILLED)

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()
        # What went wrong with it, the next step meets as well.
        await asyncio.gather(beating, return_exceptions=True)


async def _note_progress(connection: Connection, claim: SwitchClaim, done: int, total: int) -> None:
    progress = _FILLED * min(done, total) // max(total, 1)
    await operations.set_progress(connection, claim, progress)
    await events.publish(connection, switch_event("progress", claim, progress))


def switch_event(kind: events.EventType, claim: SwitchClaim, progress: int) -> events.Event:
    """What happened to a switch."""
    return events.Event(
        type=kind,
        workspace_id=claim.workspace_id,
        operation_id=claim.operation_id,
        document_id=None,
        kb_id=claim.kb_id,
        progress=progress,
    )
