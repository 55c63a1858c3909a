"""Documents and their versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from pinakes.domain.document import Document, DocumentKind, DocumentStatus, ReadableDocument, Tags, Version
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.summary import Summary
from pinakes.store.database import Connection, Database, Row, fetch_all, fetch_one

_SELECT: LiteralString = """
    SELECT d.document_id, d.kb_id, d.kind, d.name, d.title, d.tags, d.active_version_id IS NOT NULL AS answers,
           d.created_at, d.updated_at, d.created_by, d.summary, d.suggested_tags, d.source, k.expires_at,
           coalesce(d.author, u.name) AS author,
           v.version_id, v.number, v.blob_key, v.size_bytes, v.sha256, v.media_type,
           v.status, v.error, v.retryable, v.remarks, v.pages, v.language, v.chunk_count,
           v.created_at AS version_created_at, v.indexed_at,
           o.operation_id, o.progress, o.error AS setback
    FROM document d
    JOIN document_version v ON v.workspace_id = d.workspace_id AND v.version_id = d.latest_version_id
    JOIN LATERAL (
        SELECT CASE WHEN lifecycle_days > 0 THEN d.updated_at + make_interval(days => lifecycle_days) END AS expires_at
        FROM knowledge_base k WHERE k.workspace_id = d.workspace_id AND k.kb_id = d.kb_id
    ) k ON true
    LEFT JOIN LATERAL (
        SELECT operation_id, progress, error FROM operation o
        WHERE o.workspace_id = d.workspace_id AND o.version_id = v.version_id
        ORDER BY o.created_at DESC, o.operation_id DESC LIMIT 1
    ) o ON true
    LEFT JOIN app_user u ON u.user_id = d.created_by
    WHERE d.workspace_id = %(workspace_id)s
"""
# Each document's version is looked up by its key: estimates for what was loaded a moment ago are far off, and a planner
# left to itself compares every document with every version.
_MATCHING: LiteralString = """
    FROM document d
    CROSS JOIN LATERAL (
        SELECT status FROM document_version
        WHERE workspace_id = d.workspace_id AND version_id = d.latest_version_id OFFSET 0
    ) v
    WHERE d.workspace_id = %(workspace_id)s
    AND d.kb_id = %(kb_id)s
    AND (%(status)s::text IS NULL OR v.status = %(status)s)
    AND (%(kind)s::text IS NULL OR d.kind = %(kind)s)
    AND (%(source)s::text IS NULL OR d.source = %(source)s)
    AND (%(name)s::text IS NULL OR d.name = %(name)s)
    AND (%(words)s::text IS NULL OR strpos(lower(d.name), lower(%(words)s)) > 0
         OR strpos(lower(d.title), lower(%(words)s)) > 0)
    AND (%(tag_name)s::text IS NULL OR d.tags -> %(tag_name)s ? %(tag_value)s)
"""
_ORDER: LiteralString = " ORDER BY d.created_at DESC, d.document_id "


@dataclass(frozen=True, slots=True)
class NewVersion:
    """An original that has been stored and is to be indexed."""

    version_id: str
    blob_key: str
    size_bytes: int
    sha256: bytes
    media_type: str


async def insert_document(
    connection: Connection,
    workspace_id: str,
    *,
    document_id: str,
    kb_id: str,
    kind: DocumentKind,
    name: str,
    title: str | None,
    tags: Tags,
    source: str | None,
    created_by: str | None,
    version: NewVersion,
) -> None:
    """A document with its first version, waiting to be indexed."""
    await connection.execute(
        "INSERT INTO document (workspace_id, document_id, kb_id, kind, name, title, tags, source, "
        "latest_version_id, created_by) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        [
            workspace_id,
            document_id,
            kb_id,
            kind,
            name,
            title,
            _tags_json(tags),
            source,
            version.version_id,
            created_by,
        ],
    )
    await _insert_version(connection, workspace_id, document_id, 1, version)


async def add_version(connection: Connection, workspace_id: str, document: Document, version: NewVersion) -> None:
    """A newer version; the one that answers goes on answering until this one is indexed."""
    await _insert_version(connection, workspace_id, document.document_id, document.latest.number + 1, version)
    await connection.execute(
        "UPDATE document SET latest_version_id = %s, updated_at = now() WHERE workspace_id = %s AND document_id = %s",
        [version.version_id, workspace_id, document.document_id],
    )


async def find_document(
    connection: Connection, workspace_id: str, document_id: str, *, lock: bool = False
) -> Document | None:
    """One document."""
    if lock:
        # By itself: a query that waits for its lock goes on with the other tables as they were before the wait.
        await connection.execute(
            "SELECT 1 FROM document WHERE workspace_id = %s AND document_id = %s FOR UPDATE",
            [workspace_id, document_id],
        )
    row = await fetch_one(
        connection,
        _SELECT + "AND d.document_id = %(document_id)s",
        {"workspace_id": workspace_id, "document_id": document_id},
    )
    return _document(row) if row else None


async def find_documents(connection: Connection, workspace_id: str, document_ids: Sequence[str]) -> list[Document]:
    """Several documents, in the order in which they are named; what there is not is left out."""
    rows = await fetch_all(
        connection,
        _SELECT + "AND d.document_id = ANY(%(document_ids)s) "
        "ORDER BY array_position(%(document_ids)s::text[], d.document_id)",
        {"workspace_id": workspace_id, "document_ids": list(document_ids)},
    )
    return [_document(row) for row in rows]


async def list_readable(
    database: Database, workspace_id: str, *, before: str | None, limit: int
) -> list[ReadableDocument]:
    """Documents that answer, of all knowledge bases, newest first, which is the order of their ids; in one message."""
    rows = await database.at_once(
        workspace_id,
        "SELECT d.document_id, d.name, d.title, k.name AS kb_name, d.updated_at FROM document d "
        "JOIN knowledge_base k ON k.workspace_id = d.workspace_id AND k.kb_id = d.kb_id "
        "WHERE d.workspace_id = %(workspace_id)s AND d.active_version_id IS NOT NULL "
        "AND (%(before)s::text IS NULL OR d.document_id < %(before)s) ORDER BY d.document_id DESC LIMIT %(limit)s",
        {"workspace_id": workspace_id, "before": before, "limit": limit},
    )
    return [ReadableDocument(**row) for row in rows]


async def find_original(connection: Connection, workspace_id: str, document_id: str) -> Row | None:
    """Name, type, size, hash and object of the version that answers, or of the latest while none does."""
    return await fetch_one(
        connection,
        "SELECT d.name, v.media_type, v.size_bytes, v.sha256, v.blob_key FROM document d JOIN document_version v "
        "ON v.workspace_id = d.workspace_id AND v.version_id = coalesce(d.active_version_id, d.latest_version_id) "
        "WHERE d.workspace_id = %s AND d.document_id = %s",
        [workspace_id, document_id],
    )


async def lock_name(connection: Connection, workspace_id: str, kb_id: str, name: str) -> None:
    """Make uploads of one name wait for each other until the transaction ends."""
    await connection.execute(
        "SELECT pg_advisory_xact_lock(hashtextextended(%s, 1))", [f"{workspace_id}/{kb_id}/{name}"]
    )


async def find_document_by_name(connection: Connection, workspace_id: str, kb_id: str, name: str) -> Document | None:
    """The document of this name in a knowledge base, locked for a change."""
    row = await fetch_one(
        connection,
        "SELECT document_id FROM document WHERE workspace_id = %s AND kb_id = %s AND name = %s",
        [workspace_id, kb_id, name],
    )
    return await find_document(connection, workspace_id, row["document_id"], lock=True) if row else None


async def list_documents(
    connection: Connection,
    workspace_id: str,
    kb_id: str,
    *,
    status: DocumentStatus | None,
    kind: DocumentKind | None,
    tag: tuple[str, str] | None,
    source: str | None,
    name: str | None,
    words: str | None,
    limit: int,
    offset: int,
) -> tuple[list[Document], int]:
    """A page of a knowledge base's documents, newest first, and how many match."""
    parameters = {
        "workspace_id": workspace_id,
        "kb_id": kb_id,
        "status": status,
        "kind": kind,
        "source": source,
        "name": name,
        "words": words,
        "tag_name": tag and tag[0],
        "tag_value": tag and tag[1],
        "limit": limit,
        "offset": offset,
    }
    # The page is chosen first: what is looked up beside each document is looked up for these alone.
    rows = await fetch_all(
        connection,
        _SELECT + "AND d.document_id = ANY(ARRAY(SELECT d.document_id" + _MATCHING + _ORDER + "LIMIT %(limit)s "
        "OFFSET %(offset)s))" + _ORDER,
        parameters,
    )
    total = await fetch_one(connection, "SELECT count(*) AS n" + _MATCHING, parameters)
    return [_document(row) for row in rows], total["n"] if total else 0


async def update_document(
    connection: Connection, workspace_id: str, document_id: str, *, title: str | None, tags: Tags
) -> None:
    """Set what a person may change without a new upload."""
    await connection.execute(
        "UPDATE document SET title = %s, tags = %s, updated_at = now() WHERE workspace_id = %s AND document_id = %s",
        [title, _tags_json(tags), workspace_id, document_id],
    )


async def describe_document(
    connection: Connection, workspace_id: str, document_id: str, *, title: str | None, summary: Summary
) -> None:
    """What indexing found out about a document; a title that it has already stays."""
    await connection.execute(
        "UPDATE document SET title = coalesce(title, %s), summary = %s, suggested_tags = %s "
        "WHERE workspace_id = %s AND document_id = %s",
        [title, summary.text, list(summary.suggested_tags), workspace_id, document_id],
    )


async def set_source(connection: Connection, workspace_id: str, document_id: str, source: str) -> None:
    """Where the document comes from now."""
    await connection.execute(
        "UPDATE document SET source = %s WHERE workspace_id = %s AND document_id = %s",
        [source, workspace_id, document_id],
    )


async def describe_version(
    connection: Connection, workspace_id: str, version_id: str, parsed: ParsedDocument, language: str | None
) -> None:
    """What indexing found out about a version: what of it could not be read, how long it is, in which language."""
    await connection.execute(
        "UPDATE document_version SET remarks = %s, pages = %s, language = %s "
        "WHERE workspace_id = %s AND version_id = %s",
        [list(parsed.remarks), parsed.pages, language, workspace_id, version_id],
    )


async def list_expired(connection: Connection, workspace_id: str, limit: int) -> list[str]:
    """Documents whose time in their knowledge base is over."""
    rows = await fetch_all(
        connection,
        "SELECT d.document_id FROM document d JOIN knowledge_base k "
        "ON k.workspace_id = d.workspace_id AND k.kb_id = d.kb_id "
        "WHERE d.workspace_id = %s AND k.lifecycle_days > 0 "
        "AND d.updated_at <= now() - make_interval(days => k.lifecycle_days) ORDER BY d.updated_at LIMIT %s",
        [workspace_id, limit],
    )
    return [row["document_id"] for row in rows]


async def set_version_status(
    connection: Connection,
    workspace_id: str,
    version_id: str,
    status: DocumentStatus,
    error: str | None = None,
    *,
    retryable: bool = True,
) -> None:
    """Where a version stands, and if it failed, why and whether another try may help."""
    await connection.execute(
        "UPDATE document_version SET status = %s, error = %s, retryable = %s "
        "WHERE workspace_id = %s AND version_id = %s",
        [status, error, retryable, workspace_id, version_id],
    )


async def list_versions_of(connection: Connection, workspace_id: str, document_id: str) -> list[Row]:
    """The versions that a document still holds, newest first, and which of them answers."""
    return await fetch_all(
        connection,
        "SELECT v.number, v.size_bytes, v.sha256, v.media_type, v.status, v.error, v.remarks, v.chunk_count, "
        "v.created_at, v.indexed_at, v.version_id IS NOT DISTINCT FROM d.active_version_id AS answers "
        "FROM document d JOIN document_version v "
        "ON v.workspace_id = d.workspace_id AND v.document_id = d.document_id "
        "WHERE d.workspace_id = %s AND d.document_id = %s ORDER BY v.number DESC",
        [workspace_id, document_id],
    )


async def list_versions(connection: Connection, workspace_id: str, document_ids: list[str]) -> list[Row]:
    """Version, blob and size of everything these documents hold in the store."""
    return await fetch_all(
        connection,
        "SELECT document_id, version_id, blob_key, size_bytes, chunk_count FROM document_version "
        "WHERE workspace_id = %s AND document_id = ANY(%s)",
        [workspace_id, document_ids],
    )


async def document_ids_of(connection: Connection, workspace_id: str, kb_id: str) -> list[str]:
    """Every document of a knowledge base."""
    rows = await fetch_all(
        connection,
        "SELECT document_id FROM document WHERE workspace_id = %s AND kb_id = %s FOR UPDATE",
        [workspace_id, kb_id],
    )
    return [row["document_id"] for row in rows]


async def delete_documents(connection: Connection, workspace_id: str, document_ids: list[str]) -> None:
    """Delete documents; versions, chunks, vectors, postings and operations go with them."""
    await connection.execute(
        "DELETE FROM document WHERE workspace_id = %s AND document_id = ANY(%s)",
        [workspace_id, document_ids],
    )


async def _insert_version(
    connection: Connection, workspace_id: str, document_id: str, number: int, version: NewVersion
) -> None:
    await connection.execute(
        "INSERT INTO document_version (workspace_id, version_id, document_id, number, blob_key, size_bytes, "
        "sha256, media_type, status) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, 'pending')",
        [
            workspace_id,
            version.version_id,
            document_id,
            number,
            version.blob_key,
            version.size_bytes,
            version.sha256,
            version.media_type,
        ],
    )


def _tags_json(tags: Tags) -> Jsonb:
    return Jsonb({name: list(values) for name, values in tags.items()})


def tags_of(stored: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Tags as the domain knows them."""
    return {name: tuple(values) for name, values in stored.items()}


def _document(row: Row) -> Document:
    latest = Version(
        version_id=row["version_id"],
        number=row["number"],
        blob_key=row["blob_key"],
        size_bytes=row["size_bytes"],
        sha256=row["sha256"],
        media_type=row["media_type"],
        status=DocumentStatus(row["status"]),
        error=row["error"] or row["setback"],
        retryable=row["status"] == DocumentStatus.FAILED and row["retryable"],
        chunk_count=row["chunk_count"],
        created_at=row["version_created_at"],
        indexed_at=row["indexed_at"],
        remarks=tuple(row["remarks"]),
        pages=row["pages"],
        language=row["language"],
    )
    return Document(
        document_id=row["document_id"],
        kb_id=row["kb_id"],
        kind=DocumentKind(row["kind"]),
        name=row["name"],
        title=row["title"],
        tags=tags_of(row["tags"]),
        answers=row["answers"],
        latest=latest,
        progress=100 if latest.status is DocumentStatus.INDEXED else row["progress"] or 0,
        operation_id=row["operation_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        summary=row["summary"],
        suggested_tags=tuple(row["suggested_tags"]),
        source=row["source"],
        expires_at=row["expires_at"],
        created_by=row["created_by"],
        author=row["author"],
    )
