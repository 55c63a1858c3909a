"""The sample knowledge base among the others: nobody made it, which tells it from one that was only named so."""

from collections.abc import Sequence
from dataclasses import dataclass

from pinakes.store.database import Connection, fetch_one


@dataclass(frozen=True, slots=True)
class SampleState:
    """Where the sample is, how much of it answers already, and how many documents are not of it."""

    kb_id: str | None
    document_count: int
    indexed_count: int
    own_document_count: int
    added_count: int


async def read_sample_state(connection: Connection, workspace_id: str, names: Sequence[str]) -> SampleState:
    """The sample's state; a document somebody put into it is not of the sample."""
    row = await fetch_one(
        connection,
        """
        WITH sample AS (
            SELECT kb_id FROM knowledge_base
            WHERE workspace_id = %(workspace_id)s AND created_by IS NULL AND NOT built_in
            ORDER BY created_at LIMIT 1
        ), found AS (
            SELECT d.kb_id IN (SELECT kb_id FROM sample) AS inside, d.name = ANY(%(names)s) AS named,
                   d.active_version_id IS NOT NULL AS answers
            FROM document d WHERE d.workspace_id = %(workspace_id)s
        )
        SELECT (SELECT kb_id FROM sample) AS kb_id,
               count(*) FILTER (WHERE inside AND named) AS document_count,
               count(*) FILTER (WHERE inside AND named AND answers) AS indexed_count,
               count(*) FILTER (WHERE NOT (inside AND named)) AS own_document_count,
               count(*) FILTER (WHERE inside AND NOT named) AS added_count
        FROM found
        """,
        {"workspace_id": workspace_id, "names": list(names)},
    )
    assert row is not None
    return SampleState(**row)
