"""`pinakes tools` and `pinakes activity`."""

import json
import subprocess
import sys
import threading

from cli.conftest import Run
from harness import Server, Workspace, data_of, failure_of, wait_for
from pinakes.tools.registry import all_tools


def test_tools_are_listed_with_what_agents_may_call(cli: Run) -> None:
    # F6, E7
    shown = cli("tools", "list").stdout
    rows = {line.split()[0]: line.split()[1] for line in shown.splitlines()[1:]}
    assert rows == {tool.name: "on" if tool.on_by_default else "off" for tool in all_tools()}
    assert [tool["name"] for tool in json.loads(cli("tools", "list", "--json").stdout)] == [t.name for t in all_tools()]


def test_a_tool_is_shown_with_its_arguments(cli: Run) -> None:
    # F6
    shown = cli("tools", "show", "query_catalog").stdout
    assert "on for agents, scope read" in shown
    assert "Ask a catalog a question" in shown
    (row,) = [line for line in shown.splitlines() if line.startswith("num_results")]
    assert "integer" in row
    assert "Default: 5." in row
    failed = cli("tools", "show", "query", check=False)
    assert failed.returncode == 1
    assert "There is no tool 'query'" in failed.stderr


def test_tools_are_switched_by_name_by_toolset_and_all(cli: Run, workspace: Workspace) -> None:
    # E7, F6
    def on() -> set[str]:
        return {tool["name"] for tool in json.loads(cli("tools", "list", "--json").stdout) if tool["isOn"]}

    done = cli("tools", "on", "create_catalog", "delete_catalog")
    assert "On for agents: create_catalog, delete_catalog." in done.stdout
    assert "delete for good" in done.stderr
    made = data_of(workspace.client.post("/api/tools/create_catalog", json={"catalog_name": "By an agent"}))
    assert made["status"] == "success"
    cli("tools", "off", "catalog")
    assert on() & {"list_catalogs", "create_catalog"} == set()
    failure_of(workspace.client.post("/api/tools/list_catalogs"), 403, "TOOL_OFF")
    cli("tools", "on", "--all")
    assert on() == {tool.name for tool in all_tools()}
    for wrong in ((), ("--all", "create_catalog"), ("no_such",)):
        assert cli("tools", "on", *wrong, check=False).returncode == 1


def test_a_person_calls_a_tool_that_is_off_for_agents(cli: Run) -> None:
    # E7, F6
    made = json.loads(cli("tools", "call", "create_catalog", "-a", "catalog_name=2026", "--json").stdout)
    # What the tool wants as text stays text, whatever it looks like.
    assert made["metadata"]["catalog_name"] == "2026"
    catalog = made["metadata"]["catalog_id"]
    arguments = json.dumps({"catalog_id": catalog})
    shown = cli("tools", "call", "list_catalog_documents", "--arguments", arguments, "-a", "limit=3").stdout
    assert "2026" in shown
    mistaken = cli("tools", "call", "query_catalog", "-a", "query=x", "-a", "num_results=many", check=False)
    assert mistaken.returncode == 1
    assert "num_results" in mistaken.stdout
    for wrong in (("-a", "query"), ("--arguments", "[]"), ("--arguments", "{")):
        assert "Error:" in cli("tools", "call", "query_catalog", *wrong, check=False).stderr


def test_activity_is_listed_and_filtered(cli: Run, workspace: Workspace) -> None:
    # E8, F6
    assert "No tool was called." in cli("activity").stdout
    header = {"X-Pinakes-Agent": "librarian"}
    data_of(workspace.client.post("/api/tools/query_catalog", json={"query": "x"}, headers=header))
    cli("tools", "call", "list_catalogs")
    newest, oldest = cli("activity").stdout.splitlines()[1:]
    assert "list_catalogs  Local owner  success" in newest
    assert "query_catalog  librarian    error NO_CATALOG_SELECTED" in oldest
    for chosen in (("--agent", "librarian"), ("--tool", "query_catalog"), ("--result", "error")):
        (call,) = json.loads(cli("activity", *chosen, "--json").stdout)["items"]
        assert call["tool"] == "query_catalog"
    assert json.loads(cli("activity", "--since", "2100-01-01", "--json").stdout)["items"] == []
    assert "There are older ones" in cli("activity", "--limit", "1").stdout


def test_activity_is_followed_as_it_happens(server: Server, workspace: Workspace) -> None:
    # E8, F6
    data_of(workspace.client.post("/api/tools/list_catalogs"))
    environment = server.variables() | {"PINAKES_WORKSPACE": workspace.id}
    following = subprocess.Popen(
        [sys.executable, "-m", "pinakes", "activity", "--follow", "--json"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    lines: list[str] = []
    told = following.stdout
    assert told is not None
    threading.Thread(target=lambda: lines.extend(iter(told.readline, "")), daemon=True).start()
    try:
        wait_for(lambda: len(lines) == 1, "what was called before is not shown")
        data_of(workspace.client.post("/api/tools/query_catalog", json={"query": "x"}))
        wait_for(lambda: len(lines) == 2, "a new call is not shown")
    finally:
        following.terminate()
        following.wait(10)
    assert [json.loads(line)["tool"] for line in lines] == ["list_catalogs", "query_catalog"]
