"""Re-rankers over REST: models of a workspace's own that put a search's hits in a better order."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.paths import RerankerId
from pinakes.domain.endpoint import MAX_MODEL, MAX_URL
from pinakes.domain.knowledge_base import MAX_NAME
from pinakes.domain.reranker import (
    DEFAULT_HITS,
    DEFAULT_SECONDS,
    LEAST_SLOPE,
    LONGEST_SECONDS,
    MOST_BIAS,
    MOST_HITS,
    MOST_SLOPE,
    SHORTEST_SECONDS,
    RerankEndpoint,
    RerankStyle,
)
from pinakes.services import rerankers
from pinakes.services.rerankers import RerankerFields

router = APIRouter(prefix="/api/rerankers", tags=["Re-rankers"])
_SECONDS = f"How long a search waits for it. Default: {DEFAULT_SECONDS:g}."
_HITS = f"How many of the first hits it sees. Default: {DEFAULT_HITS}."
_RAW = "Its scores are no probabilities from 0 to 1. Found by a first call unless given."
_SLOPE = "Similarity is a logistic of bias + slope × score (unless scores are raw, of its log-odds). Default: 1."
_BIAS = "See slope. Default: 0."
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
BaseUrl = Annotated[
    str,
    Field(
        min_length=1, max_length=MAX_URL, description="With or without its version, or the whole address, `…/rerank`."
    ),
]


class RerankerOut(ApiModel):
    """A re-ranker without its API key; `keyHint` is how the key ends."""

    id: str
    name: str
    style: RerankStyle
    base_url: str
    model: str | None
    seconds: float = Field(description=_SECONDS)
    hits: int = Field(description=_HITS)
    raw_scores: bool = Field(description=_RAW)
    slope: float = Field(description=_SLOPE)
    bias: float = Field(description=_BIAS)
    is_default: bool = Field(description="Searches use it that name no other.")
    key_hint: str | None
    created_at: datetime
    updated_at: datetime


class _RerankerOptions(RequestModel):
    model: str | None = Field(
        default=None, min_length=1, max_length=MAX_MODEL, description="Style tei serves one model and needs no name."
    )
    api_key: str | None = Field(
        default=None,
        description="Sent as a bearer token, stored encrypted, never shown again; an empty one takes it away.",
        examples=["sk-0123456789"],
    )
    seconds: float | None = Field(default=None, ge=SHORTEST_SECONDS, le=LONGEST_SECONDS, description=_SECONDS)
    hits: int | None = Field(default=None, ge=1, le=MOST_HITS, description=_HITS)
    raw_scores: bool | None = Field(default=None, description=_RAW)
    slope: float | None = Field(default=None, ge=LEAST_SLOPE, le=MOST_SLOPE, description=_SLOPE)
    bias: float | None = Field(default=None, ge=-MOST_BIAS, le=MOST_BIAS, description=_BIAS)


class RerankerIn(_RerankerOptions):
    """A re-ranker to add; it is called once to see that it works."""

    name: Name
    style: RerankStyle
    base_url: BaseUrl


class RerankerPatch(_RerankerOptions):
    """What to change; what is left out stays."""

    name: Name | None = None
    style: RerankStyle | None = None
    base_url: BaseUrl | None = None


class DefaultIn(RequestModel):
    """Which re-ranker searches use that name none."""

    reranker_id: str | None = Field(description="Name or id; null for none.")


class TrialOut(ApiModel):
    """That it works, what its scores are and how long it took to answer."""

    raw_scores: bool = Field(description=_RAW)
    milliseconds: int


@router.get("")
async def list_rerankers(resources: ResourcesDep, caller: Caller) -> Success[list[RerankerOut]]:
    """List the workspace's re-rankers by name."""
    return succeed([_out(found) for found in await rerankers.list_rerankers(resources, caller)])


@router.post("", status_code=201)
async def create_reranker(body: RerankerIn, resources: ResourcesDep, caller: Caller) -> Success[RerankerOut]:
    """Add a re-ranker, once it has shown that it works."""
    return succeed(_out(await rerankers.create_reranker(resources, caller, RerankerFields(**body.model_dump()))))


@router.put("/default")
async def use_reranker(body: DefaultIn, resources: ResourcesDep, caller: Caller) -> Success[RerankerOut | None]:
    """Have every search use a re-ranker that names no other, or none."""
    used = await rerankers.use_reranker(resources, caller, body.reranker_id)
    return succeed(used and _out(used))


@router.get("/{rerankerId}")
async def get_reranker(reranker_id: RerankerId, resources: ResourcesDep, caller: Caller) -> Success[RerankerOut]:
    """One re-ranker, by id or name."""
    return succeed(_out(await rerankers.get_reranker(resources, caller, reranker_id)))


@router.post("/{rerankerId}/test")
async def try_reranker(reranker_id: RerankerId, resources: ResourcesDep, caller: Caller) -> Success[TrialOut]:
    """Call a re-ranker once; a failure says what is wrong with it."""
    return succeed(TrialOut.model_validate(await rerankers.try_reranker(resources, caller, reranker_id)))


@router.patch("/{rerankerId}")
async def update_reranker(
    reranker_id: RerankerId, body: RerankerPatch, resources: ResourcesDep, caller: Caller
) -> Success[RerankerOut]:
    """Change a re-ranker; with another address, style or model it has to show that it works."""
    fields = RerankerFields(**body.model_dump())
    return succeed(_out(await rerankers.update_reranker(resources, caller, reranker_id, fields)))


@router.delete("/{rerankerId}")
async def delete_reranker(reranker_id: RerankerId, resources: ResourcesDep, caller: Caller) -> Success[None]:
    """Delete a re-ranker; searches that used it go on without."""
    await rerankers.delete_reranker(resources, caller, reranker_id)
    return succeed(None)


def _out(endpoint: RerankEndpoint) -> RerankerOut:
    return RerankerOut(
        id=endpoint.reranker_id,
        name=endpoint.name,
        style=endpoint.style,
        base_url=endpoint.base_url,
        model=endpoint.model,
        seconds=endpoint.seconds,
        hits=endpoint.hits,
        raw_scores=endpoint.raw_scores,
        slope=endpoint.slope,
        bias=endpoint.bias,
        is_default=endpoint.is_default,
        key_hint=endpoint.key_hint,
        created_at=endpoint.created_at,
        updated_at=endpoint.updated_at,
    )
