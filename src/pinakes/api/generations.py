"""Generations of a knowledge base over REST: switch to another embedder, and back."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.operations import OperationOut, operation_out
from pinakes.api.paths import GenerationId, KnowledgeBaseId
from pinakes.domain.generation import Generation, GenerationState
from pinakes.domain.knowledge_base import MAX_NAME
from pinakes.services import generations

router = APIRouter(prefix="/api/knowledge-bases/{knowledgeBaseId}/generations", tags=["Knowledge bases"])


class GenerationOut(ApiModel):
    """One index of a knowledge base."""

    id: str
    embedder: str = Field(description="The name of its embedding model; `none` where search is by keywords only.")
    dims: int | None
    state: GenerationState = Field(
        description="`active` answers, `building` is about to, `kept` did and can be switched back to, "
        "`unfinished` is what a failed switch left for the next one."
    )
    chunk_count: int
    operation_id: str | None = Field(description="The switch that leads to it, while there is one.")
    created_at: datetime


class GenerationIn(RequestModel):
    """What to switch to."""

    embedder: str = Field(
        min_length=1,
        max_length=MAX_NAME,
        description="Id or name of an embedder, `builtin` for the built-in model, `none` for keywords only.",
        examples=["builtin"],
    )


@router.post("", status_code=202)
async def switch_generation(
    knowledge_base_id: KnowledgeBaseId, body: GenerationIn, resources: ResourcesDep, caller: Caller
) -> Success[OperationOut]:
    """Switch to another embedder in the background; searches are answered throughout."""
    return succeed(operation_out(await generations.start_switch(resources, caller, knowledge_base_id, body.embedder)))


@router.get("")
async def list_generations(
    knowledge_base_id: KnowledgeBaseId, resources: ResourcesDep, caller: Caller
) -> Success[list[GenerationOut]]:
    """List generations, newest first."""
    found = await generations.list_generations(resources, caller, knowledge_base_id)
    return succeed([_out(generation) for generation in found])


@router.delete("/{generationId}")
async def drop_generation(
    knowledge_base_id: KnowledgeBaseId, generation_id: GenerationId, resources: ResourcesDep, caller: Caller
) -> Success[None]:
    """Delete a generation that is kept; the documents stay."""
    await generations.drop_generation(resources, caller, knowledge_base_id, generation_id)
    return succeed(None)


def _out(generation: Generation) -> GenerationOut:
    return GenerationOut(
        id=generation.index_id,
        embedder=generation.embedder,
        dims=generation.dims,
        state=generation.state,
        chunk_count=generation.chunk_count,
        operation_id=generation.operation_id,
        created_at=generation.created_at,
    )
