"""Embedders: those a workspace brings itself, and which one an index was built with."""

import time
from dataclasses import dataclass, replace

from psycopg.errors import UniqueViolation

from pinakes.domain.calibration import Scale
from pinakes.domain.embedder import (
    BUILT_IN,
    PREFIX,
    EmbeddingEndpoint,
    check_numbers,
    clean_embedder_name,
    is_remote,
)
from pinakes.domain.endpoint import clean_base_url, clean_key, clean_model
from pinakes.domain.errors import Conflict, NotFound, ProviderFault
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import KEYWORDS_ONLY
from pinakes.providers.embedding import Embedder
from pinakes.providers.probing import Probed
from pinakes.providers.remote_embedder import RemoteEmbedder, RemoteModel
from pinakes.services.endpoints import changed_meanwhile, check_key_stays, name_exists, open_key, seal_key, try_out
from pinakes.services.resources import Resources
from pinakes.store import embedders
from pinakes.store.database import Connection

_PURPOSE = "embedder"
_ENDING = "/embeddings"


@dataclass(frozen=True, slots=True)
class EmbedderChange:
    """What to change; what is None stays, and an empty API key takes the key away."""

    name: str | None = None
    base_url: str | None = None
    model: str | None = None
    api_key: str | None = None
    dims: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """That an embedder works, how long it took to answer, and whether it tells what answers a question."""

    dims: int
    milliseconds: int
    separates: bool


@dataclass(frozen=True, slots=True)
class ChosenEmbedder:
    """What a new index is built with; `scale` is that of its cosines, where it was measured."""

    name: str
    dims: int | None
    scale: Scale | None = None


async def create_embedder(
    resources: Resources,
    identity: Identity,
    *,
    name: str,
    base_url: str,
    model: str,
    api_key: str | None,
    dims: int | None,
    max_tokens: int,
) -> EmbeddingEndpoint:
    """A new embedder, once it has shown that it works."""
    identity.require(Scope.ADMIN)
    name, base_url, model = clean_embedder_name(name), clean_base_url(base_url, ending=_ENDING), clean_model(model)
    check_numbers(dims, max_tokens)
    key = clean_key(api_key or "")
    embedder_id = new_id(PREFIX)
    asked = RemoteModel(embedder_id, name, base_url, model, key, dims, dims is not None, max_tokens)
    found = await _try_out(resources, asked)
    sealed_key, key_hint = seal_key(resources, identity.workspace_id, _PURPOSE, key)
    async with resources.database.transaction(identity.workspace_id) as connection:
        try:
            return await embedders.insert_embedder(
                connection,
                identity.workspace_id,
                embedder_id=embedder_id,
                name=name,
                base_url=base_url,
                model=model,
                dims=found.dims,
                dims_given=dims is not None,
                max_tokens=max_tokens,
                sealed_key=sealed_key,
                key_hint=key_hint,
                scale=found.scale,
                created_by=identity.user.user_id,
            )
        except UniqueViolation as error:
            raise name_exists(_PURPOSE, name) from error


async def list_embedders(resources: Resources, identity: Identity) -> list[EmbeddingEndpoint]:
    """The workspace's embedders by name."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await embedders.list_embedders(connection, identity.workspace_id)


async def get_embedder(resources: Resources, identity: Identity, reference: str) -> EmbeddingEndpoint:
    """By id or name."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await _find(connection, identity.workspace_id, reference)


async def try_embedder(resources: Resources, identity: Identity, reference: str) -> Trial:
    """Ask the embedder once and note its scale; InvalidInput says what is wrong with it."""
    endpoint = await get_embedder(resources, identity, reference)
    begun = time.perf_counter()
    found = await _try_out(resources, _model(resources, identity.workspace_id, endpoint))
    needed = time.perf_counter() - begun
    async with resources.database.transaction(identity.workspace_id) as connection:
        await embedders.note_scale(connection, identity.workspace_id, endpoint, found.scale)
    return Trial(found.dims, round(needed * 1000), found.scale.separates)


async def update_embedder(
    resources: Resources, identity: Identity, reference: str, change: EmbedderChange
) -> EmbeddingEndpoint:
    """Change what is given; what decides the vectors stays as long as a knowledge base holds some."""
    identity.require(Scope.ADMIN)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        before = await _find(connection, workspace_id, reference)
        users = await embedders.list_users(connection, workspace_id, before.embedder_id)
    changed = _changed(resources, workspace_id, before, change)
    moved = _decides_vectors(before) != _decides_vectors(changed)
    if moved:
        _refuse_in_use(before, users)
        holds_key = change.api_key is None and before.sealed_key is not None
        check_key_stays(before.base_url, changed.base_url, holds_key=holds_key)
        # Another model may have another length, unless a length was asked for.
        wanted = changed.dims if changed.dims_given else None
        asked = replace(_model(resources, workspace_id, changed), dims=wanted)
        found = await _try_out(resources, asked)
        changed = replace(changed, dims=found.dims, scale=found.scale)
    async with resources.database.transaction(workspace_id) as connection:
        await embedders.lock_embedder(connection, workspace_id, before.embedder_id)
        current = await _find(connection, workspace_id, before.embedder_id)
        if current != before:
            raise changed_meanwhile(_PURPOSE, before.name)
        if moved:
            # A knowledge base may have been made with it since it was looked at.
            _refuse_in_use(before, await embedders.list_users(connection, workspace_id, before.embedder_id))
        try:
            return await embedders.update_embedder(connection, workspace_id, changed)
        except UniqueViolation as error:
            raise name_exists(_PURPOSE, changed.name) from error


async def delete_embedder(resources: Resources, identity: Identity, reference: str) -> None:
    """Forget an embedder that no knowledge base uses."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        found = await _find(connection, identity.workspace_id, reference)
        await embedders.lock_embedder(connection, identity.workspace_id, found.embedder_id)
        users = await embedders.list_users(connection, identity.workspace_id, found.embedder_id)
        if users:
            raise Conflict(
                f"The embedder '{found.name}' is used by {_listed(users)}. Switch to another embedder and drop "
                "what is kept of this one (`pinakes kb generations NAME` lists it), or delete what uses it.",
                code="EMBEDDER_IN_USE",
                details={"knowledgeBases": users},
            )
        await embedders.delete_embedder(connection, identity.workspace_id, found.embedder_id)


async def choose_embedder(
    resources: Resources, connection: Connection, workspace_id: str, reference: str | None
) -> ChosenEmbedder:
    """What a new knowledge base is embedded with: the built-in model unless another one, or none, is named."""
    built_in = resources.embedder
    if reference is None or reference in {BUILT_IN, built_in.name if built_in else BUILT_IN}:
        if reference is not None and built_in is None:
            raise ProviderFault("The built-in embedding model is not installed. Run `pinakes model install`.")
        return ChosenEmbedder(built_in.name, built_in.dims) if built_in else ChosenEmbedder(KEYWORDS_ONLY, None)
    if reference == KEYWORDS_ONLY:
        return ChosenEmbedder(KEYWORDS_ONLY, None)
    found = await _find(connection, workspace_id, reference)
    if not await embedders.keep_embedder(connection, workspace_id, found.embedder_id):
        raise _not_found(reference)
    # Whoever changed it while we waited may have changed what its vectors are.
    found = await _find(connection, workspace_id, found.embedder_id)
    return ChosenEmbedder(found.embedder_id, found.dims, found.scale)


async def recall_embedder(connection: Connection, workspace_id: str, name: str, dims: int | None) -> ChosenEmbedder:
    """What an index was built with, to build another one with the same."""
    found = await embedders.find_embedder(connection, workspace_id, name) if is_remote(name) else None
    return ChosenEmbedder(name, dims, found.scale if found else None)


async def find_embedder(resources: Resources, workspace_id: str, name: str) -> Embedder | None:
    """The embedder an index was built with; None for one that has keywords only."""
    if name == KEYWORDS_ONLY:
        return None
    if is_remote(name):
        return await _find_remote(resources, workspace_id, name)
    if resources.embedder is None or resources.embedder.name != name:
        raise ProviderFault(
            f"The embedding model {name} is not installed on this machine. Run `pinakes model install`."
        )
    return resources.embedder


async def find_ready_embedder(resources: Resources, workspace_id: str, name: str) -> Embedder | None:
    """The same for indexing; ProviderFault at once where it has just failed again and again."""
    embedder = await find_embedder(resources, workspace_id, name)
    if isinstance(embedder, RemoteEmbedder):
        embedder.require_ready()
    return embedder


async def _find_remote(resources: Resources, workspace_id: str, embedder_id: str) -> RemoteEmbedder:
    async with resources.database.transaction(workspace_id) as connection:
        endpoint = await embedders.find_embedder(connection, workspace_id, embedder_id)
    if endpoint is None:
        raise ProviderFault("The embedder of this knowledge base is gone. Restore it from a back-up.")
    model = _model(resources, workspace_id, endpoint)
    return resources.remote_embedders.keep(workspace_id, endpoint.updated_at, model)


def _model(resources: Resources, workspace_id: str, endpoint: EmbeddingEndpoint) -> RemoteModel:
    key = open_key(
        resources,
        workspace_id,
        _PURPOSE,
        endpoint.sealed_key,
        name=endpoint.name,
        reference=endpoint.embedder_id,
    )
    return RemoteModel(
        name=endpoint.embedder_id,
        label=endpoint.name,
        base_url=endpoint.base_url,
        model=endpoint.model,
        api_key=key,
        dims=endpoint.dims,
        send_dims=endpoint.dims_given,
        max_tokens=endpoint.max_tokens,
    )


async def _try_out(resources: Resources, model: RemoteModel) -> Probed:
    """What it shows of itself, or InvalidInput: whoever sets it up can mend it."""
    found = await try_out(resources.remote_embedders.try_out(model), _PURPOSE, model.label)
    check_numbers(found.dims, model.max_tokens)
    return found


def _changed(
    resources: Resources, workspace_id: str, before: EmbeddingEndpoint, change: EmbedderChange
) -> EmbeddingEndpoint:
    changed = replace(
        before,
        name=before.name if change.name is None else clean_embedder_name(change.name),
        base_url=before.base_url if change.base_url is None else clean_base_url(change.base_url, ending=_ENDING),
        model=before.model if change.model is None else clean_model(change.model),
        dims=before.dims if change.dims is None else change.dims,
        dims_given=before.dims_given or (change.dims is not None and change.dims != before.dims),
        max_tokens=before.max_tokens if change.max_tokens is None else change.max_tokens,
    )
    check_numbers(changed.dims, changed.max_tokens)
    if change.api_key is not None:
        sealed_key, key_hint = seal_key(resources, workspace_id, _PURPOSE, clean_key(change.api_key))
        changed = replace(changed, sealed_key=sealed_key, key_hint=key_hint)
    return changed


def _decides_vectors(endpoint: EmbeddingEndpoint) -> tuple[str, str, int]:
    return endpoint.base_url, endpoint.model, endpoint.dims


def _refuse_in_use(endpoint: EmbeddingEndpoint, users: list[str]) -> None:
    if users:
        raise Conflict(
            f"The embedder '{endpoint.name}' is used by {_listed(users)}, whose vectors would no longer fit. "
            "Add another embedder instead; name, API key and maxTokens of this one may change.",
            code="EMBEDDER_IN_USE",
            details={"knowledgeBases": users},
        )


def _listed(names: list[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")


async def _find(connection: Connection, workspace_id: str, reference: str) -> EmbeddingEndpoint:
    found = await embedders.find_embedder(connection, workspace_id, reference)
    if found is None:
        raise _not_found(reference)
    return found


def _not_found(reference: str) -> NotFound:
    return NotFound(
        f"There is no embedder '{reference}' in this workspace. "
        "Owners see those there are with `pinakes embedders list`."
    )
