"""The job queue: procrastinate on the same database, jobs enqueued inside the caller's transaction."""

from datetime import timedelta

import procrastinate
from procrastinate import exceptions

from pinakes.store.database import Connection, Database

INDEX_DOCUMENT = "index_document"
QUEUE = "ingestion"
# Files up to this size have a queue, and workers' slots, of their own: nobody's note waits for somebody's library.
SMALL_QUEUE = "ingestion-small"
SMALL_BYTES = 256 * 1024
_LOWEST_PRIORITY = -10_000


def make_queue(database: Database) -> procrastinate.App:
    """The queue's app; a worker registers the tasks, everybody else only enqueues by name."""
    connector = procrastinate.PsycopgConnector(conninfo=database.url, min_size=1, max_size=4)
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
    try:
        await task.defer_async(workspace_id=workspace_id, operation_id=operation_id)
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
