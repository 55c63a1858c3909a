"""Whose the subjects of an issuer are (a global table)."""

from dataclasses import dataclass

from pinakes.domain.identity import LinkedIdentity, User
from pinakes.store.database import Connection, Row, fetch_all, fetch_one


@dataclass(frozen=True, slots=True)
class KnownSubject:
    """A subject that was here before; `user` is None if it is nobody's any more."""

    user: User | None


async def lock_subject(connection: Connection, issuer: str, subject: str) -> None:
    """Until the transaction ends, nobody else decides whose this subject is."""
    await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"{issuer} {subject}"])


async def find_subject(connection: Connection, issuer: str, subject: str) -> KnownSubject | None:
    """What is known of a subject."""
    row = await fetch_one(
        connection,
        "SELECT u.user_id, u.name FROM user_identity i LEFT JOIN app_user u USING (user_id) "
        "WHERE i.issuer = %s AND i.subject = %s",
        [issuer, subject],
    )
    if row is None:
        return None
    return KnownSubject(User(row["user_id"], row["name"]) if row["user_id"] else None)


async def link_subject(
    connection: Connection, identity_id: str, issuer: str, subject: str, user_id: str
) -> LinkedIdentity:
    """Say whose a subject is from now on; one that is theirs already stays as it is."""
    row = await fetch_one(
        connection,
        "INSERT INTO user_identity AS i (identity_id, issuer, subject, user_id) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id, "
        "linked_at = CASE WHEN i.user_id = excluded.user_id THEN i.linked_at ELSE now() END "
        "RETURNING identity_id, issuer, subject, linked_at",
        [identity_id, issuer, subject, user_id],
    )
    assert row is not None
    return _identity(row)


async def list_identities(connection: Connection, user_id: str) -> list[LinkedIdentity]:
    """A person's identities, oldest first."""
    rows = await fetch_all(
        connection,
        "SELECT identity_id, issuer, subject, linked_at FROM user_identity WHERE user_id = %s "
        "ORDER BY linked_at, identity_id",
        [user_id],
    )
    return [_identity(row) for row in rows]


async def unlink_identity(connection: Connection, identity_id: str, user_id: str) -> bool:
    """Make a person's identity nobody's."""
    cursor = await connection.execute(
        "UPDATE user_identity SET user_id = NULL WHERE identity_id = %s AND user_id = %s", [identity_id, user_id]
    )
    return cursor.rowcount > 0


def _identity(row: Row) -> LinkedIdentity:
    return LinkedIdentity(row["identity_id"], row["issuer"], row["subject"], row["linked_at"])
