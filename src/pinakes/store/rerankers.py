"""Re-rankers that workspaces bring themselves."""

from datetime import datetime
from typing import Any, LiteralString

from pinakes.domain.reranker import RerankEndpoint, RerankStyle
from pinakes.store.database import Connection, Row, fetch_all, fetch_one

_SELECT: LiteralString = """
    SELECT r.reranker_id, r.name, r.style, r.base_url, r.model, r.seconds, r.hits, r.raw_scores, r.slope, r.bias,
           r.sealed_key, r.key_hint, r.created_at, r.updated_at,
           w.default_reranker_id IS NOT DISTINCT FROM r.reranker_id AS is_default
    FROM reranker r JOIN workspace w ON w.workspace_id = r.workspace_id
    WHERE r.workspace_id = %(workspace_id)s
"""


async def insert_reranker(connection: Connection, workspace_id: str, made: RerankEndpoint, created_by: str) -> None:
    """Add a re-ranker; its dates are the database's."""
    await connection.execute(
        """
        INSERT INTO reranker (workspace_id, reranker_id, name, style, base_url, model, seconds, hits, raw_scores,
                              slope, bias, sealed_key, key_hint, created_by)
        VALUES (%(workspace_id)s, %(reranker_id)s, %(name)s, %(style)s, %(base_url)s, %(model)s, %(seconds)s,
                %(hits)s, %(raw_scores)s, %(slope)s, %(bias)s, %(sealed_key)s, %(key_hint)s, %(created_by)s)
        """,
        _values(workspace_id, made) | {"created_by": created_by},
    )


async def list_rerankers(connection: Connection, workspace_id: str) -> list[RerankEndpoint]:
    """Every re-ranker of the workspace by name."""
    rows = await fetch_all(connection, _SELECT + "ORDER BY lower(r.name)", {"workspace_id": workspace_id})
    return [_reranker(row) for row in rows]


async def find_reranker(connection: Connection, workspace_id: str, reference: str) -> RerankEndpoint | None:
    """By id or name."""
    row = await fetch_one(
        connection,
        _SELECT + "AND (r.reranker_id = %(reference)s OR lower(r.name) = lower(%(reference)s)) "
        "ORDER BY r.reranker_id = %(reference)s DESC LIMIT 1",
        {"workspace_id": workspace_id, "reference": reference},
    )
    return _reranker(row) if row else None


async def find_default(connection: Connection, workspace_id: str) -> RerankEndpoint | None:
    """The one that searches use which name none."""
    row = await fetch_one(
        connection, _SELECT + "AND w.default_reranker_id = r.reranker_id", {"workspace_id": workspace_id}
    )
    return _reranker(row) if row else None


async def set_default(connection: Connection, workspace_id: str, reranker_id: str | None) -> None:
    """Have searches use this one from now on, or none."""
    await connection.execute(
        "UPDATE workspace SET default_reranker_id = %s WHERE workspace_id = %s", [reranker_id, workspace_id]
    )


async def update_reranker(
    connection: Connection, workspace_id: str, changed: RerankEndpoint, seen_at: datetime
) -> bool:
    """Set everything that may change, unless it was changed since it was seen."""
    row = await fetch_one(
        connection,
        """
        UPDATE reranker SET name = %(name)s, style = %(style)s, base_url = %(base_url)s, model = %(model)s,
            seconds = %(seconds)s, hits = %(hits)s, raw_scores = %(raw_scores)s, slope = %(slope)s, bias = %(bias)s,
            sealed_key = %(sealed_key)s, key_hint = %(key_hint)s, updated_at = clock_timestamp()
        WHERE workspace_id = %(workspace_id)s AND reranker_id = %(reranker_id)s AND updated_at = %(seen_at)s
        RETURNING 1
        """,
        _values(workspace_id, changed) | {"seen_at": seen_at},
    )
    return row is not None


async def delete_reranker(connection: Connection, workspace_id: str, reranker_id: str) -> None:
    """Forget a re-ranker and its key; where it was the default there is none any more."""
    await connection.execute(
        "DELETE FROM reranker WHERE workspace_id = %s AND reranker_id = %s", [workspace_id, reranker_id]
    )


def _values(workspace_id: str, endpoint: RerankEndpoint) -> dict[str, Any]:
    names = (
        *("reranker_id", "name", "style", "base_url", "model", "seconds", "hits"),
        *("raw_scores", "slope", "bias", "sealed_key", "key_hint"),
    )
    return {"workspace_id": workspace_id} | {name: getattr(endpoint, name) for name in names}


def _reranker(row: Row) -> RerankEndpoint:
    fields: dict[str, Any] = {**row, "style": RerankStyle(row["style"])}
    return RerankEndpoint(**fields)
