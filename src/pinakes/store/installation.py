"""What tells this installation from others."""

from pinakes.store.database import Connection, fetch_one


async def find_installation_id(connection: Connection) -> str:
    """The id that came with the database and goes where its back-ups go."""
    row = await fetch_one(connection, "SELECT installation_id FROM installation")
    assert row is not None
    return row["installation_id"]
