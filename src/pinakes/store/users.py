"""People, their sessions and the links they sign in with (global tables)."""

from dataclasses import dataclass
from datetime import datetime

from pinakes.domain.identity import Role, User
from pinakes.store.database import Connection, fetch_all, fetch_one


@dataclass(frozen=True, slots=True)
class UsedLink:
    """What a link that was just used stands for: a user, or a place in a workspace."""

    user_id: str | None
    workspace_id: str | None
    role: Role | None
    name: str | None


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation nobody has used yet; the id is the beginning of its token's hash."""

    invitation_id: str
    name: str
    role: Role
    created_at: datetime
    expires_at: datetime


async def insert_user(connection: Connection, user: User) -> None:
    """Add a person."""
    await connection.execute("INSERT INTO app_user (user_id, name) VALUES (%s, %s)", [user.user_id, user.name])


async def find_user(connection: Connection, user_id: str) -> User | None:
    """The person with this id."""
    row = await fetch_one(connection, "SELECT user_id, name FROM app_user WHERE user_id = %s", [user_id])
    return User(row["user_id"], row["name"]) if row else None


async def rename_user(connection: Connection, user_id: str, name: str) -> None:
    """Give a person another name."""
    await connection.execute("UPDATE app_user SET name = %s WHERE user_id = %s", [name, user_id])


async def oldest_user(connection: Connection) -> User | None:
    """The first person there ever was: the local owner of an installation."""
    row = await fetch_one(connection, "SELECT user_id, name FROM app_user ORDER BY created_at, user_id LIMIT 1")
    return User(row["user_id"], row["name"]) if row else None


async def insert_session(connection: Connection, token_hash: bytes, user_id: str, expires_at: datetime) -> None:
    """Remember a session by the hash of its token."""
    await connection.execute(
        "INSERT INTO user_session (token_hash, user_id, expires_at) VALUES (%s, %s, %s)",
        [token_hash, user_id, expires_at],
    )


async def find_session_user(connection: Connection, token_hash: bytes) -> User | None:
    """Whose session this is, if it is still good."""
    row = await fetch_one(
        connection,
        "SELECT u.user_id, u.name FROM user_session s JOIN app_user u USING (user_id) "
        "WHERE s.token_hash = %s AND s.expires_at > now()",
        [token_hash],
    )
    return User(row["user_id"], row["name"]) if row else None


async def delete_session(connection: Connection, token_hash: bytes) -> None:
    """Sign out."""
    await connection.execute("DELETE FROM user_session WHERE token_hash = %s", [token_hash])


async def insert_sign_in_link(connection: Connection, token_hash: bytes, user_id: str, expires_at: datetime) -> None:
    """A link that signs this person in."""
    await connection.execute(
        "INSERT INTO sign_in_link (token_hash, user_id, expires_at) VALUES (%s, %s, %s)",
        [token_hash, user_id, expires_at],
    )


async def insert_invitation(
    connection: Connection, token_hash: bytes, workspace_id: str, role: Role, name: str, expires_at: datetime
) -> None:
    """A link that lets whoever opens it first join the workspace."""
    await connection.execute(
        "INSERT INTO sign_in_link (token_hash, workspace_id, role, name, expires_at) VALUES (%s, %s, %s, %s, %s)",
        [token_hash, workspace_id, role, name, expires_at],
    )


async def use_link(connection: Connection, token_hash: bytes) -> UsedLink | None:
    """Use a link up; None if it is unknown, used or expired."""
    row = await fetch_one(
        connection,
        "UPDATE sign_in_link SET used_at = now() "
        "WHERE token_hash = %s AND used_at IS NULL AND expires_at > now() "
        "RETURNING user_id, workspace_id, role, name",
        [token_hash],
    )
    return (
        UsedLink(row["user_id"], row["workspace_id"], row["role"] and Role(row["role"]), row["name"]) if row else None
    )


async def list_invitations(connection: Connection, workspace_id: str) -> list[Invitation]:
    """Invitations into this workspace that can still be used."""
    rows = await fetch_all(
        connection,
        "SELECT left(encode(token_hash, 'hex'), 16) AS invitation_id, name, role, created_at, expires_at "
        "FROM sign_in_link WHERE workspace_id = %s AND used_at IS NULL AND expires_at > now() "
        "ORDER BY created_at",
        [workspace_id],
    )
    return [
        Invitation(row["invitation_id"], row["name"], Role(row["role"]), row["created_at"], row["expires_at"])
        for row in rows
    ]


async def delete_invitation(connection: Connection, workspace_id: str, invitation_id: str) -> bool:
    """Withdraw an invitation."""
    cursor = await connection.execute(
        "DELETE FROM sign_in_link WHERE workspace_id = %s AND left(encode(token_hash, 'hex'), 16) = %s "
        "AND used_at IS NULL",
        [workspace_id, invitation_id],
    )
    return cursor.rowcount > 0


async def delete_expired(connection: Connection) -> None:
    """Drop sessions and links that can no longer be used."""
    await connection.execute("DELETE FROM user_session WHERE expires_at < now()")
    await connection.execute("DELETE FROM sign_in_link WHERE expires_at < now() - interval '1 day'")
