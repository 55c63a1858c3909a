"""Re-rankers that a workspace brings itself: they change the order of a search, and never stop one."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from bench.servers import free_ports

from api.people import make_key, with_key
from embedding_server import EmbeddingServer, Reply, serving
from harness import Server, Workspace, data_of, failure_of
from stored import Stored

KEY = "sk-very-secret-0123456789-wxyz"
TEXTS = {
    "owls.md": "# Owls\n\nThe owl hunts mice at night.",
    "barns.md": "# Barns\n\nIn a barn the owl nests.",
    "ships.md": "# Ships\n\nA ship named Owl carried salt.",
}
QUERY = "owl"
SCORES = {"ship": 0.9, "barn": 0.5, "night": 0.2}


def relevance(_query: str, text: str) -> float:
    """An order that the search itself would not come to."""
    return next((score for word, score in SCORES.items() if word in text), 0.01)


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint that wants a key and has a mind of its own."""
    with serving(key=KEY, relevance=relevance) as endpoint:
        yield endpoint


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    """A workspace with three documents in two knowledge bases."""
    kbs = [workspace.make_kb("One"), workspace.make_kb("Two")]
    for number, (name, text) in enumerate(TEXTS.items()):
        workspace.add(kbs[number % 2], name, text)
    return workspace


def add(workspace: Workspace, endpoint: EmbeddingServer, **fields: Any) -> httpx.Response:
    """Add a re-ranker; the raw answer."""
    body = {"name": "Mine", "style": "cohere", "baseUrl": endpoint.url, "model": "words", "apiKey": KEY}
    return workspace.client.post("/api/rerankers", json=body | fields)


def search(workspace: Workspace, **options: Any) -> dict[str, Any]:
    """The whole answer of a search."""
    return data_of(workspace.client.post("/api/search", json={"query": QUERY, **options}))


def names(found: dict[str, Any]) -> list[str]:
    return [hit["documentName"] for hit in found["results"]]


def similarities(found: dict[str, Any]) -> list[float]:
    return [hit["similarity"] for hit in found["results"]]


@pytest.mark.parametrize("style", ["cohere", "jina", "tei"])
def test_a_search_that_names_a_reranker_answers_in_its_order_with_its_scores(
    filled: Workspace, endpoint: EmbeddingServer, style: str
) -> None:
    # K6, K8
    own = search(filled)
    assert [hit["metadata"]["rerank"] for hit in own["results"]] == [None] * 3
    base_url = endpoint.url.removesuffix("/v1")
    data_of(add(filled, endpoint, style=style, baseUrl=base_url, model=None if style == "tei" else "words"))
    found = search(filled, reranker="mine")
    assert names(found) == ["ships.md", "barns.md", "owls.md"] != names(own)
    assert similarities(found) == [0.9, 0.5, 0.2]
    assert [hit["metadata"]["rerank"] for hit in found["results"]] == [0.9, 0.5, 0.2]
    parts = {hit["documentName"]: (hit["metadata"]["dense"], hit["metadata"]["lexical"]) for hit in own["results"]}
    assert parts == {
        hit["documentName"]: (hit["metadata"]["dense"], hit["metadata"]["lexical"]) for hit in found["results"]
    }
    assert found["warnings"] == []
    assert endpoint.calls[-1].authorization == f"Bearer {KEY}"
    assert names(search(filled, reranker="mine", minScore=0.4)) == ["ships.md", "barns.md"]
    # The best comes first although only one is asked for.
    assert names(search(filled, reranker="mine", topK=1)) == ["ships.md"]
    asked = data_of(filled.client.post("/api/ask", json={"query": QUERY, "reranker": "Mine", "minScore": 0.8}))
    assert "salt" in asked["answer"]


def test_a_reranker_is_sent_the_question_and_the_passages_under_their_headings_and_nothing_else(
    filled: Workspace, endpoint: EmbeddingServer
) -> None:
    # F4
    data_of(add(filled, endpoint))
    long = "The owl and the river went on and on. " * 60
    filled.add(filled.make_kb("Three"), "long.txt", "A day\n\n" + long)
    search(filled, reranker="Mine")
    body = endpoint.calls[-1].body
    assert set(body) == {"model", "query", "documents", "top_n"}
    assert body["query"] == QUERY
    sent = "\n".join(body["documents"])
    assert "Ships" in sent
    assert "A ship named Owl carried salt." in sent
    assert ".md" not in sent
    assert max(map(len, body["documents"])) <= 4_000
    assert filled.id not in sent


def test_only_the_first_hits_are_sent_and_the_others_stay_behind_them(
    filled: Workspace, endpoint: EmbeddingServer
) -> None:
    # K6
    own = names(search(filled))
    data_of(add(filled, endpoint, hits=2))
    found = search(filled, reranker="Mine")
    assert endpoint.calls[-1].body["top_n"] == 2
    assert sorted(names(found)[:2]) == sorted(own[:2])
    assert names(found)[2] == own[2]
    assert found["results"][2]["metadata"]["rerank"] is None
    assert similarities(found) == sorted(similarities(found), reverse=True)
    failure_of(add(filled, endpoint, name="Other", hits=101), 422)


def test_raw_scores_are_recognised_and_made_probabilities(filled: Workspace, endpoint: EmbeddingServer) -> None:
    # K8
    endpoint.relevance = lambda query, text: 10 * relevance(query, text) - 5
    made = data_of(add(filled, endpoint))
    assert (made["rawScores"], made["slope"], made["bias"]) == (True, 1, 0)
    found = search(filled, reranker="Mine")
    assert names(found) == ["ships.md", "barns.md", "owls.md"]
    assert similarities(found) == pytest.approx([0.982, 0.5, 0.0474], abs=1e-3)
    assert [hit["metadata"]["rerank"] for hit in found["results"]] == pytest.approx([4, 0, -3])
    path = f"/api/rerankers/{made['id']}"
    data_of(filled.client.patch(path, json={"slope": 0.5, "bias": 1}))
    assert similarities(search(filled, reranker="Mine")) == pytest.approx([0.9526, 0.7311, 0.3775], abs=1e-3)
    for fields in ({"slope": 0}, {"slope": -1}, {"bias": 1000}, {"seconds": 0.01}, {"seconds": 31}):
        failure_of(filled.client.patch(path, json=fields), 422)


def test_a_workspace_may_use_one_for_every_search_until_it_is_deleted(
    filled: Workspace, endpoint: EmbeddingServer
) -> None:
    # K6
    own = names(search(filled))
    made, other = data_of(add(filled, endpoint)), data_of(add(filled, endpoint, name="Other"))
    assert names(search(filled)) == own
    used = data_of(filled.client.put("/api/rerankers/default", json={"rerankerId": "mine"}))
    assert used["isDefault"]
    assert names(search(filled))[0] == "ships.md"
    assert names(search(filled, reranker="none")) == own
    data_of(filled.client.put("/api/rerankers/default", json={"rerankerId": other["id"]}))
    listed = {r["name"]: r["isDefault"] for r in data_of(filled.client.get("/api/rerankers"))}
    assert listed == {"Mine": False, "Other": True}
    assert data_of(filled.client.put("/api/rerankers/default", json={"rerankerId": None})) is None
    assert names(search(filled)) == own
    data_of(filled.client.put("/api/rerankers/default", json={"rerankerId": made["id"]}))
    data_of(filled.client.delete(f"/api/rerankers/{made['id']}"))
    found = search(filled)
    assert (names(found), found["warnings"]) == (own, [])
    failure_of(filled.client.post("/api/search", json={"query": QUERY, "reranker": "Mine"}), 404, "NOT_FOUND")
    failure_of(filled.client.put("/api/rerankers/default", json={"rerankerId": made["id"]}), 404, "NOT_FOUND")


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, {}, seconds=3),
        Reply(500, {}),
        Reply(401, {}),
        Reply(200, b"<html>"),
        Reply(200, {"results": [{"index": 0, "relevance_score": 0.5}]}),
        Reply(200, {"results": [{"index": at, "relevance_score": float("nan")} for at in range(3)]}),
    ],
    ids=["slow", "broken", "refused", "garbage", "too short", "no numbers"],
)
def test_a_search_goes_on_in_its_own_order_where_the_reranker_fails(
    filled: Workspace, endpoint: EmbeddingServer, reply: Reply
) -> None:
    # K6
    own = search(filled, minScore=0.05)
    data_of(add(filled, endpoint, seconds=0.4))
    endpoint.fault = lambda _: reply
    begun = time.monotonic()
    found = search(filled, reranker="Mine", minScore=0.05)
    assert time.monotonic() - begun < 1.5
    assert found["results"] == own["results"]
    (warning,) = found["warnings"]
    assert warning.startswith("Not re-ranked: The reranker 'Mine' ")
    assert KEY not in warning
    # After the second failure nobody asks it any more, for a while.
    search(filled, reranker="Mine")
    calls = len(endpoint.calls)
    begun = time.monotonic()
    assert "tried again within a minute" in search(filled, reranker="Mine")["warnings"][0]
    assert time.monotonic() - begun < 0.4
    assert len(endpoint.calls) == calls
    # What was changed begins anew.
    endpoint.fault = lambda _: None
    data_of(filled.client.patch("/api/rerankers/Mine", json={"seconds": 5}))
    assert search(filled, reranker="Mine")["warnings"] == []


def test_a_reranker_is_added_once_it_works_and_its_key_is_never_seen_again(
    server: Server, workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # F4
    answers = [add(workspace, endpoint, baseUrl=f"{endpoint.url}/")]
    made = data_of(answers[0])
    assert (made["baseUrl"], made["seconds"], made["hits"], made["keyHint"]) == (endpoint.url, 2, 50, "…wxyz")
    path = f"/api/rerankers/{made['id']}"
    answers += [workspace.client.get("/api/rerankers"), workspace.client.get("/api/rerankers/mine")]
    assert [data_of(answers[1]), data_of(answers[2])] == [[made], made]
    answers.append(workspace.client.post(f"{path}/test"))
    assert data_of(answers[-1])["rawScores"] is False
    endpoint.key = "another"
    answers.append(workspace.client.post(f"{path}/test"))
    assert "refused the API key" in failure_of(answers[-1], 422, "RERANKER_UNUSABLE")
    answers.append(workspace.client.post("/api/search", json={"query": QUERY, "reranker": "Mine"}))
    answers.append(workspace.client.patch(path, json={"apiKey": "another"}))
    assert data_of(answers[-1])["keyHint"] == "…"
    assert data_of(workspace.client.post(f"{path}/test"))["milliseconds"] >= 0
    assert data_of(workspace.client.patch(path, json={"apiKey": ""}))["keyHint"] is None
    assert all(KEY not in answer.text for answer in answers)
    assert stored.tables_with(KEY) == []
    assert KEY not in (server.home / "server.log").read_text()


def test_what_does_not_work_is_not_added_and_a_key_goes_to_no_other_server(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # F4
    gone = f"http://127.0.0.1:{free_ports(1)[0]}/v1"
    unusable: list[tuple[dict[str, Any], str]] = [
        ({"apiKey": None}, "asks for an API key"),
        ({"baseUrl": gone}, "does not answer"),
        ({"baseUrl": f"{endpoint.url}/elsewhere"}, "the base URL is wrong"),
        ({"baseUrl": endpoint.url.replace("127.0.0.1", "localhost")}, "PINAKES_OUTBOUND_HOSTS"),
    ]
    for fields, words in unusable:
        assert words in failure_of(add(workspace, endpoint, **fields), 422, "RERANKER_UNUSABLE")
    invalid: list[tuple[dict[str, Any], str]] = [
        ({"baseUrl": "ftp://models.example/v1"}, "http or https"),
        ({"model": None}, "must be told which model"),
        ({"style": "voyage"}, "cohere"),
        ({"name": "none"}, "means something else"),
        ({"name": "rrk_1"}, "means something else"),
        ({"apiKey": "sk-a\r\nX-Evil: 1"}, "The API key contains"),
    ]
    for fields, words in invalid:
        assert words in failure_of(add(workspace, endpoint, **fields), 422)
    assert data_of(workspace.client.get("/api/rerankers")) == []
    made = data_of(add(workspace, endpoint))
    failure_of(add(workspace, endpoint, name="MINE"), 409, "NAME_EXISTS")
    with serving() as elsewhere:
        path = f"/api/rerankers/{made['id']}"
        words = failure_of(workspace.client.patch(path, json={"baseUrl": elsewhere.url}), 422)
        assert "another address" in words
        assert elsewhere.calls == []
        moved = data_of(workspace.client.patch(path, json={"baseUrl": elsewhere.url, "apiKey": "new"}))
        assert moved["baseUrl"] == elsewhere.url
        assert [call.authorization for call in elsewhere.calls] == ["Bearer new"]


def test_only_owners_see_and_change_rerankers_everybody_uses_them_and_strangers_find_none(
    server: Server, filled: Workspace, endpoint: EmbeddingServer
) -> None:
    # F2, F3
    made = data_of(add(filled, endpoint))
    reader = with_key(server, make_key(filled.client, "read")["key"])
    for method, path in (("GET", ""), ("GET", f"/{made['id']}"), ("POST", f"/{made['id']}/test")):
        failure_of(reader.request(method, f"/api/rerankers{path}"), 403, "FORBIDDEN")
    found = data_of(reader.post("/api/search", json={"query": QUERY, "reranker": "Mine"}))
    assert names(found)[0] == "ships.md"
    stranger = server.new_workspace()
    for reference in (made["id"], "Mine"):
        for answer in (
            stranger.client.get(f"/api/rerankers/{reference}"),
            stranger.client.put("/api/rerankers/default", json={"rerankerId": reference}),
            stranger.client.post("/api/search", json={"query": QUERY, "reranker": reference}),
        ):
            failure_of(answer, 404, "NOT_FOUND")
