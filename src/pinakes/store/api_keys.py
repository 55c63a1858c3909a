"""API keys: only the hash of a secret is kept."""

from dataclasses import dataclass
from datetime import datetime

from pinakes.domain.identity import ApiKey, Role, Scope, User
from pinakes.store.database import Connection, Row, fetch_all, fetch_one

_COLUMNS = "key_id, user_id, name, hint, scopes, created_at, expires_at, revoked_at, last_used_at"


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """Who a key speaks for."""

    key_id: str
    user: User
    role: Role
    scopes: frozenset[Scope]


async def insert_api_key(
    connection: Connection,
    workspace_id: str,
    *,
    key_id: str,
    user_id: str,
    name: str,
    secret_hash: bytes,
    hint: str,
    scopes: frozenset[Scope],
    expires_at: datetime | None,
) -> ApiKey:
    """Add a key."""
    row = await fetch_one(
        connection,
        "INSERT INTO api_key (workspace_id, key_id, user_id, name, secret_hash, hint, scopes, expires_at) "
        f"VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING {_COLUMNS}",
        [workspace_id, key_id, user_id, name, secret_hash, hint, sorted(scopes), expires_at],
    )
    assert row
    return _api_key(row)


async def list_api_keys(connection: Connection, workspace_id: str) -> list[ApiKey]:
    """Every key of the workspace, newest first, revoked ones too."""
    rows = await fetch_all(
        connection,
        f"SELECT {_COLUMNS} FROM api_key WHERE workspace_id = %s ORDER BY created_at DESC, key_id",
        [workspace_id],
    )
    return [_api_key(row) for row in rows]


async def find_api_key(connection: Connection, workspace_id: str, key_id: str) -> ApiKey | None:
    """One key."""
    row = await fetch_one(
        connection,
        f"SELECT {_COLUMNS} FROM api_key WHERE workspace_id = %s AND key_id = %s",
        [workspace_id, key_id],
    )
    return _api_key(row) if row else None


async def find_key_holder(connection: Connection, workspace_id: str, secret_hash: bytes) -> KeyHolder | None:
    """Whose key this is, if it is still good; notes at most once a minute that it was used."""
    row = await fetch_one(
        connection,
        "SELECT k.key_id, k.scopes, k.last_used_at < now() - interval '1 minute' IS NOT FALSE AS stale, "
        "u.user_id, u.name, m.role FROM api_key k "
        "JOIN member m ON m.workspace_id = k.workspace_id AND m.user_id = k.user_id "
        "JOIN app_user u ON u.user_id = k.user_id "
        "WHERE k.workspace_id = %s AND k.secret_hash = %s AND k.revoked_at IS NULL "
        "AND (k.expires_at IS NULL OR k.expires_at > now())",
        [workspace_id, secret_hash],
    )
    if row is None:
        return None
    if row["stale"]:
        await connection.execute(
            "UPDATE api_key SET last_used_at = now() WHERE workspace_id = %s AND key_id = %s",
            [workspace_id, row["key_id"]],
        )
    scopes = frozenset(Scope(scope) for scope in row["scopes"])
    return KeyHolder(row["key_id"], User(row["user_id"], row["name"]), Role(row["role"]), scopes)


async def revoke_api_key(connection: Connection, workspace_id: str, key_id: str) -> None:
    """Make a key useless from now on."""
    await connection.execute(
        "UPDATE api_key SET revoked_at = coalesce(revoked_at, now()) WHERE workspace_id = %s AND key_id = %s",
        [workspace_id, key_id],
    )


def _api_key(row: Row) -> ApiKey:
    row["scopes"] = frozenset(Scope(scope) for scope in row["scopes"])
    return ApiKey(**row)
