"""Re-rankers that a workspace brings itself: kept, tried out, and asked to put a search's hits in a better order."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from opentelemetry import trace
from psycopg.errors import ForeignKeyViolation, UniqueViolation

from pinakes.domain.endpoint import clean_base_url, clean_key, clean_model
from pinakes.domain.errors import NotFound, ProviderFault
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.reranker import (
    DEFAULT_HITS,
    DEFAULT_SECONDS,
    NONE,
    PREFIX,
    RerankEndpoint,
    RerankStyle,
    check_reranker,
    clean_reranker_name,
    reorder,
    text_to_rank,
)
from pinakes.domain.search import Hit
from pinakes.providers.reranking import RerankModel
from pinakes.services.endpoints import changed_meanwhile, check_key_stays, name_exists, open_key, seal_key, try_out
from pinakes.services.resources import Resources
from pinakes.store import rerankers
from pinakes.store.database import Connection

_PURPOSE = "reranker"
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class RerankerFields:
    """What somebody says of a re-ranker; what is None is left as it is, and an empty API key takes the key away."""

    name: str | None = None
    style: RerankStyle | None = None
    base_url: str | None = None
    model: str | None = None
    api_key: str | None = None
    seconds: float | None = None
    hits: int | None = None
    raw_scores: bool | None = None
    slope: float | None = None
    bias: float | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """That a re-ranker works, what kind of scores it brings and how long it took."""

    raw_scores: bool
    milliseconds: int


async def create_reranker(resources: Resources, identity: Identity, fields: RerankerFields) -> RerankEndpoint:
    """A new re-ranker, once it has shown that it works."""
    identity.require(Scope.ADMIN)
    made = _applied(resources, identity.workspace_id, _blank(new_id(PREFIX)), fields)
    made = replace(made, raw_scores=await _try_out(resources, identity.workspace_id, made, fields.raw_scores))
    async with resources.database.transaction(identity.workspace_id) as connection:
        try:
            await rerankers.insert_reranker(connection, identity.workspace_id, made, identity.user.user_id)
        except UniqueViolation as error:
            raise name_exists(_PURPOSE, made.name) from error
        return await _find(connection, identity.workspace_id, made.reranker_id)


async def list_rerankers(resources: Resources, identity: Identity) -> list[RerankEndpoint]:
    """The workspace's re-rankers by name."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await rerankers.list_rerankers(connection, identity.workspace_id)


async def get_reranker(resources: Resources, identity: Identity, reference: str) -> RerankEndpoint:
    """By id or name."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await _find(connection, identity.workspace_id, reference)


async def try_reranker(resources: Resources, identity: Identity, reference: str) -> Trial:
    """Ask the re-ranker once; InvalidInput says what is wrong with it."""
    endpoint = await get_reranker(resources, identity, reference)
    begun = time.perf_counter()
    raw = await _try_out(resources, identity.workspace_id, endpoint, endpoint.raw_scores)
    return Trial(raw, round((time.perf_counter() - begun) * 1000))


async def update_reranker(
    resources: Resources, identity: Identity, reference: str, fields: RerankerFields
) -> RerankEndpoint:
    """Change what is given; another address, style or model has to show that it works."""
    before = await get_reranker(resources, identity, reference)
    workspace_id = identity.workspace_id
    holds_key = fields.api_key is None and before.sealed_key is not None
    changed = _applied(resources, workspace_id, before, fields)
    check_key_stays(before.base_url, changed.base_url, holds_key=holds_key)
    if (before.style, before.base_url, before.model) != (changed.style, changed.base_url, changed.model):
        changed = replace(changed, raw_scores=await _try_out(resources, workspace_id, changed, fields.raw_scores))
    async with resources.database.transaction(workspace_id) as connection:
        try:
            done = await rerankers.update_reranker(connection, workspace_id, changed, before.updated_at)
        except UniqueViolation as error:
            raise name_exists(_PURPOSE, changed.name) from error
        if not done:
            raise changed_meanwhile(_PURPOSE, before.name)
        return await _find(connection, workspace_id, before.reranker_id)


async def delete_reranker(resources: Resources, identity: Identity, reference: str) -> None:
    """Forget a re-ranker; searches that used it by default go on in their own order."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        found = await _find(connection, identity.workspace_id, reference)
        await rerankers.delete_reranker(connection, identity.workspace_id, found.reranker_id)


async def use_reranker(resources: Resources, identity: Identity, reference: str | None) -> RerankEndpoint | None:
    """Have every search use this one that names no other; with None, no one."""
    identity.require(Scope.ADMIN)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        if reference is None or reference.casefold() == NONE:
            await rerankers.set_default(connection, workspace_id, None)
            return None
        found = await _find(connection, workspace_id, reference)
        try:
            await rerankers.set_default(connection, workspace_id, found.reranker_id)
        except ForeignKeyViolation as error:
            raise _not_found(reference) from error
        return replace(found, is_default=True)


async def choose_reranker(connection: Connection, workspace_id: str, reference: str | None) -> RerankEndpoint | None:
    """The one a search asks for, else the workspace's default; NotFound for one there is not."""
    if reference is None:
        return await rerankers.find_default(connection, workspace_id)
    return None if reference.casefold() == NONE else await _find(connection, workspace_id, reference)


async def rerank(
    resources: Resources, workspace_id: str, reranker: RerankEndpoint, query: str, hits: Sequence[Hit]
) -> tuple[list[Hit], tuple[str, ...]]:
    """The hits in the re-ranker's order with its scores; where it fails, as they were, and a warning."""
    if not hits:
        return list(hits), ()
    with _tracer.start_as_current_span("rerank") as span:
        span.set_attribute("pinakes.hits", min(len(hits), reranker.hits))
        try:
            model = _model(resources, workspace_id, reranker, raw_scores=reranker.raw_scores)
            asked = resources.remote_rerankers.keep(workspace_id, reranker.updated_at, model)
            scores = await asked.score(query, [text_to_rank(hit) for hit in hits[: reranker.hits]])
        except ProviderFault as fault:
            return list(hits), (f"Not re-ranked: {fault.message}",)
        return reorder(hits, scores, reranker), ()


def _blank(reranker_id: str) -> RerankEndpoint:
    """A re-ranker of which nothing is known yet; without a style it is asked as Jina's."""
    now = datetime.now(UTC)
    return RerankEndpoint(
        reranker_id=reranker_id,
        name="",
        style=RerankStyle.JINA,
        base_url="",
        model=None,
        seconds=DEFAULT_SECONDS,
        hits=DEFAULT_HITS,
        raw_scores=False,
        slope=1.0,
        bias=0.0,
        is_default=False,
        sealed_key=None,
        key_hint=None,
        created_at=now,
        updated_at=now,
    )


def _applied(resources: Resources, workspace_id: str, before: RerankEndpoint, fields: RerankerFields) -> RerankEndpoint:
    """What it would be with these fields, each checked."""
    given: Mapping[str, Any] = {
        "name": None if fields.name is None else clean_reranker_name(fields.name),
        "style": fields.style,
        "base_url": None if fields.base_url is None else clean_base_url(fields.base_url),
        "model": None if fields.model is None else clean_model(fields.model),
        "seconds": fields.seconds,
        "hits": fields.hits,
        "raw_scores": fields.raw_scores,
        "slope": fields.slope,
        "bias": fields.bias,
    }
    changed = replace(before, **{name: value for name, value in given.items() if value is not None})
    if fields.api_key is not None:
        sealed_key, key_hint = seal_key(resources, workspace_id, _PURPOSE, clean_key(fields.api_key))
        changed = replace(changed, sealed_key=sealed_key, key_hint=key_hint)
    check_reranker(changed)
    return changed


def _model(
    resources: Resources, workspace_id: str, endpoint: RerankEndpoint, *, raw_scores: bool | None
) -> RerankModel:
    sealed, reference = endpoint.sealed_key, endpoint.reranker_id
    return RerankModel(
        name=reference,
        label=endpoint.name,
        style=endpoint.style,
        base_url=endpoint.base_url,
        model=endpoint.model,
        api_key=open_key(resources, workspace_id, _PURPOSE, sealed, name=endpoint.name, reference=reference),
        seconds=endpoint.seconds,
        raw_scores=raw_scores,
    )


async def _try_out(resources: Resources, workspace_id: str, endpoint: RerankEndpoint, raw_scores: bool | None) -> bool:
    model = _model(resources, workspace_id, endpoint, raw_scores=raw_scores)
    return await try_out(resources.remote_rerankers.try_out(model), _PURPOSE, endpoint.name)


async def _find(connection: Connection, workspace_id: str, reference: str) -> RerankEndpoint:
    found = await rerankers.find_reranker(connection, workspace_id, reference)
    if found is None:
        raise _not_found(reference)
    return found


def _not_found(reference: str) -> NotFound:
    return NotFound(
        f"There is no reranker '{reference}' in this workspace. "
        "Owners see those there are with `pinakes rerankers list`."
    )
