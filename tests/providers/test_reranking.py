"""The remote re-ranker against a real endpoint over HTTP that fails in every way it can."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from bench.servers import free_ports

from embedding_server import TEI_BATCH, Call, EmbeddingServer, Reply, nearness, serving
from pinakes.domain.errors import ProviderFault
from pinakes.domain.reranker import RerankStyle, rerank_url
from pinakes.providers.endpoint import Pace
from pinakes.providers.http_client import guarded_client
from pinakes.providers.reranking import RemoteReranker, RemoteRerankers, RerankModel

KEY = "sk-a-very-secret-key-0123456789"
QUICK = Pace(connect=1, rest=0.3)
TEXTS = ["Ships carry salt.", "Owls hunt at night.", "Owls sleep."]
QUERY = "owls hunt night"

ODD_ANSWERS: list[tuple[Any, str]] = [
    (b"<html>", "does not answer as a re-ranker does"),
    ({}, "does not answer as a re-ranker does"),
    ({"results": None}, "does not answer as a re-ranker does"),
    ({"results": ["a", "b", "c"]}, "does not answer as a re-ranker does"),
    ({"results": [{"index": 0}]}, "does not answer as a re-ranker does"),
    (b"[" * 100_000, "does not answer as a re-ranker does"),
    ({"results": []}, "answers with 0 scores for 3 passages"),
    ([{"index": at, "score": 0.5} for at in (0, 1)], "answers with 2 scores for 3 passages"),
    ([{"index": at, "score": 0.5} for at in (0, 1, 1)], "which score belongs to which passage"),
    ([{"index": at, "score": 0.5} for at in (1, 2, 3)], "which score belongs to which passage"),
    ([{"index": at, "score": 0.5} for at in (True, 2, 0)], "which score belongs to which passage"),
    ([{"index": at, "score": float("nan")} for at in range(3)], "no score"),
    ([{"index": at, "score": 1e999} for at in range(3)], "no score"),
    ([{"index": at, "score": 10**400} for at in range(3)], "no score"),
    ([{"index": at, "score": "0.5"} for at in range(3)], "no score"),
    ([{"index": at, "score": None} for at in range(3)], "no score"),
    ([{"index": at, "score": True} for at in range(3)], "no score"),
    ([{"index": at, "score": 4.2} for at in range(3)], "not from 0 to 1"),
]


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint that wants a key."""
    with serving(key=KEY) as endpoint:
        yield endpoint


def model_at(url: str, **changes: Any) -> RerankModel:
    model = RerankModel(
        name="rrk_1",
        label="Mine",
        style=RerankStyle.JINA,
        base_url=url,
        model="words",
        api_key=KEY,
        seconds=1,
        raw_scores=False,
    )
    return replace(model, **changes)


@asynccontextmanager
async def reranker_of(url: str, **changes: Any) -> AsyncGenerator[RemoteReranker]:
    async with guarded_client(allowed_hosts=frozenset({"127.0.0.1"})) as client:
        yield RemoteReranker(client, model_at(url, **changes), QUICK)


def always(reply: Reply) -> Callable[[Call], Reply | None]:
    return lambda _: reply


async def fault_of(reranker: RemoteReranker) -> str:
    with pytest.raises(ProviderFault) as caught:
        await reranker.score(QUERY, TEXTS)
    assert KEY not in repr(caught.value) + caught.value.message
    return caught.value.message


@pytest.mark.parametrize(
    ("style", "path", "sent"),
    [
        (RerankStyle.COHERE, "/v2/rerank", {"model": "words", "query": QUERY, "documents": TEXTS, "top_n": 3}),
        (
            RerankStyle.JINA,
            "/v1/rerank",
            {"model": "words", "query": QUERY, "documents": TEXTS, "top_n": 3, "return_documents": False},
        ),
        (RerankStyle.TEI, "/rerank", {"query": QUERY, "texts": TEXTS, "raw_scores": False, "truncate": True}),
    ],
)
async def test_each_style_is_asked_as_it_wants_and_its_scores_come_back_in_our_order(
    endpoint: EmbeddingServer, style: RerankStyle, path: str, sent: dict[str, Any]
) -> None:
    # K6
    async with reranker_of(endpoint.url.removesuffix("/v1"), style=style) as reranker:
        scores = await reranker.score(QUERY, TEXTS)
    assert scores == pytest.approx([nearness(QUERY, text) for text in TEXTS])
    assert scores[1] > scores[2] > scores[0]
    (call,) = endpoint.calls
    assert (call.path, call.authorization, call.body) == (path, f"Bearer {KEY}", sent)


def test_an_address_may_have_its_version_or_be_complete() -> None:
    # K6
    for style, base_url, url in (
        (RerankStyle.COHERE, "https://api.cohere.example", "https://api.cohere.example/v2/rerank"),
        (RerankStyle.COHERE, "https://api.cohere.example/v1", "https://api.cohere.example/v1/rerank"),
        (RerankStyle.JINA, "https://api.jina.example/v1", "https://api.jina.example/v1/rerank"),
        (RerankStyle.JINA, "http://models.example:8080", "http://models.example:8080/v1/rerank"),
        (RerankStyle.TEI, "http://models.example:8080", "http://models.example:8080/rerank"),
        (RerankStyle.JINA, "https://models.example/api/rerank", "https://models.example/api/rerank"),
    ):
        assert rerank_url(style, base_url) == url


async def test_text_embeddings_inference_gets_no_more_at_once_than_it_takes(endpoint: EmbeddingServer) -> None:
    # K6
    texts = [f"{'owls ' * (n % 5)}ship {n}" for n in range(2 * TEI_BATCH + 3)]
    async with reranker_of(endpoint.url.removesuffix("/v1"), style=RerankStyle.TEI) as reranker:
        scores = await reranker.score(QUERY, texts)
    assert scores == pytest.approx([nearness(QUERY, text) for text in texts])
    assert sorted(len(call.body["texts"]) for call in endpoint.calls) == [3, TEI_BATCH, TEI_BATCH]


@pytest.mark.parametrize(("body", "words"), ODD_ANSWERS)
async def test_an_odd_answer_is_not_believed(endpoint: EmbeddingServer, body: Any, words: str) -> None:
    # K6
    endpoint.fault = always(Reply(200, body))
    async with reranker_of(endpoint.url) as reranker:
        assert words in await fault_of(reranker)


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(500, b"<html>oops</html>"), "does not work right now (status 500)"),
        (Reply(429, {}, {"retry-after": "0"}), "has too much to do"),
        (Reply(401, {"message": f"wrong key {KEY}"}), "refused the API key"),
        (Reply(404, {}), "does not know 'words'"),
        (Reply(422, {"detail": f"too much with {KEY}"}), "(status 422: too much with …)"),
        (Reply(302, b"", {"location": "http://10.0.0.1/"}), "status 302"),
    ],
)
async def test_a_search_tries_once_and_no_more(endpoint: EmbeddingServer, reply: Reply, words: str) -> None:
    # K6, F4
    endpoint.fault = always(reply)
    async with reranker_of(endpoint.url) as reranker:
        assert words in await fault_of(reranker)
    assert len(endpoint.calls) == 1


async def test_a_slow_one_is_given_up_in_time_left_alone_and_tried_again_later(endpoint: EmbeddingServer) -> None:
    # K6
    endpoint.fault = lambda _: Reply(200, {}, seconds=2)
    async with reranker_of(endpoint.url, seconds=0.2) as reranker:
        for limit in (0.4, 0.4, 0.05):
            begun = time.monotonic()
            words = await fault_of(reranker)
            assert time.monotonic() - begun < limit
        assert "tried again within a minute" in words
        assert len(endpoint.calls) == 2
        await asyncio.sleep(QUICK.rest + 0.05)
        endpoint.fault = lambda _: None
        assert len(await reranker.score(QUERY, TEXTS)) == 3
        assert len(await reranker.score(QUERY, TEXTS)) == 3


async def test_what_is_wrong_with_one_question_costs_the_next_nothing(endpoint: EmbeddingServer) -> None:
    # K6
    endpoint.fault = lambda call: Reply(422, {}) if call.body["query"] == QUERY else None
    async with reranker_of(endpoint.url) as reranker:
        for _ in range(4):
            await fault_of(reranker)
        assert len(await reranker.score("ships", TEXTS)) == 3


async def test_an_endpoint_that_is_gone_does_not_answer() -> None:
    # K6
    async with reranker_of(f"http://127.0.0.1:{free_ports(1)[0]}/v1") as reranker:
        assert "does not answer" in await fault_of(reranker)


async def test_a_private_address_is_not_called_unless_the_operator_allows_it(endpoint: EmbeddingServer) -> None:
    # F4
    async with guarded_client() as client:
        reranker = RemoteReranker(client, model_at(endpoint.url), QUICK)
        assert "PINAKES_OUTBOUND_HOSTS" in await fault_of(reranker)
    assert endpoint.calls == []


async def test_a_first_call_finds_out_what_the_scores_are(endpoint: EmbeddingServer) -> None:
    # K8
    async with guarded_client(allowed_hosts=frozenset({"127.0.0.1"})) as client:
        rerankers = RemoteRerankers(client, QUICK)
        unknown = model_at(endpoint.url, raw_scores=None)
        assert await rerankers.try_out(unknown) is False
        endpoint.relevance = lambda query, text: 8 * nearness(query, text) - 4
        assert await rerankers.try_out(unknown) is True
        with pytest.raises(ProviderFault, match="not from 0 to 1"):
            await rerankers.try_out(model_at(endpoint.url))
    assert KEY not in repr(unknown)
