"""Embedding many texts: in batches that take turns with others', each kept as soon as it is there."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext

import numpy as np
from numpy.typing import NDArray

from pinakes.providers.embedding import Embedder
from pinakes.providers.remote_embedder import CALLS_AT_ONCE, split_texts
from pinakes.services.resources import Resources

AT_ONCE = 32
Embedding = NDArray[np.float32]
Batch = dict[bytes, str]
Keep = Callable[[dict[bytes, Embedding]], Awaitable[None]]


def split_batches(texts: Mapping[bytes, str]) -> deque[Batch]:
    """Texts by their hashes, as many at a time as one call takes."""
    keys = list(texts)
    parts = split_texts(list(texts.values()), AT_ONCE)
    return deque({key: texts[key] for key in keys[at.start : at.stop]} for at in parts)


async def embed_batches(resources: Resources, embedder: Embedder, waiting: deque[Batch], keep: Keep) -> None:
    """Embed and keep one batch after the other until none is waiting."""
    # Somebody else's machine can do several batches at a time; ours takes them in turns with other documents'.
    hands = 1 if embedder is resources.embedder else CALLS_AT_ONCE
    work = [_work_off(resources, embedder, waiting, keep) for _ in range(hands)]
    # All are heard out, even if one fails: what the others were working on has been paid for.
    for outcome in await asyncio.gather(*work, return_exceptions=True):
        if outcome is not None:
            raise outcome


async def _work_off(resources: Resources, embedder: Embedder, waiting: deque[Batch], keep: Keep) -> None:
    """A failure sends the rest away."""
    try:
        while waiting:
            await keep(await embed_batch(resources, embedder, waiting.popleft()))
    except BaseException:
        waiting.clear()
        raise


async def embed_batch(resources: Resources, embedder: Embedder, batch: Mapping[bytes, str]) -> dict[bytes, Embedding]:
    """The vectors of a few texts, when it is their turn."""
    async with resources.embedding_turns if embedder is resources.embedder else nullcontext():
        vectors = await embedder.embed(list(batch.values()))
    return dict(zip(batch, vectors, strict=True))
