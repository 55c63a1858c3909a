"""Workspaces and their members."""

from pinakes.domain.identity import Member, Role, User, Workspace
from pinakes.store.database import Connection, Row, fetch_all, fetch_one

_SELECT = """
    SELECT w.workspace_id, w.name, m.role, w.created_at
    FROM workspace w JOIN member m ON m.workspace_id = w.workspace_id
    WHERE m.user_id = %(user_id)s
"""


async def insert_workspace(connection: Connection, workspace_id: str, name: str, owner_id: str) -> None:
    """A new workspace with its first owner."""
    await connection.execute("INSERT INTO workspace (workspace_id, name) VALUES (%s, %s)", [workspace_id, name])
    await insert_member(connection, workspace_id, owner_id, Role.OWNER)


async def list_workspaces(connection: Connection, user_id: str) -> list[Workspace]:
    """The workspaces a person is a member of, first joined first: an invitation never changes the default."""
    rows = await fetch_all(connection, _SELECT + "ORDER BY m.created_at, w.workspace_id", {"user_id": user_id})
    return [_workspace(row) for row in rows]


async def find_workspace(connection: Connection, workspace_id: str, user_id: str) -> Workspace | None:
    """A workspace as this member sees it."""
    row = await fetch_one(
        connection,
        _SELECT + "AND w.workspace_id = %(workspace_id)s",
        {"user_id": user_id, "workspace_id": workspace_id},
    )
    return _workspace(row) if row else None


async def exists(connection: Connection, workspace_id: str) -> bool:
    """Whether there is such a workspace; the transaction must be in it."""
    return await fetch_one(connection, "SELECT FROM workspace WHERE workspace_id = %s", [workspace_id]) is not None


async def rename_workspace(connection: Connection, workspace_id: str, name: str) -> None:
    """Give a workspace another name."""
    await connection.execute("UPDATE workspace SET name = %s WHERE workspace_id = %s", [name, workspace_id])


async def delete_workspace(connection: Connection, workspace_id: str) -> None:
    """Delete a workspace and everything in the database that belongs to it."""
    await connection.execute("DELETE FROM workspace WHERE workspace_id = %s", [workspace_id])


async def list_workspace_ids(connection: Connection) -> list[str]:
    """Every workspace there is, for the worker's sweeps."""
    return [row["id"] for row in await fetch_all(connection, "SELECT workspace_ids() AS id")]


async def insert_member(connection: Connection, workspace_id: str, user_id: str, role: Role) -> None:
    """Add a person to a workspace; someone who is in it already keeps their role."""
    await connection.execute(
        "INSERT INTO member (workspace_id, user_id, role) VALUES (%s, %s, %s) ON CONFLICT DO NOTHING",
        [workspace_id, user_id, role],
    )


async def list_members(connection: Connection, workspace_id: str) -> list[Member]:
    """Who belongs to a workspace, oldest first; the rows are locked against a concurrent change of roles."""
    rows = await fetch_all(
        connection,
        "SELECT u.user_id, u.name, m.role, m.created_at FROM member m JOIN app_user u USING (user_id) "
        "WHERE m.workspace_id = %s ORDER BY m.created_at, m.user_id FOR UPDATE OF m",
        [workspace_id],
    )
    return [Member(User(row["user_id"], row["name"]), Role(row["role"]), row["created_at"]) for row in rows]


async def set_role(connection: Connection, workspace_id: str, user_id: str, role: Role) -> None:
    """Give a member another role."""
    await connection.execute(
        "UPDATE member SET role = %s WHERE workspace_id = %s AND user_id = %s", [role, workspace_id, user_id]
    )


async def delete_member(connection: Connection, workspace_id: str, user_id: str) -> None:
    """Take a person, and their API keys, out of a workspace."""
    await connection.execute("DELETE FROM member WHERE workspace_id = %s AND user_id = %s", [workspace_id, user_id])


def _workspace(row: Row) -> Workspace:
    return Workspace(row["workspace_id"], row["name"], Role(row["role"]), row["created_at"])
