"""What the catalog tools tell a program."""

from typing import Literal

from pinakes.tools.definition import ToolOutput

CatalogStatus = Literal["empty", "indexing", "ready", "failed"]


class CatalogOutput(ToolOutput):
    """Every answer says what kind of tool gave it."""

    tool_type: Literal["knowledge_base"] = "knowledge_base"


class CatalogCreated(CatalogOutput):
    """Of create_catalog. `data_source_id` is the catalog's id, `s3_prefix` begins the keys of its originals."""

    catalog_id: str
    catalog_name: str
    data_source_id: str
    s3_prefix: str


class CatalogListed(ToolOutput):
    """One catalog of list_catalogs."""

    catalog_id: str
    catalog_name: str
    description: str
    document_count: int
    total_size_mb: float
    indexing_status: CatalogStatus
    last_updated: str


class CatalogsListed(CatalogOutput):
    """Of list_catalogs."""

    catalog_count: int
    catalogs: list[CatalogListed]


class DocumentUploaded(CatalogOutput):
    """Of upload_to_catalog; `unchanged` where the very same file was there already."""

    document_id: str
    catalog_id: str
    filename: str
    file_size_kb: float
    indexing_status: str
    unchanged: bool


class DocumentListed(ToolOutput):
    """One document of list_catalog_documents."""

    document_id: str
    filename: str
    file_size_kb: float
    indexing_status: str
    uploaded_at: str


class DocumentsListed(CatalogOutput):
    """Of list_catalog_documents; `document_count` counts all of the catalog's."""

    catalog_id: str
    document_count: int
    documents: list[DocumentListed]


class DocumentDeleted(CatalogOutput):
    """Of delete_catalog_document."""

    document_id: str
    filename: str
    vectors_removed: bool


class CatalogSelected(CatalogOutput):
    """Of select_catalog; without a catalog none is selected any more."""

    catalog_id: str | None
    catalog_name: str | None
    document_count: int
    active: bool


class SourceQuoted(ToolOutput):
    """A passage that query_catalog retrieved; `number` is its mark in the answer, if it is cited."""

    number: int | None
    filename: str
    citation: str
    page: int | None
    section: str | None
    chunk_text: str
    relevance_score: float
    document_id: str
    chunk_id: str
    uri: str


class CatalogQueried(CatalogOutput):
    """Of query_catalog."""

    query: str
    catalog_id: str
    answer: str
    sources: list[SourceQuoted]


class CatalogDeleted(CatalogOutput):
    """Of delete_catalog."""

    catalog_id: str
    documents_deleted: int
    storage_freed_mb: float
    data_source_deleted: bool
    vectors_cleanup_initiated: bool


class StatusCounts(ToolOutput):
    """How many documents are how far."""

    indexed: int = 0
    indexing: int = 0
    pending: int = 0
    failed: int = 0


class IndexingTold(CatalogOutput):
    """Of get_indexing_status."""

    catalog_id: str
    overall_status: CatalogStatus
    documents: StatusCounts


class DownloadOffered(CatalogOutput):
    """Of download_from_catalog."""

    document_id: str
    filename: str
    download_url: str
    expires_in_seconds: int
