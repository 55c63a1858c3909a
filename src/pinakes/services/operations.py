"""Asking about background work."""

from pinakes.domain.errors import Conflict, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.operation import Operation, OperationKind, OperationStatus
from pinakes.services.generations import cancel_switch
from pinakes.services.resources import Resources
from pinakes.store import operations


async def get_operation(resources: Resources, identity: Identity, operation_id: str) -> Operation:
    """One operation."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        operation = await operations.find_operation(connection, identity.workspace_id, operation_id)
    if operation is None:
        raise NotFound(f"There is no operation '{operation_id}' in this workspace.")
    return operation


async def cancel_operation(resources: Resources, identity: Identity, operation_id: str) -> Operation:
    """Stop an operation that can be stopped: a switch."""
    identity.require(Scope.WRITE)
    if (await get_operation(resources, identity, operation_id)).kind is not OperationKind.SWITCH:
        raise Conflict("The indexing of a document cannot be cancelled. Delete the document to stop it.")
    return await cancel_switch(resources, identity, operation_id)


async def list_operations(
    resources: Resources,
    identity: Identity,
    *,
    status: OperationStatus | None = None,
    limit: int = 50,
    offset: int = 0,
) -> tuple[list[Operation], int]:
    """A page of operations, newest first, and how many match."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await operations.list_operations(
            connection, identity.workspace_id, status=status, limit=limit, offset=offset
        )
