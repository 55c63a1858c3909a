"""Catalogs themselves: made, listed, selected, deleted."""

import re
import unicodedata

from pinakes.domain.errors import Conflict, LimitExceeded
from pinakes.domain.knowledge_base import KnowledgeBase
from pinakes.services.knowledge_bases import (
    create_knowledge_base,
    delete_knowledge_base,
    list_knowledge_bases,
)
from pinakes.services.selections import select_catalog
from pinakes.tools.catalog.arguments import CreateCatalog, DeleteCatalog, ListCatalogs, SelectCatalog
from pinakes.tools.catalog.lookup import count_documents, describe_size, find_catalog, megabytes, status_of
from pinakes.tools.catalog.outputs import (
    CatalogCreated,
    CatalogDeleted,
    CatalogListed,
    CatalogSelected,
    CatalogsListed,
)
from pinakes.tools.definition import Answer, Caller, Mistake

_LONGEST_NAME = 100
_NAME = re.compile(r"[^\W_]+(?:[ -]+[^\W_]+)*")
# Between letters, where many languages need them: non-joiner and joiner.
_JOINERS = "\u200c\u200d"
_NOTHING = "none"
_PAGE = 100


async def create(caller: Caller, given: CreateCatalog) -> Answer:
    """A new, empty catalog."""
    name = unicodedata.normalize("NFC", given.catalog_name).strip()
    if not 1 <= len(name) <= _LONGEST_NAME:
        raise Mistake("INVALID_CATALOG_NAME", f"Catalog name must have 1 to {_LONGEST_NAME} characters")
    if not _NAME.fullmatch(_letters(name)):
        allowed = {"allowed": "letters, digits, spaces and hyphens"}
        raise Mistake("INVALID_CATALOG_NAME", "Catalog name contains invalid characters", allowed)
    try:
        kb = await create_knowledge_base(caller.resources, caller.identity, name=name, description=given.description)
    except LimitExceeded as error:
        limit = caller.resources.limits.knowledge_bases_per_user
        raise Mistake("CATALOG_LIMIT_REACHED", f"Maximum catalog limit ({limit}) reached") from error
    except Conflict as error:
        raise Mistake("CATALOG_NAME_EXISTS", f"A catalog named '{name}' already exists") from error
    return Answer(
        f"Created catalog '{kb.name}' (ID: {kb.kb_id}). Ready for document uploads.",
        CatalogCreated(
            catalog_id=kb.kb_id,
            catalog_name=kb.name,
            data_source_id=kb.kb_id,
            s3_prefix=f"{caller.identity.workspace_id}/{kb.kb_id}/",
        ),
    )


def _letters(name: str) -> str:
    """Without what belongs to the letter before it: vowel signs and accents, which half the world writes with."""
    return "".join(
        character for character in name if unicodedata.category(character)[0] != "M" and character not in _JOINERS
    )


async def list_all(caller: Caller, _: ListCatalogs) -> Answer:
    """Every catalog; notes and memories have tools of their own."""
    found: list[KnowledgeBase] = []
    while True:
        page, total = await list_knowledge_bases(caller.resources, caller.identity, limit=_PAGE, offset=len(found))
        found += page
        if not page or len(found) >= total:
            break
    own = [kb for kb in found if not kb.built_in]
    catalogs = [_listed(kb) for kb in own]
    if not own:
        text = "Found 0 catalogs. Use create_catalog to make one."
    else:
        told = "\n\n".join(f"{number}. {_describe(kb)}" for number, kb in enumerate(own, 1))
        text = f"Found {len(catalogs)} {'catalog' if len(catalogs) == 1 else 'catalogs'}:\n\n{told}"
    return Answer(text, CatalogsListed(catalog_count=len(catalogs), catalogs=catalogs))


def _listed(kb: KnowledgeBase) -> CatalogListed:
    return CatalogListed(
        catalog_id=kb.kb_id,
        catalog_name=kb.name,
        description=kb.description,
        document_count=kb.stats.document_count,
        total_size_mb=megabytes(kb.stats.size_bytes),
        indexing_status=status_of(kb),
        last_updated=(kb.stats.changed_at or kb.updated_at).isoformat(),
    )


def _describe(kb: KnowledgeBase) -> str:
    about = f"\n   - {' '.join(kb.description.split())}" if kb.description else ""
    return (
        f"**{kb.name}** ({kb.kb_id}){about}\n"
        f"   - {count_documents(kb.stats.document_count)}, {describe_size(kb.stats.size_bytes)}\n"
        f"   - Status: {status_of(kb)}\n"
        f"   - Last updated: {kb.stats.changed_at or kb.updated_at:%Y-%m-%d}"
    )


async def select(caller: Caller, given: SelectCatalog) -> Answer:
    """The catalog that query_catalog asks when none is named."""
    if given.catalog_id == _NOTHING:
        await select_catalog(caller.resources, caller.identity, None, given.thread_id)
        return Answer(
            "No catalog is selected any more. Name one with catalog_id, or select another.",
            CatalogSelected(catalog_id=None, catalog_name=None, document_count=0, active=False),
        )
    kb = await find_catalog(caller, given.catalog_id)
    await select_catalog(caller.resources, caller.identity, kb.kb_id, given.thread_id)
    return Answer(
        f"Selected catalog '{kb.name}' for queries. Ask me anything about your documents!",
        CatalogSelected(catalog_id=kb.kb_id, catalog_name=kb.name, document_count=kb.stats.document_count, active=True),
    )


async def delete(caller: Caller, given: DeleteCatalog) -> Answer:
    """A catalog with everything in it; without `confirm` only what would be lost is told."""
    kb = await find_catalog(caller, given.catalog_id)
    if kb.built_in:
        raise Mistake("CATALOG_BUILT_IN", f"Catalog '{kb.name}' belongs to every workspace and cannot be deleted")
    if not given.confirm:
        lost = {"documents": kb.stats.document_count, "storage_mb": megabytes(kb.stats.size_bytes)}
        size = describe_size(kb.stats.size_bytes)
        raise Mistake(
            "CONFIRMATION_REQUIRED",
            f"Deleting catalog '{kb.name}' would remove {count_documents(kb.stats.document_count)} ({size}) for good. "
            "Nothing was deleted. Ask the user, then call delete_catalog with confirm=true",
            lost,
        )
    freed = await delete_knowledge_base(caller.resources, caller.identity, kb.kb_id, confirm=True)
    return Answer(
        f"Deleted catalog '{kb.name}' and all {count_documents(freed.documents)}. Data source and vectors removed.",
        CatalogDeleted(
            catalog_id=kb.kb_id,
            documents_deleted=freed.documents,
            storage_freed_mb=megabytes(freed.size_bytes),
            data_source_deleted=True,
            vectors_cleanup_initiated=True,
        ),
    )
