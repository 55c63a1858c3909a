"""Embedders over REST: embedding models that a workspace brings itself."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.paths import EmbedderId
from pinakes.domain.embedder import (
    DEFAULT_TOKENS,
    FEWEST_TOKENS,
    MAX_DIMS,
    MOST_TOKENS,
    EmbeddingEndpoint,
)
from pinakes.domain.endpoint import MAX_MODEL, MAX_URL
from pinakes.domain.knowledge_base import MAX_NAME
from pinakes.services import embedders
from pinakes.services.embedders import EmbedderChange

router = APIRouter(prefix="/api/embedders", tags=["Embedders"])
_KEY = "Sent as a bearer token, stored encrypted, never shown again."
_TOKENS = "How long passages are cut for it, in tokens."
_DIMS = "The length of its vectors; found by a first call unless given, and asked for if given."


class EmbedderOut(ApiModel):
    """An embedder without its API key; `keyHint` is how the key ends."""

    id: str
    name: str
    base_url: str
    model: str
    dims: int = Field(description=_DIMS)
    max_tokens: int = Field(description=_TOKENS)
    key_hint: str | None
    created_at: datetime
    updated_at: datetime


class EmbedderIn(RequestModel):
    """An embedder to add; it is called once to see that it works."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    base_url: str = Field(min_length=1, max_length=MAX_URL, description="Of any OpenAI-compatible endpoint, `…/v1`.")
    model: str = Field(min_length=1, max_length=MAX_MODEL)
    api_key: str | None = Field(default=None, description=_KEY, examples=["sk-0123456789"])
    dims: int | None = Field(default=None, ge=1, le=MAX_DIMS, description=_DIMS)
    max_tokens: int = Field(default=DEFAULT_TOKENS, ge=FEWEST_TOKENS, le=MOST_TOKENS, description=_TOKENS)


class EmbedderPatch(RequestModel):
    """What to change; what is left out stays, and an empty API key takes the key away."""

    name: str | None = Field(default=None, min_length=1, max_length=MAX_NAME)
    base_url: str | None = Field(default=None, min_length=1, max_length=MAX_URL)
    model: str | None = Field(default=None, min_length=1, max_length=MAX_MODEL)
    api_key: str | None = Field(default=None, description=_KEY, examples=["sk-0123456789"])
    dims: int | None = Field(default=None, ge=1, le=MAX_DIMS, description=_DIMS)
    max_tokens: int | None = Field(default=None, ge=FEWEST_TOKENS, le=MOST_TOKENS, description=_TOKENS)


class TrialOut(ApiModel):
    """That it works, and how long it took to answer."""

    dims: int
    milliseconds: int
    separates: bool = Field(
        description="Whether it tells what answers a question from other texts; if not, keywords decide the scores."
    )


@router.get("")
async def list_embedders(resources: ResourcesDep, caller: Caller) -> Success[list[EmbedderOut]]:
    """List the workspace's embedders by name."""
    return succeed([_out(found) for found in await embedders.list_embedders(resources, caller)])


@router.post("", status_code=201)
async def create_embedder(body: EmbedderIn, resources: ResourcesDep, caller: Caller) -> Success[EmbedderOut]:
    """Add an embedder, once it has shown that it works."""
    made = await embedders.create_embedder(
        resources,
        caller,
        name=body.name,
        base_url=body.base_url,
        model=body.model,
        api_key=body.api_key,
        dims=body.dims,
        max_tokens=body.max_tokens,
    )
    return succeed(_out(made))


@router.get("/{embedderId}")
async def get_embedder(embedder_id: EmbedderId, resources: ResourcesDep, caller: Caller) -> Success[EmbedderOut]:
    """One embedder, by id or name."""
    return succeed(_out(await embedders.get_embedder(resources, caller, embedder_id)))


@router.post("/{embedderId}/test")
async def try_embedder(embedder_id: EmbedderId, resources: ResourcesDep, caller: Caller) -> Success[TrialOut]:
    """Call an embedder once; a failure says what is wrong with it."""
    return succeed(TrialOut.model_validate(await embedders.try_embedder(resources, caller, embedder_id)))


@router.patch("/{embedderId}")
async def update_embedder(
    embedder_id: EmbedderId, body: EmbedderPatch, resources: ResourcesDep, caller: Caller
) -> Success[EmbedderOut]:
    """Change an embedder; base URL, model and dimensions only while no knowledge base uses it."""
    change = EmbedderChange(**body.model_dump())
    return succeed(_out(await embedders.update_embedder(resources, caller, embedder_id, change)))


@router.delete("/{embedderId}")
async def delete_embedder(embedder_id: EmbedderId, resources: ResourcesDep, caller: Caller) -> Success[None]:
    """Delete an embedder that no knowledge base uses."""
    await embedders.delete_embedder(resources, caller, embedder_id)
    return succeed(None)


def _out(endpoint: EmbeddingEndpoint) -> EmbedderOut:
    return EmbedderOut(
        id=endpoint.embedder_id,
        name=endpoint.name,
        base_url=endpoint.base_url,
        model=endpoint.model,
        dims=endpoint.dims,
        max_tokens=endpoint.max_tokens,
        key_hint=endpoint.key_hint,
        created_at=endpoint.created_at,
        updated_at=endpoint.updated_at,
    )
