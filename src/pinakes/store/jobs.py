"""The job queue: procrastinate on the same database, jobs enqueued inside the caller's transaction."""

from datetime import timedelta

import procrastinate
from procrastinate import exceptions
from procrastinate.jobs import JobDeferrer

from pinakes.store.database import Connection, Database, fetch_one

INDEX_DOCUMENT = "index_document"
SWITCH_GENERATION = "switch_generation"
BUILD_OWN_TABLES = "build_own_tables"
QUEUE = "ingestion"
# Files up to this size have a queue, and workers' slots, of their own: nobody's note waits for somebody's library.
SMALL_QUEUE = "ingestion-small"
SMALL_BYTES = 256 * 1024
# A switch may take hours; documents must not wait for it.
SWITCH_QUEUE = "generations"
# Nor for the indexes of a large knowledge base, which take minutes.
BUILD_QUEUE = "building"
_LOWEST_PRIORITY = -10_000


def make_queue(database: Database) -> procrastinate.App:
    """The queue's app; a worker registers the tasks, everybody else only enqueues by name."""
    connector = procrastinate.PsycopgConnector(conninfo=database.url, min_size=1, max_size=6)
    return procrastinate.App(connector=connector)


async def enqueue_indexing(
    queue: procrastinate.App,
    connection: Connection,
    workspace_id: str,
    operation_id: str,
    *,
    size_bytes: int,
    waiting: int = 0,
) -> None:
    """Have a worker index a version once the transaction is committed.

    The more of a workspace is waiting already, the later its next document comes: workspaces take turns.
    """
    task = queue.configure_task(
        INDEX_DOCUMENT,
        allow_unknown=True,
        queue=SMALL_QUEUE if size_bytes <= SMALL_BYTES else QUEUE,
        priority=max(_LOWEST_PRIORITY, -waiting),
        connection=connection,
    )
    await _defer(task, workspace_id=workspace_id, operation_id=operation_id)


async def enqueue_switch(
    queue: procrastinate.App, connection: Connection, workspace_id: str, operation_id: str, *, priority: int = 0
) -> None:
    """Have a worker build a generation and switch to it once the transaction is committed."""
    task = queue.configure_task(
        SWITCH_GENERATION, allow_unknown=True, queue=SWITCH_QUEUE, priority=priority, connection=connection
    )
    await _defer(task, workspace_id=workspace_id, operation_id=operation_id)


async def enqueue_building(queue: procrastinate.App, connection: Connection, workspace_id: str, index_id: str) -> None:
    """Have a worker give a generation its own tables once the transaction is committed; asked once is enough."""
    row = await fetch_one(
        connection,
        "SELECT 1 FROM procrastinate_jobs WHERE lock = %s AND status IN ('todo', 'doing') LIMIT 1",
        [index_id],
    )
    # Not a queueing lock: where that is taken already, the caller's whole transaction would fail.
    if row is None:
        task = queue.configure_task(
            BUILD_OWN_TABLES, allow_unknown=True, queue=BUILD_QUEUE, connection=connection, lock=index_id
        )
        await _defer(task, workspace_id=workspace_id, index_id=index_id)


async def _defer(task: JobDeferrer, **arguments: str) -> None:
    try:
        await task.defer_async(**arguments)
    except exceptions.ConnectorException as error:
        # In the caller's transaction the database fails in its own words, whoever carried the statement.
        raise error.__cause__ or error from None


async def rescue_stalled(queue: procrastinate.App, silent_for: float) -> int:
    """Put the jobs of workers that have gone silent back in the queue; how many there were."""
    stalled = await queue.job_manager.get_stalled_jobs(seconds_since_heartbeat=silent_for)
    count = 0
    for job in stalled:
        await queue.job_manager.retry_job(job)
        count += 1
    return count


async def delete_old_jobs(queue: procrastinate.App, hours: int) -> None:
    """Forget finished jobs; what people want to know about them is in the operations."""
    await queue.job_manager.delete_old_jobs(
        nb_hours=hours, include_failed=True, include_cancelled=True, include_aborted=True
    )


async def finish_outlived(connection: Connection, workspace_id: str, after: timedelta) -> int:
    """End the jobs whose operation has long ended; its worker lives on but could not record it at the time."""
    cursor = await connection.execute(
        "UPDATE procrastinate_jobs j SET status = 'succeeded' FROM operation o WHERE o.workspace_id = %s "
        "AND o.operation_id = j.args ->> 'operation_id' AND j.status = 'doing' "
        "AND o.status NOT IN ('pending', 'running') AND o.finished_at < now() - %s",
        [workspace_id, after],
    )
    return cursor.rowcount
