"""What goes into a bundle and what comes out of one, past the ordinary upload."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pinakes.domain.document import DocumentKind, Tags
from pinakes.domain.errors import NotFound
from pinakes.store.chunks import vector_literal
from pinakes.store.database import Connection, Row, fetch_all, fetch_one
from pinakes.store.documents import tags_of

_STAGED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class KeptDocument:
    """A document and the version of it that answers, or its latest while none does."""

    version_id: str
    blob_key: str
    sha256: bytes
    size_bytes: int
    kind: DocumentKind
    name: str
    title: str | None
    tags: Tags
    source: str | None
    created_at: datetime
    author: str | None
    blocks: list[dict[str, Any]] | None


@dataclass(frozen=True, slots=True)
class Brought:
    """What a document brings along from another installation; embeddings by the hash of their text."""

    kind: DocumentKind
    created_at: datetime
    author: str | None
    embeddings: Mapping[bytes, NDArray[np.float16]]


@dataclass(frozen=True, slots=True)
class Generation:
    """The index that answers for a knowledge base; its embedder by a name that means the same everywhere."""

    index_id: str
    embedder: str
    dims: int | None


async def find_generation(connection: Connection, workspace_id: str, kb_id: str) -> Generation:
    """The generation that answers for a knowledge base; a workspace's own embedder goes by its model's name."""
    row = await fetch_one(
        connection,
        "SELECT i.index_id, coalesce('remote:' || e.model, i.embedder) AS embedder, i.dims FROM knowledge_base k "
        "JOIN kb_index i ON i.workspace_id = k.workspace_id AND i.index_id = k.active_index_id "
        "LEFT JOIN embedder e ON e.workspace_id = i.workspace_id AND e.embedder_id = i.embedder "
        "WHERE k.workspace_id = %s AND k.kb_id = %s",
        [workspace_id, kb_id],
    )
    if row is None:
        raise NotFound("The knowledge base was deleted meanwhile.")
    return Generation(**row)


async def list_kept_documents(connection: Connection, workspace_id: str, kb_id: str) -> list[KeptDocument]:
    """Every document of a knowledge base, oldest first."""
    rows = await fetch_all(
        connection,
        "SELECT v.version_id, v.blob_key, v.sha256, v.size_bytes, d.kind, d.name, d.title, d.tags, d.source, "
        "d.created_at, coalesce(d.author, u.name) AS author, v.blocks FROM document d "
        "JOIN document_version v ON v.workspace_id = d.workspace_id "
        "AND v.version_id = coalesce(d.active_version_id, d.latest_version_id) "
        "LEFT JOIN app_user u ON u.user_id = d.created_by "
        "WHERE d.workspace_id = %s AND d.kb_id = %s ORDER BY d.created_at, d.document_id",
        [workspace_id, kb_id],
    )
    return [_kept(row) for row in rows]


async def list_embeddings(
    connection: Connection, workspace_id: str, index_id: str, version_id: str
) -> list[tuple[bytes, NDArray[np.float16]]]:
    """The embeddings of a version's passages by the hash of their text, each once."""
    rows = await fetch_all(
        connection,
        "SELECT DISTINCT ON (c.text_hash) c.text_hash, halfvec_send(v.embedding) AS embedding FROM chunk c "
        "JOIN chunk_vector v ON v.workspace_id = c.workspace_id AND v.chunk_id = c.chunk_id AND v.index_id = %s "
        "WHERE c.workspace_id = %s AND c.version_id = %s ORDER BY c.text_hash",
        [index_id, workspace_id, version_id],
    )
    # Four bytes of its own, then the halves, most significant byte first.
    return [(row["text_hash"], np.frombuffer(row["embedding"], ">f2", offset=4).astype("<f2")) for row in rows]


async def receive(
    connection: Connection, workspace_id: str, document_id: str, version_id: str, brought: Brought
) -> None:
    """Give a document that was just made what it brought along, before anybody indexes it."""
    await connection.execute(
        "UPDATE document SET kind = %s, created_at = %s, author = %s WHERE workspace_id = %s AND document_id = %s",
        [brought.kind, brought.created_at, brought.author, workspace_id, document_id],
    )
    entries = list(brought.embeddings.items())
    for at in range(0, len(entries), _STAGED_AT_ONCE):
        batch = entries[at : at + _STAGED_AT_ONCE]
        await connection.execute(
            "INSERT INTO staged_embedding (workspace_id, version_id, index_id, text_hash, embedding) "
            "SELECT k.workspace_id, %(version_id)s, k.active_index_id, text_hash, embedding::halfvec "
            "FROM unnest(%(hashes)s::bytea[], %(vectors)s::text[]) AS given (text_hash, embedding), "
            "document d JOIN knowledge_base k ON k.workspace_id = d.workspace_id AND k.kb_id = d.kb_id "
            "WHERE d.workspace_id = %(workspace_id)s AND d.document_id = %(document_id)s ON CONFLICT DO NOTHING",
            {
                "workspace_id": workspace_id,
                "document_id": document_id,
                "version_id": version_id,
                "hashes": [text_hash for text_hash, _ in batch],
                "vectors": [vector_literal(vector.astype(np.float32)) for _, vector in batch],
            },
        )


def _kept(row: Row) -> KeptDocument:
    fields: dict[str, Any] = row | {"kind": DocumentKind(row["kind"]), "tags": tags_of(row["tags"])}
    return KeptDocument(**fields)
