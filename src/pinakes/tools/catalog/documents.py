"""Documents of a catalog: uploaded, listed, watched, downloaded, deleted."""

import asyncio
import base64
import binascii
from dataclasses import dataclass
from pathlib import Path, PurePath

from pinakes.domain.document import Document, DocumentStatus
from pinakes.domain.errors import Conflict, FileTooLarge, NotFound, UnsupportedFile
from pinakes.domain.knowledge_base import KnowledgeBase
from pinakes.providers.sniffing import FORMATS
from pinakes.services.documents import (
    DOWNLOAD_SECONDS,
    delete_document,
    get_document,
    list_documents,
    open_download,
    sign_download,
)
from pinakes.services.uploads import upload_document
from pinakes.tools.catalog.arguments import (
    DeleteCatalogDocument,
    DownloadFromCatalog,
    GetIndexingStatus,
    ListCatalogDocuments,
    UploadToCatalog,
)
from pinakes.tools.catalog.lookup import (
    count_documents,
    describe_size,
    document_not_found,
    find_catalog,
    find_document,
    kilobytes,
    status_of,
)
from pinakes.tools.catalog.outputs import (
    DocumentDeleted,
    DocumentListed,
    DocumentsListed,
    DocumentUploaded,
    DownloadOffered,
    IndexingTold,
    StatusCounts,
)
from pinakes.tools.definition import Answer, Caller, Mistake

_SHOWN = 50
_PAGE = 500


@dataclass(frozen=True, slots=True)
class _File:
    name: str
    content: bytes


async def upload(caller: Caller, given: UploadToCatalog) -> Answer:
    """A file goes in and is indexed behind."""
    kb = await find_catalog(caller, given.catalog_id)
    file = await _read(caller, given)
    try:
        uploaded = await upload_document(
            caller.resources,
            caller.identity,
            kb.kb_id,
            name=file.name,
            content=file.content,
            replace_existing=given.replace,
        )
    except UnsupportedFile as error:
        raise _unsupported(file.name, error) from error
    except FileTooLarge as error:
        raise _too_large(caller) from error
    except Conflict as error:
        if error.code != "DUPLICATE_FILE":
            raise
        words = f"File '{file.name}' already exists. Use replace=true to overwrite"
        there = {"document_id": (error.details or {}).get("documentId")}
        raise Mistake("DUPLICATE_FILE", words, there) from error
    document = uploaded.document
    text = f"Uploaded '{document.name}' to catalog '{kb.name}'. Indexing started."
    if uploaded.unchanged:
        text = f"'{document.name}' is in catalog '{kb.name}' with the same content already. Nothing was changed."
    return Answer(
        text,
        DocumentUploaded(
            document_id=document.document_id,
            catalog_id=kb.kb_id,
            filename=document.name,
            file_size_kb=kilobytes(document.latest.size_bytes),
            indexing_status=document.latest.status,
            unchanged=uploaded.unchanged,
        ),
    )


async def _read(caller: Caller, given: UploadToCatalog) -> _File:
    if given.document_id is not None:
        return await _copy(caller, given.document_id, given.filename)
    if given.path is not None:
        return await asyncio.to_thread(_open, caller, given.path, given.filename)
    encoded = given.file_content or ""
    # Base64 takes four characters for three bytes: what cannot fit is not decoded first.
    if len(encoded) // 4 * 3 > caller.resources.limits.file_bytes + 3:
        raise _too_large(caller)
    try:
        content = await asyncio.to_thread(base64.b64decode, "".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        words = "file_content is not valid Base64. Encode the file's bytes with standard Base64, without a data: prefix"
        raise Mistake("INVALID_FILE_CONTENT", words) from error
    return _File(given.filename or "", content)


async def _copy(caller: Caller, document_id: str, name: str | None) -> _File:
    try:
        document = await get_document(caller.resources, caller.identity, document_id)
        signed = await sign_download(caller.resources, caller.identity, document_id)
    except NotFound as error:
        raise document_not_found(document_id) from error
    original = await open_download(caller.resources, signed.token)
    return _File(name or document.name, b"".join([part async for part in original.content]))


def _open(caller: Caller, path: str, name: str | None) -> _File:
    """A file of the caller's own machine, and only below the folders that the caller has opened to us."""
    refused = Mistake(
        "PATH_NOT_ALLOWED",
        "Files can be named by path only below the folders that the client has opened as roots. Send file_content",
    )
    missing = Mistake("FILE_NOT_FOUND", f"There is no file '{path}' that could be read")
    limit = caller.resources.limits.file_bytes
    if not caller.roots:
        raise refused
    try:
        file = Path(path).expanduser().resolve()
        if not any(file.is_relative_to(root.resolve()) for root in caller.roots):
            raise refused
        if not file.is_file():
            raise missing
        with file.open("rb") as opened:
            # One more than allowed tells that there is more; the size that a file says it has may be none.
            content = opened.read(limit + 1)
    # A home of nobody, a link to itself, a name that no system takes, or a file that we may not read.
    except (RuntimeError, OSError, ValueError) as error:
        raise missing from error
    if len(content) > limit:
        raise _too_large(caller)
    return _File(name or file.name, content)


def _too_large(caller: Caller) -> Mistake:
    limit = f"{caller.resources.limits.file_bytes / (1024 * 1024):g}MB"
    return Mistake("FILE_TOO_LARGE", f"File exceeds {limit} limit", {"limit_bytes": caller.resources.limits.file_bytes})


def _unsupported(name: str, error: UnsupportedFile) -> Mistake:
    """By its name where no format has that, else what is wrong with its content."""
    extension = PurePath(name).suffix.lower()
    if any(extension in kind.extensions for kind in FORMATS):
        return Mistake(error.code, error.message, error.details)
    allowed = ", ".join(dict.fromkeys(kind.extensions[0][1:] for kind in FORMATS if kind.label != "source code"))
    return Mistake(error.code, f"File type '{extension or name}' not supported. Allowed: {allowed}", error.details)


async def list_some(caller: Caller, given: ListCatalogDocuments) -> Answer:
    """The documents of a catalog, newest first."""
    kb = await find_catalog(caller, given.catalog_id)
    found, total = await list_documents(
        caller.resources, caller.identity, kb.kb_id, limit=given.limit, offset=given.offset
    )
    text = f"Catalog '{kb.name}' contains {count_documents(total)}"
    if found:
        rows = "\n".join(_row(document) for document in found[:_SHOWN])
        text += f":\n\n| Filename | Size | Status | Uploaded |\n|----------|------|--------|----------|\n{rows}"
    left = total - given.offset - len(found[:_SHOWN])
    if found and left > 0:
        text += f"\n\n{left} more: ask again with offset={given.offset + len(found[:_SHOWN])}."
    documents = [_listed(document) for document in found]
    return Answer(text, DocumentsListed(catalog_id=kb.kb_id, document_count=total, documents=documents))


def _row(document: Document) -> str:
    name = document.name.replace("|", "\\|")
    size = describe_size(document.latest.size_bytes)
    return f"| {name} | {size} | {document.latest.status} | {document.latest.created_at:%Y-%m-%d} |"


def _listed(document: Document) -> DocumentListed:
    return DocumentListed(
        document_id=document.document_id,
        filename=document.name,
        file_size_kb=kilobytes(document.latest.size_bytes),
        indexing_status=document.latest.status,
        uploaded_at=document.latest.created_at.isoformat(),
    )


async def delete(caller: Caller, given: DeleteCatalogDocument) -> Answer:
    """A document with its original, passages and vectors."""
    document = await find_document(caller, given.catalog_id, given.document_id)
    await delete_document(caller.resources, caller.identity, document.document_id)
    return Answer(
        f"Deleted '{document.name}' from catalog. Vector cleanup initiated.",
        DocumentDeleted(document_id=document.document_id, filename=document.name, vectors_removed=True),
    )


async def tell_status(caller: Caller, given: GetIndexingStatus) -> Answer:
    """How far each document of a catalog is."""
    kb = await find_catalog(caller, given.catalog_id)
    found = await _all_documents(caller, kb)
    counts = StatusCounts(
        **{status.value: sum(document.latest.status is status for document in found) for status in DocumentStatus}
    )
    overall = status_of(kb)
    ready = f"{counts.indexed} of {count_documents(len(found))} ready"
    # What is not ready says the most, so it comes first where not all can be shown.
    shown = sorted(found, key=lambda document: document.latest.status is DocumentStatus.INDEXED)[:_SHOWN]
    lines = [f"- **Overall**: {overall} ({ready})", *(f"- {_progress(document)}" for document in shown)]
    if len(found) > len(shown):
        lines.append(f"- and {len(found) - len(shown)} more")
    return Answer(
        f"Catalog '{kb.name}' indexing status:\n\n" + "\n".join(lines),
        IndexingTold(catalog_id=kb.kb_id, overall_status=overall, documents=counts),
    )


async def _all_documents(caller: Caller, kb: KnowledgeBase) -> list[Document]:
    found: list[Document] = []
    while True:
        page, total = await list_documents(caller.resources, caller.identity, kb.kb_id, limit=_PAGE, offset=len(found))
        found += page
        if not page or len(found) >= total:
            return found


def _progress(document: Document) -> str:
    told = f"{document.name}: {document.latest.status}"
    if document.latest.status is DocumentStatus.INDEXING:
        return f"{told} ({document.progress}% complete)"
    if document.latest.status is DocumentStatus.FAILED and document.latest.error:
        return f"{told} ({document.latest.error})"
    return told


async def offer_download(caller: Caller, given: DownloadFromCatalog) -> Answer:
    """A link with which anyone can fetch the original for a quarter of an hour."""
    document = await find_document(caller, given.catalog_id, given.document_id)
    signed = await sign_download(caller.resources, caller.identity, document.document_id)
    url = caller.link_to_original(signed.token)
    return Answer(
        f"Download link for '{document.name}' (expires in {DOWNLOAD_SECONDS // 60} minutes): {url}",
        DownloadOffered(
            document_id=document.document_id,
            filename=document.name,
            download_url=url,
            expires_in_seconds=DOWNLOAD_SECONDS,
        ),
    )
