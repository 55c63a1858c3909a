"""A knowledge base changes its embedding model, and changes it back."""

from collections.abc import Iterator

import pytest

from api.generations import LONG, OWLS, SHIPS, Gate, add_embedder, begin, check, ended, generations, states, switch
from embedding_server import EmbeddingServer, serving
from harness import DEADLINE, Workspace, data_of, failure_of
from stored import Stored


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint whose vectors are much shorter than the built-in model's."""
    with serving(dims=8) as endpoint:
        yield endpoint


def test_a_switch_embeds_everything_once_and_the_way_back_only_what_was_added(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    workspace.add(kb, "owls.txt", OWLS)
    before = workspace.search("owls at night", knowledgeBaseIds=[kb])[0]
    operation = switch(workspace, kb, "Mine")
    assert (operation["kind"], operation["progress"], operation["documentId"]) == ("switch", 100, None)
    assert (operation["knowledgeBaseId"], operation["knowledgeBaseName"]) == (kb, "Papers")
    assert operation in data_of(workspace.client.get("/api/operations"))["items"]
    assert endpoint.texts == [OWLS]
    after = workspace.search("owls at night", knowledgeBaseIds=[kb])[0]
    assert after["chunkId"] == before["chunkId"]
    assert after["metadata"]["dense"] != before["metadata"]["dense"]
    assert after["metadata"]["lexical"] == before["metadata"]["lexical"]
    assert states(workspace, kb) == {"Mine": "active", "builtin": "kept"}
    assert data_of(workspace.client.get(f"/api/knowledge-bases/{kb}"))["embedder"] == "Mine"
    workspace.add(kb, "ships.txt", SHIPS)
    assert check(stored, kb) == 2
    assert [generation["chunkCount"] for generation in generations(workspace, kb)] == [2, 1]
    switch(workspace, kb, "builtin")
    assert states(workspace, kb) == {"Mine": "kept", "builtin": "active"}
    assert check(stored, kb) == 2
    again = workspace.search("owls at night", knowledgeBaseIds=[kb])[0]
    assert again["metadata"]["dense"] == before["metadata"]["dense"]
    workspace.add(kb, "mice.txt", "Mice eat grain.")
    switch(workspace, kb, "Mine")
    assert endpoint.texts.count(OWLS) == 1 + 0
    assert [text for text in endpoint.texts if "grain" in text or "barge" in text] == [SHIPS, "Mice eat grain."]
    assert check(stored, kb) == 3


def test_a_knowledge_base_with_keywords_only_gets_meaning_and_can_lose_it_again(
    workspace: Workspace, stored: Stored
) -> None:
    # K9, K10
    kb = workspace.make_kb(embedder="none")
    workspace.add(kb, "owls.txt", OWLS)
    assert workspace.search("owls")[0]["metadata"]["dense"] is None
    switch(workspace, kb, "builtin")
    assert workspace.search("owls")[0]["metadata"]["dense"] > 0.2
    assert check(stored, kb) == 1
    switch(workspace, kb, "none")
    assert workspace.search("owls")[0]["metadata"]["dense"] is None
    assert check(stored, kb) == 1


def test_an_empty_knowledge_base_is_switched_and_filled_afterwards(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    switch(workspace, kb, "mine")
    workspace.add(kb, "owls.txt", OWLS)
    assert check(stored, kb) == 1
    assert endpoint.texts == [OWLS]


def test_only_one_switch_at_a_time_and_only_to_another_embedder(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K10, E4
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    document = workspace.add(kb, "owls.txt", OWLS)
    failure_of(begin(workspace, kb, "builtin"), 409, "ALREADY_ACTIVE")
    failure_of(begin(workspace, kb, "No such"), 404, "NOT_FOUND")
    failure_of(begin(workspace, "no-such", "Mine"), 404, "NOT_FOUND")
    endpoint.fault = gate = Gate()
    operation = data_of(begin(workspace, kb, "Mine"))
    words = failure_of(begin(workspace, kb, "none"), 409, "SWITCH_RUNNING")
    assert "cancel-switch" in words
    building = next(g for g in generations(workspace, kb) if g["state"] == "building")
    assert building["operationId"] == operation["id"]
    path = f"/api/knowledge-bases/{kb}/generations"
    failure_of(workspace.client.delete(f"{path}/{building['id']}"), 409, "SWITCH_RUNNING")
    failure_of(workspace.client.delete(f"{path}/idx_nothere"), 404, "NOT_FOUND")
    failure_of(workspace.client.post(f"/api/operations/{document['operationId']}/cancel"), 409, "OPERATION_OVER")
    gate.open.set()
    ended(workspace, operation)


def test_a_generation_is_kept_until_it_is_dropped_and_its_embedder_with_it(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10, F4
    embedder_id = add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="Mine")
    workspace.add(kb, "owls.txt", OWLS)
    switch(workspace, kb, "builtin")
    words = failure_of(workspace.client.delete(f"/api/embedders/{embedder_id}"), 409, "EMBEDDER_IN_USE")
    assert "'Papers'" in words
    assert "pinakes kb generations" in words
    ids = {generation["state"]: generation["id"] for generation in generations(workspace, kb)}
    path = f"/api/knowledge-bases/{kb}/generations"
    failure_of(workspace.client.delete(f"{path}/{ids['active']}"), 409, "GENERATION_ACTIVE")
    data_of(workspace.client.delete(f"{path}/{ids['kept']}"))
    assert states(workspace, kb) == {"builtin": "active"}
    for table in ("kb_index", "chunk_vector", "chunk_posting", "term_delta"):
        assert stored.rows(f"SELECT count(*) FROM {table} WHERE index_id = %s", ids["kept"]) == [(0,)], table
    data_of(workspace.client.delete(f"/api/embedders/{embedder_id}"))
    assert check(stored, kb) == 1
    assert workspace.search("owls", knowledgeBaseIds=[kb])


def test_a_change_of_the_embedder_says_how_to_switch(workspace: Workspace) -> None:
    # K10, E4
    kb = workspace.make_kb()
    path = f"/api/knowledge-bases/{kb}"
    words = failure_of(workspace.client.patch(path, json={"embedder": "none"}), 422, "SWITCH_REQUIRED")
    assert "pinakes kb switch papers --embedder 'none'" in words
    assert data_of(workspace.client.patch(path, json={"embedder": "builtin", "name": "Essays"}))["name"] == "Essays"


def test_passages_longer_than_the_new_model_takes_are_cut_for_it_alone(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10
    with serving() as roomy:
        add_embedder(workspace, roomy, "Roomy", maxTokens=2000)
        add_embedder(workspace, endpoint, "Narrow", maxTokens=64)
        kb = workspace.make_kb(embedder="Roomy")
        document = workspace.add(kb, "long.txt", LONG)
        longest = max(map(len, roomy.texts))
        assert longest > 4000
        passages = data_of(workspace.client.get(f"/api/documents/{document['id']}/chunks"))["items"]
        switch(workspace, kb, "Narrow")
    assert max(map(len, endpoint.texts)) < 400
    assert data_of(workspace.client.get(f"/api/documents/{document['id']}/chunks"))["items"] == passages
    check(stored, kb)


def test_nothing_is_left_of_a_knowledge_base_that_is_deleted_during_a_switch(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K12
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    workspace.add(kb, "owls.txt", OWLS)
    endpoint.fault = gate = Gate()
    operation = data_of(begin(workspace, kb, "Mine"))
    assert gate.reached.wait(DEADLINE)
    data_of(workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "true"}))
    gate.open.set()
    failure_of(workspace.client.get(f"/api/operations/{operation['id']}"), 404)
    for table in ("kb_index", "operation"):
        assert stored.rows(f"SELECT count(*) FROM {table} WHERE kb_id = %s", kb) == [(0,)], table
