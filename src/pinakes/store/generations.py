"""Generations of a knowledge base: which one answers, which are kept, and the switch between them."""

from datetime import timedelta
from typing import LiteralString

from pinakes.domain.calibration import Calibration
from pinakes.domain.generation import Generation, GenerationState
from pinakes.domain.knowledge_base import KbIndex
from pinakes.store.database import Connection, fetch_all, fetch_one
from pinakes.store.knowledge_bases import NewIndex
from pinakes.store.vectors import hand_over

_UNFINISHED: LiteralString = """
    SELECT o.operation_id FROM operation o
    WHERE o.workspace_id = i.workspace_id AND o.index_id = i.index_id AND o.status IN ('pending', 'running')
"""


async def list_generations(connection: Connection, workspace_id: str, kb_id: str) -> list[Generation]:
    """Every generation of a knowledge base, newest first."""
    rows = await fetch_all(
        connection,
        f"""
        SELECT i.index_id, coalesce(e.name, i.embedder) AS embedder, i.dims, i.created_at, u.operation_id,
               CASE WHEN i.index_id = k.active_index_id THEN 'active' WHEN u.operation_id IS NOT NULL THEN 'building'
                    WHEN i.ready_at IS NOT NULL THEN 'kept' ELSE 'unfinished' END AS state,
               (SELECT coalesce(sum(t.chunks), 0)::bigint FROM term_delta t
                WHERE t.workspace_id = i.workspace_id AND t.index_id = i.index_id AND t.term = 0) AS chunk_count
        FROM knowledge_base k
        JOIN kb_index i ON i.workspace_id = k.workspace_id AND i.kb_id = k.kb_id
        LEFT JOIN embedder e ON e.workspace_id = i.workspace_id AND e.embedder_id = i.embedder
        LEFT JOIN LATERAL ({_UNFINISHED}) u ON true
        WHERE k.workspace_id = %s AND k.kb_id = %s ORDER BY i.created_at DESC, i.index_id
        """,
        [workspace_id, kb_id],
    )
    for row in rows:
        row["state"] = GenerationState(row["state"])
    return [Generation(**row) for row in rows]


async def find_index(connection: Connection, workspace_id: str, index_id: str) -> KbIndex | None:
    """A generation, whether it answers or not."""
    row = await fetch_one(
        connection,
        """
        SELECT i.index_id, i.kb_id, k.name AS kb_name, i.embedder, i.dims, i.avgdl_ref, i.calibration,
               k.lifecycle_days > 0 AS expires, 0 AS chunk_count
        FROM kb_index i JOIN knowledge_base k ON k.workspace_id = i.workspace_id AND k.kb_id = i.kb_id
        WHERE i.workspace_id = %s AND i.index_id = %s
        """,
        [workspace_id, index_id],
    )
    if row is None:
        return None
    row["calibration"] = Calibration(**row["calibration"])
    return KbIndex(**row)


async def is_active(connection: Connection, workspace_id: str, kb_id: str, index_id: str) -> bool:
    """Whether a generation answers for a knowledge base, which stays so until the transaction ends."""
    row = await fetch_one(
        connection,
        "SELECT active_index_id FROM knowledge_base WHERE workspace_id = %s AND kb_id = %s FOR SHARE",
        [workspace_id, kb_id],
    )
    return row is not None and row["active_index_id"] == index_id


async def lock_active(connection: Connection, workspace_id: str, kb_id: str) -> str | None:
    """The generation that answers, once no writer is in the midst of writing to it; None if there is none any more."""
    row = await fetch_one(
        connection,
        "SELECT active_index_id FROM knowledge_base WHERE workspace_id = %s AND kb_id = %s FOR UPDATE",
        [workspace_id, kb_id],
    )
    return row["active_index_id"] if row else None


async def find_equal(connection: Connection, workspace_id: str, kb_id: str, wanted: NewIndex) -> str | None:
    """The generation that was made, or was to be made, with the very same; it cannot be dropped meanwhile."""
    row = await fetch_one(
        connection,
        "SELECT i.index_id FROM kb_index i JOIN knowledge_base k ON k.workspace_id = i.workspace_id "
        "AND k.kb_id = i.kb_id WHERE i.workspace_id = %s AND i.kb_id = %s AND i.embedder = %s "
        "AND i.dims IS NOT DISTINCT FROM %s AND i.analyser_version = %s AND i.avgdl_ref = %s::real "
        "ORDER BY i.index_id = k.active_index_id DESC, i.ready_at DESC NULLS LAST LIMIT 1 FOR KEY SHARE OF i",
        [workspace_id, kb_id, wanted.embedder, wanted.dims, wanted.analyser_version, wanted.avgdl_ref],
    )
    return row["index_id"] if row else None


async def list_outdated(
    connection: Connection, workspace_id: str, analyser_version: int, rest: timedelta
) -> list[tuple[str, str, int | None]]:
    """Knowledge bases that another analyser read, with embedder and dimensions; not those a switch just failed for."""
    rows = await fetch_all(
        connection,
        "SELECT k.kb_id, i.embedder, i.dims FROM knowledge_base k JOIN kb_index i ON i.workspace_id = k.workspace_id "
        "AND i.index_id = k.active_index_id WHERE k.workspace_id = %(workspace_id)s "
        "AND i.analyser_version <> %(analyser_version)s AND NOT EXISTS (SELECT FROM operation o "
        "WHERE o.workspace_id = k.workspace_id AND o.kb_id = k.kb_id AND o.kind = 'switch' "
        "AND (o.status IN ('pending', 'running') OR o.finished_at > now() - %(rest)s))",
        {"workspace_id": workspace_id, "analyser_version": analyser_version, "rest": rest},
    )
    return [(row["kb_id"], row["embedder"], row["dims"]) for row in rows]


async def find_posted_alike(connection: Connection, workspace_id: str, index_id: str) -> str | None:
    """The generation that answers, if its postings are the ones that this one needs."""
    row = await fetch_one(
        connection,
        "SELECT a.index_id FROM kb_index i JOIN knowledge_base k ON k.workspace_id = i.workspace_id "
        "AND k.kb_id = i.kb_id JOIN kb_index a ON a.workspace_id = k.workspace_id AND a.index_id = k.active_index_id "
        "WHERE i.workspace_id = %s AND i.index_id = %s AND a.index_id <> i.index_id "
        "AND a.analyser_version = i.analyser_version AND a.avgdl_ref = i.avgdl_ref",
        [workspace_id, index_id],
    )
    return row["index_id"] if row else None


async def find_switch(connection: Connection, workspace_id: str, kb_id: str) -> str | None:
    """The unfinished operation that switches a knowledge base."""
    row = await fetch_one(
        connection,
        "SELECT operation_id FROM operation WHERE workspace_id = %s AND kb_id = %s AND kind = 'switch' "
        "AND status IN ('pending', 'running')",
        [workspace_id, kb_id],
    )
    return row["operation_id"] if row else None


async def activate(connection: Connection, workspace_id: str, index: KbIndex) -> None:
    """Let a generation answer from now on; the one that did is kept."""
    scope = {"workspace_id": workspace_id, "kb_id": index.kb_id, "index_id": index.index_id}
    await connection.execute(
        "UPDATE kb_index SET ready_at = now() WHERE workspace_id = %(workspace_id)s AND index_id = %(index_id)s", scope
    )
    await connection.execute(
        "UPDATE knowledge_base SET active_index_id = %(index_id)s, updated_at = now() "
        "WHERE workspace_id = %(workspace_id)s AND kb_id = %(kb_id)s",
        scope,
    )
    await hand_over(connection, workspace_id, index.kb_id, index.index_id)


async def lock_generation(connection: Connection, workspace_id: str, kb_id: str, index_id: str) -> Generation | None:
    """A generation that nobody else can begin to use until the transaction ends."""
    # By itself: what is read in the same statement would be as it was before the wait for the lock.
    await connection.execute(
        "SELECT 1 FROM kb_index WHERE workspace_id = %s AND kb_id = %s AND index_id = %s FOR UPDATE",
        [workspace_id, kb_id, index_id],
    )
    found = await list_generations(connection, workspace_id, kb_id)
    return next((generation for generation in found if generation.index_id == index_id), None)


async def delete_generation(connection: Connection, workspace_id: str, index_id: str) -> None:
    """Delete a generation with its vectors, postings and counts; passages stay."""
    await connection.execute("DELETE FROM kb_index WHERE workspace_id = %s AND index_id = %s", [workspace_id, index_id])


async def list_leftovers(connection: Connection, workspace_id: str, unattended_for: timedelta) -> list[tuple[str, str]]:
    """Generations nobody will need, with their knowledge bases.

    That is half-built ones that nobody has worked on for long, and those that were analysed anew since: nobody can
    switch back to an older analyser, and the newer one has the same vectors.
    """
    rows = await fetch_all(
        connection,
        f"""
        SELECT i.kb_id, i.index_id FROM kb_index i
        JOIN knowledge_base k ON k.workspace_id = i.workspace_id AND k.kb_id = i.kb_id
        WHERE i.workspace_id = %(workspace_id)s AND i.index_id <> k.active_index_id AND NOT EXISTS ({_UNFINISHED})
          AND CASE WHEN i.ready_at IS NULL THEN
              i.created_at <= now() - %(unattended_for)s AND NOT EXISTS (
                  SELECT FROM operation o WHERE o.workspace_id = i.workspace_id AND o.index_id = i.index_id
                    AND o.finished_at > now() - %(unattended_for)s)
          ELSE EXISTS (
              SELECT FROM kb_index n WHERE n.workspace_id = i.workspace_id AND n.kb_id = i.kb_id
                AND n.embedder = i.embedder AND n.dims IS NOT DISTINCT FROM i.dims
                AND n.analyser_version <> i.analyser_version AND n.ready_at > i.ready_at)
          END
        """,
        {"workspace_id": workspace_id, "unattended_for": unattended_for},
    )
    return [(row["kb_id"], row["index_id"]) for row in rows]
