"""Who may call a tool: tried on every tool of the registry through every interface."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from api.people import make_key, with_key
from harness import Server, Workspace, data_of
from pinakes.domain.identity import Scope
from pinakes.tools.definition import Tool
from pinakes.tools.registry import all_tools
from stored import Stored
from tools.agents import switch_on
from tools.ways import WAYS, Outcome, Way, Who

SECRET = "Zanzibar keeps its cloves"
_EXAMPLES: dict[str, Any] = {"string": "x", "integer": 1, "number": 1, "boolean": False, "array": [], "object": {}}
# What a read-only tool may leave behind: that it was called.
_AUDIT = {"tool_call", "api_key"}


@dataclass(frozen=True)
class Place:
    """A workspace in which every tool is on, with a catalog and a document in it."""

    workspace: Workspace
    owner: Who
    agent: Who
    ids: dict[str, str]


def arguments_of(tool: Tool, ids: dict[str, str]) -> dict[str, Any]:
    """Arguments that name these things, and something of the right type for whatever else must be given."""
    schema = tool.input_schema
    given = {name: ids[name] for name in schema.get("properties", {}) if name in ids}
    for name in schema.get("required", []):
        if name not in given:
            given[name] = _EXAMPLES.get(schema["properties"][name].get("type"), "x")
    return given


def make_place(server: Server, name: str) -> Place:
    """A new one."""
    workspace = server.new_workspace(name)
    kb = workspace.make_kb(f"Spices of {name}")
    document = workspace.add(kb, "cloves.txt", f"{SECRET}.")
    switch_on(server, workspace)
    token = (server.home / "owner.token").read_text().strip()
    return Place(
        workspace,
        owner=Who(server.url, token, workspace.id, is_person=True),
        agent=Who(server.url, workspace.key, workspace.id),
        ids={"catalog_id": kb, "document_id": document["id"]},
    )


@pytest.fixture(scope="module")
def place(server: Server) -> Place:
    """The workspace whose tools are called."""
    return make_place(server, "Here")


@pytest.fixture(params=sorted(WAYS))
def way(request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Way:
    """Each interface in turn."""
    monkeypatch.setenv("PINAKES_HOME", str(tmp_path))
    monkeypatch.setenv("PINAKES_WORKSPACE", place.workspace.id)
    return WAYS[request.param]


async def call_each(way: Way, who: Who, ids: dict[str, str], tools: list[Tool] | None = None) -> dict[str, Outcome]:
    """What comes of a call of every tool."""
    chosen = all_tools() if tools is None else tools
    assert chosen
    return {tool.name: await way.call(who, tool.name, arguments_of(tool, ids)) for tool in chosen}


async def test_a_revoked_key_calls_no_tool(way: Way, place: Place) -> None:
    # F2
    key = make_key(place.workspace.client, "read", "write")
    who = replace(place.agent, credential=key["key"])
    assert (await way.call(who, "list_catalogs", {})).refusal is None
    data_of(place.workspace.client.delete(f"/api/keys/{key['id']}"))
    outcomes = await call_each(way, who, place.ids)
    assert {outcome.refusal for outcome in outcomes.values()} == {"UNAUTHENTICATED"}


@pytest.mark.parametrize("held", ["read", "write"])
async def test_a_key_without_the_scope_of_a_tool_cannot_call_it(way: Way, place: Place, held: str) -> None:
    # F2
    who = replace(place.agent, credential=make_key(place.workspace.client, held)["key"])
    beyond = [tool for tool in all_tools() if tool.scope != held]
    outcomes = await call_each(way, who, place.ids, beyond)
    assert {outcome.refusal for outcome in outcomes.values()} == {"FORBIDDEN"}
    assert not set(outcomes) & set(await way.names(who))
    # And what it is told it may call it may call: tools that write look up what is there, too.
    offered = [tool for tool in all_tools() if tool.name in await way.names(who)]
    assert bool(offered) is (held == "read")
    for tool in offered:
        assert (await way.call(who, tool.name, arguments_of(tool, place.ids))).refusal is None, tool.name


async def test_a_key_of_another_workspace_finds_and_changes_nothing(
    way: Way, place: Place, server: Server, stored: Stored
) -> None:
    # F3
    other = server.new_workspace("Elsewhere")
    switch_on(server, other)
    before = stored.footprint(place.workspace.id)
    outcomes = await call_each(way, Who(server.url, other.key, other.id), place.ids)
    for name, outcome in outcomes.items():
        said = f"{outcome.text} {outcome.metadata}"
        assert SECRET not in said, name
        assert "cloves.txt" not in said, name
        assert "Spices of Here" not in said, name
        if place.ids["catalog_id"] in said:
            assert outcome.code in {"CATALOG_NOT_FOUND", "DOCUMENT_NOT_FOUND"}, name
    # The words would have been there for those who may see them.
    assert "Spices of Here" in (await way.call(place.agent, "list_catalogs", {})).text
    after = stored.footprint(place.workspace.id)
    assert {t: n for t, n in after.items() if t not in _AUDIT} == {t: n for t, n in before.items() if t not in _AUDIT}


async def test_a_tool_that_is_off_is_not_listed_and_not_called_by_an_agent_but_by_a_person(
    way: Way, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    # E7
    place = make_place(server, "Dark")
    monkeypatch.setenv("PINAKES_WORKSPACE", place.workspace.id)
    names = [tool.name for tool in all_tools()]
    assert await way.names(place.agent) == names
    switch_on(server, place.workspace, is_on=False)
    assert await way.names(place.agent) == []
    refused = await call_each(way, place.agent, place.ids)
    assert {outcome.refusal for outcome in refused.values()} == {"TOOL_OFF"}
    if way.knows_people:
        assert await way.names(place.owner) == names
        done = await call_each(way, place.owner, place.ids)
        assert {outcome.refusal for outcome in done.values()} == {None}
        assert done["create_catalog"].code is None
    else:
        assert await way.names(place.owner) == []
    # Off or not, what there is was told from what there is not.
    assert (await way.call(place.agent, "no_such_tool", {})).refusal == "TOOL_NOT_FOUND"


def test_only_what_reads_knowledge_is_on_from_the_start(workspace: Workspace) -> None:
    # E7
    listed = {tool["name"] for tool in data_of(workspace.client.get("/api/tools"))}
    assert listed == {tool.name for tool in all_tools() if tool.on_by_default}
    for tool in all_tools():
        assert tool.scope is Scope.READ or not tool.on_by_default, tool.name
        assert not (tool.annotations.destructive and tool.on_by_default), tool.name


def test_tools_are_switched_by_people_who_own_the_workspace(server: Server, workspace: Workspace) -> None:
    # E7: an agent must not give itself what a person has withheld
    for client in (workspace.client, with_key(server, make_key(workspace.client, "read")["key"])):
        answer = client.patch("/api/tools/create_catalog", json={"isOn": True})
        assert (answer.status_code, answer.json()["errorCode"]) == (403, "FORBIDDEN")
    assert "create_catalog" not in {tool["name"] for tool in data_of(workspace.client.get("/api/tools"))}
