"""Background work: ask about it, stop it, try it again."""

from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.domain.errors import Conflict, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.operation import Operation, OperationKind, OperationStatus
from pinakes.services.generations import cancel_switch, start_switch
from pinakes.services.ingestion import cancel_indexing
from pinakes.services.knowledge_bases import find_id_or_raise
from pinakes.services.resources import Resources
from pinakes.services.uploads import retry_document
from pinakes.store import operations
from pinakes.store.database import Connection

# More are tried again with the next request: no answer should take minutes.
MOST_RETRIED = 500
_RETRIABLE = (OperationStatus.FAILED, OperationStatus.TERMINATED)


@dataclass(frozen=True, slots=True)
class Retried:
    """What became of trying again whatever failed."""

    retried: int
    left: int


async def get_operation(resources: Resources, identity: Identity, operation_id: str) -> Operation:
    """One operation."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        operation = await operations.find_operation(connection, identity.workspace_id, operation_id)
    if operation is None:
        raise NotFound(f"There is no operation '{operation_id}' in this workspace.")
    return operation


async def list_operations(
    resources: Resources,
    identity: Identity,
    *,
    statuses: Sequence[OperationStatus] = (),
    kb_reference: str | None = None,
    latest: bool = False,
    retryable: bool = False,
    limit: int = 50,
    offset: int = 0,
) -> tuple[list[Operation], int]:
    """A page of operations, newest first, and how many match."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await operations.list_operations(
            connection,
            identity.workspace_id,
            statuses=statuses,
            kb_id=await _kb_id(connection, identity, kb_reference),
            latest=latest,
            retryable=retryable,
            limit=limit,
            offset=offset,
        )


async def count_operations(
    resources: Resources, identity: Identity, kb_reference: str | None = None
) -> dict[OperationStatus, int]:
    """How many operations stand where; a failure that was tried again since does not count."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        kb_id = await _kb_id(connection, identity, kb_reference)
        return await operations.count_operations(connection, identity.workspace_id, kb_id)


async def cancel_operation(resources: Resources, identity: Identity, operation_id: str) -> Operation:
    """Stop an operation that waits or runs."""
    identity.require(Scope.WRITE)
    operation = await get_operation(resources, identity, operation_id)
    if operation.kind is OperationKind.SWITCH:
        return await cancel_switch(resources, identity, operation_id)
    await cancel_indexing(resources, identity.workspace_id, operation)
    return await get_operation(resources, identity, operation_id)


async def retry_operation(resources: Resources, identity: Identity, operation_id: str) -> Operation:
    """Try again what failed or was cancelled; the new operation."""
    identity.require(Scope.WRITE)
    operation = await get_operation(resources, identity, operation_id)
    if operation.status not in _RETRIABLE:
        raise Conflict(f"This operation is {operation.status}; only what failed or was cancelled can be retried.")
    if operation.kind is OperationKind.SWITCH:
        return await _retry_switch(resources, identity, operation)
    uploaded = await retry_document(resources, identity, operation.document_id or "")
    return await get_operation(resources, identity, uploaded.operation_id or "")


async def retry_failed(resources: Resources, identity: Identity, kb_reference: str | None = None) -> Retried:
    """Try again whatever failed and may succeed, newest first; how much, and how much is left for the next time."""
    identity.require(Scope.WRITE)
    failed, total = await list_operations(
        resources,
        identity,
        statuses=[OperationStatus.FAILED],
        kb_reference=kb_reference,
        retryable=True,
        limit=MOST_RETRIED,
    )
    retried = 0
    for operation in failed:
        try:
            await retry_operation(resources, identity, operation.operation_id)
        except (Conflict, NotFound):
            # Somebody else was quicker, or a switch cannot be taken up again.
            continue
        retried += 1
    return Retried(retried=retried, left=total - len(failed))


async def _retry_switch(resources: Resources, identity: Identity, operation: Operation) -> Operation:
    async with resources.database.transaction(identity.workspace_id) as connection:
        target = await operations.find_target(connection, identity.workspace_id, operation.operation_id)
    if target is None:
        raise Conflict("What this switch had built was cleared away. Begin it anew from the knowledge base.")
    return await start_switch(resources, identity, operation.kb_id, target["embedder"])


async def _kb_id(connection: Connection, identity: Identity, reference: str | None) -> str | None:
    return None if reference is None else await find_id_or_raise(connection, identity, reference)
