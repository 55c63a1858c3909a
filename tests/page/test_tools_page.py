"""Tools switched and tried, agents connected, and their calls watched, all in the page."""

import json
import re
import shutil
import subprocess
import sys

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from harness import DEADLINE, Server, Workspace, data_of, failure_of
from page.conftest import enter
from page.connected import connected
from page.looking import NARROW, Visit, look, look_dark, look_day_and_night
from tools.agents import switch_on

LONG_NAME = "the-agent-that-reads-the-minutes-of-the-society-for-the-study-of-very-long-names-" * 2


def open_tools(page: Page) -> None:
    page.goto("/tools")
    page.get_by_role("heading", name="Tools", level=1).wait_for()
    page.get_by_role("switch").first.wait_for()


def names_for(workspace: Workspace) -> list[str]:
    """The tools that a key is shown."""
    return [tool["name"] for tool in data_of(workspace.client.get("/api/tools"))]


def call(workspace: Workspace, tool: str, agent: str | None = None, **arguments: object) -> httpx.Response:
    headers = {"X-Pinakes-Agent": agent} if agent else {}
    return workspace.client.post(f"/api/tools/{tool}", json=arguments, headers=headers)


def part(page: Page, name: str) -> str:
    """The text of a part of the configuration."""
    return page.get_by_role("group", name=name).locator("pre").inner_text()


def switched(page: Page, switch: Locator, key: str) -> None:
    """Press a key on a switch and wait until the server knows."""
    with page.expect_response(lambda answer: answer.request.method == "PATCH") as told:
        switch.press(key)
    assert told.value.ok


@pytest.fixture
def viewer(visit: Visit, server: Server, workspace: Workspace) -> Page:
    """The page of somebody who may only read."""
    with server.owner as owner:
        made = owner.post(
            "/api/invitations",
            json={"name": "Reader", "role": "viewer"},
            headers={"X-Pinakes-Workspace": workspace.id},
        )
    page = visit()
    page.goto(data_of(made)["url"])
    page.get_by_role("heading", level=1).first.wait_for()
    page.evaluate("id => localStorage.setItem('pinakes.workspace', id)", workspace.id)
    return page


def test_what_is_switched_in_the_page_comes_and_goes_for_a_connected_agent(
    signed_in: Page, server: Server, workspace: Workspace
) -> None:
    # E7, K5
    page = signed_in
    with connected(workspace) as agent:
        assert "list_catalogs" in agent.names()
        assert "create_knowledge" not in agent.names()
        open_tools(page)
        look(page, "tools")
        reading = page.get_by_role("switch", name="List Catalogs")
        writing = page.get_by_role("switch", name="Write down knowledge")
        expect(reading).to_be_checked()
        expect(writing).not_to_be_checked()
        switched(page, reading, "Space")
        expect(reading).not_to_be_checked()
        switched(page, writing, "Space")
        agent.hear(lambda names: "list_catalogs" not in names and "create_knowledge" in names)
        assert agent.call("list_catalogs") == "TOOL_OFF"
        page.goto("/notes")
        page.get_by_text("No notes yet").wait_for()
        assert agent.call("create_knowledge", content="Barges carry oak.", title="Barges") is None
    # Nothing was reloaded: the page heard of it.
    expect(page.get_by_role("link", name="Barges")).to_be_visible()
    open_tools(page)
    expect(writing).to_be_checked()
    expect(reading).not_to_be_checked()
    # Nor is it when somebody else switches.
    switch_on(server, workspace, "list_catalogs")
    expect(reading).to_be_checked()


def test_a_toolset_is_switched_at_once_and_tools_are_found_by_words(signed_in: Page, workspace: Workspace) -> None:
    # E7
    page = signed_in
    open_tools(page)
    every = page.get_by_role("button", name=re.compile("Switch all tools of Knowledge Base"))
    every.click()
    page.get_by_role("menuitem", name="All on").click()
    page.get_by_text(re.compile("tools are on now")).wait_for()
    assert "delete_catalog" in names_for(workspace)
    every.press("Enter")
    expect(page.get_by_role("menuitem", name="All on")).to_be_visible()
    look_dark(page, "tools-switch-all")
    page.get_by_role("menuitem", name="As from the start").click()
    page.get_by_text("as they were from the start").wait_for()
    assert "delete_catalog" not in names_for(workspace)
    assert "query_catalog" in names_for(workspace)
    page.get_by_role("searchbox", name="Find a tool").fill("delete catalog")
    expect(page.get_by_role("switch", name="Delete Catalog")).to_be_visible()
    expect(page.get_by_role("switch", name="Select Catalog")).to_have_count(0)
    page.get_by_role("searchbox", name="Find a tool").fill("zeppelin")
    page.get_by_text("No tool is called “zeppelin”").wait_for()
    look(page, "tools-none-found")
    page.get_by_role("button", name="Show all tools").click()
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"tools-{NARROW}")


def test_a_tool_is_tried_with_a_file_and_its_errors_are_told_in_words(signed_in: Page, workspace: Workspace) -> None:
    # E7, F1
    page = signed_in
    workspace.make_kb("Barges")
    open_tools(page)
    page.get_by_role("link", name="Try Upload Document").click()
    page.get_by_role("heading", name="Upload Document", level=1).wait_for()
    look(page, "tool-form")
    page.get_by_role("combobox", name="catalog_id").fill("No such thing")
    page.get_by_role("button", name="Run").click()
    answer = page.get_by_role("region", name="Answer")
    answer.get_by_text("The tool could not do that").wait_for()
    look_dark(page, "tool-error")
    page.get_by_role("combobox", name="catalog_id").fill("Bar")
    page.get_by_role("option", name="Barges").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "barges.md", "mimeType": "text/markdown", "buffer": b"# Barges\n\nBarges carry oak down the river."}
    )
    expect(page.get_by_role("textbox", name="filename")).to_have_value("barges.md")
    page.get_by_role("button", name="Run").click()
    answer.get_by_text("done, in").wait_for()
    answer.get_by_text("The same for a program").click()
    expect(answer.locator("pre").last).to_contain_text('"tool_type"')
    look_day_and_night(page, "tool-answer")
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"tool-answer-{NARROW}")
    page.set_viewport_size({"width": 1280, "height": 900})
    # A person is not bound by the switch, and is told before anything is lost.
    page.goto("/tools/delete_catalog")
    page.get_by_role("combobox", name="catalog_id").fill("Barges")
    page.get_by_role("checkbox", name="confirm").press("Space")
    page.get_by_role("button", name="Run").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    look(page, "tool-delete")
    dialog.get_by_role("button", name="Run").click()
    answer.get_by_text("done, in").wait_for()
    assert "Barges" not in json.dumps(data_of(workspace.client.get("/api/knowledge-bases")))
    page.goto("/tools/batch_create_knowledge")
    page.get_by_role("textbox", name="items").fill("[{")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("This is not valid JSON.").wait_for()
    look(page, "tool-not-json")
    page.goto("/tools/no_such_tool")
    page.get_by_text("There is no such tool").wait_for()


def test_whoever_may_only_read_sees_the_switches_with_the_reason(viewer: Page) -> None:
    # E7, F2
    page = viewer
    open_tools(page)
    switch = page.get_by_role("switch", name="Create Catalog")
    expect(switch).to_be_disabled()
    expect(switch).to_have_accessible_description(re.compile("Only owners can switch tools"))
    expect(page.get_by_role("button", name=re.compile("Switch all"))).to_have_count(0)
    look(page, "tools-viewer")
    page.goto("/tools/create_catalog")
    expect(page.get_by_role("button", name="Run")).to_be_disabled()
    page.get_by_text("Your role does not allow this").wait_for()
    page.goto("/tools/list_catalogs")
    page.get_by_role("button", name="Run").click()
    page.get_by_text("done, in").wait_for()
    page.goto("/connect")
    expect(page.get_by_role("radio", name="read and write")).to_be_disabled()
    look(page, "connect-viewer")


def test_a_call_by_a_key_appears_live_and_calls_are_filtered(signed_in: Page, workspace: Workspace) -> None:
    # E8
    page = signed_in
    page.goto("/activity")
    page.get_by_text("No calls yet").wait_for()
    page.get_by_text("Live", exact=True).wait_for()
    look_dark(page, "activity-empty")
    data_of(call(workspace, "list_catalogs"))
    # Nothing was reloaded: the page heard of it.
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("list_catalogs")
    expect(rows.first).to_contain_text("test")
    failure_of(call(workspace, "delete_catalog", agent="scout", catalog_id="x"), 403, "TOOL_OFF")
    data_of(call(workspace, "query_catalog", agent=LONG_NAME, query="oaks", catalog_id="nothing"))
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("TOOL_OFF")
    expect(rows.first.get_by_text("mistake", exact=True).locator("visible=true")).to_have_count(1)
    look_day_and_night(page, "activity")
    page.get_by_role("button", name="Pause").click()
    data_of(call(workspace, "list_catalogs", agent="late"))
    page.get_by_text("Paused").wait_for()
    expect(rows).to_have_count(3)
    page.get_by_role("button", name="Go on").click()
    expect(rows).to_have_count(4)
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"activity-{NARROW}")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Only calls by scout").click()
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile("agent=scout"))
    # What is not looked for does not show up either.
    data_of(call(workspace, "list_catalogs", agent="late"))
    data_of(call(workspace, "list_catalogs", agent="scout"))
    expect(rows).to_have_count(2)
    page.get_by_role("combobox", name="Result").click()
    page.get_by_role("option", name="fault of the server").click()
    page.get_by_text("No calls like these").wait_for()
    look(page, "activity-none-found")
    page.get_by_role("button", name="Show all calls").click()
    expect(rows).to_have_count(6)


def test_older_calls_are_on_further_pages(signed_in: Page, workspace: Workspace) -> None:
    # E8
    page = signed_in
    for _ in range(53):
        data_of(call(workspace, "list_catalogs"))
    page.goto("/activity")
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_role("button", name="Older").click()
    expect(rows).to_have_count(3)
    expect(page.get_by_role("button", name="Older")).to_be_disabled()
    look(page, "activity-older")
    page.go_back()
    expect(rows).to_have_count(50)


def test_an_agent_is_connected_with_a_fresh_key(signed_in: Page, server: Server, workspace: Workspace) -> None:
    # E7, F1, F2
    page = signed_in
    page.get_by_role("link", name="Connect an agent").click()
    page.get_by_role("heading", name="Connect an agent", level=1).wait_for()
    assert "YOUR_KEY" in part(page, "Configuration file")
    look(page, "connect")
    page.get_by_role("radio", name="Cursor").click()
    page.get_by_role("radio", name="read and write").check()
    page.get_by_text("tools that it could call are off").wait_for()
    page.get_by_text("create_catalog").wait_for()
    look(page, "connect-writing")
    page.get_by_role("button", name="Make a key").press("Enter")
    page.get_by_text("The key “Cursor” is made").wait_for()
    told = json.loads(part(page, "Configuration file"))["mcpServers"]["pinakes"]
    assert told["url"] == f"{server.url}/mcp"
    me = httpx.get(f"{server.url}/api/me", headers=told["headers"], timeout=DEADLINE)
    assert data_of(me)["workspaceId"] == workspace.id
    assert data_of(me)["scopes"] == ["read", "write"]
    look_day_and_night(page, "connect-made")
    page.get_by_role("radio", name="REST with curl").click()
    if shutil.which("curl"):
        for name in ("List the tools", "Call a tool"):
            ran = subprocess.run(["sh", "-c", part(page, name)], capture_output=True, text=True, check=True)
            assert json.loads(ran.stdout)["success"] is True
    page.get_by_role("radio", name="Python").click()
    ran = subprocess.run([sys.executable, "-c", part(page, "Program")], capture_output=True, text=True, check=True)
    assert "catalog" in ran.stdout
    page.get_by_role("radio", name="REST with curl").click()
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"connect-{NARROW}")
    # What leads away opens beside the key, which is shown this once: who comes back sees none.
    with page.context.expect_page() as beside:
        page.get_by_role("link", name="Watch its calls").click()
    beside.value.locator("tbody tr").first.wait_for()
    assert told["headers"]["Authorization"] in part(page, "List the tools")
    page.reload()
    page.get_by_role("heading", name="Connect an agent", level=1).wait_for()
    assert "YOUR_KEY" in part(page, "List the tools")


def test_every_client_gets_its_configuration_and_the_tools_a_link(signed_in: Page) -> None:
    # F1
    page = signed_in
    page.goto("/connect?client=python")
    assert "pinakes.connect(" in part(page, "Program")
    look(page, "connect-python")
    page.get_by_role("radio", name="Python").focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_role("radio", name="REST with curl")).to_be_checked()
    for name, where, holds in (
        ("Claude Desktop", "Configuration file", '"PINAKES_API_KEY"'),
        ("Claude Code", "Command", "claude mcp add --transport http"),
        ("VS Code", "Configuration file", '"servers"'),
        ("Codex", "Configuration file", "[mcp_servers.pinakes]"),
        ("Another MCP client", "Address", "/mcp"),
    ):
        page.get_by_role("radio", name=name).click()
        expect(page.get_by_role("group", name=where).locator("pre")).to_contain_text(holds)
    page.get_by_role("radio", name="read and write").check()
    page.get_by_role("link", name="Switch tools on").click()
    page.get_by_role("switch", name="Create Catalog").wait_for()


def test_the_pages_of_tools_speak_chinese_by_lamplight(visit: Visit, server: Server, workspace: Workspace) -> None:
    # E7, E8
    data_of(call(workspace, "query_catalog", query="oaks", catalog_id="nothing"))
    page = enter(visit(language="zh-CN"), server, workspace, "/tools")
    page.get_by_role("heading", name="工具", level=1).wait_for()
    page.get_by_role("switch").first.wait_for()
    look_dark(page, "tools-zh")
    page.goto("/tools/query_catalog")
    page.get_by_role("button", name="运行").wait_for()
    look_dark(page, "tool-form-zh")
    page.set_viewport_size({"width": NARROW, "height": 800})
    page.goto("/activity")
    page.locator("tbody tr").get_by_text("调用有误").locator("visible=true").wait_for()
    look_dark(page, f"activity-zh-{NARROW}")
    page.goto("/connect")
    page.get_by_role("button", name="生成密钥").wait_for()
    look_dark(page, f"connect-zh-{NARROW}")


def test_what_does_not_come_is_told_and_asked_for_again(signed_in: Page) -> None:
    # E7, E8
    page = signed_in
    refusal = {"success": False, "error": "The tools are being counted.", "errorCode": "NOT_FOUND"}
    page.route("**/api/tools", lambda route: route.fulfill(status=404, json=refusal))
    page.goto("/tools")
    page.get_by_text("The tools are being counted.").wait_for()
    look(page, "tools-refused")
    page.unroute("**/api/tools")
    page.get_by_role("button", name="Try again").click()
    switch = page.get_by_role("switch", name="Create Catalog")
    switch.wait_for()
    page.route("**/api/tools", lambda route: route.fulfill(status=403, json=refusal))
    switch.press("Space")
    page.get_by_text("The tools are being counted.").wait_for()
    # What the server refused goes back to where it stood.
    expect(switch).not_to_be_checked()
