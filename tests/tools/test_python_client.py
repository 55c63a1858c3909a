"""`pinakes.connect()`: every tool as a typed call."""

import inspect
from pathlib import Path

import pytest

import pinakes
from harness import Server, Workspace, data_of
from pinakes.client import ApiFailure
from pinakes.tools.registry import all_tools
from pinakes.tools.stub import render_stub

STUB = Path(inspect.getfile(pinakes)).with_name("tool_calls.pyi")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No server of this machine is found by chance."""
    monkeypatch.setenv("PINAKES_HOME", str(tmp_path))


async def test_a_tool_is_a_method_that_answers_with_words_and_data(server: Server, workspace: Workspace) -> None:
    # F1
    with server.owner as owner:
        header = {"X-Pinakes-Workspace": workspace.id}
        data_of(owner.patch("/api/tools", json={"switches": {"create_catalog": True}}, headers=header))
    async with pinakes.connect(server.url, workspace.key, agent="Lesér") as tools:
        made = await tools.create_catalog(catalog_name="Reefs", description="Of the south")
        assert (made.status, made.error_code) == ("success", None)
        assert made.metadata["catalog_id"] in made.text
        assert "Reefs" in (await tools.list_catalogs()).text
        # What can be mended is no exception.
        again = await tools.create_catalog(catalog_name="Reefs")
        assert (again.status, again.error_code) == ("error", "CATALOG_NAME_EXISTS")
        # By its name in Python as well as by the one in its schema.
        chosen = await tools.select_catalog(catalog_id=made.metadata["catalog_id"], thread_id="t1")
        assert chosen.status == "success"
        assert (await tools.call("query_catalog", query="x", threadId="t1")).error_code == "CATALOG_EMPTY"
    calls = data_of(workspace.client.get("/api/activity"))["items"]
    assert {(call["interface"], call["agentName"]) for call in calls} == {("python", "Lesér")}


async def test_the_tools_that_may_be_called_are_told_with_their_schemas(server: Server, workspace: Workspace) -> None:
    # F1, E7
    async with pinakes.connect(server.url, workspace.key) as tools:
        told = {tool["name"]: tool for tool in await tools.tools()}
    assert set(told) == {tool.name for tool in all_tools() if tool.on_by_default}
    assert told["query_catalog"]["inputSchema"]["required"] == ["query"]


async def test_a_refusal_is_an_exception_with_its_code(server: Server, workspace: Workspace) -> None:
    # E7
    async with pinakes.connect(server.url, workspace.key) as tools:
        with pytest.raises(ApiFailure, match="pinakes tools on create_catalog") as refused:
            await tools.create_catalog(catalog_name="Reefs")
        with pytest.raises(ApiFailure, match="There is no tool 'sing'"):
            await tools.call("sing")
    assert refused.value.code == "TOOL_OFF"


async def test_where_no_server_runs_it_says_what_to_do() -> None:
    # F1
    with pytest.raises(ApiFailure, match="pinakes serve"):
        async with pinakes.connect():
            pass


async def test_the_server_of_this_machine_is_found_by_itself(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    # F1, E7: with the owner's session, and bound by the switches all the same
    monkeypatch.setenv("PINAKES_HOME", str(server.home))
    async with pinakes.connect() as tools:
        assert (await tools.list_catalogs()).status == "success"
        with pytest.raises(ApiFailure, match="switched off"):
            await tools.create_catalog(catalog_name="Reefs")


def test_the_types_of_the_calls_come_from_todays_tools() -> None:
    # F1
    assert STUB.read_text() == render_stub(), "A tool changed. Run: make types"
    assert all(f"async def {tool.name}(" in STUB.read_text() for tool in all_tools())
