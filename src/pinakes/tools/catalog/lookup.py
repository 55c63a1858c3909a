"""A catalog is a knowledge base, called by the words of the catalog tools."""

from pinakes.domain.document import Document
from pinakes.domain.errors import NotFound
from pinakes.domain.knowledge_base import MEMORY_SLUG, KnowledgeBase
from pinakes.services.documents import get_document, list_documents
from pinakes.services.knowledge_bases import get_knowledge_base
from pinakes.tools.catalog.outputs import CatalogStatus
from pinakes.tools.definition import Caller, Mistake

_MEGABYTE = 1024 * 1024


async def find_catalog(caller: Caller, reference: str) -> KnowledgeBase:
    """By id, slug or name; what agents remember is no catalog."""
    try:
        kb = await get_knowledge_base(caller.resources, caller.identity, reference)
    except NotFound as error:
        raise catalog_not_found(reference) from error
    if kb.built_in and kb.slug == MEMORY_SLUG:
        raise catalog_not_found(reference)
    return kb


async def find_document(caller: Caller, reference: str, document: str) -> Document:
    """A document of this catalog, not of another: by its id, or by its name, which is all that some models read."""
    kb = await find_catalog(caller, reference)
    try:
        found = await get_document(caller.resources, caller.identity, document)
        if found.kb_id == kb.kb_id:
            return found
    except NotFound:
        pass
    named, _ = await list_documents(caller.resources, caller.identity, kb.kb_id, name=document, limit=1)
    if not named:
        raise document_not_found(document)
    return named[0]


def catalog_not_found(reference: str) -> Mistake:
    """Of every tool that takes a catalog."""
    advice = {"advice": "Call list_catalogs to see which there are."}
    return Mistake("CATALOG_NOT_FOUND", f"Catalog '{reference}' not found", advice)


def document_not_found(document_id: str) -> Mistake:
    """Of every tool that takes a document."""
    advice = {"advice": "Call list_catalog_documents to see which there are."}
    return Mistake("DOCUMENT_NOT_FOUND", f"Document '{document_id}' not found in catalog", advice)


def status_of(kb: KnowledgeBase) -> CatalogStatus:
    """How far a catalog's documents are, in one word."""
    stats = kb.stats
    if not stats.document_count:
        return "empty"
    if stats.unfinished_count:
        return "indexing"
    return "failed" if stats.failed_count == stats.document_count else "ready"


def megabytes(size: int) -> float:
    """As a program reads it."""
    return round(size / _MEGABYTE, 2)


def kilobytes(size: int) -> float:
    """The same for files."""
    return round(size / 1024, 2)


def describe_size(size: int) -> str:
    """As a person reads it: `45.2 MB`, `256 KB`."""
    if size >= _MEGABYTE:
        return f"{size / _MEGABYTE:.1f} MB"
    return f"{size / 1024:.0f} KB" if size >= 1024 else f"{size} bytes"


def count_documents(number: int) -> str:
    """`1 document`, `12 documents`."""
    return f"{number} document" if number == 1 else f"{number} documents"
