"""Large generations get tables of their own, built behind while everybody goes on searching and writing."""

import logging

from pinakes.services.resources import Resources
from pinakes.store import jobs, vectors
from pinakes.store.database import Connection

log = logging.getLogger("pinakes.vectors")
# Up to here reading every vector and posting takes no longer than walking the indexes: about 4 ms.
LARGE = 5_000


async def ask_for_own_tables(
    resources: Resources, connection: Connection, workspace_id: str, index_id: str, *, size: int = LARGE
) -> None:
    """Have a worker give a generation its own tables once the transaction is committed, if it has grown large."""
    if await vectors.is_unbuilt(connection, workspace_id, index_id, size):
        await jobs.enqueue_building(resources.queue, connection, workspace_id, index_id)


async def build_own_tables(resources: Resources, workspace_id: str, index_id: str, *, size: int = LARGE) -> bool:
    """Give a generation its own tables if it is large and has none; a kill at any point leaves nothing behind."""
    async with resources.database.transaction(workspace_id) as connection:
        if not await vectors.hold_building(connection, index_id):
            return False
        if not await vectors.is_unbuilt(connection, workspace_id, index_id, size):
            return False
        own = await vectors.build_own_tables(connection, workspace_id, index_id)
    log.info("A large knowledge base is now searched in tables of its own", extra={"index_id": index_id})
    return own is not None


async def sweep_own_tables(resources: Resources, workspace_id: str, *, size: int = LARGE) -> None:
    """Ask again for what nobody was asked for or nobody built, and give up what nobody searches in any more."""
    async with resources.database.transaction(workspace_id) as connection:
        await vectors.release_unused(connection, workspace_id)
        for index_id in await vectors.list_unbuilt(connection, workspace_id, size):
            await jobs.enqueue_building(resources.queue, connection, workspace_id, index_id)


async def drop_unnamed_tables(resources: Resources) -> None:
    """Drop the own tables that deleted or newer generations left, of every workspace."""
    async with resources.database.transaction() as connection:
        await vectors.drop_unnamed(connection)
