"""The ten catalog tools, as a model reads them."""

from pinakes.domain.identity import Scope
from pinakes.tools.catalog import arguments, asking, catalogs, documents, outputs
from pinakes.tools.definition import Annotations, Labels, Tool, Toolset
from pinakes.tools.fencing import GUIDANCE

_READS = Annotations(read_only=True, idempotent=True)
_DELETES = Annotations(destructive=True, idempotent=True)

_TOOLS = (
    Tool(
        name="create_catalog",
        title="Create Catalog",
        description=(
            "Create an empty catalog: a named place for documents that can be asked questions. Use it when the user "
            "wants to collect documents on a subject and no existing catalog fits (see list_catalogs first). Returns "
            "the catalog's id, which the other catalog tools take."
        ),
        labels=Labels("Creating catalog", "Catalog created"),
        input=arguments.CreateCatalog,
        output=outputs.CatalogCreated,
        scope=Scope.WRITE,
        annotations=Annotations(),
        handler=catalogs.create,
        subject="catalog_name",
    ),
    Tool(
        name="list_catalogs",
        title="List Catalogs",
        description=(
            "List every catalog with its id, number of documents, size and status (empty, indexing, ready or failed). "
            "Call it first when you do not know which catalog holds what the user asks about."
        ),
        labels=Labels("Listing catalogs", "Listed catalogs"),
        input=arguments.ListCatalogs,
        output=outputs.CatalogsListed,
        scope=Scope.READ,
        annotations=_READS,
        handler=catalogs.list_all,
        on_by_default=True,
    ),
    Tool(
        name="upload_to_catalog",
        title="Upload Document",
        description=(
            "Put a document into a catalog: PDF, Word, PowerPoint, Excel, OpenDocument, HTML, Markdown, text, CSV, "
            "JSON, EPUB, e-mail and source code. Send the bytes as Base64 in file_content with a filename, or name a "
            "stored document by document_id. Indexing goes on in the background: get_indexing_status tells when the "
            "document can be asked. A file of the same name is refused unless replace is true."
        ),
        labels=Labels("Uploading document", "Document uploaded"),
        input=arguments.UploadToCatalog,
        output=outputs.DocumentUploaded,
        scope=Scope.WRITE,
        annotations=Annotations(),
        handler=documents.upload,
        subject="filename",
    ),
    Tool(
        name="list_catalog_documents",
        title="List Documents",
        description=(
            "List the documents of a catalog, newest first, with their ids, sizes and indexing status. Use it to find "
            "the id of a document before you download or delete it."
        ),
        labels=Labels("Listing documents", "Listed documents"),
        input=arguments.ListCatalogDocuments,
        output=outputs.DocumentsListed,
        scope=Scope.READ,
        annotations=_READS,
        handler=documents.list_some,
        subject="catalog_id",
        on_by_default=True,
    ),
    Tool(
        name="delete_catalog_document",
        title="Delete Document",
        description=(
            "Delete one document of a catalog for good: its original, its passages and its vectors. Only when the user "
            "asked for it."
        ),
        labels=Labels("Deleting document", "Document deleted"),
        input=arguments.DeleteCatalogDocument,
        output=outputs.DocumentDeleted,
        scope=Scope.WRITE,
        annotations=_DELETES,
        handler=documents.delete,
        subject="document_id",
    ),
    Tool(
        name="select_catalog",
        title="Select Catalog",
        description=(
            "Choose the catalog that query_catalog asks when no catalog_id is given; 'none' deselects. The choice "
            "lasts until it is changed."
        ),
        labels=Labels("Selecting catalog", "Catalog selected"),
        input=arguments.SelectCatalog,
        output=outputs.CatalogSelected,
        scope=Scope.READ,
        annotations=Annotations(idempotent=True),
        handler=catalogs.select,
        subject="catalog_id",
        on_by_default=True,
    ),
    Tool(
        name="query_catalog",
        title="Query Catalog",
        description=(
            "Ask a catalog a question and get an answer made of its documents' own sentences, each with its source "
            "(file, page or section). Use it for every question that the user's documents may answer; pass the "
            "question in the user's own words. Cite the sources you use. If nothing relevant is found, say so instead "
            "of guessing."
        ),
        labels=Labels("Querying knowledge base", "Query complete"),
        input=arguments.QueryCatalog,
        output=outputs.CatalogQueried,
        scope=Scope.READ,
        annotations=_READS,
        handler=asking.query,
        subject="query",
        on_by_default=True,
    ),
    Tool(
        name="delete_catalog",
        title="Delete Catalog",
        description=(
            "Delete a catalog with all its documents, for good. Without confirm=true nothing is deleted and the answer "
            "says what would be lost: tell the user that, and call again with confirm=true only when they agree."
        ),
        labels=Labels("Deleting catalog", "Catalog deleted"),
        input=arguments.DeleteCatalog,
        output=outputs.CatalogDeleted,
        scope=Scope.WRITE,
        annotations=_DELETES,
        handler=catalogs.delete,
        subject="catalog_id",
    ),
    Tool(
        name="get_indexing_status",
        title="Check Indexing",
        description=(
            "Tell how far the documents of a catalog are on their way into the index (pending, indexing, indexed, "
            "failed with the reason). Call it after uploads, every few seconds, until the document you need is indexed."
        ),
        labels=Labels("Checking status", "Status retrieved"),
        input=arguments.GetIndexingStatus,
        output=outputs.IndexingTold,
        scope=Scope.READ,
        annotations=_READS,
        handler=documents.tell_status,
        subject="catalog_id",
        on_by_default=True,
    ),
    Tool(
        name="download_from_catalog",
        title="Download Document",
        description=(
            "Make a link to a document's original that works for 15 minutes for whoever has it. Give it to the user; "
            "do not put it where others can read it."
        ),
        labels=Labels("Generating download link", "Download ready"),
        input=arguments.DownloadFromCatalog,
        output=outputs.DownloadOffered,
        scope=Scope.READ,
        annotations=Annotations(read_only=True),
        handler=documents.offer_download,
        subject="document_id",
        on_by_default=True,
    ),
)

TOOLSET = Toolset(
    toolset_id="catalog",
    name="Knowledge Base",
    description="Create, manage, and query personal document catalogs",
    category="knowledge",
    icon="📚",
    tags=("knowledge", "documents", "research", "rag"),
    guidance=(
        "Knowledge Base Best Practices:\n\n"
        "1. **Creating catalogs**: Use descriptive names, and look at list_catalogs before you make another\n"
        "2. **Uploading**: Indexing takes a moment; check get_indexing_status before you ask\n"
        "3. **Querying**: Select a catalog first or name one, then ask natural language questions\n"
        "4. **Citations**: Answers name source documents with page or section; pass them on to the user\n"
        "5. **Maintenance**: Delete outdated documents to keep results relevant, and only when the user asks\n"
        f"6. **Quoted text**: {GUIDANCE}"
    ),
    tool_type="knowledge_base",
    tools=_TOOLS,
)
