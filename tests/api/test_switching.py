"""A knowledge base changes its embedding model while it is searched, written to, and while things go wrong."""

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import httpx
import pytest

from api.generations import (
    LONG,
    OWLS,
    SHIPS,
    Gate,
    add_embedder,
    begin,
    book,
    check,
    ended,
    generations,
    states,
    switch,
)
from api.test_operations import kinds_of, watching
from embedding_server import EmbeddingServer, Reply, serving
from harness import DEADLINE, Server, Workspace, data_of, failure_of, wait_for
from pinakes.domain.analysis import TERM_SPACE
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.services.generations import remove_leftovers, renew_outdated
from pinakes.services.resources import Resources
from pinakes.store.database import Database
from pinakes.store.jobs import make_queue
from stored import Stored, look_into

# Three calls at a time of 32 passages each.
UNDER_WAY = 3 * 32


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint whose vectors are much shorter than the built-in model's."""
    with serving(dims=8) as endpoint:
        yield endpoint


def test_searches_are_answered_throughout_and_never_from_two_spaces_at_once(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    for name, text in (("owls.txt", OWLS), ("ships.txt", SHIPS), ("mice.txt", "Mice eat grain at night.")):
        workspace.add(kb, name, text)

    def ask(client: httpx.Client) -> dict[str, float]:
        answer = client.post("/api/search", json={"query": "owls at night", "knowledgeBaseIds": [kb]})
        data = data_of(answer)
        assert data["warnings"] == []
        return {hit["documentName"]: hit["metadata"]["dense"] for hit in data["results"]}

    spaces = [ask(workspace.client)]
    switch(workspace, kb, "Mine")
    spaces.append(ask(workspace.client))
    assert len(spaces[0]) == len(spaces[1]) == 3
    assert not set(spaces[0].values()) & set(spaces[1].values())
    seen: list[dict[str, float]] = []
    problems: list[BaseException] = []
    done = threading.Event()

    def keep_asking() -> None:
        with httpx.Client(base_url=workspace.client.base_url, headers=workspace.client.headers, timeout=30) as client:
            try:
                while not done.is_set():
                    seen.append(ask(client))
                    # The worker steps back for whoever searches.
                    time.sleep(0.02)
            except BaseException as problem:  # noqa: BLE001 - it is looked at below
                problems.append(problem)

    threads = [threading.Thread(target=keep_asking) for _ in range(2)]
    for thread in threads:
        thread.start()
    for embedder in ("builtin", "Mine", "builtin"):
        switch(workspace, kb, embedder)
    done.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert {seen.index(answer) for answer in spaces} <= set(range(len(seen)))
    assert [answer for answer in seen if answer not in spaces] == []


def test_uploads_replacements_and_deletions_during_a_switch_are_in_what_answers_afterwards(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10, K12
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="none")
    documents = {name: workspace.add(kb, name, f"{name}: {OWLS}")["id"] for name in ("a.txt", "b.txt", "c.txt")}
    workspace.add(kb, "long.txt", LONG)
    endpoint.fault = gate = Gate()
    operation = data_of(begin(workspace, kb, "Mine"))
    assert gate.reached.wait(DEADLINE)
    data_of(workspace.client.delete(f"/api/documents/{documents['a.txt']}"))
    assert workspace.add(kb, "b.txt", f"New in b: {SHIPS}", replace="true")["status"] == "indexed"
    assert workspace.add(kb, "d.txt", f"New in d: {SHIPS}")["status"] == "indexed"
    assert states(workspace, kb) == {"Mine": "building", "none": "active"}
    assert "d.txt" in {hit["documentName"] for hit in workspace.search("barge salt New in d", knowledgeBaseIds=[kb])}
    gate.open.set()
    assert ended(workspace, operation)["status"] == "completed"
    assert check(stored, kb) > 3
    names = {hit["documentName"] for hit in workspace.search("owls barge New in", knowledgeBaseIds=[kb], topK=20)}
    assert {"b.txt", "c.txt", "d.txt"} <= names
    assert "a.txt" not in names
    data_of(workspace.client.delete(f"/api/documents/{documents['c.txt']}"))
    check(stored, kb)


def test_a_document_on_its_way_during_a_switch_ends_in_the_new_generation(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K3, K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="Mine")
    workspace.add(kb, "owls.txt", OWLS)
    endpoint.fault = gate = Gate()
    upload = data_of(workspace.upload(kb, "ships.txt", SHIPS))
    assert gate.reached.wait(DEADLINE)
    switch(workspace, kb, "builtin")
    gate.open.set()
    assert workspace.settle(upload["document"]["id"])["status"] == "indexed"
    assert check(stored, kb) == 2
    operation = data_of(workspace.client.get(f"/api/operations/{upload['operationId']}"))
    assert operation["attempts"] == 1
    kept = next(g for g in generations(workspace, kb) if g["state"] == "kept")
    assert kept["chunkCount"] == 1


def test_a_switch_is_watched_live_and_cancelled_without_a_trace(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="none")
    workspace.add(kb, "long.txt", LONG)
    before = workspace.search("barge 7", knowledgeBaseIds=[kb])
    endpoint.fault = gate = Gate()
    with watching(workspace) as events:
        operation = data_of(begin(workspace, kb, "Mine"))
        wait_for(lambda: "progress" in kinds_of(events, operation["id"]), "no event tells of progress")
        assert gate.reached.wait(DEADLINE)
        running = data_of(workspace.client.get(f"/api/operations/{operation['id']}"))
        assert running["status"] == "running"
        stopped = data_of(workspace.client.post(f"/api/operations/{operation['id']}/cancel"))
        assert stopped["status"] == "terminated"
        wait_for(lambda: "failed" in kinds_of(events, operation["id"]), "no event tells of the end")
        gate.open.set()
    assert {data["documentId"] for _, data in events} == {None}
    failure_of(workspace.client.post(f"/api/operations/{operation['id']}/cancel"), 409, "OPERATION_OVER")
    assert states(workspace, kb) == {"none": "active"}
    assert workspace.search("barge 7", knowledgeBaseIds=[kb]) == before
    check(stored, kb)
    assert stored.rows("SELECT count(*) FROM kb_index WHERE kb_id = %s", kb) == [(1,)]


def test_a_cancelled_way_back_leaves_what_was_kept(workspace: Workspace, endpoint: EmbeddingServer) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="Mine")
    workspace.add(kb, "owls.txt", OWLS)
    switch(workspace, kb, "none")
    workspace.add(kb, "ships.txt", SHIPS)
    endpoint.fault = gate = Gate()
    operation = data_of(begin(workspace, kb, "Mine"))
    assert gate.reached.wait(DEADLINE)
    data_of(workspace.client.post(f"/api/operations/{operation['id']}/cancel"))
    gate.open.set()
    assert states(workspace, kb) == {"none": "active", "Mine": "kept"}


def test_a_switch_waits_for_an_embedder_that_is_away(workspace: Workspace, endpoint: EmbeddingServer) -> None:
    # K3, K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    workspace.add(kb, "owls.txt", OWLS)
    endpoint.stop()
    operation = data_of(begin(workspace, kb, "Mine"))

    def waits() -> bool:
        now = data_of(workspace.client.get(f"/api/operations/{operation['id']}"))
        return now["status"] == "pending" and "does not answer" in (now["error"] or "")

    wait_for(waits, "the switch does not say what it waits for")
    assert workspace.search("owls", knowledgeBaseIds=[kb])[0]["metadata"]["dense"] > 0.2
    endpoint.start()
    done = ended(workspace, operation)
    assert (done["status"], done["attempts"], done["error"]) == ("completed", 1, None)


def test_a_failed_switch_says_why_is_taken_up_again_and_swept_in_the_end(
    workspace: Workspace, endpoint: EmbeddingServer, stored: Stored
) -> None:
    # K10, E4
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="none")
    workspace.add(kb, "long.txt", LONG)
    workspace.add(kb, "owls.txt", OWLS)
    endpoint.longest = 500
    failed = ended(workspace, data_of(begin(workspace, kb, "Mine")))
    assert failed["status"] == "failed"
    assert "refused a passage" in failed["error"]
    assert states(workspace, kb) == {"Mine": "unfinished", "none": "active"}
    assert workspace.search("owls", knowledgeBaseIds=[kb])
    endpoint.longest = 1_000_000
    switch(workspace, kb, "Mine")
    assert len(endpoint.texts) == len(set(endpoint.texts))
    check(stored, kb)


async def test_a_sweep_removes_half_built_generations_that_nobody_works_on(
    workspace: Workspace, endpoint: EmbeddingServer, database_urls: EngineUrls
) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb()
    workspace.add(kb, "owls.txt", OWLS)
    endpoint.fault = lambda _: Reply(400, {"error": {"message": "no"}})
    ended(workspace, data_of(begin(workspace, kb, "Mine")))
    database = Database(database_urls.app_url, size=2)
    await database.open()
    try:
        resources = cast("Resources", SimpleNamespace(database=database))
        await remove_leftovers(resources, workspace.id, timedelta(hours=1))
        assert states(workspace, kb) == {"Mine": "unfinished", "builtin": "active"}
        await remove_leftovers(resources, workspace.id, timedelta(0))
    finally:
        await database.close()
    assert states(workspace, kb) == {"builtin": "active"}


async def test_what_an_older_analyser_read_is_analysed_anew_with_the_vectors_it_has(
    workspace: Workspace, endpoint: EmbeddingServer, database_urls: EngineUrls, stored: Stored
) -> None:
    # K6, K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="Mine")
    workspace.add(kb, "owls.txt", OWLS)
    right = workspace.search("owls", knowledgeBaseIds=[kb])
    old = generations(workspace, kb)[0]["id"]
    stored.rows("UPDATE kb_index SET analyser_version = 0 WHERE index_id = %s RETURNING 1", old)
    spoilt = f"'{{1:1}}/{TERM_SPACE}'"
    stored.rows(f"UPDATE chunk_posting SET weights = {spoilt} WHERE index_id = %s RETURNING 1", old)
    assert workspace.search("owls", knowledgeBaseIds=[kb]) != right
    database = Database(database_urls.app_url, size=2)
    await database.open()
    try:
        async with make_queue(database).open_async() as queue:
            resources = cast("Resources", SimpleNamespace(database=database, queue=queue))
            await renew_outdated(resources, workspace.id)
            await renew_outdated(resources, workspace.id)
            found = data_of(workspace.client.get("/api/operations"))["items"]
            (operation,) = [operation for operation in found if operation["kind"] == "switch"]
            assert ended(workspace, operation)["status"] == "completed"
            await remove_leftovers(resources, workspace.id, timedelta(hours=1))
    finally:
        await database.close()
    (new,) = generations(workspace, kb)
    assert (new["embedder"], new["state"]) == ("Mine", "active")
    assert new["id"] != old
    assert endpoint.texts.count(OWLS) == 1
    assert workspace.search("owls", knowledgeBaseIds=[kb]) == right
    check(stored, kb)


def test_a_server_killed_in_the_midst_of_a_switch_goes_on_and_pays_again_only_for_what_was_under_way(
    home: Path,
) -> None:
    # K3, K10
    environment = {"PINAKES_OUTBOUND_HOSTS": "127.0.0.1", "PINAKES_HEARTBEAT_SECONDS": "0.3"}
    server = Server(home, environment=environment)
    with serving(dims=8) as endpoint:
        server.start()
        try:
            workspace = server.new_workspace()
            add_embedder(workspace, endpoint)
            kb = workspace.make_kb(embedder="none")
            chunks = workspace.add(kb, "book.txt", book(250))["chunkCount"]
            assert chunks > 2 * UNDER_WAY
            endpoint.texts.clear()
            endpoint.fault = lambda _: time.sleep(0.4)
            operation = data_of(begin(workspace, kb, "Mine"))
            wait_for(lambda: len(endpoint.texts) > UNDER_WAY, "nothing is embedded")
            # From here on no call is answered: the worker may outlive its server for a moment.
            endpoint.fault = gate = Gate()
            server.stop(signal.SIGKILL)
            seen = len(endpoint.texts)
            server.start()
            workspace.client.base_url = server.url
            assert states(workspace, kb) == {"Mine": "building", "none": "active"}
            assert workspace.search("barge 7", knowledgeBaseIds=[kb])[0]["metadata"]["dense"] is None
            gate.open.set()
            assert ended(workspace, operation)["status"] == "completed"
            assert workspace.search("barge 7", knowledgeBaseIds=[kb])[0]["metadata"]["dense"] is not None
            with look_into(server) as stored:
                assert check(stored, kb) == chunks
        finally:
            server.stop()
    assert seen < chunks
    assert sum(count - 1 for text, count in Counter(endpoint.texts).items() if "Barge" in text) <= UNDER_WAY
