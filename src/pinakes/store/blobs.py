"""What is known about objects in the store: a row comes before the object and goes after it."""

from datetime import timedelta

from pinakes.store.database import Connection, fetch_all


async def record_blob(connection: Connection, workspace_id: str, blob_key: str) -> None:
    """Note that an object is about to be written."""
    await connection.execute(
        "INSERT INTO blob (workspace_id, blob_key, state) VALUES (%s, %s, 'intent')",
        [workspace_id, blob_key],
    )


async def commit_blob(connection: Connection, workspace_id: str, blob_key: str) -> bool:
    """An object that was written is needed from now on; False if a sweep gave it up before."""
    cursor = await connection.execute(
        "UPDATE blob SET state = 'live', updated_at = now() "
        "WHERE workspace_id = %s AND blob_key = %s AND state = 'intent'",
        [workspace_id, blob_key],
    )
    return cursor.rowcount == 1


async def trash_blobs(connection: Connection, workspace_id: str, blob_keys: list[str]) -> None:
    """Objects that nothing needs once the transaction is committed."""
    await connection.execute(
        "UPDATE blob SET state = 'trash', updated_at = now() WHERE workspace_id = %s AND blob_key = ANY(%s)",
        [workspace_id, blob_keys],
    )


async def take_leftovers(connection: Connection, workspace_id: str, intent_age: timedelta) -> list[str]:
    """Objects nothing needs any more: trash, uploads that were never finished, and what no version names."""
    await connection.execute(
        "UPDATE blob SET state = 'trash' WHERE workspace_id = %s AND state = 'intent' AND updated_at < now() - %s",
        [workspace_id, intent_age],
    )
    await connection.execute(
        "UPDATE blob b SET state = 'trash' WHERE b.workspace_id = %s AND b.state = 'live' AND NOT EXISTS "
        "(SELECT FROM document_version v WHERE v.workspace_id = b.workspace_id AND v.blob_key = b.blob_key)",
        [workspace_id],
    )
    rows = await fetch_all(
        connection,
        "SELECT blob_key FROM blob WHERE workspace_id = %s AND state = 'trash' LIMIT 1000",
        [workspace_id],
    )
    return [row["blob_key"] for row in rows]


async def forget_blobs(connection: Connection, workspace_id: str, blob_keys: list[str]) -> None:
    """Drop the rows of objects that are gone from the store."""
    await connection.execute(
        "DELETE FROM blob WHERE workspace_id = %s AND blob_key = ANY(%s) AND state = 'trash'",
        [workspace_id, blob_keys],
    )
