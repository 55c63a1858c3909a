"""What a crash may leave behind is found and put right here, workspace by workspace."""

import logging
from datetime import timedelta

from pinakes.domain.errors import ProviderFault
from pinakes.domain.operation import OperationKind
from pinakes.services.activity import forget_calls
from pinakes.services.documents import remove_document
from pinakes.services.generations import UNFINISHED_FOR, remove_leftovers, renew_outdated
from pinakes.services.knowledge_bases import empty_trash
from pinakes.services.resources import Resources
from pinakes.services.vectors import drop_unnamed_tables, sweep_own_tables
from pinakes.services.workspaces import delete_originals
from pinakes.store import blobs, chunks, documents, jobs, operations, selections, users, workspaces

log = logging.getLogger("pinakes.sweeping")
# An upload that has not been committed by then never will be.
INTENT_AGE = timedelta(hours=1)
# No step of indexing takes this long without a sign of life.
SILENCE = timedelta(minutes=10)
# A worker records the end of a job within moments of its operation's, or never.
RECORDED = timedelta(seconds=30)
# A talk that nobody went on with for so long is over.
SELECTED_FOR = timedelta(days=30)
_KEEP_JOBS_HOURS = 24
_EXPIRED_AT_ONCE = 500


async def sweep(resources: Resources, *, intent_age: timedelta = INTENT_AGE) -> None:
    """Remove leftovers of interrupted uploads and deletions, and restart what nobody works on."""
    # The store is read first: a workspace made meanwhile must not look like one that is gone.
    stored = await _stored_workspaces(resources)
    async with resources.database.transaction() as connection:
        await users.delete_expired(connection)
        workspace_ids = await workspaces.list_workspace_ids(connection)
    for workspace_id in workspace_ids:
        await restart_abandoned(resources, workspace_id)
        await delete_expired(resources, workspace_id)
        await remove_leftovers(resources, workspace_id, UNFINISHED_FOR)
        await renew_outdated(resources, workspace_id)
        await sweep_own_tables(resources, workspace_id)
        await forget_calls(resources, workspace_id)
        async with resources.database.transaction(workspace_id) as connection:
            leftovers = await blobs.take_leftovers(connection, workspace_id, intent_age)
            await chunks.compact_terms(connection, workspace_id)
            await jobs.finish_outlived(connection, workspace_id, RECORDED)
            await selections.delete_unused(connection, workspace_id, SELECTED_FOR)
        await empty_trash(resources, workspace_id, leftovers)
    for workspace_id in set(stored) - set(workspace_ids):
        await delete_originals(resources, workspace_id)
    await drop_unnamed_tables(resources)
    await jobs.delete_old_jobs(resources.queue, _KEEP_JOBS_HOURS)


async def _stored_workspaces(resources: Resources) -> list[str]:
    """Who has objects in the store; nobody as far as we know while it is away, for the rest must be swept anyway."""
    try:
        return await resources.blobs.list_workspaces()
    except ProviderFault as fault:
        log.warning("What deleted workspaces left in the store stays until the next sweep: %s", fault.message)
        return []


async def delete_expired(resources: Resources, workspace_id: str) -> int:
    """Delete the documents whose time is over; they have not answered since."""
    deleted = 0
    while True:
        async with resources.database.transaction(workspace_id) as connection:
            expired = await documents.list_expired(connection, workspace_id, _EXPIRED_AT_ONCE)
        for document_id in expired:
            await remove_document(resources, workspace_id, document_id)
        deleted += len(expired)
        if len(expired) < _EXPIRED_AT_ONCE:
            return deleted


async def restart_abandoned(resources: Resources, workspace_id: str) -> int:
    """Enqueue unfinished operations that no worker has in hand; the fence keeps a late one from harm."""
    async with resources.database.transaction(workspace_id) as connection:
        abandoned = await operations.list_abandoned(connection, workspace_id, SILENCE)
        for operation_id, kind, size in abandoned:
            if kind is OperationKind.SWITCH:
                await jobs.enqueue_switch(resources.queue, connection, workspace_id, operation_id)
            else:
                await jobs.enqueue_indexing(resources.queue, connection, workspace_id, operation_id, size_bytes=size)
    return len(abandoned)
