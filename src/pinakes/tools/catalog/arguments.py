"""What the catalog tools take."""

from typing import Annotated

from pydantic import Field, model_validator

from pinakes.tools.definition import ToolInput

CatalogId = Annotated[str, Field(description="The catalog's id, as list_catalogs shows it; its name works too.")]
DocumentId = Annotated[
    str, Field(description="The document's id or its file name, as list_catalog_documents shows it.")
]
ThreadId = Annotated[
    str | None,
    Field(
        alias="threadId",
        max_length=200,
        description="The conversation this belongs to. Leave it out unless you hold several conversations at once.",
    ),
]


class CreateCatalog(ToolInput):
    """Arguments of create_catalog."""

    catalog_name: Annotated[str, Field(description="1 to 100 letters, digits, spaces and hyphens.")]
    description: Annotated[str, Field(max_length=500, description="What belongs in it, for people and agents.")] = ""


class ListCatalogs(ToolInput):
    """list_catalogs takes nothing."""


class UploadToCatalog(ToolInput):
    """Arguments of upload_to_catalog."""

    catalog_id: CatalogId
    file_content: Annotated[str | None, Field(description="The file's bytes, Base64-encoded.")] = None
    filename: Annotated[str | None, Field(description="The file's name with its extension, such as report.pdf.")] = None
    document_id: Annotated[
        str | None, Field(description="Instead of file_content: a document that is stored already, to be copied here.")
    ] = None
    path: Annotated[
        str | None,
        Field(description="Instead of file_content, only where this server runs on your machine: a file's path."),
    ] = None
    replace: Annotated[bool, Field(description="Overwrite a document of the same name.")] = False

    @model_validator(mode="after")
    def _take_one_source(self) -> "UploadToCatalog":
        if sum(given is not None for given in (self.file_content, self.document_id, self.path)) != 1:
            raise ValueError("give exactly one of file_content, document_id and path")
        if self.file_content is not None and not self.filename:
            raise ValueError("file_content needs a filename")
        return self


class ListCatalogDocuments(ToolInput):
    """Arguments of list_catalog_documents."""

    catalog_id: CatalogId
    limit: Annotated[int, Field(ge=1, le=1000, description="How many documents at most.")] = 200
    offset: Annotated[int, Field(ge=0, le=2**31, description="How many to skip, newest first.")] = 0


class DeleteCatalogDocument(ToolInput):
    """Arguments of delete_catalog_document."""

    catalog_id: CatalogId
    document_id: DocumentId


class SelectCatalog(ToolInput):
    """Arguments of select_catalog."""

    catalog_id: Annotated[str, Field(description="The catalog to ask from now on, or 'none' to deselect.")]
    thread_id: ThreadId = None


class QueryCatalog(ToolInput):
    """Arguments of query_catalog."""

    query: Annotated[str, Field(description="A question in the user's own words, in any language.")]
    catalog_id: Annotated[
        str | None, Field(description="The catalog to ask. Left out, the one chosen with select_catalog is asked.")
    ] = None
    num_results: Annotated[int, Field(ge=1, le=20, description="How many passages to retrieve.")] = 5
    thread_id: ThreadId = None


class DeleteCatalog(ToolInput):
    """Arguments of delete_catalog."""

    catalog_id: CatalogId
    confirm: Annotated[
        bool, Field(description="Must be true to proceed. Ask the user first, and say what will be lost.")
    ] = False


class GetIndexingStatus(ToolInput):
    """Arguments of get_indexing_status."""

    catalog_id: CatalogId


class DownloadFromCatalog(ToolInput):
    """Arguments of download_from_catalog."""

    catalog_id: CatalogId
    document_id: DocumentId
