"""Live events: notified inside the transaction that makes them true, heard by every process."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pinakes.store.database import Connection, Database

_CHANNEL = "pinakes_events"
# Each of its own: a process of an older version, which hears the first, knows nothing of these.
CALLS = "pinakes_calls"
_SWITCHES = "pinakes_switches"
EventType = Literal["progress", "done", "failed"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened to an operation. Ids and numbers only: every process hears every event."""

    type: EventType
    workspace_id: str
    operation_id: str
    document_id: str | None
    kb_id: str
    progress: int


@dataclass(frozen=True, slots=True)
class CallMade:
    """A tool was called; who may see it looks it up."""

    workspace_id: str
    call_id: str


@dataclass(frozen=True, slots=True)
class ToolsSwitched:
    """Tools were switched on or off; whoever shows them asks again."""

    workspace_id: str


Happening = Event | CallMade | ToolsSwitched


async def publish(connection: Connection, event: Event | ToolsSwitched) -> None:
    """Tell everyone who listens, once the transaction is committed."""
    channel = _CHANNEL if isinstance(event, Event) else _SWITCHES
    await connection.execute("SELECT pg_notify(%s, %s)", [channel, json.dumps(asdict(event))])


async def subscribe(database: Database) -> AsyncIterator[Happening | None]:
    """Everything that happens in every workspace; None when some may have been missed."""
    async for payload in database.listen(_CHANNEL, CALLS, _SWITCHES):
        yield _read(json.loads(payload)) if payload else None


def _read(told: dict[str, Any]) -> Happening:
    if "operation_id" in told:
        return Event(**told)
    return CallMade(**told) if "call_id" in told else ToolsSwitched(**told)
