"""Activity over REST: the calls of tools, looked up and watched live."""

from collections.abc import AsyncIterator
from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field

from pinakes.api.access import Caller, Recheck, ResourcesDep
from pinakes.api.envelope import ApiModel, Success, succeed
from pinakes.api.knowledge_bases import Limit
from pinakes.api.live import STILL_HERE, Hub, stream_events
from pinakes.domain.call import Call, CallResult
from pinakes.domain.identity import Scope
from pinakes.services import activity
from pinakes.store.events import CallMade

router = APIRouter(prefix="/api/activity", tags=["Activity"])


class CallOut(ApiModel):
    """One call of a tool; nothing of what was said."""

    id: str
    tool: str
    interface: str = Field(description="The way the call came in: `rest`, `mcp` or `python`.")
    agent_name: str | None = Field(description="What the agent calls itself.")
    user_id: str
    user_name: str | None
    key_id: str | None = Field(description="The API key it came with; null where it came without one.")
    key_name: str | None
    topic_digest: str | None = Field(description="First 8 digits of the SHA-256 of what the call was about.")
    result: CallResult
    error_code: str | None
    duration_ms: float
    called_at: datetime


class CallsOut(ApiModel):
    """Calls, newest first."""

    items: list[CallOut]
    next: str | None = Field(description="What to ask for with `before` to see older ones; null at the end.")


@router.get("")
async def list_calls(
    resources: ResourcesDep,
    caller: Caller,
    tool: Annotated[str | None, Query(description="Only calls of this tool.")] = None,
    agent: Annotated[str | None, Query(description="An agent's name, or its key's name or id.")] = None,
    result: Annotated[CallResult | None, Query(description="Only calls that went so.")] = None,
    since: Annotated[datetime | None, Query(description="Only calls from then on.")] = None,
    before: Annotated[str | None, Query(description="Only calls made before this one.")] = None,
    limit: Limit = 50,
) -> Success[CallsOut]:
    """Calls of tools, newest first."""
    # One more than asked for tells whether there are older ones.
    found = await activity.list_calls(
        resources, caller, tool=tool, agent=agent, result=result, since=since, before=before, limit=limit + 1
    )
    shown = found[:limit]
    return succeed(
        CallsOut(
            items=[_call_out(call) for call in shown],
            next=shown[-1].call_id if len(found) > limit else None,
        )
    )


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}, "description": "Server-sent events."}},
)
async def watch_calls(resources: ResourcesDep, caller: Caller, hub: Hub, still_allowed: Recheck) -> StreamingResponse:
    """Calls of tools as they are made, each as an event `call`; ends with the caller's rights."""
    # Once the stream has begun it is too late for an error.
    caller.require(Scope.READ)

    async def find(call_id: str) -> Call | None:
        return await activity.find_call(resources, caller, call_id)

    async def stream() -> AsyncIterator[str]:
        async with hub.watch(caller.workspace_id, (CallMade,), still_allowed) as calls:
            # Who reads this knows that nothing from now on is missed.
            yield STILL_HERE
            async for made in calls:
                call = None if made is None else await hub.look_up(made.call_id, partial(find, made.call_id))
                yield STILL_HERE if call is None else _sse(call)

    return stream_events(stream())


def _sse(call: Call) -> str:
    return f"event: call\ndata: {_call_out(call).model_dump_json(by_alias=True)}\n\n"


def _call_out(call: Call) -> CallOut:
    return CallOut(
        id=call.call_id,
        tool=call.tool,
        interface=call.interface,
        agent_name=call.agent_name,
        user_id=call.user_id,
        user_name=call.user_name,
        key_id=call.key_id,
        key_name=call.key_name,
        topic_digest=call.topic_digest,
        result=call.result,
        error_code=call.error_code,
        duration_ms=round(call.milliseconds, 1),
        called_at=call.called_at,
    )
