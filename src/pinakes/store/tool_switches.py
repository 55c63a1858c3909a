"""Which tools a workspace has switched on or off."""

from pinakes.store.database import Connection, Database


async def list_switches(database: Database, workspace_id: str) -> dict[str, bool]:
    """What was ever switched, in one message: every call of a tool asks."""
    rows = await database.at_once(
        workspace_id,
        "SELECT tool, is_on FROM tool_switch WHERE workspace_id = %(workspace_id)s",
        {"workspace_id": workspace_id},
    )
    return {row["tool"]: row["is_on"] for row in rows}


async def set_switch(connection: Connection, workspace_id: str, tool: str, is_on: bool, user_id: str) -> None:
    """Switch one tool."""
    await connection.execute(
        "INSERT INTO tool_switch (workspace_id, tool, is_on, changed_by) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (workspace_id, tool) DO UPDATE SET is_on = excluded.is_on, changed_by = excluded.changed_by, "
        "changed_at = now()",
        [workspace_id, tool, is_on, user_id],
    )
