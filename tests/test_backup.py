"""A back-up is one moment of everything, whatever goes on meanwhile, and comes back elsewhere as it was."""

import asyncio
import hashlib
import itertools
import json
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import psycopg
import pytest

from harness import Server, Workspace, data_of, remove_home, wait_for
from pinakes.providers.postgres.cluster import APP_ROLE
from pinakes.providers.postgres.engine import open_engine
from pinakes.services.backup import write_backup
from pinakes.services.sweeping import sweep
from pinakes.settings import Settings
from pinakes.wiring import open_app, open_storage
from store.catalogue import connect, find_breaches

QUICK = {"PINAKES_HEARTBEAT_SECONDS": "0.5"}
QUESTIONS = ("How old do oaks get?", "What do foxes eat?", "tide tables")
STABLE = {
    "oaks.md": "# Oaks\n\nOaks can live for a thousand years.\n\n## Acorns\n\nA jay buries thousands of acorns.\n",
    "foxes.txt": "Foxes eat mice, berries and whatever a bin holds.\n",
    "tides.txt": "Tide tables tell when the water is high at Dover and at Calais.\n",
}


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose database others do not share."""
    server = Server(tmp_path_factory.mktemp("origin") / "home", environment=QUICK).start()
    yield server
    server.stop()
    remove_home(server.home)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Server]:
    """Where to restore to: nothing is there yet."""
    server = Server(tmp_path / "elsewhere", environment=QUICK)
    yield server
    server.stop()
    remove_home(server.home)


@dataclass
class Load:
    """Uploads, replacements and deletions without a pause, and everything that was ever uploaded."""

    workspace: Workspace
    kb: str
    contents: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    done: int = 0
    _stopped: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        for number in itertools.count():
            if self._stopped.is_set():
                return
            name = f"load-{number % 7}.txt"
            body = f"Ship number {number} carries {number * 3} crates of tea to the harbour.\n" * (1 + number % 5)
            self.contents.setdefault(name, set()).add(hashlib.sha256(body.encode()).hexdigest())
            answer = self.workspace.upload(self.kb, name, body, replace="true")
            assert answer.status_code == 202, answer.text
            if number % 3 == 2:
                self.workspace.client.delete(f"/api/documents/{answer.json()['data']['document']['id']}")
            self.done += 1


def results(workspace: Workspace, kb: str) -> list[Any]:
    return [workspace.search(question, knowledgeBaseIds=[kb], topK=5) for question in QUESTIONS]


def fetch(workspace: Workspace, document: dict[str, Any]) -> bytes:
    link = data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))["url"]
    return httpx.get(link).raise_for_status().content


def list_documents(workspace: Workspace, kb: str) -> list[dict[str, Any]]:
    return data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents", params={"limit": 500}))["items"]


def check_rights(home: Path) -> None:
    """Roles, rights and row security are as the rules want them."""
    engine = asyncio.run(open_engine(home))
    with connect(engine.urls.migrate_url) as catalogue:
        assert find_breaches(catalogue, APP_ROLE) == []
    with psycopg.connect(engine.urls.app_url) as connection:
        assert connection.execute("SELECT count(*) FROM document").fetchone() == (0,)
    asyncio.run(engine.close())


def files_of(server: Server, workspace: Workspace) -> list[Path]:
    return [path for path in (server.home / "originals" / workspace.id).rglob("*") if path.is_file()]


def test_a_backup_under_load_comes_back_elsewhere_as_it_was(origin: Server, elsewhere: Server, tmp_path: Path) -> None:
    # F3, F5
    workspace = origin.new_workspace()
    stable = workspace.make_kb("Stable")
    for name, content in STABLE.items():
        workspace.add(stable, name, content, tags="kept=yes")
    before = results(workspace, stable)
    with Load(workspace, workspace.make_kb("Busy")) as load:
        wait_for(lambda: load.done > 8, "the load is under way")
        made = json.loads(origin.run("backup", str(tmp_path / "all.tar"), "--json").stdout)
        during = load.done
        wait_for(lambda: load.done > during, "the load went on all the time")
    assert made["missing"] == []
    assert made["damaged"] == []
    told = elsewhere.run("restore", str(tmp_path / "all.tar")).stdout
    assert f"Restored {made['counts']['workspaces']} workspaces" in told
    elsewhere.start()
    restored = Workspace(workspace.id, workspace.key, elsewhere.url)
    assert results(restored, stable) == before
    for document in list_documents(restored, stable):
        assert fetch(restored, document) == STABLE[document["name"]].encode()
        assert document["tags"] == [{"tagName": "kept", "tagValue": "yes"}]
    documents = list_documents(restored, load.kb)
    assert documents
    for document in documents:
        settled = restored.settle(document["id"])
        assert settled["status"] == "indexed", "what was being indexed is taken up again"
        digest = hashlib.sha256(fetch(restored, settled)).hexdigest()
        assert digest == settled["sha256"]
        assert digest in load.contents[settled["name"]]
    check_rights(elsewhere.home)
    with elsewhere.owner as owner:
        assert workspace.id in str(data_of(owner.get("/api/workspaces"))), "the local owner is signed in"


async def test_what_is_deleted_during_a_backup_is_still_in_it_and_gone_later(origin: Server, tmp_path: Path) -> None:
    # F5, K12
    workspace = origin.new_workspace()
    kb = workspace.make_kb()
    documents = [workspace.add(kb, f"page-{n}.txt", f"Page {n} of the ledger.\n") for n in range(3)]
    assert len(files_of(origin, workspace)) == 3

    def delete_all(what: str, done: int, _total: int) -> None:
        if what == "Originals" and done == 0:
            for document in documents:
                assert data_of(workspace.client.delete(f"/api/documents/{document['id']}"))["documents"] == 1

    settings = Settings(home=origin.home, database_url=None, migrate_url=None)
    async with open_storage(settings) as storage:
        made = await write_backup(storage.urls, storage.blobs, tmp_path / "all.tar", delete_all)
    assert made["missing"] == []
    with tarfile.open(tmp_path / "all.tar") as tar:
        assert len([name for name in tar.getnames() if workspace.id in name]) == 3
    assert len(files_of(origin, workspace)) == 3, "nothing is removed while a back-up runs"
    async with open_app(settings) as app:
        await sweep(app.resources)
    assert files_of(origin, workspace) == []


def test_a_restore_needs_an_empty_place_and_a_whole_file(origin: Server, elsewhere: Server, tmp_path: Path) -> None:
    # F5
    file, key = tmp_path / "all.tar", tmp_path / "key"
    origin.run("backup", str(file), "--key-file", str(key))
    assert "exists already" in origin.run("backup", str(file), check=False).stderr
    assert "nothing is overwritten" in origin.run("restore", str(file), check=False).stderr
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 1
    (tmp_path / "damaged.tar").write_bytes(content)
    assert "Nothing was restored" in elsewhere.run("restore", str(tmp_path / "damaged.tar"), check=False).stderr
    mark = elsewhere.home / "originals" / "installation"
    mark.write_text("somebody else's\n")
    assert "belongs to an installation already" in elsewhere.run("restore", str(file), check=False).stderr
    mark.unlink()
    # None of this left anything behind that the real one could stumble over.
    elsewhere.run("restore", str(file), "--key-file", str(key))
    assert (elsewhere.home / "secret.key").read_bytes() == (origin.home / "secret.key").read_bytes()


def test_the_secret_key_is_kept_apart(origin: Server, tmp_path: Path) -> None:
    # F5, F2
    told = origin.run("backup", str(tmp_path / "all.tar")).stdout
    assert "The secret key (secret.key in the data folder) is not in it" in told
    key = (origin.home / "secret.key").read_text().strip()
    content = (tmp_path / "all.tar").read_bytes()
    assert key.encode() not in content
    assert bytes.fromhex(key) not in content
    assert (tmp_path / "all.tar").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["all.tar"], "no draft is left"
