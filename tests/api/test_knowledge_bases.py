"""Knowledge bases: made, found, renamed, limited and deleted."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from harness import Server, Workspace, data_of, failure_of
from stored import Stored


def make(workspace: Workspace, **fields: Any) -> dict[str, Any]:
    return data_of(workspace.client.post("/api/knowledge-bases", json=fields))


def test_every_workspace_begins_with_notes_and_memory_which_cannot_be_deleted(workspace: Workspace) -> None:
    # K12
    page = data_of(workspace.client.get("/api/knowledge-bases"))
    assert [(kb["slug"], kb["builtIn"]) for kb in page["items"]] == [("knowledge", True), ("memory", True)]
    for slug in ("knowledge", "memory"):
        answer = workspace.client.delete(f"/api/knowledge-bases/{slug}", params={"confirm": "true"})
        assert "cannot be deleted" in failure_of(answer, 409, "CONFLICT")
    assert data_of(workspace.client.get("/api/knowledge-bases")) == page


def test_a_knowledge_base_is_made_with_what_is_given(workspace: Workspace) -> None:
    answer = workspace.client.post(
        "/api/knowledge-bases", json={"name": "  Ship \n logs ", "description": " Of all ships. ", "lifecycleDays": 30}
    )
    assert answer.status_code == 201
    kb = data_of(answer)
    assert (kb["name"], kb["slug"], kb["description"]) == ("Ship logs", "ship-logs", "Of all ships.")
    assert (kb["lifecycleDays"], kb["builtIn"]) == (30, False)
    assert set(kb["stats"].values()) == {0}
    assert kb["switching"] is False
    assert kb["embedder"] != "none"
    for reference in (kb["id"], kb["slug"], "SHIP LOGS"):
        assert data_of(workspace.client.get(f"/api/knowledge-bases/{reference}")) == kb


def test_a_knowledge_base_says_how_much_it_holds(workspace: Workspace) -> None:
    # A2
    kb = workspace.make_kb()
    files = {"a.md": b"# A\n\nOne.\n\n# B\n\nTwo.\n", "b.txt": b"Three.", "bad.pdf": b"%PDF-1.7 broken"}
    for name, content in files.items():
        workspace.add(kb, name, content)
    stats = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}"))["stats"]
    held = {"documentCount": 3, "chunkCount": 3, "sizeBytes": sum(map(len, files.values()))}
    assert stats == held | {"unfinishedCount": 0, "failedCount": 1}


@pytest.mark.parametrize("name", ["Papers", "papers", " PAPERS "])
def test_a_name_is_given_once_whatever_its_case(workspace: Workspace, stored: Stored, name: str) -> None:
    make(workspace, name="Papers")
    other = make(workspace, name="Other")
    before = stored.footprint(workspace.id)
    words = failure_of(workspace.client.post("/api/knowledge-bases", json={"name": name}), 409, "NAME_EXISTS")
    assert "Choose another name" in words
    renamed = workspace.client.patch(f"/api/knowledge-bases/{other['id']}", json={"name": name})
    failure_of(renamed, 409, "NAME_EXISTS")
    assert stored.footprint(workspace.id) == before
    assert data_of(workspace.client.get(f"/api/knowledge-bases/{other['id']}"))["name"] == "Other"


def test_slugs_are_made_from_names_and_never_clash(workspace: Workspace) -> None:
    names = ["C++ & C#", "C, C", "Straße 7", "図書館", "!!!", "???", "Knowledge!", "x" * 200]
    slugs = [make(workspace, name=name)["slug"] for name in names]
    assert slugs == ["c-c", "c-c-2", "strasse-7", "図書館", "kb", "kb-2", "knowledge-2", "x" * 64]
    assert data_of(workspace.client.get("/api/knowledge-bases/図書館"))["name"] == "図書館"


def test_a_rename_keeps_the_slug_and_a_change_touches_only_what_is_given(workspace: Workspace) -> None:
    kb = make(workspace, name="Papers", description="Old.", lifecycleDays=5)
    path = f"/api/knowledge-bases/{kb['id']}"
    renamed = data_of(workspace.client.patch(path, json={"name": "Articles"}))
    assert (renamed["name"], renamed["slug"], renamed["description"]) == ("Articles", "papers", "Old.")
    assert data_of(workspace.client.get("/api/knowledge-bases/papers"))["id"] == kb["id"]
    failure_of(workspace.client.get("/api/knowledge-bases/No such"), 404)
    changed = data_of(workspace.client.patch(path, json={"description": "", "lifecycleDays": 0}))
    assert (changed["name"], changed["description"], changed["lifecycleDays"]) == ("Articles", "", 0)
    # In another case it is still its own name.
    assert data_of(workspace.client.patch(path, json={"name": "ARTICLES"}))["name"] == "ARTICLES"
    workspace.add(kb["id"], "a.txt", "The zebra crossed here.")
    assert workspace.search("zebra")[0]["knowledgeBaseName"] == "ARTICLES"


def test_knowledge_bases_are_listed_by_name_in_pages(workspace: Workspace) -> None:
    for name in ("beta", "Alpha", "gamma"):
        make(workspace, name=name)

    def names(**query: int) -> tuple[list[str], int]:
        page = data_of(workspace.client.get("/api/knowledge-bases", params=query))
        return [kb["name"] for kb in page["items"]], page["total"]

    assert names() == (["Alpha", "beta", "gamma", "Knowledge", "Memory"], 5)
    assert names(limit=2, offset=1) == (["beta", "gamma"], 5)


def test_deleting_needs_confirm_and_says_what_it_freed(workspace: Workspace, stored: Stored) -> None:
    # K12
    before = stored.footprint(workspace.id)
    kept = workspace.make_kb("Kept")
    workspace.add(kept, "kept.txt", "The zebra stays.")
    kb = workspace.make_kb("Doomed")
    documents = [
        workspace.add(kb, "a.md", "# A\n\nZebra one.\n\n# B\n\nZebra two.\n"),
        workspace.add(kb, "b.txt", "The zebra goes."),
    ]
    answer = workspace.client.delete(f"/api/knowledge-bases/{kb}")
    assert "confirm=true" in failure_of(answer, 422, "CONFIRMATION_REQUIRED")
    assert answer.json()["details"] == {"documentCount": 2, "chunkCount": 3}
    failure_of(workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "false"}), 422)
    assert len(workspace.search("zebra")) == 4
    freed = data_of(workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "true"}))
    size = sum(document["sizeBytes"] for document in documents)
    assert freed == {"documents": 2, "chunks": 3, "sizeBytes": size}
    failure_of(workspace.client.get(f"/api/knowledge-bases/{kb}"), 404)
    failure_of(workspace.client.get(f"/api/documents/{documents[0]['id']}"), 404)
    assert [hit["documentName"] for hit in workspace.search("zebra")] == ["kept.txt"]
    assert stored.tables_with(kb) == []
    assert len(stored.files(workspace.id)) == 1
    assert make(workspace, name="Doomed")["slug"] == "doomed"
    data_of(workspace.client.delete(f"/api/knowledge-bases/{kept}", params={"confirm": "true"}))
    data_of(workspace.client.delete("/api/knowledge-bases/doomed", params={"confirm": "true"}))
    after = stored.footprint(workspace.id)
    jobs = {"procrastinate_jobs", "procrastinate_events"}
    assert {table: n for table, n in after.items() if table not in jobs} == {
        table: n for table, n in before.items() if table not in jobs
    }


def test_a_knowledge_base_deleted_while_it_is_filled_leaves_nothing(workspace: Workspace, stored: Stored) -> None:
    # K3, K12
    kb = workspace.make_kb()
    for n in range(6):
        workspace.upload(kb, f"{n}.txt", f"Ledger {n}. " + f"Ship {n} carried salt. " * 200)
    data_of(workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "true"}))
    assert stored.tables_with(kb) == []
    assert stored.files(workspace.id) == []
    # The worker is not upset by what was taken from under it.
    other = workspace.make_kb("Next")
    assert workspace.add(other, "after.txt", "Still at work.")["status"] == "indexed"
    assert stored.tables_with(kb) == []


def test_a_person_may_make_so_many_and_the_built_in_ones_do_not_count(home: Path) -> None:
    # K2
    server = Server(home, environment={"PINAKES_MAX_KNOWLEDGE_BASES": "3"}, arguments=("--no-sample", "--no-worker"))
    server.start()
    try:
        workspace = server.new_workspace()

        def make_one(n: int) -> httpx.Response:
            return workspace.client.post("/api/knowledge-bases", json={"name": f"Number {n}"})

        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(make_one, range(6)))
        assert sorted(answer.status_code for answer in answers) == [201, 201, 201, 422, 422, 422]
        words = failure_of(make_one(7), 422, "LIMIT_EXCEEDED")
        assert "at most 3" in words
        assert data_of(workspace.client.get("/api/knowledge-bases"))["total"] == 5
        made = next(data_of(answer)["id"] for answer in answers if answer.is_success)
        data_of(workspace.client.delete(f"/api/knowledge-bases/{made}", params={"confirm": "true"}))
        assert make_one(8).status_code == 201
        assert server.new_workspace().make_kb("Elsewhere")
    finally:
        server.stop()
