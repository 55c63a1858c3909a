"""Background work over REST: ask, watch it live, stop it, try it again."""

import json
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field

from pinakes.api.access import Caller, Recheck, ResourcesDep
from pinakes.api.envelope import ApiModel, Page, RequestModel, Success, succeed
from pinakes.api.knowledge_bases import Limit, Offset
from pinakes.api.live import STILL_HERE, Hub, stream_events
from pinakes.api.paths import OperationId
from pinakes.domain.identity import Scope
from pinakes.domain.operation import Operation, OperationKind, OperationStatus
from pinakes.services import operations
from pinakes.store.events import Event, ToolsSwitched

router = APIRouter(prefix="/api", tags=["Operations"])


class OperationOut(ApiModel):
    """One background job."""

    id: str
    kind: OperationKind
    status: OperationStatus
    progress: int = Field(description="Per cent.")
    error: str | None
    knowledge_base_id: str
    knowledge_base_name: str
    document_id: str | None = Field(description="Null where the operation is about the whole knowledge base.")
    document_name: str | None
    embedder: str | None = Field(description="The embedding model a switch leads to.")
    attempts: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    retried: bool = Field(description="Whether a later operation does the same again.")
    retryable: bool = Field(description="Whether it ended for a reason that may pass, and nothing was tried since.")


class OperationCountsOut(ApiModel):
    """How many operations stand where; a failure that was tried again since does not count."""

    pending: int
    running: int
    completed: int
    failed: int
    terminated: int


class RetryIn(RequestModel):
    """What to try again."""

    knowledge_base_id: str | None = Field(default=None, description="Id, slug or name; everything unless given.")


class RetriedOut(ApiModel):
    """How much is being tried again, and how much is left for the next request."""

    retried: int
    left: int


KnowledgeBaseQuery = Annotated[str | None, Query(alias="knowledgeBaseId", description="Id, slug or name.")]


@router.get("/operations")
async def list_operations(
    resources: ResourcesDep,
    caller: Caller,
    status: Annotated[list[OperationStatus] | None, Query(description="Any of these; all unless given.")] = None,
    knowledge_base: KnowledgeBaseQuery = None,
    latest: Annotated[bool, Query(description="Only the last try of each document and switch.")] = False,
    retryable: Annotated[bool, Query(description="Only what trying again may help.")] = False,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Success[Page[OperationOut]]:
    """List operations, newest first."""
    found, total = await operations.list_operations(
        resources,
        caller,
        statuses=status or (),
        kb_reference=knowledge_base,
        latest=latest,
        retryable=retryable,
        limit=limit,
        offset=offset,
    )
    return succeed(
        Page(items=[operation_out(operation) for operation in found], total=total, limit=limit, offset=offset)
    )


@router.get("/operations/counts")
async def count_operations(
    resources: ResourcesDep, caller: Caller, knowledge_base: KnowledgeBaseQuery = None
) -> Success[OperationCountsOut]:
    """How many operations wait, run, are done, failed or were cancelled."""
    counts = await operations.count_operations(resources, caller, knowledge_base)
    return succeed(OperationCountsOut(**{status.value: counts.get(status, 0) for status in OperationStatus}))


@router.post("/operations/retry", status_code=202)
async def retry_failed_operations(body: RetryIn, resources: ResourcesDep, caller: Caller) -> Success[RetriedOut]:
    """Try again whatever failed for a reason that may pass, and was not tried again since."""
    return succeed(RetriedOut.model_validate(await operations.retry_failed(resources, caller, body.knowledge_base_id)))


@router.get("/operations/{operationId}")
async def get_operation(operation_id: OperationId, resources: ResourcesDep, caller: Caller) -> Success[OperationOut]:
    """One operation."""
    return succeed(operation_out(await operations.get_operation(resources, caller, operation_id)))


@router.post("/operations/{operationId}/cancel")
async def cancel_operation(operation_id: OperationId, resources: ResourcesDep, caller: Caller) -> Success[OperationOut]:
    """Stop what waits or runs; what answers now goes on answering, and it can be retried."""
    return succeed(operation_out(await operations.cancel_operation(resources, caller, operation_id)))


@router.post("/operations/{operationId}/retry", status_code=202)
async def retry_operation(operation_id: OperationId, resources: ResourcesDep, caller: Caller) -> Success[OperationOut]:
    """Try again what failed or was cancelled, as a new operation."""
    return succeed(operation_out(await operations.retry_operation(resources, caller, operation_id)))


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def watch_events(resources: ResourcesDep, caller: Caller, hub: Hub, still_allowed: Recheck) -> StreamingResponse:
    """Progress, done and failed, and `switched` where tools were, as they happen.

    It begins with what is running now and ends with the caller's rights.
    """
    # Once the stream has begun it is too late for an error.
    caller.require(Scope.READ)

    async def stream() -> AsyncIterator[str]:
        async with hub.watch(caller.workspace_id, (Event, ToolsSwitched), still_allowed) as events:
            # Listening comes first: what ends while the list is read must not go unheard.
            running, _ = await operations.list_operations(
                resources, caller, statuses=[OperationStatus.RUNNING], limit=500
            )
            for operation in running:
                yield _sse(
                    "progress",
                    operation.operation_id,
                    operation.document_id,
                    operation.kb_id,
                    operation.progress,
                )
            async for event in events:
                if event is None:
                    yield STILL_HERE
                elif isinstance(event, ToolsSwitched):
                    yield "event: switched\ndata: {}\n\n"
                else:
                    yield _sse(event.type, event.operation_id, event.document_id, event.kb_id, event.progress)

    return stream_events(stream())


def _sse(kind: str, operation_id: str, document_id: str | None, kb_id: str, progress: int) -> str:
    data = {
        "operationId": operation_id,
        "documentId": document_id,
        "knowledgeBaseId": kb_id,
        "progress": progress,
    }
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


def operation_out(operation: Operation) -> OperationOut:
    """An operation as the API shows it."""
    return OperationOut(
        id=operation.operation_id,
        kind=operation.kind,
        status=operation.status,
        progress=operation.progress,
        error=operation.error,
        knowledge_base_id=operation.kb_id,
        knowledge_base_name=operation.kb_name,
        document_id=operation.document_id,
        document_name=operation.document_name,
        embedder=operation.embedder,
        attempts=operation.attempts,
        created_at=operation.created_at,
        started_at=operation.started_at,
        finished_at=operation.finished_at,
        retried=operation.retried,
        retryable=operation.retryable,
    )
