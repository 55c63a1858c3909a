"""Activity: every call of every tool, kept as a row and a line of the log; nothing of what was said."""

import logging
from dataclasses import asdict, dataclass

from pinakes.domain.identity import Identity
from pinakes.services.resources import Resources
from pinakes.store import activity

log = logging.getLogger("pinakes.activity")


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call, as it is kept."""

    call_id: str
    tool: str
    interface: str
    agent_name: str | None
    topic_digest: str | None
    result: str
    error_code: str | None
    milliseconds: float


async def record_call(resources: Resources, identity: Identity, record: CallRecord) -> None:
    """Keep a call; a crash of the database may lose the last ones of a second, a call does not wait for the disk."""
    kept = asdict(record) | {"user_id": identity.user.user_id, "key_id": identity.key_id}
    async with resources.database.transaction(identity.workspace_id, durable=False) as connection:
        await activity.insert_call(connection, identity.workspace_id, kept)
    log.info("%s: %s", record.tool, record.result, extra={"workspace": identity.workspace_id, **kept})
