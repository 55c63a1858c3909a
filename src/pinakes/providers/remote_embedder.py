"""Embedders served over HTTP by anything that speaks OpenAI's `/embeddings`."""

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from math import ceil

import httpx
import numpy as np
from numpy.typing import NDArray

from pinakes.providers.circuit import Circuit
from pinakes.providers.embedding_answer import read_vectors
from pinakes.providers.endpoint import Endpoint, Kept, Pace, PassingFault, Served
from pinakes.providers.probing import Probed, probe
from pinakes.providers.token_counting import count_tokens

Vector = NDArray[np.float32]
MAX_TEXTS = 64
MAX_CHARACTERS = 100_000
# An endpoint on a single processor gets slower with every call that it works on at the same time.
CALLS_AT_ONCE = 3
# No two models count alike: where ours finds 4 tokens, room is left for 5 of theirs.
TOKEN_MARGIN = 1.25
_TRIALS_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """Where a model is served and how it is asked; with no `dims` any length of vector will do."""

    name: str
    label: str
    base_url: str
    model: str
    api_key: str | None = field(repr=False)
    dims: int | None
    send_dims: bool
    max_tokens: int


def split_texts(texts: Sequence[str], most_texts: int = MAX_TEXTS) -> Iterator[range]:
    """The places of the texts that go into one call: never too many, and never too much of them."""
    start = size = 0
    for at, text in enumerate(texts):
        if at > start and (at - start == most_texts or size + len(text) > MAX_CHARACTERS):
            yield range(start, at)
            start, size = at, 0
        size += len(text)
    if texts:
        yield range(start, len(texts))


class RemoteEmbedder:
    """An Embedder; questions and passages fail apart, so that a slow book does not cost the search its meaning."""

    def __init__(self, client: httpx.AsyncClient, model: RemoteModel, pace: Pace) -> None:
        self._model = model
        self._pace = pace
        self._endpoint = Endpoint(client, _served(model), pace)
        self._passages = Circuit(failures=pace.failures, rest_seconds=pace.rest)
        self._queries = Circuit(failures=2, rest_seconds=pace.rest)
        self._gate = asyncio.Semaphore(CALLS_AT_ONCE)
        self._patience = min(pace.first_call, pace.call)

    @property
    def name(self) -> str:
        """The id under which a workspace keeps it."""
        return self._model.name

    @property
    def dims(self) -> int:
        """The length of every vector."""
        assert self._model.dims is not None
        return self._model.dims

    @property
    def max_tokens(self) -> int:
        """How long a passage may be."""
        return self._model.max_tokens

    @property
    def cache_identity(self) -> str:
        """Tells endpoints, models and credentials apart without showing any."""
        parts = (self._model.base_url, self._model.model, self._model.api_key or "")
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def require_ready(self) -> None:
        """Raise ProviderFault where embedding passages would be turned away anyway."""
        if self._passages.is_open:
            raise self._endpoint.resting(self._passages)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 a text, in order; DocumentFault where the endpoint refuses the texts themselves."""
        calls = [self._embed_some([texts[at] for at in places]) for places in split_texts(texts)]
        return [vector for vectors in await asyncio.gather(*calls) for vector in vectors]

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; whatever is wrong is known after a few seconds."""
        ask = partial(self._ask, [text], self._pace.call)
        return (await self._endpoint.call_within(self._pace.query, ask, self._queries, tries=2))[0]

    def count_tokens(self, text: str) -> int:
        """An estimate that errs on the long side."""
        return ceil(count_tokens(text) * TOKEN_MARGIN)

    def unknown_share(self, text: str) -> float:
        """Nothing is known about what it does not know."""
        return 0.0

    async def close(self) -> None:
        """Nothing to give back: the connections are shared."""

    async def _embed_some(self, texts: Sequence[str]) -> list[Vector]:
        async with self._gate:
            ask = partial(self._ask_patiently, texts)
            return await self._endpoint.call(ask, self._passages, tries=self._pace.tries)

    async def _ask_patiently(self, texts: Sequence[str]) -> list[Vector]:
        """With the time that this endpoint has been seen to need: one that hangs holds a worker up for no longer."""
        begun, needed = time.monotonic(), self._patience
        try:
            vectors = await self._ask(texts, self._patience)
            needed = max(4 * (time.monotonic() - begun), 0.9 * self._patience)
        except PassingFault as fault:
            needed *= 2 if fault.slow else 1
            raise
        finally:
            self._patience = min(self._pace.call, max(self._pace.first_call, needed))
        return vectors

    async def _ask(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        """One request, and its answer checked."""
        body: dict[str, object] = {"model": self._model.model, "input": list(texts)}
        if self._model.send_dims:
            body["dimensions"] = self._model.dims
        read = partial(read_vectors, count=len(texts), dims=self._model.dims)
        return await self._endpoint.post(f"{self._model.base_url}/embeddings", body, seconds, read)


def _served(model: RemoteModel) -> Served:
    return Served(
        who=f"The embedding model '{model.label}'",
        command="pinakes embedders",
        model=model.model,
        api_key=model.api_key,
        too_long="If it is too long for the model, set maxTokens of this embedder to less and retry.",
    )


class RemoteEmbedders:
    """The embedders of every workspace in this process: one each, over one guarded client."""

    def __init__(self, client: httpx.AsyncClient, pace: Pace | None = None) -> None:
        self._client = client
        self._pace = pace or Pace()
        self._kept = Kept[RemoteEmbedder]()
        self._trials = asyncio.Semaphore(_TRIALS_AT_ONCE)

    def keep(self, workspace_id: str, updated_at: datetime, model: RemoteModel) -> RemoteEmbedder:
        """The one that is kept for a workspace; a changed one begins anew."""
        make = partial(RemoteEmbedder, self._client, model, self._pace)
        return self._kept.keep(workspace_id, model.name, updated_at, make)

    async def try_out(self, model: RemoteModel) -> Probed:
        """What one call finds out about its vectors; ProviderFault or DocumentFault where it fails."""
        pace = Pace(call=20, tries=2, first_pause=self._pace.first_pause, longest_pause=1)
        # Addresses that never answer must not take the connections of those that do.
        async with self._trials:
            return await probe(RemoteEmbedder(self._client, model, pace))

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()
