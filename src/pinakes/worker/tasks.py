"""The jobs a worker runs, and how it comes back from anything."""

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from procrastinate import exceptions, retry
from procrastinate import jobs as queue_jobs
from psycopg import OperationalError
from psycopg_pool import PoolTimeout

from pinakes.domain.errors import ProviderFault
from pinakes.services.ingestion import fail_operation, index_version
from pinakes.services.resources import Resources
from pinakes.services.sweeping import sweep
from pinakes.services.switching import fail_switch, switch_generation
from pinakes.services.vectors import build_own_tables
from pinakes.store.jobs import (
    BUILD_OWN_TABLES,
    BUILD_QUEUE,
    INDEX_DOCUMENT,
    QUEUE,
    SMALL_QUEUE,
    SWITCH_GENERATION,
    SWITCH_QUEUE,
    rescue_stalled,
)
from pinakes.wiring import App

log = logging.getLogger("pinakes.worker")
_SWEEP_SECONDS = 60
_MISSED_BEATS = 5
_SHUTDOWN_SECONDS = 5
_LONGEST_WAIT = 60
_LARGE_AT_ONCE = 2


class _RetryWhatMayHeal(retry.BaseRetryStrategy):
    """Interrupted: at once. A provider or the database away: with growing pauses. Anything else: never."""

    def get_retry_decision(self, *, exception: BaseException, job: queue_jobs.Job) -> retry.RetryDecision | None:
        if isinstance(exception, asyncio.CancelledError):
            return retry.RetryDecision(retry_in={"seconds": 0})
        if isinstance(exception, ProviderFault | OperationalError | PoolTimeout):
            # It may take days, so the power must not outgrow what it is compared with.
            return retry.RetryDecision(retry_in={"seconds": min(_LONGEST_WAIT, 2 ** min(job.attempts, 10))})
        return None


def register_tasks(resources: Resources) -> None:
    """Tell the queue what its jobs mean."""

    @resources.queue.task(name=INDEX_DOCUMENT, queue=QUEUE, retry=_RetryWhatMayHeal())
    async def _index_document(workspace_id: str, operation_id: str) -> None:
        await _carry_out(resources, workspace_id, operation_id, index_version, fail_operation)

    @resources.queue.task(name=SWITCH_GENERATION, queue=SWITCH_QUEUE, retry=_RetryWhatMayHeal())
    async def _switch_generation(workspace_id: str, operation_id: str) -> None:
        await _carry_out(resources, workspace_id, operation_id, switch_generation, fail_switch)

    @resources.queue.task(name=BUILD_OWN_TABLES, queue=BUILD_QUEUE, retry=_RetryWhatMayHeal())
    async def _build_own_tables(workspace_id: str, index_id: str) -> None:
        await build_own_tables(resources, workspace_id, index_id)


async def _carry_out(
    resources: Resources,
    workspace_id: str,
    operation_id: str,
    work: Callable[[Resources, str, str], Awaitable[None]],
    fail: Callable[[Resources, str, str, str], Awaitable[None]],
) -> None:
    """Work on an operation; a fault of ours ends it with a number under which the log tells more."""
    try:
        await work(resources, workspace_id, operation_id)
    except (ProviderFault, OperationalError, PoolTimeout):
        raise
    except Exception:
        incident = secrets.token_hex(4)
        log.exception("An operation failed", extra={"operation_id": operation_id, "incident": incident})
        reason = f"Something went wrong on our side (incident {incident}). The log has the details; retry may help."
        await fail(resources, workspace_id, operation_id, reason)


async def run_worker(app: App, *, concurrency: int | None = None) -> None:
    """Work until cancelled; a lost database only interrupts."""
    register_tasks(app.resources)
    slots = concurrency or app.settings.worker_concurrency
    tasks = [
        asyncio.create_task(work)
        for work in (
            _serve_queue(app, SMALL_QUEUE, slots),
            # A large document keeps the embedder busy by itself; two leave no gap between them.
            _serve_queue(app, QUEUE, min(slots, _LARGE_AT_ONCE)),
            _serve_queue(app, SWITCH_QUEUE, 1),
            _serve_queue(app, BUILD_QUEUE, 1),
            _rescue_forever(app),
            _sweep_forever(app),
        )
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        # Each is cancelled once and given its time: a second cancellation would cut a job's last words short.
        await asyncio.gather(*(end_task(task) for task in tasks))


async def _serve_queue(app: App, queue: str, concurrency: int) -> None:
    while True:
        try:
            await app.resources.queue.run_worker_async(
                queues=[queue],
                concurrency=concurrency,
                install_signal_handlers=False,
                shutdown_graceful_timeout=_SHUTDOWN_SECONDS,
                update_heartbeat_interval=app.settings.heartbeat_seconds,
                stalled_worker_timeout=app.settings.heartbeat_seconds * _MISSED_BEATS,
                fetch_job_polling_interval=2,
            )
        except (exceptions.ConnectorException, OperationalError, PoolTimeout) as error:
            log.warning("The queue is out of reach, trying again: %s", error)
        await asyncio.sleep(1)


@asynccontextmanager
async def working(app: App) -> AsyncGenerator[None]:
    """A worker inside this process for as long as the block runs."""
    task = asyncio.create_task(run_worker(app))
    try:
        yield
    finally:
        await end_task(task)


async def end_task(task: asyncio.Task[None], *, insist_after: float = _SHUTDOWN_SECONDS + 2) -> None:
    """Cancel a task until it has ended; what it failed with, if it did, is raised.

    Once is not enough: `asyncio.wait_for` of Python 3.11 can swallow a cancellation, and a worker that loses
    the database while it stops has another exception in its place.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=insist_after)
    if not task.cancelled():
        task.result()


async def _rescue_forever(app: App) -> None:
    """Jobs of workers that died go back to the queue; procrastinate itself only forgets the workers."""
    beat = app.settings.heartbeat_seconds
    while True:
        try:
            rescued = await rescue_stalled(app.resources.queue, beat * _MISSED_BEATS)
            if rescued:
                log.info("Put %d jobs of silent workers back in the queue", rescued)
        except (exceptions.ConnectorException, OperationalError, PoolTimeout) as error:
            log.warning("Could not look for stalled jobs: %s", error)
        except Exception:
            # Whatever it was, the next round must come: nobody else rescues these jobs.
            log.exception("Could not look for stalled jobs")
        await asyncio.sleep(beat)


async def _sweep_forever(app: App) -> None:
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        try:
            await sweep(app.resources)
        except (exceptions.ConnectorException, OperationalError, PoolTimeout, ProviderFault) as error:
            log.warning("Could not sweep: %s", error)
        except Exception:
            log.exception("Could not sweep")
