"""Documents: taken in, followed, changed, listed, fetched and deleted."""

import hashlib
import time
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from harness import Server, Workspace, data_of, failure_of, wait_for
from parsers.pdf_files import make_pdf
from stored import Stored

OWLS = "Owls hunt at night. Their feathers make no sound.\n"
DAMAGED = b"%PDF-1.7\nand then nothing that a reader could use"


def test_an_upload_is_accepted_at_once_and_indexed_behind(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    answer = workspace.upload(kb, "owls.txt", OWLS)
    assert answer.status_code == 202
    accepted = data_of(answer)
    document = accepted["document"]
    assert accepted["unchanged"] is False
    assert accepted["operationId"] == document["operationId"]
    assert (document["status"], document["searchable"], document["chunkCount"]) == ("pending", False, 0)
    assert document["progress"] < 100
    assert (document["name"], document["kind"], document["mediaType"]) == ("owls.txt", "file", "text/plain")
    assert (document["sizeBytes"], document["version"]) == (len(OWLS), 1)
    assert document["sha256"] == hashlib.sha256(OWLS.encode()).hexdigest()
    done = workspace.settle(document["id"])
    assert (done["status"], done["progress"], done["searchable"], done["error"]) == ("indexed", 100, True, None)
    assert done["chunkCount"] == 1
    assert done["indexedAt"] >= done["createdAt"]


def test_status_and_progress_only_go_forward(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    text = "\n\n".join(f"Paragraph {n}. " + f"The gauge at lock {n} read {n * 7} centimetres. " * 20 for n in range(80))
    document = data_of(workspace.upload(kb, "gauges.txt", text))["document"]
    seen: list[tuple[str, int]] = [(document["status"], document["progress"])]

    def finished() -> bool:
        now = data_of(workspace.client.get(f"/api/documents/{document['id']}"))
        seen.append((now["status"], now["progress"]))
        return now["status"] == "indexed"

    wait_for(finished, "the document is not indexed")
    order = ["pending", "indexing", "indexed"]
    assert [status for status, _ in seen] == sorted((status for status, _ in seen), key=order.index)
    assert "indexing" in {status for status, _ in seen}
    progress = [per_cent for _, per_cent in seen]
    assert progress == sorted(progress)
    assert any(10 < per_cent < 95 for status, per_cent in seen if status == "indexing"), progress
    assert seen[-1] == ("indexed", 100)


def test_a_damaged_pdf_fails_with_a_reason_and_can_be_retried(workspace: Workspace) -> None:
    # K3
    kb = workspace.make_kb()
    failed = workspace.add(kb, "report.pdf", DAMAGED)
    assert (failed["status"], failed["searchable"], failed["chunkCount"]) == ("failed", False, 0)
    assert failed["error"] == "The PDF is damaged or has no pages and cannot be opened."
    again = workspace.client.post(f"/api/documents/{failed['id']}/retry")
    assert again.status_code == 202
    retried = data_of(again)
    assert retried["document"]["status"] == "pending"
    assert retried["document"]["error"] is None
    assert retried["operationId"] != failed["operationId"]
    assert workspace.settle(failed["id"])["status"] == "failed"
    operation = data_of(workspace.client.get(f"/api/operations/{retried['operationId']}"))
    assert (operation["status"], operation["error"]) == ("failed", failed["error"])


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("locked.pdf", make_pdf("Secret", password="pw"), "protected by a password"),
        ("scan.pdf", make_pdf(""), "needs OCR"),
        ("blank.txt", b" \n\t\n", "no text"),
    ],
)
def test_what_only_reading_finds_is_failed_with_its_reason(
    workspace: Workspace, name: str, content: bytes, reason: str
) -> None:
    # K1, K3
    document = workspace.add(workspace.make_kb(), name, content)
    assert document["status"] == "failed"
    assert reason in document["error"]


def test_only_a_failed_document_can_be_retried(workspace: Workspace) -> None:
    # K3
    document = workspace.add(workspace.make_kb(), "owls.txt", OWLS)
    words = failure_of(workspace.client.post(f"/api/documents/{document['id']}/retry"), 409, "CONFLICT")
    assert "only a failed document" in words


def test_tags_are_names_and_values_and_a_bare_one_is_a_value_of_tag(workspace: Workspace) -> None:
    # K7
    kb = workspace.make_kb()
    document = workspace.add(kb, "owls.txt", OWLS, tags=["topic=birds", "topic=night", "draft", "a=b=c"])
    assert pairs(document) == [("a", "b=c"), ("tag", "draft"), ("topic", "birds"), ("topic", "night")]
    listed = '[{"tagName": "team", "tagValue": "east"}, {"tagName": "tag", "tagValue": "[odd]"}]'
    other = workspace.add(kb, "geese.txt", "Geese fly in a wedge.", tags=listed)
    assert pairs(other) == [("tag", "[odd]"), ("team", "east")]


def test_twenty_tags_are_accepted_on_upload_and_on_change(workspace: Workspace) -> None:
    # K2, K7
    kb = workspace.make_kb()
    twenty = [f"n{n}=v" for n in range(20)]
    document = workspace.add(kb, "owls.txt", OWLS, tags=[*twenty, "n0=v"])
    assert len(document["tags"]) == 20
    many = [{"tagName": "n", "tagValue": str(n)} for n in range(21)]
    words = failure_of(change(workspace, document, tags=many), 422, "LIMIT_EXCEEDED")
    assert "21" in words
    assert "20" in words
    assert len(pairs(fresh(workspace, document))) == 20
    assert len(data_of(change(workspace, document, tags=many[:20]))["tags"]) == 20


def test_a_change_touches_only_what_is_given_and_an_empty_value_clears(workspace: Workspace) -> None:
    # K7
    document = workspace.add(workspace.make_kb(), "owls.txt", OWLS, tags=["topic=birds"], title="Night birds")
    assert document["title"] == "Night birds"
    renamed = data_of(change(workspace, document, title="Owls"))
    assert (renamed["title"], pairs(renamed)) == ("Owls", [("topic", "birds")])
    assert renamed["updatedAt"] > document["updatedAt"]
    untagged = data_of(change(workspace, document, tags=[]))
    assert (untagged["title"], untagged["tags"]) == ("Owls", [])
    assert data_of(change(workspace, document, title=""))["title"] is None
    assert workspace.search("owls at night", tagFilters=[{"tagName": "topic", "tagValue": "birds"}]) == []


def test_the_title_comes_from_the_document_unless_it_is_given(workspace: Workspace) -> None:
    kb = workspace.make_kb()
    assert workspace.add(kb, "a.md", "# Owls of the north\n\nThey are white.\n")["title"] == "Owls of the north"
    assert workspace.add(kb, "b.md", "# Owls\n\nThey are grey.\n", title="Mine")["title"] == "Mine"
    assert workspace.add(kb, "c.txt", OWLS)["title"] is None


def test_a_document_tells_its_pages_and_its_language_and_a_bundle_brings_them_along(workspace: Workspace) -> None:
    # K5
    kb = workspace.make_kb(embedder="none")
    # A page without words is a page.
    workspace.add(
        kb, "owls.pdf", make_pdf("Owls are the birds that hunt at night, and their feathers make no sound.", "")
    )
    workspace.add(kb, "eulen.md", "# Eulen\n\nEulen sind die Vögel, die in der Nacht auf der Jagd nach Mäusen sind.\n")
    workspace.add(kb, "rows.csv", "a;b\n1;2\n")

    def facts(within: str) -> dict[str, Any]:
        items = data_of(workspace.client.get(f"/api/knowledge-bases/{within}/documents"))["items"]
        settled = [workspace.settle(item["id"]) for item in items]
        return {document["name"]: (document["pages"], document["language"]) for document in settled}

    known = {"owls.pdf": (2, "en"), "eulen.md": (None, "de"), "rows.csv": (None, None)}
    assert facts(kb) == known
    bundle = workspace.client.get(f"/api/knowledge-bases/{kb}/export").raise_for_status().content
    files = {"file": ("kb.zip", bundle)}
    again = data_of(workspace.client.post("/api/knowledge-bases/import", files=files, data={"name": "Again"}))
    assert facts(again["knowledgeBase"]["id"]) == known


def test_documents_are_listed_newest_first_in_pages_and_by_filter(workspace: Workspace) -> None:
    # K3, K7
    kb = workspace.make_kb()
    for n in range(5):
        tags = ["topic=birds"] if n % 2 else ["birds"]
        workspace.add(kb, f"{n}.txt", f"Sighting number {n}.", tags=tags)
    workspace.add(kb, "bad.pdf", DAMAGED)

    def names(**query: Any) -> tuple[list[str], int]:
        page = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents", params=query))
        return [item["name"] for item in page["items"]], page["total"]

    everything = ["bad.pdf", "4.txt", "3.txt", "2.txt", "1.txt", "0.txt"]
    assert names() == (everything, 6)
    assert names(limit=2, offset=0) == (everything[:2], 6)
    assert names(limit=2, offset=4) == (everything[4:], 6)
    assert names(limit=2, offset=6) == ([], 6)
    assert names(status="failed") == (["bad.pdf"], 1)
    assert names(status="indexed") == (everything[1:], 5)
    assert names(status="pending") == ([], 0)
    assert names(tag="topic=birds") == (["3.txt", "1.txt"], 2)
    assert names(tag="birds") == (["4.txt", "2.txt", "0.txt"], 3)
    assert names(tag="topic=birds", status="indexed", limit=1) == (["3.txt"], 2)
    assert names(kind="file") == (everything, 6)
    assert names(kind="note") == ([], 0)
    assert names(q="BAD") == names(q=" .pdf ") == (["bad.pdf"], 1)
    assert names(q=".txt", status="indexed", limit=2) == (everything[1:3], 5)
    assert names(q="%") == names(q="_") == ([], 0)
    assert names(q=" ") == (everything, 6)
    failure_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents", params={"kind": "song"}), 422)


def test_a_document_is_also_found_by_part_of_its_title(workspace: Workspace) -> None:
    # K5
    kb = workspace.make_kb()
    workspace.add(kb, "a.md", "# Owls of the North\n\nThey are white.\n")
    workspace.add(kb, "b.md", "They are grey.\n")
    page = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents", params={"q": "of the north"}))
    assert [item["name"] for item in page["items"]] == ["a.md"]


def test_an_original_is_fetched_through_a_link_that_needs_no_credential_and_expires(workspace: Workspace) -> None:
    # K13
    name = "Übersicht 2024 – fällig.pdf"
    content = make_pdf("Page one.")
    document = workspace.add(workspace.make_kb(), name, content)
    link = data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))
    assert (link["fileName"], link["mediaType"], link["sizeBytes"]) == (name, "application/pdf", len(content))
    assert link["expiresIn"] == 900
    ahead = datetime.fromisoformat(link["expiresAt"]) - datetime.now(UTC)
    assert 880 < ahead.total_seconds() <= 900
    fetched = httpx.get(link["url"])
    assert fetched.content == content
    assert fetched.headers["content-disposition"].startswith("attachment; filename*=UTF-8''%C3%9Cbersicht%202024")
    assert fetched.headers["x-content-type-options"] == "nosniff"
    forged = link["url"][:-3] + ("AAA" if not link["url"].endswith("AAA") else "BBB")
    assert httpx.get(forged).status_code in {401, 403, 404}
    assert workspace.client.delete(f"/api/documents/{document['id']}").status_code == 200
    failure_of(httpx.get(link["url"]), 404)


def test_a_deletion_says_how_much_it_freed(workspace: Workspace) -> None:
    # K12
    kb = workspace.make_kb()
    document = workspace.add(kb, "owls.md", "# A\n\nOne passage.\n\n# B\n\nAnother passage.\n")
    assert document["chunkCount"] == 2
    freed = data_of(workspace.client.delete(f"/api/documents/{document['id']}"))
    assert freed == {"documents": 1, "chunks": 2, "sizeBytes": document["sizeBytes"]}
    failure_of(workspace.client.get(f"/api/documents/{document['id']}"), 404, "NOT_FOUND")
    failure_of(workspace.client.delete(f"/api/documents/{document['id']}"), 404, "NOT_FOUND")
    assert workspace.search("passage") == []


def test_a_deleted_document_is_gone_from_every_table_and_from_the_store(workspace: Workspace, stored: Stored) -> None:
    # K12
    kb = workspace.make_kb()
    kept = workspace.add(kb, "kept.txt", "Geese fly in a wedge at night.")
    before = _lasting(stored, workspace)
    text = "\n\n".join(f"Qwzx{n} hoots at night. " * 40 for n in range(6))
    document = workspace.add(kb, "quaggle-file.txt", text, tags=["quaggle-tag"], title="quaggle-title")
    ids = [document["id"], *(row[0] for row in _ids_of(stored, document["id"]))]
    assert len(ids) > 4
    for mark in [*ids, "Qwzx3", "quaggle-file", "quaggle-tag", "quaggle-title"]:
        assert stored.tables_with(mark), mark
    assert len(stored.files(workspace.id)) == 2

    workspace.client.delete(f"/api/documents/{document['id']}")

    for mark in [*ids, "Qwzx3", "quaggle-file", "quaggle-tag", "quaggle-title"]:
        assert stored.tables_with(mark) == [], mark
    assert len(stored.files(workspace.id)) == 1
    assert _lasting(stored, workspace) == before
    assert _term_counts(stored, workspace) == _terms_of(stored, kept["id"])


def test_deleting_the_last_document_brings_every_term_count_back_to_zero(workspace: Workspace, stored: Stored) -> None:
    # K12
    document = workspace.add(workspace.make_kb(), "owls.txt", OWLS)
    assert _term_counts(stored, workspace)[0] == 1
    workspace.client.delete(f"/api/documents/{document['id']}")
    assert _term_counts(stored, workspace) == {}
    assert stored.files(workspace.id) == []


def test_a_document_deleted_while_it_is_indexed_leaves_nothing(workspace: Workspace, stored: Stored) -> None:
    # K3, K12
    kb = workspace.make_kb()
    before = _lasting(stored, workspace)
    for pause in (0, 0.1, 0.3):
        text = "\n\n".join(f"Brolga {pause} {n} dances in the marsh. " * 30 for n in range(12))
        document = data_of(workspace.upload(kb, "brolga.txt", text))["document"]
        time.sleep(pause)
        data_of(workspace.client.delete(f"/api/documents/{document['id']}"))

    def jobs_done() -> bool:
        query = (
            "SELECT count(*) FROM procrastinate_jobs WHERE args ->> 'workspace_id' = %s AND status IN ('todo', 'doing')"
        )
        return stored.rows(query, workspace.id)[0][0] == 0

    wait_for(jobs_done, "jobs of deleted documents are still in the queue")
    assert _lasting(stored, workspace) == before
    assert _term_counts(stored, workspace) == {}
    states = "SELECT DISTINCT status::text FROM procrastinate_jobs WHERE args ->> 'workspace_id' = %s"
    assert stored.rows(states, workspace.id) == [("succeeded",)]


def test_the_same_bytes_under_another_name_are_a_new_document_that_reuses_the_embeddings(
    workspace: Workspace, server: Server, stored: Stored
) -> None:
    # K4
    text = "\n\n".join(f"Entry {n}: the ferry left pier {n} on time. " * 30 for n in range(3))
    kb = workspace.make_kb()
    first = workspace.add(kb, "ferries.txt", text)
    # A vector that no model makes: whoever has it too has taken it over.
    marked = "[" + ",".join(["1"] * 384) + "]"
    update = "UPDATE chunk_vector SET embedding = %s::halfvec WHERE workspace_id = %s RETURNING chunk_id"
    assert len(stored.rows(update, marked, workspace.id)) == first["chunkCount"] > 1

    def embeddings(document: dict[str, Any]) -> set[str]:
        query = (
            "SELECT embedding::text FROM chunk_vector JOIN chunk USING (workspace_id, chunk_id) "
            "JOIN document_version USING (workspace_id, version_id) WHERE document_id = %s"
        )
        return {vector for (vector,) in stored.rows(query, document["id"])}

    for copy in (workspace.add(kb, "copy.txt", text), workspace.add(workspace.make_kb("Others"), "c.txt", text)):
        assert (copy["status"], copy["chunkCount"], copy["sha256"]) == ("indexed", first["chunkCount"], first["sha256"])
        assert copy["id"] != first["id"]
        assert embeddings(copy) == {marked}
    stranger = server.new_workspace()
    assert marked not in embeddings(stranger.add(stranger.make_kb(), "ferries.txt", text))


def pairs(document: dict[str, Any]) -> list[tuple[str, str]]:
    return sorted((tag["tagName"], tag["tagValue"]) for tag in document["tags"])


def change(workspace: Workspace, document: dict[str, Any], **fields: Any) -> httpx.Response:
    return workspace.client.patch(f"/api/documents/{document['id']}", json=fields)


def fresh(workspace: Workspace, document: dict[str, Any]) -> dict[str, Any]:
    return data_of(workspace.client.get(f"/api/documents/{document['id']}"))


def _lasting(stored: Stored, workspace: Workspace) -> dict[str, int]:
    """The footprint without what is kept for a while: sums of changes, and the ids of finished jobs."""
    kept_a_while = {"term_delta", "procrastinate_jobs", "procrastinate_events"}
    return {table: n for table, n in stored.footprint(workspace.id).items() if table not in kept_a_while}


def _ids_of(stored: Stored, document_id: str) -> list[tuple[Any, ...]]:
    return stored.rows(
        "SELECT version_id FROM document_version WHERE document_id = %s "
        "UNION ALL SELECT chunk_id FROM chunk JOIN document_version USING (workspace_id, version_id) "
        "WHERE document_id = %s "
        "UNION ALL SELECT blob_key FROM document_version WHERE document_id = %s",
        *([document_id] * 3),
    )


def _term_counts(stored: Stored, workspace: Workspace) -> dict[int, int]:
    query = "SELECT term, sum(chunks) FROM term_delta WHERE workspace_id = %s GROUP BY term HAVING sum(chunks) <> 0"
    return {term: int(count) for term, count in stored.rows(query, workspace.id)}


def _terms_of(stored: Stored, document_id: str) -> dict[int, int]:
    query = (
        "SELECT term, count(*) FROM chunk_posting p JOIN chunk c USING (workspace_id, chunk_id) "
        "JOIN document_version v USING (workspace_id, version_id), unnest(p.terms || 0) AS term "
        "WHERE v.document_id = %s GROUP BY term"
    )
    return {term: int(count) for term, count in stored.rows(query, document_id)}
