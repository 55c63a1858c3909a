"""What a knowledge base's scores are calibrated on, and the calibration of a generation."""

from psycopg.types.json import Jsonb

from pinakes.domain.calibration import Calibration
from pinakes.domain.chunk import put_under_headings
from pinakes.store.database import Connection, fetch_all


async def sample_passages(connection: Connection, workspace_id: str, kb_id: str, size: int) -> list[str]:
    """Some passages under their headings, of as many documents as there are; the same ones as long as they are there.

    By a hash, because neighbours and documents of one upload are alike.
    """
    rows = await fetch_all(
        connection,
        """
        SELECT c.headings, c.preface, c.content
        FROM (SELECT workspace_id, active_version_id FROM document
              WHERE workspace_id = %(workspace_id)s AND kb_id = %(kb_id)s AND active_version_id IS NOT NULL
              ORDER BY md5(document_id) LIMIT %(size)s) d
        CROSS JOIN LATERAL (
            SELECT headings, preface, content, md5(chunk_id) AS place,
                   row_number() OVER (ORDER BY md5(chunk_id)) AS turn
            FROM chunk WHERE workspace_id = d.workspace_id AND version_id = d.active_version_id
            ORDER BY turn LIMIT %(size)s
        ) c
        ORDER BY c.turn, c.place LIMIT %(size)s
        """,
        {"workspace_id": workspace_id, "kb_id": kb_id, "size": size},
    )
    return [put_under_headings(tuple(row["headings"]), row["preface"] + row["content"]) for row in rows]


async def set_calibration(connection: Connection, workspace_id: str, index_id: str, calibration: Calibration) -> None:
    """Have a generation's hits scored by this from now on."""
    await connection.execute(
        "UPDATE kb_index SET calibration = %s WHERE workspace_id = %s AND index_id = %s",
        [Jsonb(calibration.to_json()), workspace_id, index_id],
    )
