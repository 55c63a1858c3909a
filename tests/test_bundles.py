"""A knowledge base travels as one file: whole, with nothing of anybody else, and nothing hostile gets in."""

import hashlib
import io
import itertools
import json
import struct
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from harness import Server, Workspace, data_of, failure_of, remove_home, wait_for
from stored import Stored

DOCUMENTS = {
    "oaks.md": "# Oaks\n\nOaks can live for a thousand years.\n\n## Acorns\n\nA jay buries thousands of acorns.\n",
    "foxes.txt": "Foxes eat mice, berries and whatever a bin holds.\n",
    "tides.txt": "Tide tables tell when the water is high at Dover and at Calais.\n",
}
QUESTIONS = ("How old do oaks get?", "What do foxes eat?", "tide tables", "Who buries acorns?")
DIMS = 384


def make_kb(workspace: Workspace, name: str = "Papers") -> str:
    kb = workspace.make_kb(name, description="What grows and runs.", lifecycleDays=400)
    for file, content in DOCUMENTS.items():
        workspace.add(kb, file, content, tags=["year=2024", "kept"], title=f"About {file}")
    return kb


def export(workspace: Workspace, kb: str, *, vectors: bool = True) -> bytes:
    answer = workspace.client.get(f"/api/knowledge-bases/{kb}/export", params={"vectors": vectors})
    assert answer.headers["content-type"] == "application/zip"
    return answer.raise_for_status().content


def send(workspace: Workspace, bundle: bytes, **form: str) -> httpx.Response:
    files = {"file": ("papers.pinakes.zip", bundle)}
    return workspace.client.post("/api/knowledge-bases/import", files=files, data=form)


def documents_of(workspace: Workspace, kb: str) -> list[dict[str, Any]]:
    return data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))["items"]


def settled(workspace: Workspace, kb: str) -> list[dict[str, Any]]:
    return [workspace.settle(document["id"]) for document in documents_of(workspace, kb)]


def rankings(workspace: Workspace, kb: str) -> list[Any]:
    found = [workspace.search(question, knowledgeBaseIds=[kb], topK=10) for question in QUESTIONS]
    for hit in itertools.chain(*found):
        del hit["metadata"]["updatedAt"]
    fields = ("rank", "content", "similarity", "citation", "documentName", "documentTitle", "section", "metadata")
    return [[{field: hit[field] for field in fields} for hit in hits] for hits in found]


def entries_of(bundle: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return file.getvalue()


@pytest.fixture
def another(tmp_path: Path) -> Iterator[Server]:
    """Another installation."""
    server = Server(tmp_path / "another").start()
    yield server
    server.stop()
    remove_home(server.home)


def test_another_installation_finds_the_same_with_the_same_scores(
    server: Server, another: Server, tmp_path: Path
) -> None:
    # F5
    here = server.new_workspace()
    kb = make_kb(here)
    environment = {"PINAKES_WORKSPACE": here.id}
    file = tmp_path / "papers.zip"
    server.run("export", kb, str(file), "--vectors", environment=environment)
    imported = json.loads(another.run("import", str(file), "--kb-slug", "trees", "--json").stdout)
    made = imported["knowledgeBase"]
    assert (made["slug"], made["name"]) == ("trees", "Papers")
    assert (made["description"], made["lifecycleDays"]) == ("What grows and runs.", 400)
    assert (imported["documents"], imported["embeddings"], imported["failed"]) == (3, 4, 0)
    with another.owner as owner:
        there = Workspace("", "", another.url)
        there.client = owner
        assert rankings(there, made["id"]) == rankings(here, kb)
        old = {document["name"]: document for document in documents_of(here, kb)}
        for document in documents_of(there, made["id"]):
            same = ("sha256", "title", "tags", "kind", "source", "createdAt", "mediaType", "chunkCount")
            assert {field: document[field] for field in same} == {field: old[document["name"]][field] for field in same}
    # Without a server the command brings its own engine.
    another.stop()
    assert "Wrote" in another.run("export", "trees", str(tmp_path / "again.zip")).stdout
    assert "exists already" in another.run("import", str(file), check=False).stderr


def test_embeddings_that_came_along_are_not_made_again(server: Server, stored: Stored) -> None:
    # F5
    here, there = server.new_workspace(), server.new_workspace()
    entries = entries_of(export(here, make_kb(here)))
    records = np.frombuffer(entries["embeddings.bin"], [("hash", "V32"), ("vector", "<f2", (DIMS,))]).copy()
    records["vector"] = np.eye(DIMS, dtype="<f2")[: len(records)]
    entries["embeddings.bin"] = records.tobytes()
    kb = data_of(send(there, packed(entries)))["knowledgeBase"]["id"]
    settled(there, kb)
    rows = stored.rows(
        "SELECT c.text_hash, v.embedding::text FROM chunk_vector v JOIN chunk c USING (workspace_id, chunk_id) "
        "WHERE c.workspace_id = %s",
        there.id,
    )
    found = {bytes(text_hash): json.loads(vector).index(1) for text_hash, vector in rows}
    assert found == {bytes(record["hash"]): at for at, record in enumerate(records)}
    left = stored.rows("SELECT count(*) FROM staged_embedding WHERE workspace_id = %s", there.id)
    assert left == [(0,)]


def test_without_fitting_embeddings_they_are_made_anew(server: Server) -> None:
    # F5
    here = server.new_workspace()
    kb = make_kb(here)
    there = server.new_workspace()
    imported = data_of(send(there, export(here, kb, vectors=False)))
    assert imported["embeddings"] == 0
    foreign = entries_of(export(here, kb))
    manifest = json.loads(foreign["manifest.json"]) | {"embedder": "somebody-elses-model"}
    foreign["manifest.json"] = json.dumps(manifest).encode()
    other = data_of(send(there, packed(foreign), name="Foreign"))
    assert other["embeddings"] == 0
    for made in (imported, other):
        assert {document["status"] for document in settled(there, made["knowledgeBase"]["id"])} == {"indexed"}
        assert rankings(there, made["knowledgeBase"]["id"]) == rankings(here, kb)


def test_a_bundle_holds_nothing_but_its_own_knowledge_base(server: Server) -> None:
    # F3, F5
    here, other = server.new_workspace("Here"), server.new_workspace("Elsewhere")
    kb = make_kb(here)
    beside = here.make_kb("Beside")
    secrets = [
        here.add(beside, "beside.txt", "The vault opens at midnight sharp.\n"),
        other.add(other.make_kb("Theirs"), "theirs.txt", "The treasure lies under the old bridge.\n"),
    ]
    entries = entries_of(export(here, kb))
    assert len(entries) == len(DOCUMENTS) + 3
    everything = b"\n".join([*(name.encode() for name in entries), *entries.values()])
    for word in (here.id, other.id, kb, beside, "midnight", "treasure", "beside.txt", "theirs.txt", "usr_", "doc_"):
        assert word.encode() not in everything, word
    for document in secrets:
        assert document["id"].encode() not in everything
        assert bytes.fromhex(document["sha256"]) not in everything
    assert failure_of(other.client.get(f"/api/knowledge-bases/{kb}/export"), 404)


def test_a_note_keeps_its_blocks_and_the_name_of_its_author(server: Server) -> None:
    # F5, K5
    here, there = server.new_workspace(), server.new_workspace()
    blocks = [{"type": "heading", "text": "Yews"}, {"type": "list", "items": ["slow", "poisonous"]}]
    plain = {"content": "%PDF-1.7 is how some notes begin.", "title": "Beginnings"}
    for note in ({"content": blocks, "contentType": "blocks"}, plain):
        here.settle(data_of(here.client.post("/api/notes", json=note))["note"]["id"])
    bundle = entries_of(export(here, "knowledge"))
    lines = [json.loads(line) for line in bundle["documents.jsonl"].splitlines()]
    assert [line["author"] for line in lines] == ["Local owner", "Local owner"]
    # As from another installation, where she is known.
    bundle = _line(bundle, author="Ada Lovelace")

    def notes_of(sent: dict[str, bytes], name: str) -> list[dict[str, Any]]:
        kb = data_of(send(there, packed(sent), name=name))["knowledgeBase"]
        listed = data_of(there.client.get("/api/notes", params={"resource": kb["id"]}))["items"]
        found = [data_of(there.client.get(f"/api/notes/{note['id']}")) for note in listed]
        return sorted(found, key=lambda note: note["name"], reverse=True)

    yews, beginnings = notes_of(bundle, "Trees")
    assert (yews["author"], beginnings["author"]) == ("Ada Lovelace", "Local owner")
    assert (yews["contentType"], yews["blocks"]) == ("blocks", blocks)
    assert (beginnings["contentType"], beginnings["content"]) == ("markdown", plain["content"])
    again = entries_of(export(there, "Trees"))["documents.jsonl"].splitlines()
    assert {json.loads(line)["author"] for line in again} == {"Ada Lovelace", "Local owner"}
    # Blocks that say something else than the text are none of it.
    assert notes_of(_line(bundle, blocks=blocks[:1]), "Others")[0]["contentType"] == "markdown"
    failure_of(send(there, packed(_line(bundle, blocks={"type": "heading"})), name="Wrong"), 422, "BUNDLE_DAMAGED")


def _line(bundle: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    """The bundle with something else said about its first document."""
    first, *rest = bundle["documents.jsonl"].splitlines(keepends=True)
    changed = json.dumps(json.loads(first) | changes).encode() + b"\n"
    return bundle | {"documents.jsonl": b"".join([changed, *rest])}


def _manifest(bundle: dict[str, bytes], **changes: Any) -> dict[str, bytes]:
    return bundle | {"manifest.json": json.dumps(json.loads(bundle["manifest.json"]) | changes).encode()}


def _program(bundle: dict[str, bytes]) -> dict[str, bytes]:
    """A program under a text's name, with a hash that is right."""
    content = b"\x7fELF" + bytes(range(256)) * 8
    digest = hashlib.sha256(content).hexdigest()
    return _line(bundle, sha256=digest, sizeBytes=len(content)) | {f"originals/{digest}": content}


Entries = dict[str, bytes]
HOSTILE: dict[str, Callable[[Entries], Entries]] = {
    "traversal": lambda bundle: bundle | {"../../etc/cron.d/evil": b"x"},
    "absolute": lambda bundle: bundle | {"/etc/passwd": b"x"},
    "a stranger's file": lambda bundle: bundle | {"originals/readme.txt": b"x"},
    "wrong content": lambda bundle: {
        name: b"another text" if name.startswith("originals/") else content for name, content in bundle.items()
    },
    "no originals": lambda bundle: {n: c for n, c in bundle.items() if not n.startswith("originals/")},
    "no list": lambda bundle: {n: c for n, c in bundle.items() if n != "documents.jsonl"},
    "a path for a name": lambda bundle: _line(bundle, name="../../evil.txt"),
    "a name twice": lambda bundle: _line(bundle, name="tides.txt"),
    "a program": _program,
    "too many tags": lambda bundle: _line(bundle, tags=[["tag", str(n)] for n in range(21)]),
    "tags of another shape": lambda bundle: _line(bundle, tags={"year": 2024}),
    "a bad kind": lambda bundle: _line(bundle, kind="virus"),
    "a program as a note": lambda bundle: _line(_program(bundle), kind="note"),
    "a NUL": lambda bundle: _line(bundle, source="a\0b"),
    "half a character": lambda bundle: _line(bundle, title="\ud800"),
    "embeddings out of order": lambda bundle: _line(bundle, firstEmbedding=2),
    "embeddings cut": lambda bundle: bundle | {"embeddings.bin": bundle["embeddings.bin"][:-1]},
    "no numbers": lambda bundle: bundle | {"embeddings.bin": b"\xff" * len(bundle["embeddings.bin"])},
    "empty vectors": lambda bundle: bundle | {"embeddings.bin": bytes(len(bundle["embeddings.bin"]))},
    "more passages than a document has": lambda bundle: _manifest(
        _line(bundle, embeddings=50_001) | {"embeddings.bin": bytes((50_001 + 3) * (32 + 2 * DIMS))},
        embeddings=50_001 + 3,
    ),
    "no dims": lambda bundle: _manifest(bundle, dims=0),
    "a foreign format": lambda bundle: _manifest(bundle, format="somebody-elses"),
    "a newer format": lambda bundle: _manifest(bundle, formatVersion=2),
    "no JSON": lambda bundle: bundle | {"manifest.json": b"{" * 100_000},
    "a list": lambda bundle: bundle | {"manifest.json": b"[]"},
}


@pytest.fixture(scope="module")
def good(server: Server) -> dict[str, bytes]:
    here = server.new_workspace()
    return entries_of(export(here, make_kb(here)))


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_bundle_is_refused_with_words_and_nothing_is_stored(
    server: Server, stored: Stored, good: dict[str, bytes], kind: str
) -> None:
    # F5, K1, K2
    workspace = server.new_workspace()
    before = stored.footprint(workspace.id)
    answer = send(workspace, packed(HOSTILE[kind](good)))
    assert answer.status_code in {413, 415, 422}, answer.text
    assert len(answer.json()["error"]) > 20
    assert stored.footprint(workspace.id) == before


def test_a_bomb_or_something_else_is_refused(server: Server, good: dict[str, bytes], stored: Stored) -> None:
    # F5, K2
    workspace = server.new_workspace()
    before = stored.footprint(workspace.id)
    zeros = bytes(60_000_000)
    digest = hashlib.sha256(zeros).hexdigest()
    bomb = _line(good, sha256=digest, sizeBytes=len(zeros)) | {f"originals/{digest}": zeros}
    assert "50 MB" in failure_of(send(workspace, packed(bomb)), 413, "FILE_TOO_LARGE")
    # It says that it unpacks to 4 GB a hundred times over.
    plain = packed(good | {f"originals/{n:064x}": b"x" for n in range(100)})
    lying = plain.replace(struct.pack("<IIH", 3, 1, 74), struct.pack("<IIH", 3, 0xFFFFFFF0, 74))
    assert lying != plain
    assert "limit of 10 GB" in failure_of(send(workspace, lying), 422, "BUNDLE_TOO_LARGE")
    for nothing in (b"not a zip", b"PK\x05\x06" + b"\xff" * 18, packed(good)[:-40]):
        assert "no bundle" in failure_of(send(workspace, nothing), 422, "BUNDLE_DAMAGED")
    assert stored.footprint(workspace.id) == before


def test_whoever_may_only_read_exports_and_does_not_import(server: Server, good: dict[str, bytes]) -> None:
    # F2, F5
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    made = workspace.client.post("/api/keys", json={"name": "reader", "scopes": ["read"]})
    reader = Workspace(workspace.id, data_of(made)["key"], str(workspace.client.base_url))
    assert set(entries_of(export(reader, kb))) == {"manifest.json", "documents.jsonl"}
    failure_of(send(reader, packed(good)), 403)
    failure_of(httpx.get(f"{server.url}/api/knowledge-bases/{kb}/export"), 401)


def test_a_name_that_is_taken_stores_nothing(server: Server, good: dict[str, bytes]) -> None:
    # F5
    workspace = server.new_workspace()
    workspace.make_kb("Papers")
    failure_of(send(workspace, packed(good)), 409, "NAME_EXISTS")
    failure_of(send(workspace, packed(good), name="New", slug="Not A Slug"), 422)
    failure_of(send(workspace, packed(good), name="New", slug="papers"), 409, "SLUG_EXISTS")
    assert data_of(send(workspace, packed(good), name="New", slug="brand-new"))["knowledgeBase"]["slug"] == "brand-new"
    wait_for(lambda: all(d["status"] == "indexed" for d in documents_of(workspace, "brand-new")), "they are indexed")


def test_a_link_says_which_workspace_is_meant(server: Server, workspace: Workspace) -> None:
    # F5
    kb = workspace.make_kb("Linked", embedder="none")
    stranger = server.new_workspace()
    with server.owner as owner:
        path = f"/api/knowledge-bases/{kb}/export"
        answer = owner.get(path, params={"workspaceId": workspace.id}).raise_for_status()
        assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''linked.pinakes.zip"
        failure_of(owner.get(path, params={"workspaceId": stranger.id}), 404, "NOT_FOUND")
    # A key belongs to its workspace, whatever a link says.
    failure_of(stranger.client.get(path, params={"workspaceId": workspace.id}), 404, "NOT_FOUND")
