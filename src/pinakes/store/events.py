"""Live events: notified inside the transaction that makes them true, heard by every process."""

import json
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Literal

from pinakes.store.database import Connection, Database

_CHANNEL = "pinakes_events"
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


async def publish(connection: Connection, event: Event) -> None:
    """Tell everyone who listens, once the transaction is committed."""
    await connection.execute("SELECT pg_notify(%s, %s)", [_CHANNEL, json.dumps(asdict(event))])


async def subscribe(database: Database) -> AsyncIterator[Event | None]:
    """Every event of every workspace; None when some may have been missed."""
    async for payload in database.listen(_CHANNEL):
        yield Event(**json.loads(payload)) if payload else None
