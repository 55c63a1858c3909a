"""A server whose originals are in S3 and whose query cache is in Redis, through outages of both."""

import asyncio
import json
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from bench.servers import SeaweedFS, Valkey, seaweedfs, valkey

from harness import Server, Workspace, data_of, failure_of, remove_home, wait_for
from pinakes.services.sweeping import sweep
from pinakes.settings import load_settings
from pinakes.wiring import open_app

OWLS = "# Owls\n\nThe barn owl nests in hollow trees and hunts voles at night."


@pytest.fixture(scope="module")
def s3() -> Iterator[SeaweedFS]:
    """A real S3 server."""
    with seaweedfs() as server:
        yield server


@pytest.fixture(scope="module")
def redis_server() -> Iterator[Valkey]:
    """A real Valkey."""
    with valkey() as server:
        yield server


@pytest.fixture(scope="module")
def shared(s3: SeaweedFS, redis_server: Valkey, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on both."""
    environment = s3.environment | redis_server.environment
    server = Server(tmp_path_factory.mktemp("shared") / "home", environment).start()
    yield server
    server.stop()
    remove_home(server.home)


def ask(workspace: Workspace, query: str) -> dict[str, Any]:
    """The whole answer of a search."""
    return data_of(workspace.client.post("/api/search", json={"query": query}))


def cache_metrics(server: Server) -> dict[str, float]:
    """How often the server's cache had, had not, or could not say."""
    text = httpx.get(f"{server.url}/metrics").text
    found = re.findall(r'^pinakes_query_cache_total\{result="(\w+)"\} (\S+)$', text, re.MULTILINE)
    return {name: float(value) for name, value in found}


def test_an_original_lives_in_s3_from_upload_to_deletion(shared: Server, s3: SeaweedFS) -> None:
    # K12, K13
    workspace = shared.new_workspace()
    content = (OWLS + "\n" + "Owls are birds. " * 300).encode()
    document = workspace.add(workspace.make_kb(), "owls.md", content)
    assert document["status"] == "indexed"
    assert workspace.search("Where do barn owls nest?")[0]["documentName"] == "owls.md"
    keys = [key for key in s3.stored_keys() if workspace.id in key]
    assert len(keys) == 1
    assert keys[0].startswith(f"pinakes/test/{workspace.id}/")
    assert not (shared.home / "originals").exists()
    link = data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))["url"]
    assert httpx.get(link).content == content
    data_of(workspace.client.delete(f"/api/documents/{document['id']}"))
    assert [key for key in s3.stored_keys() if workspace.id in key] == []


def test_a_repeated_question_is_cached_counted_and_shown_to_its_own_workspace_alone(shared: Server) -> None:
    # A7, A8
    workspace, stranger = shared.new_workspace(), shared.new_workspace()
    for each in (workspace, stranger):
        assert each.add(each.make_kb(), "owls.md", OWLS)["status"] == "indexed"
    before = cache_metrics(shared)
    assert ask(workspace, "Where do owls nest?")["cached"] is False
    wait_for(lambda: ask(workspace, "Where do owls nest?")["cached"], "a repeated question is not cached")
    assert ask(stranger, "Where do owls nest?")["cached"] is False
    answers = [ask(workspace, "Where do owls nest?") for _ in range(20)]
    # On a busy machine Redis may be late for some of them.
    assert sum(answer["cached"] for answer in answers) > 8
    assert answers[0]["results"] == answers[-1]["results"]
    mine = data_of(workspace.client.get("/api/search/cache"))
    theirs = data_of(stranger.client.get("/api/search/cache"))
    assert (theirs["hits"], theirs["misses"] + theirs["errors"]) == (0, 1)
    asked = mine["hits"] + mine["misses"] + mine["errors"]
    assert asked >= 22
    assert mine["hitRate"] == pytest.approx(mine["hits"] / asked, abs=0.001)
    assert mine["hitRate"] > 0.4
    after = cache_metrics(shared)
    names = {"hit": "hits", "miss": "misses", "error": "errors"}
    assert {name: after[name] - before[name] for name in after} == {
        name: mine[counted] + theirs[counted] for name, counted in names.items()
    }
    status = shared.run("status", environment={"PINAKES_URL": shared.url, "PINAKES_API_KEY": workspace.key})
    assert f"{mine['hits']} hits, {mine['misses']} misses, {mine['errors']} errors" in status.stdout


def test_redis_is_killed_in_mid_load_and_every_question_is_answered(shared: Server, redis_server: Valkey) -> None:
    # A8
    workspace = shared.new_workspace()
    workspace.add(workspace.make_kb(), "owls.md", OWLS)
    with ThreadPoolExecutor(4) as pool:
        wait_for(lambda: ask(workspace, "Where do owls nest? 0")["cached"], "a repeated question is not cached")
        asking = [pool.submit(ask, workspace, f"Where do owls nest? {number % 5}") for number in range(120)]
        wait_for(lambda: sum(future.done() for future in asking) > 40, "no question is answered")
        redis_server.kill()
        answers = [future.result() for future in asking]
    redis_server.start()
    assert all(answer["results"][0]["documentName"] == "owls.md" for answer in answers)
    assert not any(answer["warnings"] for answer in answers)
    assert not answers[-1]["cached"]
    assert httpx.get(f"{shared.url}/readyz").status_code == 200


def worker_of(server: Server) -> psutil.Process:
    assert server.process is not None
    children = psutil.Process(server.process.pid).children()
    return next(child for child in children if "worker" in child.cmdline())


def test_while_the_store_is_down_indexing_waits_uploads_fail_and_deletions_are_kept_for_later(
    shared: Server, s3: SeaweedFS
) -> None:
    # K3, K12, K13
    workspace = shared.new_workspace()
    kb = workspace.make_kb()
    gone = workspace.add(kb, "gone.md", OWLS)
    worker = worker_of(shared)
    worker.send_signal(signal.SIGSTOP)
    waiting = data_of(workspace.upload(kb, "waiting.md", OWLS))["document"]["id"]
    s3.kill()
    worker.send_signal(signal.SIGCONT)

    begun = time.monotonic()
    words = failure_of(workspace.upload(kb, "refused.md", OWLS), 503, "PROVIDER_UNAVAILABLE")
    assert time.monotonic() - begun < 10
    assert "could not take the file" in words
    assert "PINAKES_S3_ENDPOINT" in words
    assert "originals" in failure_of(httpx.get(f"{shared.url}/readyz"), 503, "NOT_READY")
    assert workspace.search("Where do barn owls nest?"), "what is indexed goes on answering"
    assert data_of(workspace.client.delete(f"/api/documents/{gone['id']}"))["documents"] == 1
    setback = wait_for(lambda: setback_of(workspace, waiting), "indexing never noticed the outage")
    assert "PINAKES_S3_ENDPOINT" in setback

    s3.start()
    assert workspace.settle(waiting)["status"] == "indexed"
    items = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))["items"]
    assert [item["name"] for item in items] == ["waiting.md"]
    assert len([key for key in s3.stored_keys() if workspace.id in key]) == 2, "the deleted one is still there"
    asyncio.run(sweep_once(shared))
    assert len([key for key in s3.stored_keys() if workspace.id in key]) == 1


def setback_of(workspace: Workspace, document_id: str) -> str | None:
    operations = data_of(workspace.client.get("/api/operations", params={"documentId": document_id}))["items"]
    return next((o["error"] for o in operations if o["documentId"] == document_id and o["error"]), None)


async def sweep_once(server: Server) -> None:
    """What the worker does every minute."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.variables().items():
            patch.setenv(name, value)
        settings = load_settings()
    async with open_app(settings) as app:
        await sweep(app.resources)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PINAKES_S3_SECRET_KEY", "guessed"),
        ("PINAKES_ORIGINALS", "s3://no-such-bucket"),
        ("PINAKES_S3_ENDPOINT", "http://127.0.0.1:9"),
        ("PINAKES_ORIGINALS", "gs://bucket"),
        ("PINAKES_REDIS_URL", "nonsense"),
    ],
)
def test_a_wrong_setting_stops_the_start_and_is_named(s3: SeaweedFS, home: Path, variable: str, value: str) -> None:
    # K13
    server = Server(home, s3.environment | {variable: value})
    done = server.run("serve", "--port", "0", check=False)
    assert done.returncode != 0
    assert variable in done.stderr
    assert "guessed" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_doctor_names_a_wrong_secret_and_a_redis_that_is_away(s3: SeaweedFS, home: Path) -> None:
    # K13, A8
    wrong = Server(home, s3.environment | {"PINAKES_S3_SECRET_KEY": "guessed"})
    done = wrong.run("doctor", "--json", check=False)
    findings = json.loads(done.stdout)
    assert done.returncode != 0
    (bad,) = [finding for finding in findings if finding["state"] == "error"]
    assert "PINAKES_S3_SECRET_KEY" in bad["detail"]
    assert "guessed" not in done.stdout
    own = {"PINAKES_ORIGINALS": f"s3://{s3.bucket}/doctor", "PINAKES_REDIS_URL": "redis://127.0.0.1:9"}
    right = Server(home, s3.environment | own)
    findings = json.loads(right.run("doctor", "--json").stdout)
    states = {finding["check"]: finding for finding in findings}
    assert states["Readiness: originals"]["state"] == "ok"
    assert states["Query cache"]["state"] == "warning"
    assert "PINAKES_REDIS_URL" in states["Query cache"]["detail"]
