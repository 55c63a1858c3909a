"""The catalog that each thread, key or person has selected."""

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
        "ON CONFLICT (workspace_id, selector) DO UPDATE SET kb_id = excluded.kb_id",
        [workspace_id, selector, kb_id],
    )


async def find_selection(connection: Connection, workspace_id: str, selector: str) -> str | None:
    """The knowledge base that is selected, if one is and it is still there."""
    row = await fetch_one(
        connection,
        "SELECT kb_id FROM selected_catalog WHERE workspace_id = %s AND selector = %s",
        [workspace_id, selector],
    )
    return row["kb_id"] if row else None
