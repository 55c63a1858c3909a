"""A large generation's own tables: copies of its vectors and postings with indexes that only it pays for."""

from typing import LiteralString

from psycopg import sql

from pinakes.store.database import Connection, fetch_all, fetch_one

# How many links a vector has, and among how many of its nearest they are chosen, up to so many chunks. Chosen among
# fewer than the hundreds that a large collection may hold on one subject, they would lead nowhere else.
_LINKS = 16
_WIDTHS = ((200_000, 200),)
_GREATEST_WIDTH = 400
# Beside its numbers an indexed vector takes this much for each link while the graph is built. What does not fit into
# so many megabytes is built slowly.
_BYTES_A_LINK = 36
_MEMORY = 2_000

_POSTINGS: LiteralString = "chunk_posting"
_VECTORS: LiteralString = "chunk_vector"
_COLUMNS: tuple[tuple[LiteralString, LiteralString], ...] = ((_POSTINGS, "terms, weights"), (_VECTORS, "embedding"))


def vectors_of(own: str) -> sql.Identifier:
    """The table that holds the vectors of the generation with this name."""
    return sql.Identifier("public", f"{_VECTORS}_{own}")


def _table(kind: LiteralString, own: str) -> sql.Identifier:
    return sql.Identifier("public", f"{kind}_{own}")


async def hold_building(connection: Connection, index_id: str) -> bool:
    """Be the only one to build a generation's tables until the transaction ends; False if another is at it."""
    row = await fetch_one(
        connection, "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0)) AS had", [f"own/{index_id}"]
    )
    return bool(row and row["had"])


async def build_own_tables(connection: Connection, workspace_id: str, index_id: str) -> str | None:
    """Give a generation its own tables, in this transaction, while others go on writing; None if it is gone."""
    row = await fetch_one(
        connection,
        "SELECT coalesce(max(i.dims), 0) AS dims, coalesce(sum(t.chunks), 0) AS chunks FROM kb_index i "
        "LEFT JOIN term_delta t ON t.workspace_id = i.workspace_id AND t.index_id = i.index_id AND t.term = 0 "
        "WHERE i.workspace_id = %s AND i.index_id = %s",
        [workspace_id, index_id],
    )
    dims, chunks = (row["dims"], int(row["chunks"])) if row else (0, 0)
    width = next((width for size, width in _WIDTHS if chunks <= size), _GREATEST_WIDTH)
    needed = chunks * (2 * dims + _LINKS * _BYTES_A_LINK) // 1_000_000
    await connection.execute(
        # Workers would need as much shared memory again, of which a container has 64 MB.
        "SELECT set_config('max_parallel_maintenance_workers', '0', true), "
        "set_config('statement_timeout', '0', true), set_config('maintenance_work_mem', %s, true)",
        [f"{min(max(needed, 64), _MEMORY)}MB"],
    )
    built = await fetch_one(connection, "SELECT build_own_tables(%s, %s, %s) AS own", [index_id, _LINKS, width])
    return built["own"] if built else None


async def list_unbuilt(connection: Connection, workspace_id: str, size: int) -> list[str]:
    """The generations that answer, have at least so many chunks and no tables of their own."""
    rows = await fetch_all(
        connection,
        "SELECT i.index_id FROM knowledge_base kb "
        "JOIN kb_index i ON i.workspace_id = kb.workspace_id AND i.index_id = kb.active_index_id "
        "WHERE kb.workspace_id = %(workspace_id)s AND i.own IS NULL AND %(size)s <= ("
        "SELECT coalesce(sum(t.chunks), 0) FROM term_delta t WHERE t.workspace_id = %(workspace_id)s "
        "AND t.index_id = i.index_id AND t.term = 0)",
        {"workspace_id": workspace_id, "size": size},
    )
    return [row["index_id"] for row in rows]


async def is_unbuilt(connection: Connection, workspace_id: str, index_id: str, size: int) -> bool:
    """Whether a generation has so many chunks and no tables of its own."""
    row = await fetch_one(
        connection,
        "SELECT 1 FROM kb_index i WHERE i.workspace_id = %(workspace_id)s AND i.index_id = %(index_id)s "
        "AND i.own IS NULL AND %(size)s <= (SELECT coalesce(sum(t.chunks), 0) FROM term_delta t "
        "WHERE t.workspace_id = %(workspace_id)s AND t.index_id = %(index_id)s AND t.term = 0)",
        {"workspace_id": workspace_id, "index_id": index_id, "size": size},
    )
    return row is not None


async def hand_over(connection: Connection, workspace_id: str, kb_id: str, index_id: str) -> None:
    """Bring the own tables of a generation that is to answer, if it has any, up to date, and give up the others'."""
    await connection.execute("SELECT renew_own_tables(%s)", [index_id])
    await connection.execute(
        "UPDATE kb_index SET own = NULL WHERE workspace_id = %s AND kb_id = %s AND index_id <> %s AND own IS NOT NULL",
        [workspace_id, kb_id, index_id],
    )


async def release_unused(connection: Connection, workspace_id: str) -> None:
    """Give up the own tables of generations that do not answer any more and are not about to."""
    await connection.execute(
        "UPDATE kb_index i SET own = NULL WHERE i.workspace_id = %(workspace_id)s AND i.own IS NOT NULL "
        "AND NOT EXISTS (SELECT FROM knowledge_base kb WHERE kb.workspace_id = %(workspace_id)s "
        "AND kb.active_index_id = i.index_id) AND NOT EXISTS (SELECT FROM operation o "
        "WHERE o.workspace_id = %(workspace_id)s AND o.index_id = i.index_id AND o.status IN ('pending', 'running'))",
        {"workspace_id": workspace_id},
    )


async def drop_unnamed(connection: Connection) -> int:
    """Drop the own tables that no generation of any workspace names any more; how many there were."""
    row = await fetch_one(connection, "SELECT drop_own_tables() AS dropped")
    return row["dropped"] if row else 0


async def add_to_own(connection: Connection, workspace_id: str, index_id: str, version_id: str) -> None:
    """Copy what was just written of a version into its generation's own tables, if it has any."""
    # Held until the end: tables that are being built are adopted before this or see what it wrote.
    row = await fetch_one(
        connection,
        "SELECT own FROM kb_index WHERE workspace_id = %s AND index_id = %s FOR KEY SHARE",
        [workspace_id, index_id],
    )
    if row is None or row["own"] is None:
        return
    for kind, columns in _COLUMNS:
        copy = sql.SQL(
            "INSERT INTO {own} SELECT s.workspace_id, s.chunk_id, {columns} FROM chunk c JOIN {shared} s "
            "ON s.workspace_id = c.workspace_id AND s.index_id = %s AND s.chunk_id = c.chunk_id "
            "WHERE c.workspace_id = %s AND c.version_id = %s ON CONFLICT DO NOTHING"
        ).format(own=_table(kind, row["own"]), columns=sql.SQL(columns), shared=sql.Identifier(kind))
        await connection.execute(copy, [index_id, workspace_id, version_id])


async def remove_from_own(connection: Connection, workspace_id: str, version_ids: list[str]) -> None:
    """Take versions that are about to be deleted out of the own tables of every generation."""
    scope = {"workspace_id": workspace_id, "version_ids": version_ids}
    rows = await fetch_all(
        connection,
        "SELECT i.own FROM kb_index i WHERE i.workspace_id = %(workspace_id)s AND i.own IS NOT NULL AND i.kb_id IN ("
        "SELECT d.kb_id FROM document d JOIN document_version v "
        "ON v.workspace_id = d.workspace_id AND v.document_id = d.document_id "
        "WHERE v.workspace_id = %(workspace_id)s AND v.version_id = ANY(%(version_ids)s)) "
        "ORDER BY i.index_id FOR KEY SHARE",
        scope,
    )
    for row in rows:
        for kind, _ in _COLUMNS:
            removal = sql.SQL(
                "DELETE FROM {} WHERE workspace_id = %(workspace_id)s AND chunk_id IN (SELECT chunk_id FROM chunk "
                "WHERE workspace_id = %(workspace_id)s AND version_id = ANY(%(version_ids)s))"
            ).format(_table(kind, row["own"]))
            await connection.execute(removal, scope)
