"""Activity: every call of every tool, kept as a row and a line of the log; nothing of what was said."""

import logging
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta

from pinakes.domain.call import Call, CallResult
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import first_id
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
    # The line comes first: it tells of the call also where the database cannot.
    log.info("%s: %s", record.tool, record.result, extra=_line(identity, record))
    await activity.insert_call(resources.database, identity.workspace_id, kept)


def _line(identity: Identity, record: CallRecord) -> dict[str, object]:
    return {
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "command": record.tool,
        "agentName": record.agent_name,
        "topicDigest": record.topic_digest,
        "result": record.result,
        "errorCode": record.error_code,
        "durationMs": round(record.milliseconds, 1),
        "interface": record.interface,
        "callId": record.call_id,
        "workspaceId": identity.workspace_id,
        "userId": identity.user.user_id,
        "keyId": identity.key_id,
    }


async def list_calls(
    resources: Resources,
    identity: Identity,
    *,
    tool: str | None = None,
    agent: str | None = None,
    result: CallResult | None = None,
    since: datetime | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[Call]:
    """Calls, newest first, from those made before the call `before` on; `agent` is its name, its key's name or id."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await activity.list_calls(
            connection,
            identity.workspace_id,
            tool=tool,
            agent=agent,
            result=result,
            since=None if since is None else first_id("call", since),
            before=before,
            limit=limit,
        )


async def find_call(resources: Resources, identity: Identity, call_id: str) -> Call | None:
    """One call, unless it is forgotten already."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await activity.find_call(connection, identity.workspace_id, call_id)


async def forget_calls(resources: Resources, workspace_id: str) -> int:
    """Delete the calls that are older than they are kept; how many."""
    oldest = datetime.now(UTC) - timedelta(days=resources.limits.activity_days)
    async with resources.database.transaction(workspace_id) as connection:
        return await activity.delete_calls(connection, workspace_id, first_id("call", oldest))
