"""Embedders: those a workspace brings itself, and which one an index was built with."""

import asyncio
import time
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from psycopg.errors import UniqueViolation

from pinakes.domain.embedder import (
    BUILT_IN,
    PREFIX,
    EmbeddingEndpoint,
    check_numbers,
    clean_base_url,
    clean_embedder_name,
    clean_key,
    clean_model,
    hint_of,
    is_remote,
)
from pinakes.domain.errors import Conflict, DocumentFault, InvalidInput, NotFound, PinakesError, ProviderFault
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import KEYWORDS_ONLY
from pinakes.providers.embedding import Embedder
from pinakes.providers.remote_embedder import RemoteEmbedder, RemoteModel
from pinakes.services.resources import Resources
from pinakes.store import embedders
from pinakes.store.database import Connection

_PURPOSE = "embedder"


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
    """That an embedder works, and how long it took to answer."""

    dims: int
    milliseconds: int


@dataclass(frozen=True, slots=True)
class ChosenEmbedder:
    """What a new index is built with."""

    name: str
    dims: int | None


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
    name, base_url, model = clean_embedder_name(name), clean_base_url(base_url), clean_model(model)
    check_numbers(dims, max_tokens)
    key = clean_key(api_key or "")
    embedder_id = new_id(PREFIX)
    asked = RemoteModel(embedder_id, name, base_url, model, key, dims, dims is not None, max_tokens)
    found = await _try_out(resources, asked)
    async with resources.database.transaction(identity.workspace_id) as connection:
        try:
            return await embedders.insert_embedder(
                connection,
                identity.workspace_id,
                embedder_id=embedder_id,
                name=name,
                base_url=base_url,
                model=model,
                dims=found,
                dims_given=dims is not None,
                max_tokens=max_tokens,
                sealed_key=_seal(resources, identity.workspace_id, key),
                key_hint=hint_of(key) if key else None,
                created_by=identity.user.user_id,
            )
        except UniqueViolation as error:
            raise _name_exists(name) from error


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
    """Ask the embedder once; InvalidInput says what is wrong with it."""
    endpoint = await get_embedder(resources, identity, reference)
    begun = time.perf_counter()
    dims = await _try_out(resources, _model(resources, identity.workspace_id, endpoint))
    return Trial(dims, round((time.perf_counter() - begun) * 1000))


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
        if change.api_key is None and before.sealed_key is not None and _origin(changed) != _origin(before):
            # Otherwise whoever may change the address could have the key sent to an address of their own.
            raise InvalidInput("The key was given for another address. Give the key for the new one along with it.")
        # Another model may have another length, unless a length was asked for.
        wanted = changed.dims if changed.dims_given else None
        asked = replace(_model(resources, workspace_id, changed), dims=wanted)
        changed = replace(changed, dims=await _try_out(resources, asked))
    async with resources.database.transaction(workspace_id) as connection:
        await embedders.lock_embedder(connection, workspace_id, before.embedder_id)
        current = await _find(connection, workspace_id, before.embedder_id)
        if current != before:
            raise Conflict(f"The embedder '{before.name}' was changed meanwhile. Look at it and try again.")
        if moved:
            # A knowledge base may have been made with it since it was looked at.
            _refuse_in_use(before, await embedders.list_users(connection, workspace_id, before.embedder_id))
        try:
            return await embedders.update_embedder(connection, workspace_id, changed)
        except UniqueViolation as error:
            raise _name_exists(changed.name) from error


async def delete_embedder(resources: Resources, identity: Identity, reference: str) -> None:
    """Forget an embedder that no knowledge base uses."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        found = await _find(connection, identity.workspace_id, reference)
        await embedders.lock_embedder(connection, identity.workspace_id, found.embedder_id)
        users = await embedders.list_users(connection, identity.workspace_id, found.embedder_id)
        if users:
            raise Conflict(
                f"The embedder '{found.name}' is used by {_listed(users)}. Delete what uses it first.",
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
    return ChosenEmbedder(found.embedder_id, found.dims)


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
    try:
        key = endpoint.sealed_key and resources.vault.open(workspace_id, _PURPOSE, endpoint.sealed_key)
    except PinakesError as error:
        raise ProviderFault(
            f"The API key of the embedder '{endpoint.name}' cannot be read. {error.message} "
            f"To enter it: `pinakes embedders update {endpoint.embedder_id} --api-key -`."
        ) from error
    return RemoteModel(
        name=endpoint.embedder_id,
        label=endpoint.name,
        base_url=endpoint.base_url,
        model=endpoint.model,
        api_key=key or None,
        dims=endpoint.dims,
        send_dims=endpoint.dims_given,
        max_tokens=endpoint.max_tokens,
    )


async def _try_out(resources: Resources, model: RemoteModel) -> int:
    """The length of its vectors, or InvalidInput: whoever sets it up can mend it."""
    try:
        async with asyncio.timeout(60):
            dims = await resources.remote_embedders.try_out(model)
    except (ProviderFault, DocumentFault) as fault:
        raise InvalidInput(fault.message, code="EMBEDDER_UNUSABLE") from fault
    except TimeoutError as error:
        raise InvalidInput(f"The embedder '{model.label}' does not answer.", code="EMBEDDER_UNUSABLE") from error
    check_numbers(dims, model.max_tokens)
    return dims


def _changed(
    resources: Resources, workspace_id: str, before: EmbeddingEndpoint, change: EmbedderChange
) -> EmbeddingEndpoint:
    changed = replace(
        before,
        name=before.name if change.name is None else clean_embedder_name(change.name),
        base_url=before.base_url if change.base_url is None else clean_base_url(change.base_url),
        model=before.model if change.model is None else clean_model(change.model),
        dims=before.dims if change.dims is None else change.dims,
        dims_given=before.dims_given or (change.dims is not None and change.dims != before.dims),
        max_tokens=before.max_tokens if change.max_tokens is None else change.max_tokens,
    )
    check_numbers(changed.dims, changed.max_tokens)
    if change.api_key is not None:
        key = clean_key(change.api_key)
        sealed = _seal(resources, workspace_id, key)
        changed = replace(changed, sealed_key=sealed, key_hint=hint_of(key) if key else None)
    return changed


def _origin(endpoint: EmbeddingEndpoint) -> tuple[str, str]:
    address = urlsplit(endpoint.base_url)
    return address.scheme, address.netloc


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


def _seal(resources: Resources, workspace_id: str, key: str | None) -> bytes | None:
    return resources.vault.seal(workspace_id, _PURPOSE, key) if key else None


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


def _name_exists(name: str) -> Conflict:
    return Conflict(f"An embedder named '{name}' exists already. Choose another name.", code="NAME_EXISTS")
