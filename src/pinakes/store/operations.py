"""Operations: who works on what, how far, and under which fence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import LiteralString

from pinakes.domain.errors import Superseded
from pinakes.domain.operation import Operation, OperationKind, OperationStatus
from pinakes.store.database import Connection, Row, fetch_all, fetch_one

# Only the last try counts: a failure that was tried again since needs nobody any more.
_LATEST: LiteralString = """
    AND NOT EXISTS (
        SELECT FROM operation n WHERE n.workspace_id = o.workspace_id AND n.version_id = o.version_id
          AND (n.created_at, n.operation_id) > (o.created_at, o.operation_id))
    AND (o.kind <> 'switch' OR NOT EXISTS (
        SELECT FROM operation n WHERE n.workspace_id = o.workspace_id AND n.kb_id = o.kb_id AND n.kind = 'switch'
          AND (n.created_at, n.operation_id) > (o.created_at, o.operation_id)))
"""
# Worth another try: a document that is as it was and may be read yet, a switch that left something to go on with.
_RETRYABLE: LiteralString = f"""
    o.status IN ('failed', 'terminated') {_LATEST} AND CASE o.kind
        WHEN 'switch' THEN EXISTS (
            SELECT FROM kb_index i WHERE i.workspace_id = o.workspace_id AND i.index_id = o.index_id)
        ELSE EXISTS (
            SELECT FROM document d
            JOIN document_version v ON v.workspace_id = d.workspace_id AND v.version_id = d.latest_version_id
            WHERE d.workspace_id = o.workspace_id AND d.document_id = o.document_id
              AND v.version_id = o.version_id AND v.status = 'failed' AND v.retryable)
        END
"""
_SELECT: LiteralString = f"""
    SELECT o.operation_id, o.kind, o.status, o.progress, o.kb_id, k.name AS kb_name, o.document_id,
           d.name AS document_name, coalesce(e.name, i.embedder) AS embedder, o.error, o.attempts, o.created_at,
           o.started_at, o.finished_at, NOT (true {_LATEST}) AS retried, ({_RETRYABLE}) AS retryable
    FROM operation o
    JOIN knowledge_base k ON k.workspace_id = o.workspace_id AND k.kb_id = o.kb_id
    LEFT JOIN document d ON d.workspace_id = o.workspace_id AND d.document_id = o.document_id
    LEFT JOIN kb_index i ON i.workspace_id = o.workspace_id AND i.index_id = o.index_id
    LEFT JOIN embedder e ON e.workspace_id = i.workspace_id AND e.embedder_id = i.embedder
    WHERE o.workspace_id = %(workspace_id)s
"""
_CLAIM: LiteralString = """
    UPDATE operation SET fence = fence + 1, attempts = attempts + 1, status = 'running',
        started_at = coalesce(started_at, now()), touched_at = now()
    WHERE workspace_id = %s AND operation_id = %s AND status IN ('pending', 'running')
    RETURNING workspace_id, operation_id, fence, attempts, kb_id, traceparent, started_at
"""


@dataclass(frozen=True, slots=True)
class AnyClaim:
    """A worker's hold on an operation; it is good as long as nobody has claimed the operation since."""

    workspace_id: str
    operation_id: str
    fence: int
    attempts: int
    kb_id: str
    traceparent: str | None
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Claim(AnyClaim):
    """A hold on the indexing of one version."""

    document_id: str
    version_id: str


@dataclass(frozen=True, slots=True)
class SwitchClaim(AnyClaim):
    """A hold on a knowledge base's switch to another generation."""

    index_id: str


async def insert_operation(
    connection: Connection,
    workspace_id: str,
    *,
    operation_id: str,
    kind: OperationKind,
    kb_id: str,
    document_id: str | None = None,
    version_id: str | None = None,
    index_id: str | None = None,
    traceparent: str | None,
    created_by: str | None,
) -> None:
    """A new operation, waiting."""
    await connection.execute(
        "INSERT INTO operation (workspace_id, operation_id, kind, status, kb_id, document_id, version_id, "
        "index_id, traceparent, created_by) VALUES (%s, %s, %s, 'pending', %s, %s, %s, %s, %s, %s)",
        [workspace_id, operation_id, kind, kb_id, document_id, version_id, index_id, traceparent, created_by],
    )


async def find_operation(connection: Connection, workspace_id: str, operation_id: str) -> Operation | None:
    """One operation."""
    row = await fetch_one(
        connection,
        _SELECT + "AND o.operation_id = %(operation_id)s",
        {"workspace_id": workspace_id, "operation_id": operation_id},
    )
    return _operation(row) if row else None


async def list_operations(
    connection: Connection,
    workspace_id: str,
    *,
    statuses: Sequence[OperationStatus],
    kb_id: str | None,
    latest: bool,
    retryable: bool,
    limit: int,
    offset: int,
) -> tuple[list[Operation], int]:
    """A page of operations, newest first, and how many match; no statuses means all."""
    matches: LiteralString = (
        "AND (%(statuses)s::text[] = '{}' OR o.status = ANY(%(statuses)s)) "
        "AND (%(kb_id)s::text IS NULL OR o.kb_id = %(kb_id)s) "
    )
    if latest:
        matches += _LATEST
    if retryable:
        matches += "AND " + _RETRYABLE
    parameters = {
        "workspace_id": workspace_id,
        "statuses": list(statuses),
        "kb_id": kb_id,
        "limit": limit,
        "offset": offset,
    }
    rows = await fetch_all(
        connection,
        _SELECT + matches + "ORDER BY o.created_at DESC, o.operation_id DESC LIMIT %(limit)s OFFSET %(offset)s",
        parameters,
    )
    total = await fetch_one(
        connection,
        "SELECT count(*) AS n FROM operation o WHERE o.workspace_id = %(workspace_id)s " + matches,
        parameters,
    )
    return [_operation(row) for row in rows], total["n"] if total else 0


async def count_operations(connection: Connection, workspace_id: str, kb_id: str | None) -> dict[OperationStatus, int]:
    """How many there are of each status; failures count until they are tried again."""
    rows = await fetch_all(
        connection,
        f"""
        SELECT o.status, count(*) AS n FROM operation o
        WHERE o.workspace_id = %(workspace_id)s AND (%(kb_id)s::text IS NULL OR o.kb_id = %(kb_id)s)
          AND (o.status <> 'failed' OR (true {_LATEST}))
        GROUP BY o.status
        """,
        {"workspace_id": workspace_id, "kb_id": kb_id},
    )
    return {OperationStatus(row["status"]): row["n"] for row in rows}


async def find_target(connection: Connection, workspace_id: str, operation_id: str) -> Row | None:
    """The embedder a switch leads to, as a generation names it; None once that generation was dropped."""
    return await fetch_one(
        connection,
        "SELECT i.embedder FROM operation o JOIN kb_index i ON i.workspace_id = o.workspace_id "
        "AND i.index_id = o.index_id WHERE o.workspace_id = %s AND o.operation_id = %s",
        [workspace_id, operation_id],
    )


async def count_unfinished(connection: Connection, workspace_id: str) -> int:
    """How much of this workspace's work is waiting or going on."""
    row = await fetch_one(
        connection,
        "SELECT count(*) AS n FROM operation WHERE workspace_id = %s AND status IN ('pending', 'running')",
        [workspace_id],
    )
    return row["n"] if row else 0


async def claim_operation(connection: Connection, workspace_id: str, operation_id: str) -> Claim | None:
    """Take the indexing of a version over with a new fence; None if it is finished or gone."""
    row = await fetch_one(connection, _CLAIM + ", document_id, version_id", [workspace_id, operation_id])
    return Claim(**row) if row else None


async def claim_switch(connection: Connection, workspace_id: str, operation_id: str) -> SwitchClaim | None:
    """The same with a switch to another generation."""
    row = await fetch_one(connection, _CLAIM + ", index_id", [workspace_id, operation_id])
    return SwitchClaim(**row) if row else None


async def lock_operations(connection: Connection, workspace_id: str, document_id: str) -> None:
    """Wait until no worker is in the midst of writing for a document that is about to be deleted."""
    await connection.execute(
        "SELECT 1 FROM operation WHERE workspace_id = %s AND document_id = %s ORDER BY operation_id FOR UPDATE",
        [workspace_id, document_id],
    )


async def hold(connection: Connection, claim: AnyClaim) -> None:
    """Lock the operation for this transaction, or raise Superseded if another worker has it now."""
    row = await fetch_one(
        connection,
        "SELECT 1 FROM operation WHERE workspace_id = %s AND operation_id = %s AND fence = %s "
        "AND status = 'running' FOR UPDATE",
        [claim.workspace_id, claim.operation_id, claim.fence],
    )
    if row is None:
        raise Superseded("Another worker took this operation over, or it was cancelled, or its document was deleted.")


async def set_progress(connection: Connection, claim: AnyClaim, progress: int) -> None:
    """How far it is, in per cent; never backwards."""
    await connection.execute(
        "UPDATE operation SET progress = greatest(progress, %s), touched_at = now() "
        "WHERE workspace_id = %s AND operation_id = %s",
        [progress, claim.workspace_id, claim.operation_id],
    )


async def finish_operation(
    connection: Connection, claim: AnyClaim, status: OperationStatus, error: str | None = None
) -> None:
    """How it ended."""
    await connection.execute(
        "UPDATE operation SET status = %s, error = %s, finished_at = now(), "
        "progress = CASE WHEN %s = 'completed' THEN 100 ELSE progress END "
        "WHERE workspace_id = %s AND operation_id = %s",
        [status, error, status, claim.workspace_id, claim.operation_id],
    )


async def note_setback(connection: Connection, claim: AnyClaim, reason: str) -> bool:
    """Why it is waiting to be tried again, which does not count as an attempt; False if others have it now."""
    cursor = await connection.execute(
        "UPDATE operation SET status = 'pending', error = %s, attempts = attempts - 1, touched_at = now() "
        "WHERE workspace_id = %s AND operation_id = %s AND fence = %s AND status = 'running'",
        [reason, claim.workspace_id, claim.operation_id, claim.fence],
    )
    return cursor.rowcount == 1


async def list_abandoned(
    connection: Connection, workspace_id: str, silent_for: timedelta
) -> list[tuple[str, OperationKind, int]]:
    """Unfinished operations, with kind and size, that no job stands behind or whose job has not moved for long."""
    rows = await fetch_all(
        connection,
        """
        SELECT o.operation_id, o.kind, coalesce(v.size_bytes, 0) AS size_bytes FROM operation o
        LEFT JOIN document_version v ON v.workspace_id = o.workspace_id AND v.version_id = o.version_id
        WHERE o.workspace_id = %(workspace_id)s AND o.status IN ('pending', 'running')
          AND o.touched_at < now() - interval '1 minute'
          AND NOT EXISTS (
              SELECT FROM procrastinate_jobs j
              WHERE j.args ->> 'operation_id' = o.operation_id
                AND (j.status = 'todo' OR j.status = 'doing' AND o.touched_at > now() - %(silent_for)s)
          )
        """,
        {"workspace_id": workspace_id, "silent_for": silent_for},
    )
    return [(row["operation_id"], OperationKind(row["kind"]), row["size_bytes"]) for row in rows]


def _operation(row: Row) -> Operation:
    row["status"] = OperationStatus(row["status"])
    row["kind"] = OperationKind(row["kind"])
    return Operation(**row)
