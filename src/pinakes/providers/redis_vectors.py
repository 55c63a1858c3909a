"""Questions' vectors in a Redis."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar, cast

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from pinakes.providers.query_cache import KEPT_SECONDS, CacheAway, Clock

log = logging.getLogger("pinakes.query_cache")
OPEN_SECONDS = 30.0
# Less than a question takes to embed on a busy machine: an answer that comes later is worth nothing.
_PATIENCE_SECONDS = 0.035
_OUR_OWN_DELAY = 0.005
_HICCUP_SECONDS = 0.5
_CONNECT_SECONDS = 2.0
_AT_ONCE = 8
Value = TypeVar("Value")


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
