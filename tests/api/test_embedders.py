"""Embedding models that a workspace brings itself: kept safe, used for meaning, and waited for when they are away."""

import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from bench.servers import free_ports

from api.people import make_key, with_key
from embedding_server import DIMS, Call, EmbeddingServer, Reply, serving
from harness import Server, Workspace, data_of, failure_of, wait_for
from stored import Stored

KEY = "sk-very-secret-0123456789-wxyz"
BOOK = "\n\n".join(f"Entry {n}. " + f"Barge {n} carried {n * 7} tons of salt. " * 12 for n in range(320))

# Three calls at a time of 32 passages each.
UNDER_WAY = 3 * 32


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint that wants a key."""
    with serving(key=KEY) as endpoint:
        yield endpoint


def add(workspace: Workspace, endpoint: EmbeddingServer, **fields: Any) -> httpx.Response:
    """Add an embedder; the raw answer."""
    body = {"name": "Mine", "baseUrl": endpoint.url, "model": "bag-of-words", "apiKey": KEY}
    return workspace.client.post("/api/embedders", json=body | fields)


def upload(workspace: Workspace, kb: str, name: str, text: str) -> str:
    """Upload a text; the document's id."""
    return data_of(workspace.upload(kb, name, text))["document"]["id"]


def waiting(workspace: Workspace, document_id: str, words: str) -> dict[str, Any]:
    """The document once it waits for this reason."""

    def found() -> dict[str, Any] | None:
        document = data_of(workspace.client.get(f"/api/documents/{document_id}"))
        return document if document["status"] == "pending" and words in (document["error"] or "") else None

    return wait_for(found, f"{document_id} does not wait because it {words}")


def delete_kb(workspace: Workspace, kb: str) -> None:
    """Leave nothing behind that would be tried again and again."""
    data_of(workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "true"}))


def test_an_embedder_is_added_once_it_works_and_its_key_is_never_seen_again(
    server: Server, workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # F4, K9
    answers = [add(workspace, endpoint, baseUrl=f"{endpoint.url}/embeddings/")]
    made = data_of(answers[0])
    assert (made["name"], made["baseUrl"], made["dims"], made["maxTokens"]) == ("Mine", endpoint.url, DIMS, 400)
    assert made["keyHint"] == "…wxyz"
    assert endpoint.calls[0].authorization == f"Bearer {KEY}"
    assert "dimensions" not in endpoint.calls[0].body
    path = f"/api/embedders/{made['id']}"
    answers += [workspace.client.get("/api/embedders"), workspace.client.get(path)]
    answers.append(workspace.client.get("/api/embedders/mine"))
    assert [data_of(answers[1]), data_of(answers[2]), data_of(answers[3])] == [[made], made, made]
    answers.append(workspace.client.post(f"{path}/test"))
    assert data_of(answers[-1])["dims"] == DIMS
    endpoint.key = "another"
    answers.append(workspace.client.post(f"{path}/test"))
    assert "refused the API key" in failure_of(answers[-1], 422, "EMBEDDER_UNUSABLE")
    answers.append(workspace.client.patch(path, json={"apiKey": "another"}))
    assert data_of(answers[-1])["keyHint"] == "…"
    assert data_of(workspace.client.post(f"{path}/test"))["dims"] == DIMS
    answers.append(workspace.client.patch(path, json={"apiKey": KEY, "name": "Yours", "maxTokens": 64}))
    assert {**made, "name": "Yours", "maxTokens": 64, "updatedAt": ""} == {**data_of(answers[-1]), "updatedAt": ""}
    assert all(KEY not in answer.text for answer in answers)
    assert stored.tables_with(KEY) == []
    assert KEY not in (server.home / "server.log").read_text()
    data_of(workspace.client.delete(path))
    assert data_of(workspace.client.get("/api/embedders")) == []


def test_what_does_not_work_is_not_added_and_the_reason_is_given(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K9, F4
    gone = f"http://127.0.0.1:{free_ports(1)[0]}/v1"
    unusable: list[tuple[dict[str, Any], str]] = [
        ({"apiKey": "sk-this-is-a-wrong-key"}, "refused the API key"),
        ({"apiKey": None}, "asks for an API key"),
        ({"baseUrl": gone}, "does not answer"),
        ({"baseUrl": endpoint.url.removesuffix("/v1")}, "the base URL is wrong"),
        ({"baseUrl": endpoint.url.replace("127.0.0.1", "localhost")}, "PINAKES_OUTBOUND_HOSTS"),
    ]
    for fields, words in unusable:
        answer = add(workspace, endpoint, **fields)
        assert words in failure_of(answer, 422, "EMBEDDER_UNUSABLE")
        assert "sk-" not in answer.text
    invalid: list[tuple[dict[str, Any], str]] = [
        ({"baseUrl": "ftp://models.example/v1"}, "http or https"),
        ({"baseUrl": "https://user:secret@models.example/v1"}, "must not hold a user"),
        ({"baseUrl": "https://models.example/v1?key=1"}, "must not hold"),
        ({"baseUrl": "http://[::1/v1"}, "no address"),
        ({"apiKey": "schlüssel"}, "The API key contains"),
        ({"apiKey": "sk-a\r\nX-Evil: 1"}, "The API key contains"),
        ({"name": "none"}, "means something else"),
        ({"name": "emb_1"}, "means something else"),
        ({"dims": 4001}, "4000"),
        ({"maxTokens": 8001}, "8000"),
    ]
    for fields, words in invalid:
        assert words in failure_of(add(workspace, endpoint, **fields), 422)
    endpoint.dims = 5000
    assert "at most 4,000" in failure_of(add(workspace, endpoint), 422)
    endpoint.fault = lambda call: Reply(200, {"data": [{"embedding": [1.0] * 768}] * len(call.texts)})
    words = failure_of(add(workspace, endpoint, dims=384), 422, "EMBEDDER_UNUSABLE")
    assert "answers with 768 dimensions instead of 384" in words
    assert data_of(workspace.client.get("/api/embedders")) == []


def test_names_are_unique_and_dimensions_are_asked_for_where_they_were_given(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K9
    made = data_of(add(workspace, endpoint, dims=16))
    assert made["dims"] == 16
    assert endpoint.calls[-1].body["dimensions"] == 16
    failure_of(add(workspace, endpoint, name="MINE"), 409, "NAME_EXISTS")
    other = data_of(add(workspace, endpoint, name="Other"))
    failure_of(workspace.client.patch(f"/api/embedders/{other['id']}", json={"name": "mine"}), 409, "NAME_EXISTS")
    changed = workspace.client.patch(f"/api/embedders/{other['id']}", json={"model": "another", "dims": 8})
    assert (data_of(changed)["model"], data_of(changed)["dims"]) == ("another", 8)


def test_only_owners_see_and_change_embedders_but_everybody_may_use_them(
    server: Server, workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # F2
    made = data_of(add(workspace, endpoint))
    editor = with_key(server, make_key(workspace.client, "read", "write")["key"])
    for method, path in (("GET", ""), ("GET", f"/{made['id']}"), ("POST", f"/{made['id']}/test")):
        failure_of(editor.request(method, f"/api/embedders{path}"), 403, "FORBIDDEN")
    kb = data_of(editor.post("/api/knowledge-bases", json={"name": "Papers", "embedder": "mine"}))
    assert kb["embedder"] == "Mine"


def test_a_language_the_built_in_model_does_not_know_is_found_by_meaning(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K9: by meaning with any embedding model that knows the language, served over HTTP
    made = data_of(add(workspace, endpoint))
    kb = workspace.make_kb("Tiere", embedder="Mine")
    assert data_of(workspace.client.get(f"/api/knowledge-bases/{kb}"))["embedder"] == "Mine"
    for name, text in (
        ("japanese.txt", "梟は夜に狩る。"),
        ("korean.txt", "올빼미는 밤에 사냥한다."),
        ("thai.txt", "นกฮูกออกล่าในเวลากลางคืน"),
        ("german.txt", "Eulen jagen nachts."),
    ):
        assert workspace.add(kb, name, text)["status"] == "indexed"
    workspace.add(kb, "salt.txt", "Salt was carried up the river in spring.")
    results = workspace.search("owl night", topK=5)
    assert {hit["documentName"] for hit in results[:4]} == {"japanese.txt", "korean.txt", "thai.txt", "german.txt"}
    assert all(hit["metadata"]["dense"] > 0.3 for hit in results[:4])
    data_of(workspace.client.patch(f"/api/embedders/{made['id']}", json={"name": "Renamed"}))
    assert data_of(workspace.client.get(f"/api/knowledge-bases/{kb}"))["embedder"] == "Renamed"


def test_a_knowledge_base_may_have_the_built_in_model_or_none(workspace: Workspace) -> None:
    # K9
    default = data_of(workspace.client.post("/api/knowledge-bases", json={"name": "Default"}))
    named = data_of(workspace.client.post("/api/knowledge-bases", json={"name": "Named", "embedder": "builtin"}))
    full = data_of(
        workspace.client.post("/api/knowledge-bases", json={"name": "Full", "embedder": default["embedder"]})
    )
    assert default["embedder"] == named["embedder"] == full["embedder"] != "none"
    none = data_of(workspace.client.post("/api/knowledge-bases", json={"name": "None", "embedder": "none"}))
    assert none["embedder"] == "none"
    workspace.add(none["id"], "owls.txt", "Owls hunt at night.")
    (hit,) = workspace.search("owls", knowledgeBaseIds=[none["id"]])
    assert hit["metadata"]["dense"] is None
    failure_of(workspace.client.post("/api/knowledge-bases", json={"name": "X", "embedder": "No such"}), 404)


def test_what_decides_the_vectors_cannot_change_while_a_knowledge_base_uses_it(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K9, K10
    made = data_of(add(workspace, endpoint))
    path = f"/api/embedders/{made['id']}"
    kb = workspace.make_kb("Papers", embedder=made["id"])
    words = failure_of(workspace.client.delete(path), 409, "EMBEDDER_IN_USE")
    assert "'Papers'" in words
    for change in ({"model": "other"}, {"baseUrl": "https://models.example/v1"}, {"dims": 8}):
        assert "'Papers'" in failure_of(workspace.client.patch(path, json=change), 409, "EMBEDDER_IN_USE")
    same = {"model": "bag-of-words", "baseUrl": endpoint.url, "dims": DIMS, "name": "Still mine", "maxTokens": 200}
    assert data_of(workspace.client.patch(path, json=same))["name"] == "Still mine"
    delete_kb(workspace, kb)
    assert data_of(workspace.client.patch(path, json={"model": "other", "dims": 8}))["dims"] == 8
    data_of(workspace.client.delete(path))


def test_a_key_is_not_sent_to_another_address_than_it_was_given_for(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # C3
    made = data_of(add(workspace, endpoint))
    elsewhere = {"baseUrl": endpoint.url.replace("127.0.0.1", "localhost")}
    answer = workspace.client.patch(f"/api/embedders/{made['id']}", json=elsewhere)
    assert "Give the key" in failure_of(answer, 422)


def test_two_workspaces_never_see_each_others_embedders(server: Server, endpoint: EmbeddingServer) -> None:
    # F3
    with serving(key="sk-theirs-9876543210-abcd") as their_endpoint:
        mine, theirs = server.new_workspace(), server.new_workspace()
        my_id = data_of(add(mine, endpoint))["id"]
        their_id = data_of(add(theirs, their_endpoint, apiKey="sk-theirs-9876543210-abcd"))["id"]
        failure_of(theirs.client.get(f"/api/embedders/{my_id}"), 404, "NOT_FOUND")
        assert data_of(theirs.client.get("/api/embedders/Mine"))["id"] == their_id
        failure_of(theirs.client.post("/api/knowledge-bases", json={"name": "X", "embedder": my_id}), 404)
        for workspace in (mine, theirs):
            workspace.add(workspace.make_kb("Papers", embedder="Mine"), "owls.txt", f"Owls of {workspace.id}.")
            assert workspace.search("owl")[0]["metadata"]["dense"] is not None
        assert not [text for text in endpoint.texts if theirs.id in text]
        assert not [text for text in their_endpoint.texts if mine.id in text]
        assert {call.authorization for call in their_endpoint.calls} == {"Bearer sk-theirs-9876543210-abcd"}


def test_documents_wait_for_an_embedder_that_is_away_and_the_search_goes_on_by_keywords(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K3, K6
    data_of(add(workspace, endpoint))
    kb = workspace.make_kb("Remote", embedder="Mine")
    workspace.add(kb, "first.txt", "Owls hunt at night.")
    endpoint.stop()
    document = waiting(workspace, upload(workspace, kb, "second.txt", "Barges carry salt."), "does not answer")
    operation = data_of(workspace.client.get(f"/api/operations/{document['operationId']}"))
    assert (operation["status"], operation["attempts"]) == ("pending", 0)
    begun = time.monotonic()
    found = data_of(workspace.client.post("/api/search", json={"query": "owls", "knowledgeBaseIds": [kb]}))
    assert time.monotonic() - begun < 6
    assert [hit["documentName"] for hit in found["results"]] == ["first.txt"]
    assert "Searched by keywords only: The embedding model 'Mine' does not answer" in found["warnings"][0]
    endpoint.start()
    assert workspace.settle(document["id"])["status"] == "indexed"
    assert Counter(endpoint.texts).most_common(1)[0][1] == 1
    operation = data_of(workspace.client.get(f"/api/operations/{document['operationId']}"))
    assert (operation["status"], operation["attempts"], operation["error"]) == ("completed", 1, None)


def test_documents_that_wait_for_one_embedder_do_not_keep_others_waiting(
    server: Server, workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K3
    data_of(add(workspace, endpoint))
    kb = workspace.make_kb("Remote", embedder="Mine")
    endpoint.stop()
    documents = [upload(workspace, kb, f"{n}.txt", f"Barge {n} carried salt.") for n in range(12)]
    other = server.new_workspace()
    begun = time.monotonic()
    assert other.add(other.make_kb(), "other.txt", "Somebody else's document.")["status"] == "indexed"
    assert time.monotonic() - begun < 15
    for document in documents:
        waiting(workspace, document, "does not answer")
    delete_kb(workspace, kb)


def test_an_outage_in_the_midst_of_a_document_costs_no_embedding_twice(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K3
    data_of(add(workspace, endpoint))
    kb = workspace.make_kb("Remote", embedder="Mine")
    endpoint.texts.clear()
    endpoint.calls.clear()

    def fail_once(call: Call) -> Reply | None:
        return Reply(401, {}) if len(endpoint.calls) == 4 else None

    endpoint.fault = fail_once
    document = workspace.add(kb, "book.txt", BOOK)
    assert document["status"] == "indexed"
    assert len(endpoint.calls) > 5
    assert len(endpoint.texts) == document["chunkCount"] > 100
    assert Counter(endpoint.texts).most_common(1)[0][1] == 1
    assert max(len(call.texts) for call in endpoint.calls) > 1


def test_a_key_that_was_refused_can_be_changed_and_what_waited_goes_on(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K3: for as long as it takes, but not for ever
    made = data_of(add(workspace, endpoint))
    kb = workspace.make_kb("Remote", embedder="Mine")
    endpoint.key = "sk-the-new-key-0123456789"
    document = upload(workspace, kb, "owls.txt", "Owls hunt at night.")
    words = waiting(workspace, document, "refused the API key")["error"]
    assert KEY not in words
    data_of(workspace.client.patch(f"/api/embedders/{made['id']}", json={"apiKey": endpoint.key}))
    assert workspace.settle(document)["status"] == "indexed"
    endpoint.key = "sk-changed-again"
    document = upload(workspace, kb, "ships.txt", "Ships carry salt.")
    operation = waiting(workspace, document, "refused the API key")["operationId"]
    stored.rows(
        "UPDATE operation SET started_at = started_at - interval '8 days' WHERE operation_id = %s RETURNING 1",
        operation,
    )
    failed = workspace.settle(document)
    assert failed["status"] == "failed"
    assert failed["error"].startswith("Gave up after 7 days. The embedding model 'Mine' refused the API key")


def test_a_passage_too_long_for_the_model_fails_the_document_and_says_what_to_change(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K3, K5
    endpoint.longest = 900
    made = data_of(add(workspace, endpoint))
    kb = workspace.make_kb("Remote", embedder="Mine")
    document = workspace.add(kb, "river.txt", "The barge carried salt up the river in early spring. " * 60)
    assert document["status"] == "failed"
    assert "maxTokens" in document["error"]
    data_of(workspace.client.patch(f"/api/embedders/{made['id']}", json={"maxTokens": 128}))
    data_of(workspace.client.post(f"/api/documents/{document['id']}/retry"))
    assert workspace.settle(document["id"])["status"] == "indexed"


def test_a_server_killed_in_the_midst_of_a_document_pays_again_only_for_what_was_under_way(home: Path) -> None:
    # K3
    environment = {"PINAKES_OUTBOUND_HOSTS": "127.0.0.1", "PINAKES_HEARTBEAT_SECONDS": "0.3"}
    server = Server(home, environment=environment)
    with serving() as endpoint:
        server.start()
        try:
            workspace = server.new_workspace()
            data_of(add(workspace, endpoint))
            kb = workspace.make_kb("Remote", embedder="Mine")
            endpoint.texts.clear()
            endpoint.fault = lambda _: time.sleep(0.4)
            document = upload(workspace, kb, "book.txt", BOOK)
            wait_for(lambda: len(endpoint.texts) > UNDER_WAY, "nothing is embedded")
            server.stop(signal.SIGKILL)
            seen = len(endpoint.texts)
            endpoint.fault = lambda _: None
            server.start()
            workspace.client.base_url = server.url
            settled = workspace.settle(document)
        finally:
            server.stop()
    assert settled["status"] == "indexed"
    assert seen < settled["chunkCount"]
    twice = sum(count - 1 for text, count in Counter(endpoint.texts).items() if text.startswith("Entry"))
    assert twice <= UNDER_WAY
