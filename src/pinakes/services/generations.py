"""Generations of a knowledge base: begin a switch to another embedding model, stop it, see what is kept, drop it."""

from datetime import timedelta

from pinakes.domain.analysis import ANALYSER_VERSION
from pinakes.domain.errors import Conflict, NotFound
from pinakes.domain.generation import Generation, GenerationState
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.operation import Operation, OperationKind, OperationStatus
from pinakes.services.embedders import choose_embedder, recall_embedder
from pinakes.services.knowledge_bases import find_id_or_raise, make_index
from pinakes.services.resources import Resources
from pinakes.services.switching import switch_event
from pinakes.services.tracing import current_traceparent
from pinakes.store import events, generations, jobs, knowledge_bases, operations
from pinakes.store.database import Connection
from pinakes.store.knowledge_bases import NewIndex

# A half-built generation holds embeddings that were paid for; a switch that failed may be tried again this long.
UNFINISHED_FOR = timedelta(days=1)
# People's switches come before those that nobody asked for.
_RENEWAL_PRIORITY = -1


async def start_switch(resources: Resources, identity: Identity, reference: str, embedder: str) -> Operation:
    """Have a knowledge base switched to an embedder, by the generation kept of it or by a new one."""
    identity.require(Scope.WRITE)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        kb_id = await find_id_or_raise(connection, identity, reference)
        if await generations.lock_active(connection, workspace_id, kb_id) is None:
            raise NotFound("The knowledge base was deleted meanwhile.")
        wanted = make_index(await choose_embedder(resources, connection, workspace_id, embedder))
        running = await generations.find_switch(connection, workspace_id, kb_id)
        if running is not None:
            raise Conflict(
                "This knowledge base is being switched already. Wait until that is done, or cancel it with "
                f"`pinakes kb cancel-switch {reference}`.",
                code="SWITCH_RUNNING",
                details={"operationId": running},
            )
        operation = await _begin(resources, connection, workspace_id, kb_id, wanted, created_by=identity.user.user_id)
        if operation is None:
            raise Conflict(f"This knowledge base answers with '{embedder}' already.", code="ALREADY_ACTIVE")
    return operation


async def renew_outdated(resources: Resources, workspace_id: str) -> None:
    """Have knowledge bases that an older analyser read analysed anew, with the embedder and the vectors they have."""
    async with resources.database.transaction(workspace_id) as connection:
        outdated = await generations.list_outdated(connection, workspace_id, ANALYSER_VERSION, UNFINISHED_FOR)
    for kb_id, embedder, dims in outdated:
        async with resources.database.transaction(workspace_id) as connection:
            if await generations.lock_active(connection, workspace_id, kb_id) is None:
                continue
            if await generations.find_switch(connection, workspace_id, kb_id) is None:
                wanted = make_index(await recall_embedder(connection, workspace_id, embedder, dims))
                await _begin(resources, connection, workspace_id, kb_id, wanted, created_by=None)


async def _begin(
    resources: Resources,
    connection: Connection,
    workspace_id: str,
    kb_id: str,
    wanted: NewIndex,
    *,
    created_by: str | None,
) -> Operation | None:
    """The generation, its switch and the job, for a knowledge base that is locked; None if it is the active one."""
    index_id, operation_id = await generations.find_equal(connection, workspace_id, kb_id, wanted), new_id("op")
    if index_id is None:
        index_id = wanted.index_id
        await knowledge_bases.insert_index(connection, workspace_id, kb_id, wanted, ready=False)
    elif await generations.is_active(connection, workspace_id, kb_id, index_id):
        return None
    await operations.insert_operation(
        connection,
        workspace_id,
        operation_id=operation_id,
        kind=OperationKind.SWITCH,
        kb_id=kb_id,
        index_id=index_id,
        traceparent=current_traceparent(),
        created_by=created_by,
    )
    priority = 0 if created_by else _RENEWAL_PRIORITY
    await jobs.enqueue_switch(resources.queue, connection, workspace_id, operation_id, priority=priority)
    return await operations.find_operation(connection, workspace_id, operation_id)


async def list_generations(resources: Resources, identity: Identity, reference: str) -> list[Generation]:
    """Every generation of a knowledge base, newest first."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        kb_id = await find_id_or_raise(connection, identity, reference)
        return await generations.list_generations(connection, identity.workspace_id, kb_id)


async def drop_generation(resources: Resources, identity: Identity, reference: str, index_id: str) -> None:
    """Delete a generation that neither answers nor is about to."""
    identity.require(Scope.WRITE)
    async with resources.database.transaction(identity.workspace_id) as connection:
        kb_id = await find_id_or_raise(connection, identity, reference)
        found = await generations.lock_generation(connection, identity.workspace_id, kb_id, index_id)
        if found is None:
            raise NotFound(
                f"There is no generation '{index_id}' of this knowledge base. "
                f"`pinakes kb generations {reference}` lists them."
            )
        if found.state is GenerationState.ACTIVE:
            raise Conflict("This generation answers. Switch to another one first.", code="GENERATION_ACTIVE")
        if found.state is GenerationState.BUILDING:
            raise Conflict(
                "This generation is being built. Wait until that is done, or cancel it with "
                f"`pinakes kb cancel-switch {reference}`.",
                code="SWITCH_RUNNING",
                details={"operationId": found.operation_id},
            )
        await generations.delete_generation(connection, identity.workspace_id, index_id)


async def cancel_switch(resources: Resources, identity: Identity, operation_id: str) -> Operation:
    """Stop a switch; what answers goes on answering, and a generation that never did is deleted."""
    identity.require(Scope.WRITE)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        claim = await operations.claim_switch(connection, workspace_id, operation_id)
        if claim is None:
            raise Conflict("This operation is over already.", code="OPERATION_OVER")
        await operations.finish_operation(connection, claim, OperationStatus.TERMINATED)
        await events.publish(connection, switch_event("failed", claim, 100))
        stopped = await operations.find_operation(connection, workspace_id, operation_id)
    await _remove(resources, workspace_id, claim.kb_id, claim.index_id, GenerationState.UNFINISHED)
    assert stopped is not None
    return stopped


async def remove_leftovers(resources: Resources, workspace_id: str, unattended_for: timedelta) -> None:
    """Delete half-built generations that nobody has worked on for this long, and those that were analysed anew."""
    async with resources.database.transaction(workspace_id) as connection:
        leftovers = await generations.list_leftovers(connection, workspace_id, unattended_for)
    for kb_id, index_id in leftovers:
        await _remove(resources, workspace_id, kb_id, index_id, GenerationState.UNFINISHED, GenerationState.KEPT)


async def _remove(resources: Resources, workspace_id: str, kb_id: str, index_id: str, *states: GenerationState) -> None:
    """Delete a generation if it is still in one of these states."""
    async with resources.database.transaction(workspace_id) as connection:
        found = await generations.lock_generation(connection, workspace_id, kb_id, index_id)
        if found is not None and found.state in states:
            await generations.delete_generation(connection, workspace_id, index_id)
