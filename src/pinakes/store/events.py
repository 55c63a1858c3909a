"""Live events: notified inside the transaction that makes them true, heard by every process."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pinakes.store.database import Connection, Database

_CHANNEL = "pinakes_events"
# Of its own: a process of an older version, which hears the other, knows nothing of calls.
CALLS = "pinakes_calls"
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


async def publish(connection: Connection, event: Event) -> None:
    """Tell everyone who listens, once the transaction is committed."""
    await connection.execute("SELECT pg_notify(%s, %s)", [_CHANNEL, json.dumps(asdict(event))])


async def subscribe(database: Database) -> AsyncIterator[Event | CallMade | None]:
    """Everything that happens in every workspace; None when some may have been missed."""
    async for payload in database.listen(_CHANNEL, CALLS):
        yield _read(json.loads(payload)) if payload else None


def _read(told: dict[str, Any]) -> Event | CallMade:
    return CallMade(**told) if "call_id" in told else Event(**told)
