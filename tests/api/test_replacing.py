"""Replacing a document: the old version answers until the new one does, and never both."""

import subprocess
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

from harness import DEADLINE, Server, Workspace, data_of, failure_of, remove_home
from parsers.pdf_files import make_pdf
from stored import Stored, look_into

OLD = "The bridge opens at nine.\n"
NEW = "The bridge opens at ten.\n"
DAMAGED = b"%PDF-1.7\nand then nothing that a reader could use"


@pytest.mark.parametrize("content", [OLD, NEW], ids=["same bytes", "other bytes"])
def test_a_name_that_is_taken_is_refused_without_replace(workspace: Workspace, stored: Stored, content: str) -> None:
    # K4
    kb = workspace.make_kb()
    document = workspace.add(kb, "bridge.txt", OLD)
    before = stored.footprint(workspace.id)
    answer = workspace.upload(kb, "bridge.txt", content)
    assert "replace" in failure_of(answer, 409, "DUPLICATE_FILE")
    assert answer.json()["details"] == {"documentId": document["id"]}
    assert stored.footprint(workspace.id) == before
    assert contents(workspace, kb) == {OLD.strip()}
    elsewhere = workspace.upload(workspace.make_kb("Elsewhere"), "bridge.txt", content)
    assert elsewhere.status_code == 202


def test_replacing_with_the_same_bytes_does_nothing_and_says_so(workspace: Workspace, stored: Stored) -> None:
    # K4
    kb = workspace.make_kb()
    document = workspace.add(kb, "bridge.txt", OLD, tags=["a"])
    before = stored.footprint(workspace.id)
    answer = data_of(workspace.upload(kb, "bridge.txt", OLD, replace="true", tags=["b"]))
    assert (answer["unchanged"], answer["operationId"]) == (True, None)
    assert answer["document"] == document
    assert stored.footprint(workspace.id) == before
    assert data_of(workspace.client.get(f"/api/documents/{document['id']}")) == document


def test_a_version_is_listed_for_as_long_as_it_is_held(workspace: Workspace) -> None:
    # K4, K5
    kb = workspace.make_kb()
    document = workspace.add(kb, "bridge.pdf", make_pdf(OLD))
    path = f"/api/documents/{document['id']}/versions"

    def versions() -> list[tuple[int, str, bool]]:
        return [(v["number"], v["status"], v["answers"]) for v in data_of(workspace.client.get(path))]

    assert versions() == [(1, "indexed", True)]
    workspace.add(kb, "bridge.pdf", DAMAGED, replace="true")
    assert versions() == [(2, "failed", False), (1, "indexed", True)]
    workspace.add(kb, "bridge.pdf", make_pdf(NEW), replace="true")
    assert versions() == [(3, "indexed", True)]
    failure_of(workspace.client.get("/api/documents/doc_none/versions"), 404)


def test_a_replacement_keeps_the_document_and_what_was_not_given(workspace: Workspace, stored: Stored) -> None:
    # K4, K12
    kb = workspace.make_kb()
    old = workspace.add(kb, "bridge.txt", OLD, tags=["a"], title="Bridge")
    (old_file,) = stored.files(workspace.id)
    new = workspace.add(kb, "bridge.txt", NEW, replace="true")
    assert (new["id"], new["version"], new["status"]) == (old["id"], 2, "indexed")
    assert (new["title"], new["tags"]) == ("Bridge", old["tags"])
    assert new["createdAt"] == old["createdAt"]
    assert contents(workspace, kb) == {NEW.strip()}
    (new_file,) = stored.files(workspace.id)
    assert new_file != old_file
    assert new_file.read_text() == NEW
    for table in ("document_version", "chunk", "chunk_vector", "chunk_posting", "blob"):
        assert stored.footprint(workspace.id)[table] == 1, table
    third = workspace.add(kb, "bridge.txt", OLD, replace="true", tags=["b"], title="Other")
    assert (third["title"], third["tags"]) == ("Other", [{"tagName": "tag", "tagValue": "b"}])


def test_a_search_during_the_swap_finds_one_version_whole_and_never_nothing(workspace: Workspace) -> None:
    # K4
    kb = workspace.make_kb()

    def edition(name: str) -> str:
        return "\n\n".join(f"The {name} edition, article {n}. " + "Ferries sail every hour. " * 30 for n in range(12))

    workspace.add(kb, "timetable.txt", edition("first"))
    with searching(workspace, kb) as found:
        for name in ("second", "third"):
            document = workspace.add(kb, "timetable.txt", edition(name), replace="true")
            assert document["status"] == "indexed"
    seen: list[str] = []
    for results in found:
        assert results, "a search found nothing"
        editions = {name for name in ("first", "second", "third") for hit in results if f"{name} edition" in hit}
        assert len(editions) == 1, editions
        assert len(results) == 12
        seen += editions - {seen[-1] if seen else ""}
    assert seen[0] == "first"
    assert seen == sorted(set(seen), key=["first", "second", "third"].index)
    assert len(seen) > 1


def test_a_replacement_that_fails_leaves_the_old_version_answering(workspace: Workspace, stored: Stored) -> None:
    # K3, K4, K13
    kb = workspace.make_kb()
    first = workspace.add(kb, "plan.pdf", make_pdf("The plan has two floors."))
    failed = workspace.add(kb, "plan.pdf", DAMAGED, replace="true")
    assert (failed["id"], failed["status"], failed["searchable"]) == (first["id"], "failed", True)
    assert failed["error"]
    assert contents(workspace, kb) == {"The plan has two floors."}
    link = data_of(workspace.client.get(f"/api/documents/{first['id']}/download"))
    assert link["sizeBytes"] == len(httpx.get(link["url"]).content)
    again = data_of(workspace.client.post(f"/api/documents/{first['id']}/retry"))
    assert again["document"]["searchable"] is True
    assert workspace.settle(first["id"])["status"] == "failed"
    assert contents(workspace, kb) == {"The plan has two floors."}
    mended = workspace.add(kb, "plan.pdf", make_pdf("The plan has three floors."), replace="true")
    assert (mended["status"], mended["error"], mended["version"]) == ("indexed", None, 3)
    assert contents(workspace, kb) == {"The plan has three floors."}
    assert stored.footprint(workspace.id)["document_version"] == 1


def test_a_failed_document_may_be_replaced_by_the_same_bytes(workspace: Workspace) -> None:
    # K3, K4
    kb = workspace.make_kb()
    failed = workspace.add(kb, "plan.pdf", DAMAGED)
    answer = data_of(workspace.upload(kb, "plan.pdf", DAMAGED, replace="true"))
    assert (answer["unchanged"], answer["document"]["version"]) == (False, 2)
    assert answer["document"]["id"] == failed["id"]


def test_of_many_uploads_of_one_name_at_once_one_is_accepted(workspace: Workspace, stored: Stored) -> None:
    # K4
    kb = workspace.make_kb()
    answers = upload_at_once(workspace, kb, [f"Opening number {n}." for n in range(6)])
    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409, 409, 409]
    (accepted,) = (data_of(answer)["document"]["id"] for answer in answers if answer.status_code == 202)
    assert workspace.settle(accepted)["status"] == "indexed"
    assert stored.footprint(workspace.id)["document"] == 1


def test_of_many_replacements_at_once_the_last_accepted_one_answers(workspace: Workspace, stored: Stored) -> None:
    # K3, K4
    kb = workspace.make_kb()
    document = workspace.add(kb, "bridge.txt", OLD)
    texts = [f"Opening number {n}." for n in range(10)]
    answers = upload_at_once(workspace, kb, texts, replace="true")
    assert {answer.status_code for answer in answers} == {202}
    accepted = {data_of(answer)["document"]["version"]: text for answer, text in zip(answers, texts, strict=True)}
    assert sorted(accepted) == list(range(2, 12))
    settled = workspace.settle(document["id"])
    assert (settled["status"], settled["version"]) == ("indexed", 11)
    assert contents(workspace, kb) == {accepted[11]}
    assert stored.footprint(workspace.id)["document_version"] == 1


@pytest.fixture(scope="module")
def idle_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without a worker: what is uploaded waits."""
    server = Server(tmp_path_factory.mktemp("idle") / "home", arguments=("--no-sample", "--no-worker")).start()
    yield server
    server.stop()
    remove_home(server.home)


def test_an_upload_waits_for_a_worker_and_a_newer_one_takes_the_place_of_what_waits(idle_server: Server) -> None:
    # K3, K4
    workspace = idle_server.new_workspace()
    kb = workspace.make_kb()
    waiting = data_of(workspace.upload(kb, "bridge.txt", OLD))["document"]
    assert "replace" in failure_of(workspace.upload(kb, "bridge.txt", OLD), 409, "DUPLICATE_FILE")
    assert data_of(workspace.upload(kb, "bridge.txt", OLD, replace="true"))["unchanged"] is True
    newer = data_of(workspace.upload(kb, "bridge.txt", NEW, replace="true"))
    assert (newer["document"]["id"], newer["document"]["version"]) == (waiting["id"], 2)
    document = data_of(workspace.client.get(f"/api/documents/{waiting['id']}"))
    assert (document["status"], document["progress"], document["searchable"]) == ("pending", 0, False)
    operation = data_of(workspace.client.get(f"/api/operations/{newer['operationId']}"))
    assert (operation["status"], operation["progress"], operation["attempts"]) == ("pending", 0, 0)
    assert workspace.search("When does the bridge open?") == []
    with working(idle_server):
        assert workspace.settle(waiting["id"])["status"] == "indexed"
    assert contents(workspace, kb) == {NEW.strip()}
    with look_into(idle_server) as stored:
        live = "SELECT count(*) FROM blob WHERE workspace_id = %s AND state = 'live'"
        assert stored.rows(live, workspace.id) == [(1,)]
        assert stored.footprint(workspace.id)["document_version"] == 1


def test_the_old_version_answers_as_long_as_the_new_one_waits(idle_server: Server) -> None:
    # K4
    workspace = idle_server.new_workspace()
    kb = workspace.make_kb()
    with working(idle_server):
        document = workspace.add(kb, "bridge.txt", OLD)
    data_of(workspace.upload(kb, "bridge.txt", NEW * 2, replace="true"))
    waiting = data_of(workspace.client.get(f"/api/documents/{document['id']}"))
    assert (waiting["status"], waiting["searchable"], waiting["version"]) == ("pending", True, 2)
    assert contents(workspace, kb) == {OLD.strip()}
    link = data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))
    assert httpx.get(link["url"]).text == OLD
    assert link["sizeBytes"] == len(OLD)
    data_of(workspace.upload(kb, "bridge.txt", NEW, replace="true"))
    assert contents(workspace, kb) == {OLD.strip()}
    with working(idle_server):
        settled = workspace.settle(document["id"])
    assert (settled["status"], settled["version"]) == ("indexed", 3)
    assert contents(workspace, kb) == {NEW.strip()}


def upload_at_once(workspace: Workspace, kb: str, texts: list[str], **form: str) -> list[httpx.Response]:
    """All of them as bridge.txt, each from a thread of its own."""

    def upload(text: str) -> httpx.Response:
        return workspace.upload(kb, "bridge.txt", text, **form)

    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(upload, texts))


def contents(workspace: Workspace, kb: str) -> set[str]:
    """Everything a knowledge base answers with."""
    return {hit["content"] for hit in workspace.search("opens plan", knowledgeBaseIds=[kb], topK=20)}


@contextmanager
def searching(workspace: Workspace, kb: str) -> Generator[list[list[str]]]:
    """Search without a pause for as long as the block runs; what each search found."""
    found: list[list[str]] = []
    stop = False

    def hammer() -> None:
        while not stop:
            hits = workspace.search("Ferries sail every hour", knowledgeBaseIds=[kb], topK=20, maxTokens=100_000)
            found.append([hit["content"] for hit in hits])

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(hammer)
        try:
            yield found
        finally:
            stop = True
        running.result(DEADLINE)


@contextmanager
def working(server: Server) -> Generator[None]:
    """A worker of the server's data folder for as long as the block runs."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "pinakes", "worker"],
        env=server.variables(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        worker.terminate()
        worker.wait(DEADLINE)
