"""Background work that is stopped and tried again, and how much stands where."""

from collections.abc import Iterator
from typing import Any

import pytest

from api.generations import Gate, add_embedder, begin, book, ended
from embedding_server import EmbeddingServer, serving
from harness import DEADLINE, Server, Workspace, data_of, failure_of, wait_for
from parsers.pdf_files import make_pdf

BARGES = book(6)
DAMAGED = b"%PDF-1.7\nand then nothing that a reader could use"
# A page without text may be read once OCR is switched on.
SCANNED = make_pdf("")


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint of the test's own."""
    with serving() as endpoint:
        yield endpoint


def counts(workspace: Workspace, **query: Any) -> dict[str, int]:
    """How many operations stand where, as far as there are any."""
    found: dict[str, int] = data_of(workspace.client.get("/api/operations/counts", params=query))
    assert set(found) == {"pending", "running", "completed", "failed", "terminated"}
    return {status: number for status, number in found.items() if number}


def act(workspace: Workspace, operation_id: str, verb: str) -> dict[str, Any]:
    """What becomes of an operation that is cancelled or retried."""
    return data_of(workspace.client.post(f"/api/operations/{operation_id}/{verb}"))


def test_operations_are_counted_and_listed_by_knowledge_base(server: Server, workspace: Workspace) -> None:
    # K3, K5
    papers, letters = workspace.make_kb("Papers"), workspace.make_kb("Letters")
    workspace.add(papers, "a.txt", "Barges.")
    workspace.add(letters, "b.txt", "Barges.")
    workspace.add(letters, "bad.pdf", DAMAGED)
    assert counts(workspace) == {"completed": 2, "failed": 1}
    assert counts(workspace, knowledgeBaseId="Papers") == {"completed": 1}
    page = data_of(workspace.client.get("/api/operations", params={"knowledgeBaseId": letters}))
    assert ([o["documentName"] for o in page["items"]], page["total"]) == (["bad.pdf", "b.txt"], 2)
    stranger = server.new_workspace()
    assert counts(stranger) == {}
    for path in ("/api/operations", "/api/operations/counts"):
        failure_of(stranger.client.get(path, params={"knowledgeBaseId": letters}), 404, "NOT_FOUND")


def test_a_failure_counts_until_it_is_tried_again(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    failed = workspace.add(kb, "bad.pdf", DAMAGED)
    again = act(workspace, failed["operationId"], "retry")
    assert again["id"] != failed["operationId"]
    assert again["status"] in {"pending", "running"}
    assert (again["documentId"], again["error"]) == (failed["id"], None)
    assert ended(workspace, again)["error"] == failed["error"]
    assert counts(workspace) == {"failed": 1}
    assert data_of(workspace.client.get(f"/api/operations/{failed['operationId']}"))["retried"] is True
    listed = data_of(workspace.client.get("/api/operations", params={"status": "failed", "latest": True}))
    assert [operation["id"] for operation in listed["items"]] == [again["id"]]
    assert data_of(workspace.client.get("/api/operations", params={"status": "failed"}))["total"] == 2


def test_only_what_failed_for_a_reason_that_may_pass_is_retryable(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K3
    add_embedder(workspace, endpoint)
    kb, refusing = workspace.make_kb(embedder="none"), workspace.make_kb("Refusing", embedder="Mine")
    endpoint.longest = 500
    made = {
        "good.txt": workspace.add(kb, "good.txt", "Barges."),
        "damaged.pdf": workspace.add(kb, "damaged.pdf", DAMAGED),
        "scanned.pdf": workspace.add(kb, "scanned.pdf", SCANNED),
        "long.txt": workspace.add(refusing, "long.txt", BARGES),
    }
    may = {"good.txt": False, "damaged.pdf": False, "scanned.pdf": True, "long.txt": True}
    assert {name: document["retryable"] for name, document in made.items()} == may

    def listed(**query: Any) -> dict[str, bool]:
        page = data_of(workspace.client.get("/api/operations", params=query))
        assert page["total"] == len(page["items"])
        return {operation["documentName"]: operation["retryable"] for operation in page["items"]}

    assert listed() == may
    assert listed(retryable=True) == {"scanned.pdf": True, "long.txt": True}
    # What is tried again is not to be tried a second time.
    endpoint.longest = 1_000_000
    act(workspace, made["long.txt"]["operationId"], "retry")
    wait_for(lambda: counts(workspace).get("completed") == 2, "it is not indexed after all")
    assert listed(retryable=True) == {"scanned.pdf": True}
    assert data_of(workspace.client.get(f"/api/documents/{made['long.txt']['id']}"))["retryable"] is False


def test_all_that_failed_is_tried_again_at_once(server: Server, workspace: Workspace) -> None:
    # K3
    kb, other = workspace.make_kb("One"), workspace.make_kb("Two")
    for n in range(3):
        workspace.add(kb, f"{n}.pdf", SCANNED)
    workspace.add(other, "other.pdf", SCANNED)
    # This one would fail again, whatever is done.
    workspace.add(kb, "bad.pdf", DAMAGED)
    workspace.add(kb, "good.txt", "Barges.")

    def retry(body: dict[str, Any]) -> dict[str, int]:
        answer = data_of(workspace.client.post("/api/operations/retry", json=body))
        wait_for(lambda: not {"pending", "running"} & set(counts(workspace)), "the work does not end")
        return answer

    assert retry({"knowledgeBaseId": kb}) == {"retried": 3, "left": 0}
    assert retry({}) == {"retried": 4, "left": 0}
    assert counts(workspace) == {"completed": 1, "failed": 5}
    stranger = server.new_workspace()
    assert data_of(stranger.client.post("/api/operations/retry", json={})) == {"retried": 0, "left": 0}


def test_indexing_is_cancelled_and_taken_up_again(workspace: Workspace, endpoint: EmbeddingServer) -> None:
    # K3
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="Mine")
    endpoint.fault = gate = Gate()
    upload = data_of(workspace.upload(kb, "barges.txt", BARGES))
    assert gate.reached.wait(DEADLINE)
    operation_id = upload["operationId"]
    stopped = act(workspace, operation_id, "cancel")
    assert (stopped["status"], stopped["error"], stopped["retryable"]) == ("terminated", None, True)
    failure_of(workspace.client.post(f"/api/operations/{operation_id}/cancel"), 409, "OPERATION_OVER")
    document = data_of(workspace.client.get(f"/api/documents/{upload['document']['id']}"))
    assert document["status"] == "failed"
    assert "cancelled" in document["error"]
    gate.open.set()
    # Nothing the worker still had in hand counts.
    assert counts(workspace) == {"terminated": 1}
    again = act(workspace, operation_id, "retry")
    assert ended(workspace, again)["status"] == "completed"
    assert data_of(workspace.client.get(f"/api/operations/{operation_id}"))["status"] == "terminated"
    assert workspace.search("barge")[0]["documentName"] == "barges.txt"
    words = failure_of(workspace.client.post(f"/api/operations/{again['id']}/retry"), 409, "CONFLICT")
    assert "completed" in words


def test_a_switch_that_failed_is_tried_again_to_the_same_embedder(
    workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K10
    add_embedder(workspace, endpoint)
    kb = workspace.make_kb(embedder="none")
    workspace.add(kb, "long.txt", BARGES)
    endpoint.longest = 500
    failed = ended(workspace, data_of(begin(workspace, kb, "Mine")))
    assert (failed["kind"], failed["embedder"], failed["documentName"]) == ("switch", "Mine", None)
    endpoint.longest = 1_000_000
    again = act(workspace, failed["id"], "retry")
    assert (again["kind"], again["embedder"], again["knowledgeBaseId"]) == ("switch", "Mine", kb)
    assert ended(workspace, again)["status"] == "completed"
    assert "failed" not in counts(workspace)
