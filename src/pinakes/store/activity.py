"""Calls of tools, as they are kept."""

from collections.abc import Mapping
from typing import Any

from pinakes.store.database import Connection


async def insert_call(connection: Connection, workspace_id: str, call: Mapping[str, Any]) -> None:
    """Keep one call."""
    await connection.execute(
        """
        INSERT INTO tool_call (workspace_id, call_id, tool, interface, agent_name, user_id, key_id, topic_digest,
                               result, error_code, milliseconds)
        VALUES (%(workspace_id)s, %(call_id)s, %(tool)s, %(interface)s, %(agent_name)s, %(user_id)s, %(key_id)s,
                %(topic_digest)s, %(result)s, %(error_code)s, %(milliseconds)s)
        """,
        {"workspace_id": workspace_id, **call},
    )
