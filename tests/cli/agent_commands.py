"""The commands for what agents use: notes, tools and their activity, and whose they are."""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def run_agent_commands(run: Callable[..., Any], tmp_path: Path) -> None:
    """Run each of them once, and look at what it prints."""
    note = run("notes add", "Oaks are *old*.", "--title", "Oaks")["note"]
    assert note["id"] in [listed["id"] for listed in run("notes list")["items"]]
    assert run("notes edit", note["id"], "--title", "Old oaks")["note"]["title"] == "Old oaks"
    assert run("notes show", note["id"])["content"] == "Oaks are *old*."
    run("notes delete", note["id"], "--yes")
    form = tmp_path / "form.md"
    form.write_text("{{tree}} is a tree.")
    template = run("notes template add", "Tree", "--file", str(form))
    assert template["id"] in [listed["id"] for listed in run("notes template list")]
    assert run("notes template show", template["id"])["variables"] == ["tree"]
    run("notes template use", template["id"], "--var", "tree=Elm")
    run("notes template delete", template["id"])
    run("tools on", "create_catalog")
    run("tools off", "create_catalog")
    assert run("tools show", "create_catalog")["isOn"] is False
    assert "create_catalog" in [tool["name"] for tool in run("tools list")]
    assert run("tools call", "list_catalogs")["status"] == "success"
    assert run("activity")["items"][0]["tool"] == "list_catalogs"
    assert run("identities list") == []
    assert run("identities link", code=1)["errorCode"] == "INVALID_REQUEST"
    assert run("identities remove", "idn_none", code=1)["errorCode"] == "NOT_FOUND"
