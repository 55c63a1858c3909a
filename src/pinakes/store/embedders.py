"""Embedding models that workspaces bring themselves."""

from dataclasses import asdict
from typing import LiteralString

from psycopg.types.json import Jsonb

from pinakes.domain.calibration import Scale
from pinakes.domain.embedder import EmbeddingEndpoint
from pinakes.store.database import Connection, Row, fetch_all, fetch_one

_COLUMNS: LiteralString = (
    "embedder_id, name, base_url, model, dims, dims_given, max_tokens, sealed_key, key_hint, scale, "
    "created_at, updated_at"
)


async def insert_embedder(
    connection: Connection,
    workspace_id: str,
    *,
    embedder_id: str,
    name: str,
    base_url: str,
    model: str,
    dims: int,
    dims_given: bool,
    max_tokens: int,
    sealed_key: bytes | None,
    key_hint: str | None,
    scale: Scale,
    created_by: str,
) -> EmbeddingEndpoint:
    """Add an embedder."""
    row = await fetch_one(
        connection,
        "INSERT INTO embedder (workspace_id, embedder_id, name, base_url, model, dims, dims_given, max_tokens, "
        "sealed_key, key_hint, scale, created_by) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s) "
        f"RETURNING {_COLUMNS}",
        [
            workspace_id,
            embedder_id,
            name,
            base_url,
            model,
            dims,
            dims_given,
            max_tokens,
            sealed_key,
            key_hint,
            Jsonb(asdict(scale)),
            created_by,
        ],
    )
    assert row
    return _endpoint(row)


async def list_embedders(connection: Connection, workspace_id: str) -> list[EmbeddingEndpoint]:
    """Every embedder of the workspace by name."""
    rows = await fetch_all(
        connection,
        f"SELECT {_COLUMNS} FROM embedder WHERE workspace_id = %s ORDER BY lower(name)",
        [workspace_id],
    )
    return [_endpoint(row) for row in rows]


async def find_embedder(connection: Connection, workspace_id: str, reference: str) -> EmbeddingEndpoint | None:
    """By id or name."""
    row = await fetch_one(
        connection,
        f"SELECT {_COLUMNS} FROM embedder WHERE workspace_id = %(workspace_id)s "
        "AND (embedder_id = %(reference)s OR lower(name) = lower(%(reference)s)) "
        "ORDER BY embedder_id = %(reference)s DESC LIMIT 1",
        {"workspace_id": workspace_id, "reference": reference},
    )
    return _endpoint(row) if row else None


async def keep_embedder(connection: Connection, workspace_id: str, embedder_id: str) -> bool:
    """Keep an embedder as it is until the transaction ends; False if it is gone."""
    row = await fetch_one(
        connection,
        "SELECT 1 FROM embedder WHERE workspace_id = %s AND embedder_id = %s FOR SHARE",
        [workspace_id, embedder_id],
    )
    return row is not None


async def lock_embedder(connection: Connection, workspace_id: str, embedder_id: str) -> None:
    """Make whoever is about to use an embedder wait until the transaction ends."""
    await connection.execute(
        "SELECT 1 FROM embedder WHERE workspace_id = %s AND embedder_id = %s FOR UPDATE",
        [workspace_id, embedder_id],
    )


async def list_users(connection: Connection, workspace_id: str, embedder_id: str) -> list[str]:
    """The names of the knowledge bases of which any generation was built with this embedder."""
    rows = await fetch_all(
        connection,
        "SELECT DISTINCT kb.name FROM kb_index i "
        "JOIN knowledge_base kb ON kb.workspace_id = i.workspace_id AND kb.kb_id = i.kb_id "
        "WHERE i.workspace_id = %s AND i.embedder = %s ORDER BY kb.name",
        [workspace_id, embedder_id],
    )
    return [row["name"] for row in rows]


async def update_embedder(connection: Connection, workspace_id: str, changed: EmbeddingEndpoint) -> EmbeddingEndpoint:
    """Set everything that may change."""
    row = await fetch_one(
        connection,
        "UPDATE embedder SET name = %s, base_url = %s, model = %s, dims = %s, dims_given = %s, max_tokens = %s, "
        "sealed_key = %s, key_hint = %s, scale = %s, updated_at = clock_timestamp() "
        f"WHERE workspace_id = %s AND embedder_id = %s RETURNING {_COLUMNS}",
        [
            changed.name,
            changed.base_url,
            changed.model,
            changed.dims,
            changed.dims_given,
            changed.max_tokens,
            changed.sealed_key,
            changed.key_hint,
            Jsonb(asdict(changed.scale)) if changed.scale else None,
            workspace_id,
            changed.embedder_id,
        ],
    )
    assert row
    return _endpoint(row)


async def note_scale(connection: Connection, workspace_id: str, tried: EmbeddingEndpoint, scale: Scale) -> None:
    """Remember what a trial measured, unless the embedder was changed since; it is no other one by that."""
    await connection.execute(
        "UPDATE embedder SET scale = %s WHERE workspace_id = %s AND embedder_id = %s AND updated_at = %s",
        [Jsonb(asdict(scale)), workspace_id, tried.embedder_id, tried.updated_at],
    )


async def delete_embedder(connection: Connection, workspace_id: str, embedder_id: str) -> None:
    """Forget an embedder and its key."""
    await connection.execute(
        "DELETE FROM embedder WHERE workspace_id = %s AND embedder_id = %s", [workspace_id, embedder_id]
    )


def _endpoint(row: Row) -> EmbeddingEndpoint:
    scale = row.pop("scale")
    return EmbeddingEndpoint(**row, scale=Scale(**scale) if scale else None)
