"""The catalog that each thread, key or person has selected."""

from datetime import timedelta

from pinakes.store.database import Connection, fetch_one


async def set_selection(connection: Connection, workspace_id: str, selector: str, kb_id: str | None) -> None:
    """Select a knowledge base, or none."""
    if kb_id is None:
        await connection.execute(
            "DELETE FROM selected_catalog WHERE workspace_id = %s AND selector = %s", [workspace_id, selector]
        )
        return
    await connection.execute(
        "INSERT INTO selected_catalog (workspace_id, selector, kb_id) VALUES (%s, %s, %s) "
        "ON CONFLICT (workspace_id, selector) DO UPDATE SET kb_id = excluded.kb_id, last_used_at = now()",
        [workspace_id, selector, kb_id],
    )


async def find_selection(connection: Connection, workspace_id: str, selector: str) -> str | None:
    """The knowledge base that is selected, if one is and it is still there; notes once an hour that it is used."""
    row = await fetch_one(
        connection,
        "SELECT kb_id, last_used_at < now() - interval '1 hour' AS stale FROM selected_catalog "
        "WHERE workspace_id = %s AND selector = %s",
        [workspace_id, selector],
    )
    if row is None:
        return None
    if row["stale"]:
        await connection.execute(
            "UPDATE selected_catalog SET last_used_at = now() WHERE workspace_id = %s AND selector = %s",
            [workspace_id, selector],
        )
    return row["kb_id"]


async def delete_unused(connection: Connection, workspace_id: str, age: timedelta) -> None:
    """Forget what threads neither selected nor asked for so long; keys and people are few, and keep theirs."""
    await connection.execute(
        "DELETE FROM selected_catalog WHERE workspace_id = %s AND selector LIKE '%%/thread/%%' "
        "AND last_used_at < now() - %s::interval",
        [workspace_id, age],
    )
