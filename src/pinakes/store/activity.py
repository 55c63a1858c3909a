"""Calls of tools, as they are kept."""

from collections.abc import Mapping
from typing import Any

from pinakes.domain.call import Call, CallResult
from pinakes.store.database import Connection, Database, Row, fetch_all
from pinakes.store.events import CALLS


async def insert_call(database: Database, workspace_id: str, call: Mapping[str, Any]) -> None:
    """Keep one call and tell whoever watches, in one message; nobody waits for the disk."""
    await database.at_once(
        workspace_id,
        """
        WITH kept AS (
            INSERT INTO tool_call (workspace_id, call_id, tool, interface, agent_name, user_id, key_id, topic_digest,
                                   result, error_code, milliseconds)
            VALUES (%(workspace_id)s, %(call_id)s, %(tool)s, %(interface)s, %(agent_name)s, %(user_id)s, %(key_id)s,
                    %(topic_digest)s, %(result)s, %(error_code)s, %(milliseconds)s)
            RETURNING workspace_id, call_id)
        SELECT pg_notify(%(channel)s, to_json(kept)::text) FROM kept
        """,
        {"workspace_id": workspace_id, "channel": CALLS, **call},
        durable=False,
    )


async def list_calls(
    connection: Connection,
    workspace_id: str,
    *,
    tool: str | None = None,
    agent: str | None = None,
    result: str | None = None,
    since: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[Call]:
    """Calls, newest first, which is the order of their ids: between `since` and `before`, which are ids too."""
    rows = await fetch_all(
        connection,
        """
        SELECT c.*, u.name AS user_name, k.name AS key_name
        FROM tool_call c
        LEFT JOIN app_user u ON u.user_id = c.user_id
        LEFT JOIN api_key k ON k.workspace_id = c.workspace_id AND k.key_id = c.key_id
        WHERE c.workspace_id = %(workspace_id)s
          AND (%(tool)s::text IS NULL OR c.tool = %(tool)s)
          AND (%(agent)s::text IS NULL OR %(agent)s IN (c.agent_name, c.key_id, k.name))
          AND (%(result)s::text IS NULL OR c.result = %(result)s)
          AND (%(since)s::text IS NULL OR c.call_id >= %(since)s)
          AND (%(before)s::text IS NULL OR c.call_id < %(before)s)
        ORDER BY c.call_id DESC
        LIMIT %(limit)s
        """,
        {
            "workspace_id": workspace_id,
            "tool": tool,
            "agent": agent,
            "result": result,
            "since": since,
            "before": before,
            "limit": limit,
        },
    )
    return [_call(row) for row in rows]


async def find_call(connection: Connection, workspace_id: str, call_id: str) -> Call | None:
    """One call."""
    rows = await fetch_all(
        connection,
        """
        SELECT c.*, u.name AS user_name, k.name AS key_name
        FROM tool_call c
        LEFT JOIN app_user u ON u.user_id = c.user_id
        LEFT JOIN api_key k ON k.workspace_id = c.workspace_id AND k.key_id = c.key_id
        WHERE c.workspace_id = %s AND c.call_id = %s
        """,
        [workspace_id, call_id],
    )
    return _call(rows[0]) if rows else None


async def delete_calls(connection: Connection, workspace_id: str, before: str) -> int:
    """Forget the calls whose ids are older than this one; how many."""
    cursor = await connection.execute(
        "DELETE FROM tool_call WHERE workspace_id = %s AND call_id < %s", [workspace_id, before]
    )
    return cursor.rowcount


def _call(row: Row) -> Call:
    return Call(
        call_id=row["call_id"],
        tool=row["tool"],
        interface=row["interface"],
        agent_name=row["agent_name"],
        user_id=row["user_id"],
        user_name=row["user_name"],
        key_id=row["key_id"],
        key_name=row["key_name"],
        topic_digest=row["topic_digest"],
        result=CallResult(row["result"]),
        error_code=row["error_code"],
        milliseconds=row["milliseconds"],
        called_at=row["called_at"],
    )
