"""The cache of questions' vectors: in process, in a real Valkey, and without either."""

import asyncio
import hashlib
import logging
import socket
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import pytest
from bench.servers import Valkey, valkey
from numpy.typing import NDArray
from redis.asyncio import Redis

from pinakes.domain.errors import InvalidInput
from pinakes.providers.query_cache import (
    KEPT_SECONDS,
    CacheCounts,
    KeptVectors,
    ProcessVectors,
    QueryCache,
    cache_key,
    make_query_cache,
)
from pinakes.providers.redis_vectors import OPEN_SECONDS, RedisVectors


@dataclass
class CountingEmbedder:
    """Vectors made from hashes, and how many had to be made."""

    name: str = "test:hashes"
    dims: int = 8
    cache_identity: str = "local"
    max_tokens: int = 100
    embedded: list[str] = field(default_factory=list[str])

    async def embed(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        self.embedded += texts
        digests = [hashlib.sha256(f"{self.name}{text}".encode()).digest() for text in texts]
        vectors = [np.frombuffer(digest[: self.dims], np.uint8).astype(np.float32) for digest in digests]
        return [vector / np.float32(np.linalg.norm(vector)) for vector in vectors]

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        return (await self.embed([text]))[0]

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def unknown_share(self, text: str) -> float:
        return 0.0 * len(text)

    async def close(self) -> None:
        return None


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class KeptVectorsContract:
    """Inherited by every place vectors are kept in."""

    async def test_a_question_asked_again_is_not_embedded_again(self, kept: KeptVectors) -> None:
        # A8
        cache, embedder = QueryCache(kept), CountingEmbedder()
        first = await cache.embed("ws_1", embedder, "Where do owls nest?")
        again = await cache.embed("ws_1", embedder, "Where do owls nest?")
        assert (first.cached, again.cached) == (False, True)
        assert embedder.embedded == ["Where do owls nest?"]
        assert again.vector.dtype == np.float32
        assert np.array_equal(first.vector, again.vector)
        assert cache.counts() == CacheCounts(hits=1, misses=1)

    async def test_nothing_is_shared_across_workspaces_models_credentials_or_dimensions(
        self, kept: KeptVectors
    ) -> None:
        # A8
        cache = QueryCache(kept)
        await cache.embed("ws_a", CountingEmbedder(), "owls")
        others = [
            ("ws_b", CountingEmbedder()),
            ("ws_a", CountingEmbedder(name="test:others")),
            ("ws_a", CountingEmbedder(name="other:hashes")),
            ("ws_a", CountingEmbedder(cache_identity="1234abcd")),
            ("ws_a", CountingEmbedder(dims=4)),
        ]
        for workspace_id, embedder in others:
            found = await cache.embed(workspace_id, embedder, "owls")
            assert not found.cached
            assert np.array_equal(found.vector, (await embedder.embed(["owls"]))[0])
        assert cache.counts("ws_b") == CacheCounts(misses=1)
        assert cache.counts("ws_none") == CacheCounts()

    async def test_repeated_questions_are_mostly_hits(self, kept: KeptVectors) -> None:
        # A8
        cache, embedder = QueryCache(kept), CountingEmbedder()
        dice = np.random.default_rng(7)
        # People ask a few things often and most things once.
        for number in dice.zipf(1.3, 300) % 500:
            await cache.embed("ws_1", embedder, f"question {number}")
        counts = cache.counts()
        assert counts.hits + counts.misses == 300
        assert counts.hits / 300 > 0.4
        assert counts.misses == len(embedder.embedded)


class TestProcess(KeptVectorsContract):
    """In the memory of this process."""

    @pytest.fixture
    def kept(self) -> KeptVectors:
        return ProcessVectors()

    async def test_a_vector_is_forgotten_after_a_week(self) -> None:
        # A8
        clock = Clock()
        cache, embedder = QueryCache(ProcessVectors(clock=clock)), CountingEmbedder()
        await cache.embed("ws_1", embedder, "owls")
        clock.now += 7 * 24 * 3600 - 1
        assert (await cache.embed("ws_1", embedder, "owls")).cached
        clock.now += 2
        assert not (await cache.embed("ws_1", embedder, "owls")).cached

    async def test_the_oldest_give_way_and_what_is_asked_often_stays(self) -> None:
        # A8
        cache, embedder = QueryCache(ProcessVectors(most=3)), CountingEmbedder()
        for text in ("often", "a", "b", "often", "c", "d"):
            await cache.embed("ws_1", embedder, text)
        assert (await cache.embed("ws_1", embedder, "often")).cached
        assert not (await cache.embed("ws_1", embedder, "a")).cached


@pytest.fixture(scope="module")
def redis_server() -> Iterator[Valkey]:
    """A real Valkey."""
    with valkey() as server:
        yield server


@pytest.fixture
async def client(redis_server: Valkey) -> AsyncIterator[Any]:
    """A look into it, once it is empty; its types leave too much open."""
    client: Any = cast("Any", Redis).from_url(redis_server.url)
    await client.flushall()
    yield client
    await client.aclose()


@pytest.fixture
def clock() -> Clock:
    """A clock to set."""
    return Clock()


@pytest.fixture
async def vectors(redis_server: Valkey, client: Any, clock: Clock) -> AsyncIterator[RedisVectors]:
    """An empty cache in Redis, connected, and more patient than usual: a busy machine is not what is tested."""
    del client
    vectors = RedisVectors(redis_server.url, patience=5, clock=clock)
    assert await vectors.open() is None
    yield vectors
    await vectors.close()


class TestRedis(KeptVectorsContract):
    """In a Redis."""

    @pytest.fixture
    def kept(self, vectors: RedisVectors) -> KeptVectors:
        return vectors

    async def test_only_a_hash_and_numbers_are_kept_and_for_a_week(self, vectors: RedisVectors, client: Any) -> None:
        # A8
        embedder = CountingEmbedder()
        embedded = await QueryCache(vectors).embed("ws_1", embedder, "a secret question")
        digest = hashlib.sha256(b"a secret question").hexdigest()
        key = f"embedding:test:hashes:{digest}:ws_1:8:local"
        assert await client.keys("*") == [key.encode()]
        assert await client.get(key) == embedded.vector.tobytes()
        assert KEPT_SECONDS - 60 < await client.ttl(key) <= KEPT_SECONDS == 7 * 24 * 3600

    async def test_another_process_finds_what_this_one_kept(self, vectors: RedisVectors, redis_server: Valkey) -> None:
        # A8
        await QueryCache(vectors).embed("ws_1", CountingEmbedder(), "owls")
        other = make_query_cache(redis_server.url)
        assert (await other.embed("ws_1", CountingEmbedder(), "owls")).cached
        await other.close()

    async def test_a_value_of_another_length_is_no_vector(self, vectors: RedisVectors, client: Any) -> None:
        # A8
        embedder = CountingEmbedder()
        await client.set(cache_key("ws_1", embedder, "owls"), b"something else")
        found = await QueryCache(vectors).embed("ws_1", embedder, "owls")
        assert not found.cached
        assert (await QueryCache(vectors).embed("ws_1", embedder, "owls")).cached

    async def test_many_questions_at_once_are_no_outage(self, vectors: RedisVectors) -> None:
        # A8
        cache, embedder = QueryCache(vectors), CountingEmbedder()
        await asyncio.gather(*(cache.embed("ws_1", embedder, f"q{number}") for number in range(300)))
        await asyncio.gather(*(cache.embed("ws_1", embedder, f"q{number}") for number in range(300)))
        counts = cache.counts()
        assert counts.hits + counts.misses + counts.errors == 600
        assert counts.hits > 200

    async def test_a_delay_of_our_own_is_no_outage(self, redis_server: Valkey) -> None:
        # A8
        vectors = RedisVectors(redis_server.url, patience=0.2)
        cache, embedder = QueryCache(vectors), CountingEmbedder()
        await cache.embed("ws_1", embedder, "owls")
        asking = asyncio.create_task(cache.embed("ws_1", embedder, "owls"))
        await asyncio.sleep(0)
        time.sleep(0.5)  # noqa: ASYNC251 - keeps the event loop busy, as a fault of ours would
        await asking
        assert (await cache.embed("ws_1", embedder, "owls")).cached
        await vectors.close()

    async def test_a_restart_between_two_questions_costs_nothing(
        self, vectors: RedisVectors, redis_server: Valkey
    ) -> None:
        # A8
        cache, embedder = QueryCache(vectors), CountingEmbedder()
        await cache.embed("ws_1", embedder, "owls")
        redis_server.kill()
        redis_server.start()
        assert (await cache.embed("ws_1", embedder, "owls")).cached

    async def test_a_hiccup_is_over_when_it_is_over(self, redis_server: Valkey) -> None:
        # A8
        vectors = RedisVectors(redis_server.url, patience=0.2)
        cache, embedder = QueryCache(vectors), CountingEmbedder()
        await cache.embed("ws_1", embedder, "owls")
        redis_server.freeze()
        try:
            assert not (await cache.embed("ws_1", embedder, "owls")).cached
        finally:
            redis_server.thaw()
        for _ in range(30):
            await asyncio.sleep(0.1)
            if (await cache.embed("ws_1", embedder, "owls")).cached:
                break
        else:
            raise AssertionError("a moment's silence kept the cache away")
        await vectors.close()

    @pytest.mark.parametrize("outage", ["killed", "frozen"])
    async def test_an_outage_costs_little_once_and_breaks_nothing(self, redis_server: Valkey, outage: str) -> None:
        # A8
        costs: list[tuple[float, float]] = []
        kept = [RedisVectors(redis_server.url) for _ in range(3)]
        for vectors in kept:
            assert await vectors.open() is None
        (redis_server.kill if outage == "killed" else redis_server.freeze)()
        try:
            for vectors in kept:
                cache, embedder = QueryCache(vectors), CountingEmbedder()
                begun = time.perf_counter()
                await cache.embed("ws_1", embedder, "owls")
                noticed = time.perf_counter()
                for _ in range(20):
                    await cache.embed("ws_1", embedder, "owls")
                costs.append((noticed - begun, time.perf_counter() - noticed))
                assert cache.counts() == CacheCounts(errors=21)
        finally:
            (redis_server.start if outage == "killed" else redis_server.thaw)()
        # The best of three: what else the machine has to do meanwhile is not the outage's cost.
        assert min(first for first, _ in costs) < 0.05
        assert min(rest for _, rest in costs) < 0.02
        for vectors in kept:
            await vectors.close()

    async def test_an_outage_is_told_once_and_so_is_its_end(
        self, vectors: RedisVectors, redis_server: Valkey, clock: Clock, caplog: pytest.LogCaptureFixture
    ) -> None:
        # A8
        caplog.set_level(logging.INFO, "pinakes.query_cache")
        cache, embedder = QueryCache(vectors), CountingEmbedder()
        await cache.embed("ws_1", embedder, "owls")
        redis_server.kill()
        for _ in range(3):
            await cache.embed("ws_1", embedder, "owls")
            await asyncio.sleep(0.02)
            clock.now += OPEN_SECONDS + 1
        redis_server.start()
        await hits_again(cache, embedder, clock)
        words = [record.message for record in caplog.records]
        assert len([word for word in words if "not cached for now" in word]) == 1
        assert len([word for word in words if "answers again" in word]) == 1

    async def test_the_circuit_stays_open_for_thirty_seconds(
        self, vectors: RedisVectors, redis_server: Valkey, clock: Clock
    ) -> None:
        # A8
        cache, embedder = QueryCache(vectors), CountingEmbedder()
        redis_server.kill()
        await cache.embed("ws_1", embedder, "owls")
        redis_server.start()
        clock.now += 29
        for _ in range(10):
            assert not (await cache.embed("ws_1", embedder, "owls")).cached
            await asyncio.sleep(0.01)
        assert cache.counts() == CacheCounts(errors=11)
        await hits_again(cache, embedder, clock)


@pytest.mark.parametrize("value", [float("nan"), 0.0, float("inf"), 1000.0])
async def test_what_is_no_unit_vector_is_not_believed(value: float) -> None:
    # A8
    kept = ProcessVectors()
    cache, embedder = QueryCache(kept), CountingEmbedder()
    await kept.put(cache_key("ws_1", embedder, "owls"), np.full(embedder.dims, value, "<f4").tobytes())
    found = await cache.embed("ws_1", embedder, "owls")
    assert not found.cached
    assert np.isclose(np.linalg.norm(found.vector), 1)


async def hits_again(cache: QueryCache, embedder: CountingEmbedder, clock: Clock) -> None:
    """Go on asking until the cache answers."""
    clock.now += OPEN_SECONDS + 1
    for _ in range(100):
        if (await cache.embed("ws_1", embedder, "owls")).cached:
            return
        await asyncio.sleep(0.03)
        clock.now += 1
    raise AssertionError("the cache did not come back")


async def test_a_redis_that_never_answered_is_said_once_and_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    # A8
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    cache = make_query_cache(f"redis://user:hush@127.0.0.1:{port}/0")
    problem = await cache.open()
    assert problem is not None
    assert "PINAKES_REDIS_URL" in problem
    assert not (await cache.embed("ws_1", CountingEmbedder(), "owls")).cached
    assert len(caplog.records) == 1
    assert "hush" not in problem + caplog.text
    await cache.close()


def test_an_address_that_is_none_is_refused_without_repeating_it() -> None:
    # A8
    with pytest.raises(InvalidInput, match="PINAKES_REDIS_URL") as refusal:
        make_query_cache("http://user:hush@example.org")
    assert "hush" not in refusal.value.message
