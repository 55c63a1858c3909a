"""Activity: every call of a tool is a row and a line of the log, looked up and watched live."""

import hashlib
import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

import httpx

from api.people import join, make_key, with_key
from harness import DEADLINE, Server, Workspace, data_of, failure_of, wait_for
from pinakes.domain.ids import first_id, new_id
from pinakes.domain.limits import Limits
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.services.activity import forget_calls
from pinakes.services.resources import Resources
from pinakes.store.database import Database
from stored import Stored


def calls(client: httpx.Client, **query: Any) -> list[dict[str, Any]]:
    return data_of(client.get("/api/activity", params=query))["items"]


def lines_of(server: Server, call_id: str) -> list[dict[str, Any]]:
    lines = (server.home / "server.log").read_text().splitlines()
    return [json.loads(line) for line in lines if call_id in line]


@contextmanager
def watching(workspace: Workspace) -> Generator[list[dict[str, Any]]]:
    """The calls of a workspace while the block runs, as they are told."""
    told: list[dict[str, Any]] = []
    begun, ended = threading.Event(), threading.Event()

    def listen(client: httpx.Client) -> None:
        try:
            with client.stream("GET", "/api/activity/events") as response:
                for line in response.iter_lines():
                    begun.set()
                    if line.startswith("data: "):
                        told.append(json.loads(line.removeprefix("data: ")))
        except httpx.HTTPError:
            if not ended.is_set():
                raise

    client = httpx.Client(base_url=workspace.client.base_url, headers=workspace.client.headers, timeout=20)
    with client:
        threading.Thread(target=listen, args=[client], daemon=True).start()
        assert begun.wait(DEADLINE)
        try:
            yield told
        finally:
            ended.set()


def test_a_call_is_a_row_and_a_line_with_who_called_what_and_how_it_went(workspace: Workspace, server: Server) -> None:
    # E8
    before = datetime.now(UTC)
    header = {"X-Pinakes-Agent": "librarian"}
    answer = data_of(workspace.client.post("/api/tools/query_catalog", json={"query": "How far?"}, headers=header))
    assert answer["metadata"]["error_code"] == "NO_CATALOG_SELECTED"
    (call,) = calls(workspace.client)
    digest = hashlib.sha256(b"How far?").hexdigest()[:8]
    assert (call["tool"], call["interface"], call["agentName"]) == ("query_catalog", "rest", "librarian")
    assert (call["result"], call["errorCode"], call["topicDigest"]) == ("error", "NO_CATALOG_SELECTED", digest)
    assert (call["keyName"], call["userName"]) == ("test", "Local owner")
    assert before <= datetime.fromisoformat(call["calledAt"]) <= datetime.now(UTC)
    assert 0 < call["durationMs"] < 10_000
    (line,) = wait_for(lambda: lines_of(server, call["id"]) or None, "the call is not in the log")
    assert (line["command"], line["agentName"], line["topicDigest"]) == ("query_catalog", "librarian", digest)
    assert (line["result"], line["errorCode"]) == ("error", "NO_CATALOG_SELECTED")
    assert before <= datetime.fromisoformat(line["timestamp"])
    assert line["durationMs"] > 0


def test_nothing_of_what_was_said_is_in_the_row_or_the_log(server: Server, stored: Stored) -> None:
    # E8
    workspace = server.new_workspace()
    asked, written, named = "quagmirequestion", "obsidiandocument", "Tourmalinecatalog"
    with server.owner as owner:
        owner.headers["X-Pinakes-Workspace"] = workspace.id
        data_of(owner.patch("/api/tools", json={"switches": {"create_catalog": True}}))
    made = workspace.client.post("/api/tools/create_catalog", json={"catalog_name": named})
    catalog = data_of(made)["metadata"]["catalog_id"]
    workspace.add(catalog, "notes.txt", f"The {written} answers every {asked}.")
    for arguments in ({"query": f"Where is the {asked}?"}, {"query": asked, "unknown": asked}, {"query": [asked]}):
        arguments = {**arguments, "catalog_id": catalog}
        answer = workspace.client.post("/api/tools/query_catalog", json=arguments)
    found = data_of(workspace.client.post("/api/tools/query_catalog", json={"query": asked, "catalog_id": catalog}))
    assert written in json.dumps(found), "otherwise there would have been nothing to keep"
    assert data_of(answer)["status"] == "error"
    kept = calls(workspace.client)
    assert len(kept) == 5
    wait_for(lambda: lines_of(server, kept[0]["id"]) or None, "the last call is not in the log")
    log = (server.home / "server.log").read_text()
    for marker in (asked, written, named):
        assert marker not in log
        tables = stored.tables_with(marker)
        assert "tool_call" not in tables
        assert "procrastinate_jobs" not in tables
    assert "knowledge_base" in stored.tables_with(named), "otherwise the search for it proves nothing"


def test_what_was_refused_is_kept_too(workspace: Workspace, server: Server) -> None:
    # E8
    reader = with_key(server, make_key(workspace.client, "read")["key"])
    failure_of(workspace.client.post("/api/tools/create_catalog", json={"catalog_name": "A"}), 403, "TOOL_OFF")
    failure_of(reader.post("/api/tools/create_catalog", json={"catalog_name": "A"}), 403, "FORBIDDEN")
    assert [(call["result"], call["errorCode"]) for call in calls(workspace.client)] == [
        ("refused", "FORBIDDEN"),
        ("refused", "TOOL_OFF"),
    ]


def test_calls_are_listed_newest_first_page_by_page_and_by_what_is_asked(workspace: Workspace, server: Server) -> None:
    # E8
    for n in range(5):
        header = {"X-Pinakes-Agent": f"agent {n % 2}"}
        data_of(workspace.client.post("/api/tools/list_catalogs", headers=header))
    data_of(join(server, workspace, "viewer").post("/api/tools/query_catalog", json={"query": "x"}))
    every = calls(workspace.client)
    assert [call["tool"] for call in every] == ["query_catalog", *["list_catalogs"] * 5]
    assert [call["id"] for call in every] == sorted((call["id"] for call in every), reverse=True)
    seen: list[dict[str, Any]] = []
    before = None
    while True:
        query = {"limit": 4} | ({"before": before} if before else {})
        page = data_of(workspace.client.get("/api/activity", params=query))
        seen += page["items"]
        if (before := page["next"]) is None:
            break
    assert seen == every
    assert len(calls(workspace.client, agent="agent 0")) == 3
    assert len(calls(workspace.client, agent="test")) == 5
    assert len(calls(workspace.client, tool="query_catalog")) == 1
    assert len(calls(workspace.client, result="success")) == 5
    assert calls(workspace.client, since=every[0]["calledAt"], result="success") == []
    assert len(calls(workspace.client, since="2020-01-01T00:00:00Z")) == 6
    failure_of(workspace.client.get("/api/activity", params={"result": "lost"}), 422)
    # A person's call has no key.
    assert (every[0]["keyId"], every[0]["userName"]) == (None, "Ada")


def test_calls_are_told_as_they_are_made_to_those_of_the_workspace_alone(server: Server, workspace: Workspace) -> None:
    # E8, F3
    other = server.new_workspace()
    with watching(workspace) as told, watching(other) as told_elsewhere:
        data_of(workspace.client.post("/api/tools/list_catalogs", headers={"X-Pinakes-Agent": "live"}))
        wait_for(lambda: told or None, "the call was not told", 10)
        data_of(other.client.post("/api/tools/list_catalogs"))
        wait_for(lambda: told_elsewhere or None, "the other call was not told", 10)
    assert told == calls(workspace.client)
    assert told[0]["agentName"] == "live"
    assert told_elsewhere == calls(other.client)


def test_an_agents_name_is_a_label_of_bounded_length_without_what_steers_a_terminal(workspace: Workspace) -> None:
    # E8
    for name in ("evil \x9b31m " + "x" * 300, "司書"):
        header = [(b"X-Pinakes-Agent", name.encode())]
        data_of(workspace.client.post("/api/tools/list_catalogs", headers=header))
    second, first = calls(workspace.client)
    assert first["agentName"] == ("evil 31m " + "x" * 300)[:100]
    assert second["agentName"] == "司書"


async def test_calls_are_forgotten_after_their_days(
    workspace: Workspace, database_urls: EngineUrls, stored: Stored
) -> None:
    # E8
    data_of(workspace.client.post("/api/tools/list_catalogs"))
    now = datetime.now(UTC)
    old, young = (first_id("call", now - timedelta(days=days)) for days in (91, 89))
    for call_id in (old, young):
        stored.connection.execute(
            "INSERT INTO tool_call (workspace_id, call_id, tool, interface, user_id, result, milliseconds) "
            "SELECT workspace_id, %s, tool, interface, user_id, result, 1 FROM tool_call WHERE workspace_id = %s "
            "LIMIT 1",
            [call_id, workspace.id],
        )
    assert [call["id"] for call in calls(workspace.client)][1:] == [young, old]
    database = Database(database_urls.app_url, size=2)
    await database.open()
    resources = cast("Resources", SimpleNamespace(database=database, limits=Limits()))
    assert await forget_calls(resources, workspace.id) == 1
    await database.close()
    assert [call["id"] for call in calls(workspace.client)][1:] == [young]


def test_the_first_id_of_a_moment_sorts_between_the_ids_around_it() -> None:
    # E8: what was called since a moment is found by ids alone
    earlier = new_id("call")
    moment = datetime.now(UTC) + timedelta(milliseconds=2)
    assert earlier < first_id("call", moment) < first_id("call", moment + timedelta(milliseconds=1))
    assert first_id("call", datetime.now(UTC) - timedelta(milliseconds=2)) < new_id("call")
    assert first_id("call", datetime(1960, 1, 1, tzinfo=UTC)) < earlier
