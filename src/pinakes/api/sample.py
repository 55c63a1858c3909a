"""The sample over REST: something to ask about before anything was uploaded."""

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, Success, succeed
from pinakes.api.knowledge_bases import FreedOut
from pinakes.domain.identity import Identity
from pinakes.services import sample
from pinakes.services.resources import Resources

router = APIRouter(prefix="/api/sample", tags=["Sample"])


class SampleOut(ApiModel):
    """The sample of a workspace, and what to ask it."""

    knowledge_base_id: str | None = Field(description="Null where the sample is not loaded.")
    document_count: int
    indexed_count: int = Field(description="How many of its documents answer already.")
    own_document_count: int = Field(description="How many documents of the workspace are not of the sample.")
    questions: list[str]


@router.get("")
async def get_sample(resources: ResourcesDep, caller: Caller) -> Success[SampleOut]:
    """Whether the sample is loaded, and questions that it answers."""
    return succeed(await _out(resources, caller))


@router.post("", status_code=201)
async def load_sample(resources: ResourcesDep, caller: Caller) -> Success[SampleOut]:
    """Load the sample: a small knowledge base about old libraries."""
    await sample.load_sample(resources, caller)
    return succeed(await _out(resources, caller))


@router.delete("")
async def remove_sample(resources: ResourcesDep, caller: Caller) -> Success[FreedOut]:
    """Delete the sample; it can be loaded again."""
    return succeed(FreedOut.model_validate(await sample.remove_sample(resources, caller)))


async def _out(resources: Resources, caller: Identity) -> SampleOut:
    state = await sample.get_sample(resources, caller)
    return SampleOut(
        knowledge_base_id=state.kb_id,
        document_count=state.document_count,
        indexed_count=state.indexed_count,
        own_document_count=state.own_document_count,
        questions=sample.sample_questions(),
    )
