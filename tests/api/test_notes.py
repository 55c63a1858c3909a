"""Notes and their templates over REST."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from harness import Workspace, data_of, failure_of
from stored import Stored


def write(workspace: Workspace, content: str, **fields: Any) -> dict[str, Any]:
    """A note that was just written."""
    return data_of(workspace.client.post("/api/notes", json={"content": content, **fields}))["note"]


def titles(workspace: Workspace, **options: Any) -> list[str]:
    """The titles of a list of notes."""
    return [note["title"] for note in data_of(workspace.client.get("/api/notes", params=options))["items"]]


def test_a_note_is_written_read_changed_and_deleted(workspace: Workspace) -> None:
    # D1, D2
    made = workspace.client.post("/api/notes", json={"content": "# Oaks\n\nOld trees.", "tags": ["wood", "year=2024"]})
    assert made.status_code == 201
    created = data_of(made)
    note = created["note"]
    assert (note["title"], note["resource"], note["name"]) == ("Oaks", "knowledge", "Oaks.md")
    assert note["tags"] == [{"tagName": "tag", "tagValue": "wood"}, {"tagName": "year", "tagValue": "2024"}]
    assert created["operationId"] == note["operationId"]
    assert workspace.settle(note["id"])["status"] == "indexed"
    path = f"/api/notes/{note['id']}"
    read = data_of(workspace.client.get(path))
    assert (read["content"], read["contentType"], read["blocks"]) == ("# Oaks\n\nOld trees.", "markdown", None)
    changed = data_of(workspace.client.patch(path, json={"content": "# Oaks\n\nVery old trees.", "tags": []}))
    assert changed["updatedFields"] == ["content", "tags"]
    # What it says now is read at once, be it indexed or not.
    assert data_of(workspace.client.get(path))["content"] == "# Oaks\n\nVery old trees."
    assert data_of(workspace.client.delete(path))["documents"] == 1
    failure_of(workspace.client.get(path), 404, "NOT_FOUND")


def test_notes_are_listed_by_title_resource_and_tag_and_the_one_changed_last_comes_first(workspace: Workspace) -> None:
    # D4
    workspace.make_kb("Trees")
    oaks = write(workspace, "Oaks", tags=["wood"], resource="trees")
    workspace.settle(oaks["id"])
    # One after the other: a note counts as changed when its text has become the one that answers.
    workspace.settle(write(workspace, "Elms", tags=["wood"])["id"])
    workspace.settle(write(workspace, "Oak barrels")["id"])
    workspace.add("trees", "oak.txt", "A file is no note.")
    assert titles(workspace) == ["Oak barrels", "Elms", "Oaks"]
    data_of(workspace.client.patch(f"/api/notes/{oaks['id']}", json={"title": "Old oaks"}))
    assert titles(workspace) == ["Old oaks", "Oak barrels", "Elms"]
    assert titles(workspace, q="oak") == ["Old oaks", "Oak barrels"]
    assert titles(workspace, resource="trees") == ["Old oaks"]
    assert titles(workspace, tag="wood") == ["Old oaks", "Elms"]
    assert titles(workspace, limit=1, offset=1) == ["Oak barrels"]
    assert data_of(workspace.client.get("/api/notes", params={"limit": 1}))["total"] == 3
    failure_of(workspace.client.get("/api/notes", params={"resource": "nowhere"}), 404, "RESOURCE_NOT_FOUND")


def test_what_looks_like_another_format_is_still_the_markdown_that_was_written(workspace: Workspace) -> None:
    # D1
    for text in ("%PDF-1.7 is how a PDF begins.", "<html><body>Markup in a note</body></html>", "{\\rtf1 braces}"):
        assert workspace.settle(write(workspace, text)["id"])["mediaType"] == "text/markdown"


def test_notes_are_documents_like_all_others(workspace: Workspace) -> None:
    # D1, K5
    note = write(workspace, "# Oaks\n\n## Age\n\nOaks can live for a thousand years.", title="On oaks")
    workspace.settle(note["id"])
    (hit,) = workspace.search("How old do oaks get?", minScore=0, kinds=["note"])
    assert hit["documentId"] == note["id"]
    assert hit["citation"] == "On oaks.md (section Oaks > Age)"
    listed = data_of(workspace.client.get("/api/knowledge-bases/knowledge/documents", params={"kind": "note"}))
    assert [document["id"] for document in listed["items"]] == [note["id"]]


def test_a_limit_is_named_and_nothing_is_stored(workspace: Workspace) -> None:
    # K2
    too_long = failure_of(workspace.client.post("/api/notes", json={"content": "x" * 100_001}), 422)
    assert "max 100,000" in too_long
    tags = [str(number) for number in range(21)]
    assert "max 20" in failure_of(workspace.client.post("/api/notes", json={"content": "x", "tags": tags}), 422)
    assert titles(workspace) == []


def test_templates_are_kept_listed_used_and_deleted(workspace: Workspace) -> None:
    # D7
    shipped = data_of(workspace.client.get("/api/templates"))
    assert [template["id"] for template in shipped] == ["meeting-notes", "decision", "how-to", "daily-log"]
    assert all(template["shipped"] for template in shipped)
    body = {"name": "Voyage", "content": "# {{ship}}\n\nTo {{ port }}.", "title": "{{ship}}", "tags": ["sea"]}
    kept = data_of(workspace.client.post("/api/templates", json=body))
    assert (kept["variables"], kept["shipped"]) == (["ship", "port"], False)
    failure_of(workspace.client.post("/api/templates", json=body | {"name": "VOYAGE"}), 409, "NAME_EXISTS")
    failure_of(workspace.client.post("/api/templates", json=body | {"name": "Decision"}), 409, "NAME_EXISTS")
    path = f"/api/templates/{kept['id']}"
    missing = failure_of(workspace.client.post(f"{path}/notes", json={"variables": {"ship": "Argo"}}), 422)
    assert "Missing variables: port." in missing
    made = data_of(workspace.client.post(f"{path}/notes", json={"variables": {"ship": "Argo", "port": "Colchis"}}))
    note = data_of(workspace.client.get(f"/api/notes/{made['note']['id']}"))
    assert (note["title"], note["content"]) == ("Argo", "# Argo\n\nTo Colchis.")
    assert note["tags"] == [{"tagName": "tag", "tagValue": "sea"}]
    data_of(workspace.client.delete(path))
    failure_of(workspace.client.get(path), 404, "NOT_FOUND")
    failure_of(workspace.client.delete("/api/templates/decision"), 409)


def test_two_who_write_under_one_title_at_once_both_keep_their_notes(workspace: Workspace) -> None:
    # D1
    def write_one(number: int) -> dict[str, Any]:
        return write(workspace, f"Text {number}", title="Same")

    with ThreadPoolExecutor(8) as pool:
        notes = list(pool.map(write_one, range(8)))
    assert len({note["name"] for note in notes}) == 8
    assert data_of(workspace.client.get("/api/notes"))["total"] == 8


def read(workspace: Workspace, note_id: str) -> dict[str, Any]:
    """A note as it is now."""
    return data_of(workspace.client.get(f"/api/notes/{note_id}"))


@pytest.mark.parametrize("same", [{}, {"content": "Elms are rare."}], ids=["alone", "with the text as it was"])
@pytest.mark.parametrize("field", ["content", "title"])
def test_of_those_who_change_what_they_read_at_once_one_is_faster_and_the_others_are_told(
    workspace: Workspace, field: str, same: dict[str, str]
) -> None:
    # K5
    note = write(workspace, "Elms are rare.", title="Elms")["id"]
    revision: str = read(workspace, note)["revision"]

    def change(by: int) -> httpx.Response:
        return workspace.client.patch(f"/api/notes/{note}", json={**same, field: f"by {by}", "revision": revision})

    with ThreadPoolExecutor(4) as people:
        answers = list(people.map(change, range(4)))
    faster = [by for by, answer in enumerate(answers) if answer.is_success]
    assert len(faster) == 1, answers
    for answer in answers:
        assert answer.is_success or "Read it again" in failure_of(answer, 409, "NOTE_CHANGED")
    assert read(workspace, note)[field] == f"by {faster[0]}"


def test_a_revision_is_of_what_people_change_and_need_not_be_given(workspace: Workspace) -> None:
    # K5
    note = write(workspace, "Elms are rare.")["id"]
    revision = read(workspace, note)["revision"]
    workspace.settle(note)
    both = {"content": "Elms are very rare.", "tags": ["trees"], "revision": revision}
    path = f"/api/notes/{note}"
    assert data_of(workspace.client.patch(path, json=both))["updatedFields"] == ["content", "tags"]
    failure_of(workspace.client.patch(path, json=both), 409, "NOTE_CHANGED")
    assert workspace.client.patch(path, json={"content": "There are none."}).is_success


def test_moves_and_texts_at_once_leave_one_note_in_one_place_with_its_terms_counted(
    workspace: Workspace, stored: Stored
) -> None:
    # D2, D10
    kbs = ["knowledge", workspace.make_kb("First"), workspace.make_kb("Second")]
    note_id = write(workspace, "Ships sail at dawn.")["id"]

    def change(number: int) -> int:
        body = {"content": f"Ships sail, {number}."} if number % 2 else {"resource": kbs[number // 2 % 3]}
        return workspace.client.patch(f"/api/notes/{note_id}", json=body).status_code

    with ThreadPoolExecutor(6) as pool:
        # A move under way makes another change wait or asks for it to be tried again; nothing fails on our side.
        assert set(pool.map(change, range(24))) <= {200, 409, 422}
    assert workspace.settle(note_id)["status"] == "indexed"
    (where,) = {hit["knowledgeBaseId"] for hit in workspace.search("ships", minScore=0)}
    assert where == data_of(workspace.client.get(f"/api/notes/{note_id}"))["knowledgeBaseId"]
    counted = stored.rows(
        "SELECT i.kb_id, sum(t.chunks) FROM term_delta t JOIN kb_index i USING (workspace_id, index_id) "
        "WHERE t.workspace_id = %s AND t.term = 0 GROUP BY i.kb_id HAVING sum(t.chunks) <> 0",
        workspace.id,
    )
    assert [(kb_id, int(chunks)) for kb_id, chunks in counted] == [(where, 1)]
