"""Everything a workspace holds, written down, so that two runs can be compared."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.installation import Installation
from pinakes.providers.blobs import BlobStore
from pinakes.services.sweeping import sweep
from pinakes.store.database import Connection, fetch_all
from pinakes.wiring import open_app


@dataclass(frozen=True, slots=True)
class Stock:
    """All a workspace holds: each document's passages, the sums of its terms, and what should not be there."""

    documents: Mapping[str, Any]
    terms: Mapping[int, int]
    counts: Mapping[str, int]
    leftovers: Mapping[str, Any]


_DOCUMENTS = """
    SELECT d.name, v.status, v.number, v.chunk_count, d.active_version_id = v.version_id AS answers,
           (SELECT array_agg(o.status) FROM operation o WHERE o.version_id = v.version_id) AS operations,
           (SELECT array_agg(c.ordinal || ' ' || encode(c.text_hash, 'hex') || ' ' || md5(x.embedding::text)
                             ORDER BY c.ordinal)
            FROM chunk c LEFT JOIN chunk_vector x ON x.workspace_id = c.workspace_id AND x.chunk_id = c.chunk_id
            WHERE c.workspace_id = v.workspace_id AND c.version_id = v.version_id) AS passages
    FROM document d JOIN document_version v ON v.workspace_id = d.workspace_id AND v.document_id = d.document_id
    ORDER BY d.name, v.number
"""
_COUNTS = """
    SELECT (SELECT count(*) FROM chunk) AS chunks, (SELECT count(*) FROM chunk_vector) AS vectors,
           (SELECT count(*) FROM chunk_posting) AS postings, (SELECT count(*) FROM document) AS documents,
           (SELECT count(*) FROM document_version) AS versions, (SELECT count(*) FROM operation) AS operations,
           (SELECT count(*) FROM blob) AS blobs, (SELECT coalesce(sum(chunk_count), 0) FROM document_version) AS said
"""
_LEFTOVERS = {
    "staged embeddings": "SELECT version_id FROM staged_embedding",
    "objects nobody needs": "SELECT blob_key, state FROM blob b WHERE state <> 'live' OR NOT EXISTS "
    "(SELECT FROM document_version v WHERE v.blob_key = b.blob_key)",
    "versions without an object": "SELECT version_id FROM document_version v WHERE NOT EXISTS "
    "(SELECT FROM blob b WHERE b.blob_key = v.blob_key)",
    "chunks without a version": "SELECT chunk_id FROM chunk c WHERE NOT EXISTS "
    "(SELECT FROM document_version v WHERE v.version_id = c.version_id)",
    "chunks of a version that does not answer": "SELECT chunk_id FROM chunk c WHERE NOT EXISTS "
    "(SELECT FROM document d WHERE d.active_version_id = c.version_id)",
    "unfinished operations": "SELECT operation_id, status FROM operation WHERE status <> 'completed'",
    "unfinished jobs": "SELECT j.id, j.status::text FROM procrastinate_jobs j JOIN operation o "
    "ON o.operation_id = j.args ->> 'operation_id' WHERE j.status <> 'succeeded'",
}


def take_stock(installation: Installation, workspace_id: str) -> Stock:
    """Sweep once, then write down everything the workspace holds; no server runs meanwhile."""
    return asyncio.run(_take_stock(installation, workspace_id))


async def _take_stock(installation: Installation, workspace_id: str) -> Stock:
    async with open_app(installation.settings) as app:
        await sweep(app.resources, intent_age=timedelta(0))
        async with app.resources.database.transaction(workspace_id) as connection:
            documents = await fetch_all(connection, _DOCUMENTS)
            terms = await fetch_all(connection, "SELECT term, sum(chunks) AS n FROM term_delta GROUP BY term")
            counts = (await fetch_all(connection, _COUNTS))[0]
            leftovers: dict[str, Any] = {name: await fetch_all(connection, query) for name, query in _LEFTOVERS.items()}
            leftovers["files"] = await _compare_files(connection, installation, app.resources.blobs, workspace_id)
    return Stock(
        documents={f"{row.pop('name')} v{row['number']}": row for row in documents},
        terms={row["term"]: row["n"] for row in terms if row["n"]},
        counts=counts,
        leftovers={name: found for name, found in leftovers.items() if found},
    )


async def _compare_files(
    connection: Connection, installation: Installation, blobs: BlobStore, workspace_id: str
) -> list[str]:
    """Keys that have a row but no object, or an object but no row; of a folder, drafts count too."""
    rows = await fetch_all(connection, "SELECT blob_key FROM blob")
    stored = set(await blobs.list_keys(workspace_id))
    originals: Path = installation.home / "originals"
    stored |= {str(path.relative_to(originals)) for path in (originals / workspace_id).rglob("*") if path.is_file()}
    return sorted({row["blob_key"] for row in rows} ^ stored)


def compare(undisturbed: Stock, disturbed: Stock) -> list[str]:
    """What differs, in words; nothing may."""
    problems = [f"{name}: {found}" for name, found in disturbed.leftovers.items()]
    for name in sorted(undisturbed.documents.keys() | disturbed.documents.keys()):
        wanted, found = undisturbed.documents.get(name), disturbed.documents.get(name)
        if wanted != found:
            problems.append(f"{name}: {found} instead of {wanted}")
    if undisturbed.terms != disturbed.terms:
        known = undisturbed.terms.keys() | disturbed.terms.keys()
        wrong = [term for term in known if undisturbed.terms.get(term) != disturbed.terms.get(term)]
        problems.append(f"The counts of {len(wrong)} terms differ")
    if undisturbed.counts != disturbed.counts:
        problems.append(f"{disturbed.counts} instead of {undisturbed.counts}")
    if len({disturbed.counts.get(name) for name in ("chunks", "vectors", "postings", "said")}) != 1:
        problems.append(f"Not as many vectors and postings as chunks: {disturbed.counts}")
    return problems
