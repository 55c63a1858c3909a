"""Questions' vectors, kept for a week: in Redis where one is configured, in this process otherwise."""

import asyncio
import hashlib
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from pinakes.domain.errors import InvalidInput
from pinakes.providers.embedding import Embedder

log = logging.getLogger("pinakes.query_cache")
KEPT_SECONDS = 7 * 24 * 3600
OPEN_SECONDS = 30.0
MOST_ENTRIES = 10_000
# Less than a question takes to embed on a busy machine: an answer that comes later is worth nothing.
_PATIENCE_SECONDS = 0.035
_OUR_OWN_DELAY = 0.005
_HICCUP_SECONDS = 0.5
_CONNECT_SECONDS = 2.0
_AT_ONCE = 8
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


class RedisVectors:
    """Vectors in a Redis; while it is away nobody waits for it.

    The first to notice pays for it, then nobody asks for `OPEN_SECONDS`; after that it is greeted behind the
    back of the questions, until it answers again. One that was late is greeted soon: it may have been a hiccup.
    """

    def __init__(self, url: str, *, patience: float = _PATIENCE_SECONDS, clock: Clock = time.monotonic) -> None:
        self._patience = patience
        self._client = cast(
            "_Client",
            Redis.from_url(  # pyright: ignore[reportUnknownMemberType]
                url,
                # Once again at once: a connection of before a restart is no sign of an outage.
                retry=Retry(NoBackoff(), 1),
                protocol=2,
                max_connections=_AT_ONCE + 1,
                socket_connect_timeout=_CONNECT_SECONDS,
                socket_timeout=_CONNECT_SECONDS,
            ),
        )
        self._gate = asyncio.Semaphore(_AT_ONCE)
        self._clock = clock
        self._away = False
        self._ask_again_at = 0.0
        self._greeting: asyncio.Task[None] | None = None

    async def get(self, key: str) -> bytes | None:
        """What Redis has under a key; raises CacheAway."""
        return await self._ask(lambda: self._client.get(key))

    def at_hand(self, key: str) -> bytes | None:
        """Nothing: it has to be asked."""
        return None

    async def put(self, key: str, value: bytes) -> None:
        """Let Redis keep a value and forget it in time; raises CacheAway."""
        await self._ask(lambda: self._client.set(key, value, ex=KEPT_SECONDS))

    async def open(self) -> str | None:
        """Connect, with more time than a question would give it."""
        return await self._greet(_CONNECT_SECONDS)

    async def close(self) -> None:
        """Give back connections."""
        if self._greeting is not None:
            self._greeting.cancel()
        await self._client.aclose()

    async def _greet(self, patience: float) -> str | None:
        try:
            async with asyncio.timeout(patience):
                await self._client.ping()
        except (RedisError, OSError) as error:
            return self._note_away(error)
        if self._away:
            log.info("Redis answers again; question vectors are cached")
        self._away = False
        return None

    async def _ask(self, command: Callable[[], Awaitable[Value]]) -> Value:
        async with self._gate:
            if self._away:
                if self._clock() >= self._ask_again_at:
                    self._greet_later(0, _CONNECT_SECONDS)
                raise CacheAway
            begun = time.monotonic()
            try:
                async with asyncio.timeout(self._patience):
                    return await command()
            except (RedisError, OSError) as error:
                # Where this process was too busy to look in time, Redis is not to blame.
                late = time.monotonic() - begun > self._patience + _OUR_OWN_DELAY
                if not (late and isinstance(error, TimeoutError)):
                    self._note_away(error)
                    if isinstance(error, TimeoutError):
                        self._greet_later(_HICCUP_SECONDS, self._patience)
                raise CacheAway from error

    def _note_away(self, error: Exception) -> str:
        problem = f"Redis does not answer ({str(error) or 'it took too long'}). Check PINAKES_REDIS_URL."
        if not self._away:
            log.warning("Question vectors are not cached for now: %s", problem)
        self._away = True
        self._ask_again_at = self._clock() + OPEN_SECONDS
        return problem

    def _greet_later(self, delay: float, patience: float) -> None:
        async def greet() -> None:
            await asyncio.sleep(delay)
            await self._greet(patience)

        if self._greeting is None or self._greeting.done():
            self._greeting = asyncio.create_task(greet())


class _Client(Protocol):
    """The part of the client, whose types leave much open, that is used here."""

    async def get(self, name: str) -> bytes | None: ...

    async def set(self, name: str, value: bytes, *, ex: int) -> object: ...

    async def ping(self) -> object: ...

    async def aclose(self) -> None: ...
