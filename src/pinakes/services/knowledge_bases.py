"""Knowledge bases: make, list, change, delete."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from psycopg.errors import UniqueViolation

from pinakes.domain.analysis import ANALYSER_VERSION
from pinakes.domain.bm25 import AVERAGE_LENGTH
from pinakes.domain.calibration import Calibration
from pinakes.domain.errors import Conflict, InvalidInput, LimitExceeded, NotFound, ProviderFault
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import (
    MAX_DESCRIPTION,
    MEMORY_SLUG,
    NOTES_SLUG,
    KnowledgeBase,
    clean_name,
    slug_of,
)
from pinakes.services.embedders import ChosenEmbedder, choose_embedder
from pinakes.services.resources import Resources
from pinakes.store import blobs, documents, knowledge_bases
from pinakes.store.backup import may_remove_objects
from pinakes.store.database import Connection, Row, outlast_deadlocks
from pinakes.store.knowledge_bases import NewIndex

log = logging.getLogger("pinakes.knowledge_bases")
MAX_LIFECYCLE_DAYS = 36_500
_BUILT_IN = (
    (NOTES_SLUG, "Knowledge", "Notes written by people and agents."),
    (MEMORY_SLUG, "Memory", "What agents remember."),
)


@dataclass(frozen=True, slots=True)
class Freed:
    """What a deletion gave back."""

    documents: int
    chunks: int
    size_bytes: int


async def create_knowledge_base(
    resources: Resources,
    identity: Identity,
    *,
    name: str,
    description: str = "",
    lifecycle_days: int = 0,
    embedder: str | None = None,
    slug: str | None = None,
    sample: bool = False,
) -> KnowledgeBase:
    """A new, empty knowledge base; the sample does not count against anybody's limit."""
    identity.require(Scope.WRITE)
    name = clean_name(name)
    _check(description, lifecycle_days)
    kb_id, user_id = new_id("kb"), identity.user.user_id
    async with resources.database.transaction(identity.workspace_id) as connection:
        limit = resources.limits.knowledge_bases_per_user
        made = await knowledge_bases.count_created_by(connection, identity.workspace_id, user_id)
        if made >= limit and not sample:
            raise LimitExceeded(
                f"You have made {made} knowledge bases here; at most {limit} are allowed. Delete some first."
            )
        chosen = await choose_embedder(resources, connection, identity.workspace_id, embedder)
        try:
            await knowledge_bases.insert_knowledge_base(
                connection,
                identity.workspace_id,
                kb_id=kb_id,
                slug=await _free_slug(connection, identity.workspace_id, name, slug),
                name=name,
                description=description.strip(),
                lifecycle_days=lifecycle_days,
                built_in=False,
                created_by=None if sample else user_id,
                index=make_index(chosen),
            )
        except UniqueViolation as error:
            raise _name_exists(name) from error
        made_kb = await knowledge_bases.find_knowledge_base(connection, identity.workspace_id, kb_id)
    assert made_kb is not None
    return made_kb


async def add_built_in_knowledge_bases(resources: Resources, connection: Connection, workspace_id: str) -> None:
    """The two that every workspace has from the start."""
    chosen = await choose_embedder(resources, connection, workspace_id, None)
    for slug, name, description in _BUILT_IN:
        await knowledge_bases.insert_knowledge_base(
            connection,
            workspace_id,
            kb_id=new_id("kb"),
            slug=slug,
            name=name,
            description=description,
            lifecycle_days=0,
            built_in=True,
            created_by=None,
            index=make_index(chosen),
        )


async def list_knowledge_bases(
    resources: Resources, identity: Identity, *, limit: int = 100, offset: int = 0
) -> tuple[list[KnowledgeBase], int]:
    """A page of knowledge bases by name, and how many there are."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await knowledge_bases.list_knowledge_bases(connection, identity.workspace_id, limit=limit, offset=offset)


async def get_knowledge_base(resources: Resources, identity: Identity, reference: str) -> KnowledgeBase:
    """By id, slug or name."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await find_or_raise(connection, identity, reference)


async def update_knowledge_base(
    resources: Resources,
    identity: Identity,
    reference: str,
    *,
    name: str | None = None,
    description: str | None = None,
    lifecycle_days: int | None = None,
    embedder: str | None = None,
) -> KnowledgeBase:
    """Change what is given; the slug stays, so that what refers to it goes on working."""
    identity.require(Scope.WRITE)
    async with resources.database.transaction(identity.workspace_id) as connection:
        kb = await find_or_raise(connection, identity, reference)
        await _refuse_switch(resources, connection, identity, kb, embedder)
        changed = replace(
            kb,
            name=kb.name if name is None else clean_name(name),
            description=kb.description if description is None else description.strip(),
            lifecycle_days=kb.lifecycle_days if lifecycle_days is None else lifecycle_days,
        )
        _check(changed.description, changed.lifecycle_days)
        try:
            await knowledge_bases.update_knowledge_base(
                connection,
                identity.workspace_id,
                kb.kb_id,
                name=changed.name,
                description=changed.description,
                lifecycle_days=changed.lifecycle_days,
            )
        except UniqueViolation as error:
            raise _name_exists(changed.name) from error
        return await find_or_raise(connection, identity, kb.kb_id)


async def _refuse_switch(
    resources: Resources, connection: Connection, identity: Identity, kb: KnowledgeBase, embedder: str | None
) -> None:
    """Say how another embedder is switched to; the one it has may be given."""
    if embedder is None:
        return
    chosen = await choose_embedder(resources, connection, identity.workspace_id, embedder)
    (active,) = await knowledge_bases.active_indexes(connection, identity.workspace_id, [kb.kb_id])
    if chosen.name != active.embedder:
        raise InvalidInput(
            "The embedder does not change just so: every passage has to be embedded anew first. "
            f"`pinakes kb switch {kb.slug} --embedder '{embedder}'` does that in the background, as does "
            f"POST /api/knowledge-bases/{kb.kb_id}/generations.",
            code="SWITCH_REQUIRED",
        )


async def delete_knowledge_base(resources: Resources, identity: Identity, reference: str, *, confirm: bool) -> Freed:
    """Delete a knowledge base with its originals, chunks and vectors; says what was freed."""
    identity.require(Scope.WRITE)
    workspace_id = identity.workspace_id
    versions = await outlast_deadlocks(lambda: _delete(resources, identity, reference, confirm=confirm))
    await empty_trash(resources, workspace_id, [version["blob_key"] for version in versions])
    return Freed(
        documents=len({version["document_id"] for version in versions}),
        chunks=sum(version["chunk_count"] for version in versions),
        size_bytes=sum(version["size_bytes"] for version in versions),
    )


async def _delete(resources: Resources, identity: Identity, reference: str, *, confirm: bool) -> list[Row]:
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        kb = await find_or_raise(connection, identity, reference)
        if kb.built_in:
            raise Conflict(f"'{kb.name}' belongs to every workspace and cannot be deleted.")
        if not confirm:
            raise InvalidInput(
                f"Deleting '{kb.name}' deletes its {kb.stats.document_count} documents. "
                "Repeat with confirm=true if you mean it.",
                code="CONFIRMATION_REQUIRED",
                details={"documentCount": kb.stats.document_count, "chunkCount": kb.stats.chunk_count},
            )
        await knowledge_bases.lock_contents(connection, workspace_id, kb.kb_id)
        document_ids = await documents.document_ids_of(connection, workspace_id, kb.kb_id)
        versions = await documents.list_versions(connection, workspace_id, document_ids)
        await blobs.trash_blobs(connection, workspace_id, [version["blob_key"] for version in versions])
        await knowledge_bases.delete_knowledge_base(connection, workspace_id, kb.kb_id)
    return versions


async def empty_trash(resources: Resources, workspace_id: str, keys: list[str]) -> None:
    """Remove objects that are marked as trash; what a crash, the store or a back-up leaves here the sweep finds."""
    if keys:
        async with resources.database.transaction(workspace_id) as connection:
            if not await may_remove_objects(connection):
                return
            try:
                await resources.blobs.delete(keys)
            except ProviderFault as fault:
                log.warning("Originals are left to the next sweep: %s", fault.message)
                return
            await blobs.forget_blobs(connection, workspace_id, keys)


async def find_or_raise(connection: Connection, identity: Identity, reference: str) -> KnowledgeBase:
    """The knowledge base, or NotFound with advice."""
    kb = await knowledge_bases.find_knowledge_base(connection, identity.workspace_id, reference)
    if kb is None:
        raise _not_found(reference)
    return kb


async def find_id_or_raise(connection: Connection, identity: Identity, reference: str) -> str:
    """The knowledge base's id alone, which is far cheaper, or NotFound with advice."""
    return (await find_ids_or_raise(connection, identity, [reference]))[0]


async def find_ids_or_raise(connection: Connection, identity: Identity, references: Sequence[str]) -> list[str]:
    """The same for several."""
    found = await knowledge_bases.find_kb_ids(connection, identity.workspace_id, references)
    missing = next((reference for reference, kb_id in zip(references, found, strict=True) if kb_id is None), None)
    if missing is not None:
        raise _not_found(missing)
    return [kb_id for kb_id in found if kb_id is not None]


def make_index(embedder: ChosenEmbedder) -> NewIndex:
    """A generation as one is made today."""
    return NewIndex(
        index_id=new_id("idx"),
        embedder=embedder.name,
        dims=embedder.dims,
        analyser_version=ANALYSER_VERSION,
        avgdl_ref=AVERAGE_LENGTH,
        calibration=Calibration.of(embedder.name, embedder.scale),
    )


async def _free_slug(connection: Connection, workspace_id: str, name: str, wanted: str | None = None) -> str:
    if wanted is not None:
        if slug_of(wanted) != wanted:
            raise InvalidInput(f"'{wanted}' is no slug. Use small letters, digits and hyphens: '{slug_of(wanted)}'.")
        if await knowledge_bases.slug_is_taken(connection, workspace_id, wanted):
            raise Conflict(f"The slug '{wanted}' is taken. Choose another.", code="SLUG_EXISTS")
        return wanted
    slug = candidate = slug_of(name)
    number = 1
    while await knowledge_bases.slug_is_taken(connection, workspace_id, candidate):
        number += 1
        candidate = f"{slug}-{number}"
    return candidate


def _check(description: str, lifecycle_days: int) -> None:
    if len(description) > MAX_DESCRIPTION:
        raise InvalidInput(f"The description has {len(description)} characters; at most {MAX_DESCRIPTION} are allowed.")
    if not 0 <= lifecycle_days <= MAX_LIFECYCLE_DAYS:
        raise InvalidInput(f"lifecycleDays must be 0 (never) to {MAX_LIFECYCLE_DAYS}.")


def _not_found(reference: str) -> NotFound:
    return NotFound(f"There is no knowledge base '{reference}' in this workspace. List them to see what is there.")


def _name_exists(name: str) -> Conflict:
    return Conflict(f"A knowledge base named '{name}' exists already. Choose another name.", code="NAME_EXISTS")
