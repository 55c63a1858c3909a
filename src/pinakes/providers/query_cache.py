"""Questions' vectors, kept for a week: in Redis where one is configured, in this process otherwise."""

import hashlib
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pinakes.domain.errors import InvalidInput
from pinakes.providers.embedding import Embedder

log = logging.getLogger("pinakes.query_cache")
KEPT_SECONDS = 7 * 24 * 3600
MOST_ENTRIES = 10_000
_BYTES = np.dtype("<f4")
_LENGTH_TOLERANCE = 0.01
Clock = Callable[[], float]
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class EmbeddedQuery:
    """A question's vector, and whether it was there already."""

    vector: NDArray[np.float32]
    cached: bool


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """How often a vector was there, was not, or could not be asked for, since this process started."""

    hits: int = 0
    misses: int = 0
    errors: int = 0


class _Recent(Generic[Value]):
    """At most so many values; the one that was not used for the longest time gives way."""

    def __init__(self, most: int) -> None:
        self._values: OrderedDict[str, Value] = OrderedDict()
        self._most = most

    def get(self, key: str) -> Value | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: str, value: Value) -> None:
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)


class CacheAway(Exception):
    """The cache cannot be asked right now."""


class KeptVectors(Protocol):
    """Where vectors are kept as bytes for `KEPT_SECONDS`."""

    async def get(self, key: str) -> bytes | None:
        """What is kept under a key, if anything; raises CacheAway."""
        ...

    def at_hand(self, key: str) -> bytes | None:
        """What can be had without waiting."""
        ...

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value; raises CacheAway."""
        ...

    async def open(self) -> str | None:
        """Make ready; what is wrong, if so, which is no reason to stop."""
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


class QueryCache:
    """Embeds questions and remembers their vectors, each workspace's apart from the others'."""

    def __init__(self, kept: KeptVectors) -> None:
        self._kept = kept
        self._total = Counter[str]()
        self._by_workspace = _Recent[Counter[str]](MOST_ENTRIES)

    async def embed(self, workspace_id: str, embedder: Embedder, text: str) -> EmbeddedQuery:
        """The vector of a question; raises ProviderFault where it is not known and cannot be made."""
        key = cache_key(workspace_id, embedder, text)
        try:
            kept = await self._kept.get(key)
        except CacheAway:
            self._count(workspace_id, "errors")
            return EmbeddedQuery(await embedder.embed_query(text), cached=False)
        if kept is not None and (known := _read(kept, embedder.dims)) is not None:
            self._count(workspace_id, "hits")
            return EmbeddedQuery(known, cached=True)
        self._count(workspace_id, "misses")
        vector = await embedder.embed_query(text)
        try:
            await self._kept.put(key, vector.astype(_BYTES).tobytes())
        except CacheAway:
            log.debug("A vector was not kept: the cache is away")
        return EmbeddedQuery(vector, cached=False)

    def recall(self, workspace_id: str, embedder: Embedder, text: str) -> EmbeddedQuery | None:
        """The vector of a question if nobody has to wait for it."""
        kept = self._kept.at_hand(cache_key(workspace_id, embedder, text))
        known = None if kept is None else _read(kept, embedder.dims)
        if known is None:
            return None
        self._count(workspace_id, "hits")
        return EmbeddedQuery(known, cached=True)

    def counts(self, workspace_id: str | None = None) -> CacheCounts:
        """Of one workspace, or of all together."""
        return CacheCounts(**(self._total if workspace_id is None else self._by_workspace.get(workspace_id) or {}))

    async def open(self) -> str | None:
        """Connect; what is wrong, if so, which is no reason to stop."""
        return await self._kept.open()

    async def close(self) -> None:
        """Give back connections."""
        await self._kept.close()

    def _count(self, workspace_id: str, result: str) -> None:
        self._total[result] += 1
        of_workspace = self._by_workspace.get(workspace_id) or Counter[str]()
        of_workspace[result] += 1
        self._by_workspace.put(workspace_id, of_workspace)


def _read(kept: bytes, dims: int) -> NDArray[np.float32] | None:
    """A unit vector of this length, or None: whatever else lies in a shared cache is not believed."""
    if len(kept) != dims * _BYTES.itemsize:
        return None
    vector = np.frombuffer(kept, _BYTES)
    return vector if abs(float(np.linalg.norm(vector)) - 1) < _LENGTH_TOLERANCE else None


def make_query_cache(redis_url: str | None) -> QueryCache:
    """A cache in Redis, or in this process where no address is given; nothing is asked of it yet."""
    if redis_url is None:
        return QueryCache(ProcessVectors())
    # Its library takes a while to load, and most have no Redis.
    from pinakes.providers.redis_vectors import RedisVectors  # noqa: PLC0415

    try:
        return QueryCache(RedisVectors(redis_url))
    except ValueError as error:
        raise InvalidInput(
            "PINAKES_REDIS_URL is no address of a Redis. Give one such as redis://127.0.0.1:6379/0."
        ) from error


def cache_key(workspace_id: str, embedder: Embedder, text: str) -> str:
    """Names everything a vector depends on and whose it is; of the question it holds a hash alone."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"embedding:{embedder.name}:{digest}:{workspace_id}:{embedder.dims}:{embedder.cache_identity}"


class ProcessVectors:
    """Vectors in the memory of this process."""

    def __init__(self, *, most: int = MOST_ENTRIES, clock: Clock = time.monotonic) -> None:
        self._entries = _Recent[tuple[float, bytes]](most)
        self._clock = clock

    async def get(self, key: str) -> bytes | None:
        """What is kept under a key and is not too old."""
        return self.at_hand(key)

    def at_hand(self, key: str) -> bytes | None:
        """The same: it is all here."""
        made_at, value = self._entries.get(key) or (0.0, None)
        return value if self._clock() - made_at < KEPT_SECONDS else None

    async def put(self, key: str, value: bytes) -> None:
        """Keep a value."""
        self._entries.put(key, (self._clock(), value))

    async def open(self) -> str | None:
        """Always ready."""
        return None

    async def close(self) -> None:
        """Nothing to give back."""
