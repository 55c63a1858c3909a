"""Background work: asked about, and watched live."""

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from harness import DEADLINE, Server, Workspace, data_of, failure_of, wait_for
from stored import Stored
from tools.agents import switch_on

DAMAGED = b"%PDF-1.7\nand then nothing that a reader could use"
LONG = "\n\n".join(f"Entry {n}. " + f"Barge {n} carried {n * 7} tons of salt. " * 25 for n in range(80))
Event = tuple[str, dict[str, Any]]


@contextmanager
def watching(workspace: Workspace) -> Generator[list[Event]]:
    """The events of a workspace while the block runs, as they come in."""
    events: list[Event] = []
    connected = threading.Event()
    stopping = threading.Event()

    def listen(client: httpx.Client) -> None:
        kind = ""
        try:
            with client.stream("GET", "/api/events") as response:
                assert response.status_code == 200
                assert response.headers["content-type"].startswith("text/event-stream")
                assert response.headers["cache-control"] == "no-store"
                connected.set()
                for line in response.iter_lines():
                    if line.startswith("event: "):
                        kind = line.removeprefix("event: ")
                    elif line.startswith("data: "):
                        events.append((kind, json.loads(line.removeprefix("data: "))))
        except httpx.HTTPError:
            if not stopping.is_set():
                raise

    with httpx.Client(base_url=workspace.client.base_url, headers=workspace.client.headers, timeout=20) as client:
        thread = threading.Thread(target=listen, args=[client], daemon=True)
        thread.start()
        assert connected.wait(DEADLINE)
        try:
            yield events
        finally:
            stopping.set()


def kinds_of(events: list[Event], operation_id: str) -> list[str]:
    return [kind for kind, data in events if data["operationId"] == operation_id]


def test_an_operation_can_be_asked_about_from_its_beginning_to_its_end(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    upload = data_of(workspace.upload(kb, "barges.txt", LONG))
    document = upload["document"]
    path = f"/api/operations/{upload['operationId']}"
    begun = data_of(workspace.client.get(path))
    assert begun["status"] in {"pending", "running"}
    assert (begun["kind"], begun["documentId"], begun["documentName"]) == ("index", document["id"], "barges.txt")
    assert begun["knowledgeBaseId"] == kb
    assert begun["finishedAt"] is None
    seen: list[int] = []

    def finished() -> dict[str, Any] | None:
        now = data_of(workspace.client.get(path))
        seen.append(now["progress"])
        return now if now["finishedAt"] else None

    done = wait_for(finished, "the operation does not end")
    assert (done["status"], done["progress"], done["error"], done["attempts"]) == ("completed", 100, None, 1)
    assert done["createdAt"] <= done["startedAt"] <= done["finishedAt"]
    assert seen == sorted(seen)
    assert any(0 < progress < 100 for progress in seen)


def test_operations_are_listed_newest_first_and_by_status(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    for n in range(3):
        workspace.add(kb, f"{n}.txt", f"Barge number {n}.")
    failed = workspace.add(kb, "bad.pdf", DAMAGED)

    def names(**query: Any) -> tuple[list[str], int]:
        page = data_of(workspace.client.get("/api/operations", params=query))
        return [operation["documentName"] for operation in page["items"]], page["total"]

    assert names() == (["bad.pdf", "2.txt", "1.txt", "0.txt"], 4)
    assert names(limit=2, offset=1) == (["2.txt", "1.txt"], 4)
    assert names(status="completed") == (["2.txt", "1.txt", "0.txt"], 3)
    assert names(status="failed") == (["bad.pdf"], 1)
    assert names(status="running") == ([], 0)
    assert names(status=["failed", "completed"], limit=2) == (["bad.pdf", "2.txt"], 4)
    failure_of(workspace.client.get("/api/operations", params={"status": "lost"}), 422)
    operation = data_of(workspace.client.get(f"/api/operations/{failed['operationId']}"))
    assert (operation["status"], operation["error"]) == ("failed", failed["error"])


def test_an_unknown_operation_is_not_found(workspace: Workspace) -> None:
    # E4
    words = failure_of(workspace.client.get("/api/operations/op_nothere"), 404, "NOT_FOUND")
    assert "op_nothere" in words


def test_the_events_of_an_upload_are_progress_and_then_done(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    with watching(workspace) as events:
        upload = data_of(workspace.upload(kb, "barges.txt", LONG))
        operation_id = upload["operationId"]
        wait_for(lambda: "done" in kinds_of(events, operation_id), "no event says done")
    progress = [data["progress"] for _, data in events]
    assert kinds_of(events, operation_id) == ["progress"] * (len(events) - 1) + ["done"]
    assert progress == sorted(progress)
    assert any(10 < per_cent < 100 for per_cent in progress)
    assert progress[-1] == 100
    for _, data in events:
        assert (data["documentId"], data["knowledgeBaseId"]) == (upload["document"]["id"], kb)
    # What is announced is true already.
    assert data_of(workspace.client.get(f"/api/operations/{operation_id}"))["status"] == "completed"


def test_a_bad_file_is_announced_as_failed(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    with watching(workspace) as events:
        operation_id = data_of(workspace.upload(kb, "bad.pdf", DAMAGED))["operationId"]
        wait_for(lambda: "failed" in kinds_of(events, operation_id), "no event says failed")
    assert kinds_of(events, operation_id)[-1] == "failed"
    assert "done" not in kinds_of(events, operation_id)


def test_nobody_sees_another_workspaces_events(server: Server, workspace: Workspace) -> None:
    # F3, E7
    other = server.new_workspace()
    with watching(workspace) as events, watching(other) as theirs:
        foreign = other.add(other.make_kb(), "theirs.txt", LONG)
        own = workspace.add(workspace.make_kb(), "ours.txt", "Barges.")
        wait_for(lambda: "done" in kinds_of(events, own["operationId"]), "no event says done")
        switch_on(server, other, "search", is_on=False)
        wait_for(lambda: theirs[-1:] == [("switched", {})], "no event says that a tool was switched")
    assert {data["documentId"] for _, data in events} == {own["id"]}
    assert {data["documentId"] for kind, data in theirs if kind != "switched"} == {foreign["id"]}


def test_a_new_watcher_is_first_shown_what_is_running(workspace: Workspace, stored: Stored) -> None:
    # K3
    upload = data_of(workspace.upload(workspace.make_kb(), "barges.txt", LONG))
    operation_id = upload["operationId"]
    with stored.connection.transaction():
        # The worker needs this row for its last step.
        query = "SELECT 1 FROM document WHERE document_id = %s FOR UPDATE"
        assert stored.rows(query, upload["document"]["id"])

        waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        wait_for(lambda: bool(stored.rows(waiting)), "the worker does not come to its last step")
        operation = data_of(workspace.client.get(f"/api/operations/{operation_id}"))
        assert operation["status"] == "running"
        with watching(workspace) as events:
            wait_for(lambda: bool(events), "no event about what is running")
            (first,) = events
            assert (first[0], first[1]["operationId"]) == ("progress", operation_id)
            assert first[1]["progress"] == operation["progress"]
    assert workspace.settle(upload["document"]["id"])["status"] == "indexed"


@pytest.mark.parametrize("path", ["/api/events", "/api/operations"])
def test_watching_needs_a_credential_that_may_read(server: Server, workspace: Workspace, path: str) -> None:
    # F2
    failure_of(httpx.get(server.url + path), 401, "UNAUTHENTICATED")
    made = workspace.client.post("/api/keys", json={"name": "writer", "scopes": ["write"]})
    headers = {"Authorization": f"Bearer {data_of(made)['key']}"}
    failure_of(httpx.get(server.url + path, headers=headers), 403, "FORBIDDEN")
