"""The job queue: procrastinate on the same database, jobs enqueued inside the caller's transaction."""

from datetime import datetime

import procrastinate
from procrastinate import exceptions

from pinakes.store.database import Connection, Database

INDEX_DOCUMENT = "index_document"
QUEUE = "ingestion"


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
    not_before: datetime | None = None,
) -> None:
    """Have a worker index a version once the transaction is committed."""
    task = queue.configure_task(
        INDEX_DOCUMENT,
        allow_unknown=True,
        queue=QUEUE,
        schedule_at=not_before,
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
