"""Knowledge bases over REST."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, Page, RequestModel, Success, succeed
from pinakes.api.paths import KnowledgeBaseId
from pinakes.domain.knowledge_base import MAX_DESCRIPTION, MAX_NAME, KnowledgeBase
from pinakes.services import knowledge_bases

router = APIRouter(prefix="/api/knowledge-bases", tags=["Knowledge bases"])
Limit = Annotated[int, Query(ge=1, le=500, description="How many to return.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="How many to skip.")]


class StatsOut(ApiModel):
    """How much a knowledge base holds."""

    document_count: int
    chunk_count: int
    size_bytes: int
    unfinished_count: int = Field(description="Documents that wait or are being indexed.")
    failed_count: int = Field(description="Documents whose latest version could not be indexed.")


class KnowledgeBaseOut(ApiModel):
    """A knowledge base."""

    id: str
    slug: str
    name: str
    description: str
    lifecycle_days: int = Field(description="Documents expire this many days after their last update; 0: never.")
    built_in: bool
    embedder: str = Field(description="The name of its embedding model; `none` where search is by keywords only.")
    stats: StatsOut
    switching: bool = Field(description="Whether it is on its way to another embedding model.")
    created_at: datetime
    updated_at: datetime


class KnowledgeBaseIn(RequestModel):
    """A knowledge base to make."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    description: str = Field(default="", max_length=MAX_DESCRIPTION)
    lifecycle_days: int = Field(default=0, ge=0, le=knowledge_bases.MAX_LIFECYCLE_DAYS)
    embedder: str | None = Field(
        default=None,
        max_length=MAX_NAME,
        description="Id or name of an embedder, or `none` for search by keywords only; the built-in model by default.",
        examples=["builtin"],
    )


class KnowledgeBaseChange(RequestModel):
    """What to change; what is left out stays."""

    name: str | None = Field(default=None, min_length=1, max_length=MAX_NAME)
    description: str | None = Field(default=None, max_length=MAX_DESCRIPTION)
    lifecycle_days: int | None = Field(default=None, ge=0, le=knowledge_bases.MAX_LIFECYCLE_DAYS)
    embedder: str | None = Field(
        default=None,
        max_length=MAX_NAME,
        description="May only be the one it has; another one is switched to with `POST …/generations`.",
        examples=["builtin"],
    )


class FreedOut(ApiModel):
    """What a deletion gave back."""

    documents: int
    chunks: int
    size_bytes: int


@router.post("", status_code=201)
async def create_knowledge_base(
    body: KnowledgeBaseIn, resources: ResourcesDep, caller: Caller
) -> Success[KnowledgeBaseOut]:
    """Make a knowledge base."""
    kb = await knowledge_bases.create_knowledge_base(
        resources,
        caller,
        name=body.name,
        description=body.description,
        lifecycle_days=body.lifecycle_days,
        embedder=body.embedder,
    )
    return succeed(knowledge_base_out(kb))


@router.get("")
async def list_knowledge_bases(
    resources: ResourcesDep, caller: Caller, limit: Limit = 100, offset: Offset = 0
) -> Success[Page[KnowledgeBaseOut]]:
    """List knowledge bases by name."""
    kbs, total = await knowledge_bases.list_knowledge_bases(resources, caller, limit=limit, offset=offset)
    return succeed(Page(items=[knowledge_base_out(kb) for kb in kbs], total=total, limit=limit, offset=offset))


@router.get("/{knowledgeBaseId}")
async def get_knowledge_base(
    knowledge_base_id: KnowledgeBaseId, resources: ResourcesDep, caller: Caller
) -> Success[KnowledgeBaseOut]:
    """One knowledge base, by id, slug or name."""
    return succeed(knowledge_base_out(await knowledge_bases.get_knowledge_base(resources, caller, knowledge_base_id)))


@router.patch("/{knowledgeBaseId}")
async def update_knowledge_base(
    knowledge_base_id: KnowledgeBaseId, body: KnowledgeBaseChange, resources: ResourcesDep, caller: Caller
) -> Success[KnowledgeBaseOut]:
    """Change name, description or lifecycle."""
    kb = await knowledge_bases.update_knowledge_base(
        resources,
        caller,
        knowledge_base_id,
        name=body.name,
        description=body.description,
        lifecycle_days=body.lifecycle_days,
        embedder=body.embedder,
    )
    return succeed(knowledge_base_out(kb))


@router.delete("/{knowledgeBaseId}")
async def delete_knowledge_base(
    knowledge_base_id: KnowledgeBaseId,
    resources: ResourcesDep,
    caller: Caller,
    confirm: Annotated[bool, Query(description="Must be true: everything in it is deleted.")] = False,
) -> Success[FreedOut]:
    """Delete a knowledge base with everything in it."""
    freed = await knowledge_bases.delete_knowledge_base(resources, caller, knowledge_base_id, confirm=confirm)
    return succeed(FreedOut.model_validate(freed))


def knowledge_base_out(kb: KnowledgeBase) -> KnowledgeBaseOut:
    """A knowledge base as the API shows it."""
    return KnowledgeBaseOut(
        id=kb.kb_id,
        slug=kb.slug,
        name=kb.name,
        description=kb.description,
        lifecycle_days=kb.lifecycle_days,
        built_in=kb.built_in,
        embedder=kb.embedder,
        stats=StatsOut.model_validate(kb.stats),
        switching=kb.switching,
        created_at=kb.created_at,
        updated_at=kb.updated_at,
    )
