"""The remote embedder against a real endpoint over HTTP that fails in every way it can."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import numpy as np
import pytest
from bench.servers import free_ports

from embedding_server import DIMS, Call, EmbeddingServer, Reply, serving
from pinakes.domain.errors import DocumentFault, PinakesError, ProviderFault
from pinakes.providers.embedding import Embedder
from pinakes.providers.endpoint import Pace
from pinakes.providers.http_client import guarded_client
from pinakes.providers.remote_embedder import (
    MAX_CHARACTERS,
    MAX_TEXTS,
    RemoteEmbedder,
    RemoteEmbedders,
    RemoteModel,
    split_texts,
)
from pinakes.providers.token_counting import count_tokens

KEY = "sk-a-very-secret-key-0123456789"
QUICK = Pace(connect=1, call=1, query=0.4, tries=3, first_pause=0.02, longest_pause=0.5, failures=3, rest=0.3)

ODD_ANSWERS: list[tuple[Any, str]] = [
    (b"<html>", "does not answer as an embedding endpoint does"),
    ([], "does not answer as an embedding endpoint does"),
    ({"data": [{"index": 0}]}, "does not answer as an embedding endpoint does"),
    (b"[" * 100_000, "does not answer as an embedding endpoint does"),
    ({"data": []}, "answers with 0 vectors for 1 texts"),
    ({"data": [{"index": 1, "embedding": [1.0] * DIMS}]}, "which vector belongs to which text"),
    ({"data": [{"index": True, "embedding": [1.0] * DIMS}]}, "which vector belongs to which text"),
    ({"data": [{"index": 0, "embedding": [1.0] * 768}]}, f"answers with 768 dimensions instead of {DIMS}"),
    ({"data": [{"index": 0, "embedding": []}]}, "points nowhere"),
    ({"data": [{"index": 0, "embedding": [0.0] * DIMS}]}, "points nowhere"),
    ({"data": [{"index": 0, "embedding": [float("nan")] * DIMS}]}, "points nowhere"),
    ({"data": [{"index": 0, "embedding": [1e999] * DIMS}]}, "points nowhere"),
    ({"data": [{"index": 0, "embedding": ["1.0"] * DIMS}]}, "no vector"),
    ({"data": [{"index": 0, "embedding": None}]}, "no vector"),
    ({"data": [{"index": 0, "embedding": "not base64!"}]}, "no vector"),
]


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint that wants a key."""
    with serving(key=KEY) as endpoint:
        yield endpoint


def model_at(url: str, **changes: Any) -> RemoteModel:
    model = RemoteModel(
        name="emb_1",
        label="Mine",
        base_url=url,
        model="bag-of-words",
        api_key=KEY,
        dims=DIMS,
        send_dims=False,
        max_tokens=400,
    )
    return replace(model, **changes)


@asynccontextmanager
async def embedder_of(url: str, *, pace: Pace = QUICK, **changes: Any) -> AsyncGenerator[RemoteEmbedder]:
    async with guarded_client(allowed_hosts=frozenset({"127.0.0.1"})) as client:
        yield RemoteEmbedder(client, model_at(url, **changes), pace)


def always(reply: Reply) -> Callable[[Call], Reply | None]:
    return lambda _: reply


def first(*replies: Reply) -> Callable[[Call], Reply | None]:
    waiting = deque(replies)
    return lambda _: waiting.popleft() if waiting else None


async def fault_of(embedder: Embedder, text: str = "Owls hunt at night.") -> str:
    with pytest.raises((ProviderFault, DocumentFault)) as caught:
        await embedder.embed([text])
    assert KEY not in repr(caught.value) + caught.value.message
    return caught.value.message


@pytest.mark.parametrize("encoding", ["float", "base64"])
async def test_vectors_come_back_in_order_and_of_length_one(endpoint: EmbeddingServer, encoding: str) -> None:
    # K9: any OpenAI-compatible endpoint; this one answers in reverse
    endpoint.encoding = encoding
    texts = ["Owls hunt at night.", "Ships carry salt.", "Eulen jagen nachts."]
    async with embedder_of(endpoint.url) as embedder:
        owls, ships, german = await embedder.embed(texts)
    assert all(len(vector) == DIMS and abs(np.linalg.norm(vector) - 1) < 1e-5 for vector in (owls, ships, german))
    assert owls @ german > 2 * (owls @ ships)
    (call,) = endpoint.calls
    assert call.texts == texts
    assert call.body["model"] == "bag-of-words"
    assert "dimensions" not in call.body


async def test_many_texts_go_in_several_calls_of_bounded_size(endpoint: EmbeddingServer) -> None:
    # K3
    texts = [f"Barge {n} carried salt." for n in range(MAX_TEXTS * 2 + 5)] + ["long " * 15_000, "longer " * 12_000]
    async with embedder_of(endpoint.url) as embedder:
        vectors = await embedder.embed(texts)
        alone = await embedder.embed([texts[70]])
    assert len(vectors) == len(texts)
    assert np.allclose(vectors[70], alone[0])
    assert len(endpoint.calls) >= 5
    assert sorted(endpoint.texts) == sorted([*texts, texts[70]])
    for call in endpoint.calls:
        assert len(call.texts) <= MAX_TEXTS
        assert len(call.texts) == 1 or sum(map(len, call.texts)) <= MAX_CHARACTERS


def test_splitting_leaves_nothing_out() -> None:
    # K3
    assert list(split_texts([])) == []
    texts = ["x" * size for size in (1, MAX_CHARACTERS * 2, 5, 5, MAX_CHARACTERS - 5, 1)]
    assert [list(part) for part in split_texts(texts, 3)] == [[0], [1], [2, 3], [4, 5]]


async def test_dimensions_are_asked_for_only_where_they_were_given(endpoint: EmbeddingServer) -> None:
    # K9
    async with embedder_of(endpoint.url, dims=16, send_dims=True) as embedder:
        assert len((await embedder.embed(["owl"]))[0]) == 16
    assert endpoint.calls[-1].body["dimensions"] == 16


@pytest.mark.parametrize(
    "reply", [Reply(429, {}, {"retry-after": "0"}), Reply(503, {}), Reply(500, b"<html>oops</html>"), Reply(408, {})]
)
async def test_a_passing_fault_is_tried_again(endpoint: EmbeddingServer, reply: Reply) -> None:
    # K3
    endpoint.fault = first(reply, reply)
    async with embedder_of(endpoint.url) as embedder:
        assert len(await embedder.embed(["owl"])) == 1
    assert len(endpoint.calls) == 3


async def test_tries_are_bounded(endpoint: EmbeddingServer) -> None:
    # K3
    endpoint.fault = always(Reply(503, {}))
    async with embedder_of(endpoint.url, pace=replace(QUICK, failures=10)) as embedder:
        assert "'Mine' does not work right now (status 503)" in await fault_of(embedder)
    assert len(endpoint.calls) == QUICK.tries


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_the_endpoint_says_how_long_to_stay_away(endpoint: EmbeddingServer, form: str) -> None:
    # K3
    late = format_datetime(datetime.now(UTC) + timedelta(seconds=1.5), usegmt=True)
    endpoint.fault = first(Reply(429, {}, {"retry-after": "0.3" if form == "seconds" else late}))
    begun = time.monotonic()
    async with embedder_of(endpoint.url, pace=replace(QUICK, longest_pause=2)) as embedder:
        await embedder.embed(["owl"])
    assert time.monotonic() - begun > (0.25 if form == "seconds" else 0.1)
    assert len(endpoint.calls) == 2


async def test_a_long_stay_away_is_not_waited_for_and_keeps_everybody_away(endpoint: EmbeddingServer) -> None:
    # K3: a document that waits must not occupy a worker
    endpoint.fault = always(Reply(429, {}, {"retry-after": "120"}))
    begun = time.monotonic()
    async with embedder_of(endpoint.url) as embedder:
        assert "has too much to do" in await fault_of(embedder)
        assert "has too much to do" in await fault_of(embedder)
        with pytest.raises(ProviderFault, match="too much to do"):
            embedder.require_ready()
    assert len(endpoint.calls) == 1
    assert time.monotonic() - begun < 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), "refused the API key"),
        (Reply(403, {}), "refused the API key"),
        (Reply(404, {"error": "no such model"}), "does not know 'bag-of-words'"),
        (Reply(302, b"", {"location": "http://10.0.0.1/"}), "status 302"),
        (Reply(418, {}), "status 418"),
    ],
)
async def test_what_trying_again_will_not_mend_is_not_tried_again(
    endpoint: EmbeddingServer, reply: Reply, words: str
) -> None:
    # K3
    endpoint.fault = always(reply)
    async with embedder_of(endpoint.url) as embedder:
        assert words in await fault_of(embedder)
    assert len(endpoint.calls) == 1


async def test_a_wrong_key_is_never_shown(endpoint: EmbeddingServer) -> None:
    # F4
    async with embedder_of(endpoint.url, api_key=None) as embedder:
        assert "asks for an API key" in await fault_of(embedder)
    assert KEY not in repr(model_at(endpoint.url))
    endpoint.fault = always(Reply(400, {"error": {"message": f"bad request with {KEY}"}}))
    async with embedder_of(endpoint.url) as embedder:
        assert "bad request with …" in await fault_of(embedder)


async def test_a_text_that_is_too_long_is_the_documents_fault(endpoint: EmbeddingServer) -> None:
    # K3: trying again would never help, so it must not wait for ever
    endpoint.longest = 100
    async with embedder_of(endpoint.url) as embedder:
        with pytest.raises(DocumentFault, match=r"maximum context length.*maxTokens") as caught:
            await embedder.embed(["short", "x" * 101])
        assert caught.value.message.startswith("The embedding model 'Mine' refused a passage (status 400")
        with pytest.raises(ProviderFault, match="refused a passage"):
            await embedder.embed_query("x" * 101)
        assert len(await embedder.embed(["short"])) == 1


@pytest.mark.parametrize(("body", "words"), ODD_ANSWERS)
async def test_an_odd_answer_is_not_believed(endpoint: EmbeddingServer, body: Any, words: str) -> None:
    # K9
    endpoint.fault = always(Reply(200, body))
    async with embedder_of(endpoint.url) as embedder:
        assert words in await fault_of(embedder)


async def test_an_endpoint_without_indexes_is_taken_at_its_order(endpoint: EmbeddingServer) -> None:
    # K9
    data = [{"embedding": [1.0, 0.0]}, {"embedding": [0.0, 2.0]}]
    endpoint.fault = always(Reply(200, {"data": data}))
    async with embedder_of(endpoint.url, dims=2) as embedder:
        assert [list(vector) for vector in await embedder.embed(["a", "b"])] == [[1, 0], [0, 1]]


async def test_an_endpoint_that_is_gone_does_not_answer_and_is_then_left_alone() -> None:
    # K3
    async with embedder_of(f"http://127.0.0.1:{free_ports(1)[0]}/v1") as embedder:
        assert "does not answer" in await fault_of(embedder)
        begun = time.monotonic()
        words = await fault_of(embedder)
        assert time.monotonic() - begun < 0.05
        assert "does not answer" in words
        assert "tried again within a minute" in words


async def test_after_its_rest_one_call_alone_tries_whether_it_is_back(endpoint: EmbeddingServer) -> None:
    # K3
    endpoint.fault = always(Reply(503, {}))
    async with embedder_of(endpoint.url) as embedder:
        await fault_of(embedder)
        seen = len(endpoint.calls)
        await fault_of(embedder)
        assert len(endpoint.calls) == seen
        await asyncio.sleep(QUICK.rest + 0.05)
        embedder.require_ready()
        endpoint.fault = lambda _: Reply(503, {}, seconds=0.1)
        outcomes = await asyncio.gather(*(embedder.embed(["owl"]) for _ in range(3)), return_exceptions=True)
        assert all(isinstance(outcome, ProviderFault) for outcome in outcomes)
        assert len(endpoint.calls) == seen + 1
        await asyncio.sleep(QUICK.rest + 0.05)
        endpoint.fault = lambda _: None
        assert len(await embedder.embed(["owl"])) == 1
        assert len(await asyncio.gather(*(embedder.embed(["owl"]) for _ in range(3)))) == 3


async def test_a_question_is_given_up_soon_and_then_at_once(endpoint: EmbeddingServer) -> None:
    # K6: the search goes on by keywords
    endpoint.fault = lambda _: Reply(503, {}, seconds=2)
    async with embedder_of(endpoint.url) as embedder:
        for limit in (QUICK.query + 0.3, QUICK.query + 0.3, 0.05):
            begun = time.monotonic()
            with pytest.raises(ProviderFault, match="does not answer"):
                await embedder.embed_query("owl")
            assert time.monotonic() - begun < limit
        # Passages have more patience, and a circuit of their own.
        embedder.require_ready()
        endpoint.fault = lambda _: None
        assert len(await embedder.embed(["owl"])) == 1
        await asyncio.sleep(QUICK.rest)
        assert len(await embedder.embed_query("owl")) == DIMS


async def test_an_endpoint_that_never_finishes_is_not_waited_for_twice(endpoint: EmbeddingServer) -> None:
    # K3: whoever hangs must not hold a worker for long
    endpoint.fault = lambda _: Reply(200, {}, seconds=3)
    async with embedder_of(endpoint.url, pace=replace(QUICK, call=0.2)) as embedder:
        begun = time.monotonic()
        assert "does not answer" in await fault_of(embedder)
        assert time.monotonic() - begun < 0.6
        with pytest.raises(ProviderFault):
            embedder.require_ready()


async def test_patience_grows_with_an_endpoint_that_is_slow_and_not_with_one_that_hangs(
    endpoint: EmbeddingServer,
) -> None:
    # K3
    pace = replace(QUICK, first_call=0.1, call=5, rest=0.05, failures=2)
    async with embedder_of(endpoint.url, pace=pace) as embedder:
        begun = time.monotonic()
        endpoint.fault = lambda _: Reply(200, {}, seconds=3)
        assert "does not answer" in await fault_of(embedder)
        assert time.monotonic() - begun < 0.8
        endpoint.fault = lambda _: time.sleep(0.5)
        for _ in range(6):
            await asyncio.sleep(0.1)
            try:
                assert len(await embedder.embed(["owl"])) == 1
            except ProviderFault:
                continue
            break
        else:
            pytest.fail("a slow endpoint never got the time it needs")
        assert len(await embedder.embed(["owl"])) == 1


async def test_a_cancelled_try_does_not_keep_the_circuit_waiting(endpoint: EmbeddingServer) -> None:
    # K3
    endpoint.fault = always(Reply(503, {}))
    async with embedder_of(endpoint.url) as embedder:
        await fault_of(embedder)
        await asyncio.sleep(QUICK.rest + 0.05)
        endpoint.fault = lambda _: Reply(503, {}, seconds=0.5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await embedder.embed(["owl"])
        endpoint.fault = lambda _: None
        assert len(await embedder.embed(["owl"])) == 1


async def test_a_private_address_is_not_called_unless_the_operator_allows_it(endpoint: EmbeddingServer) -> None:
    # F4
    async with guarded_client() as client:
        embedder = RemoteEmbedder(client, model_at(endpoint.url), QUICK)
        assert "PINAKES_OUTBOUND_HOSTS" in await fault_of(embedder)
    assert endpoint.calls == []


async def test_tokens_are_counted_with_a_margin_and_nothing_is_called_unknown() -> None:
    # K5
    text = "Barges carry salt up the river. " * 50
    async with embedder_of("http://127.0.0.1:9/v1") as embedder:
        assert embedder.count_tokens(text) >= 1.25 * count_tokens(text)
        assert embedder.count_tokens("") == 0
        assert embedder.unknown_share("梟は夜に狩る") == 0
        assert (embedder.name, embedder.dims, embedder.max_tokens) == ("emb_1", DIMS, 400)


async def test_what_is_cached_is_told_apart_by_endpoint_model_and_credential() -> None:
    # A8
    async with guarded_client() as client:
        changes: list[dict[str, Any]] = [
            {},
            {"base_url": "http://b.example/v1"},
            {"api_key": "other"},
            {"api_key": None},
            {"model": "m2"},
        ]
        models = [model_at("http://a.example/v1", **change) for change in changes]
        identities = [RemoteEmbedder(client, model, QUICK).cache_identity for model in models]
    assert len(set(identities)) == len(changes)
    assert all(KEY not in identity for identity in identities)


async def test_one_embedder_is_kept_for_each_workspace_until_it_changes(endpoint: EmbeddingServer) -> None:
    # F3
    kept = RemoteEmbedders(guarded_client(allowed_hosts=frozenset({"127.0.0.1"})), QUICK)
    model, now = model_at(endpoint.url), datetime.now(UTC)
    mine = kept.keep("ws_1", now, model)
    assert kept.keep("ws_1", now, model) is mine
    assert kept.keep("ws_2", now, model) is not mine
    assert kept.keep("ws_1", now + timedelta(seconds=1), model) is not mine
    assert (await kept.try_out(model_at(endpoint.url, dims=None))).dims == DIMS
    with pytest.raises(PinakesError, match="refused the API key"):
        await kept.try_out(model_at(endpoint.url, api_key="sk-wrong"))
    await kept.close()
