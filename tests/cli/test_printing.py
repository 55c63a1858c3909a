"""What commands print where a program reads it, and whom they trust with the owner's session."""

import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness import Server, Workspace, data_of

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_address_of_the_server_here_needs_no_key(
    cli: Run, server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # F6
    monkeypatch.setenv("PINAKES_URL", f"{server.url}/")
    assert "Knowledge" in cli("kb", "list").stdout
    # The owner's session goes to no other server.
    (tmp_path / "owner.token").write_text("secret")
    (tmp_path / "server.json").write_text('{"url": "http://127.0.0.1:9"}')
    monkeypatch.setenv("PINAKES_HOME", str(tmp_path))
    assert "PINAKES_API_KEY" in cli("kb", "list", check=False).stderr


def test_a_key_is_all_that_is_printed_where_a_program_reads_it(cli: Run) -> None:
    # F6
    made = cli("keys", "create", "robot")
    assert len(made.stdout.split()) == 1
    assert "not shown again" in made.stderr
    invited = cli("members", "invite", "Ada")
    assert len(invited.stdout.split()) == 1
    assert "Good until" in invited.stderr


def test_a_key_whose_time_is_over_is_not_called_active(cli: Run, server: Server, workspace: Workspace) -> None:
    # F6
    soon = datetime.now(UTC) + timedelta(seconds=0.5)
    asked = {"name": "robot", "scopes": ["read"], "expiresAt": soon.isoformat()}
    with server.owner as owner:
        data_of(owner.post("/api/keys", json=asked, headers={"X-Pinakes-Workspace": workspace.id}))
    assert f"{soon.astimezone():%Y-%m-%d %H:%M}" in cli("keys", "list").stdout
    time.sleep(max(0, (soon - datetime.now(UTC)).total_seconds()))
    (robot,) = (line for line in cli("keys", "list").stdout.splitlines() if line.startswith("robot"))
    assert "expired" in robot.split()


def test_a_command_that_is_piped_leaves_no_empty_lines(cli: Run, tmp_path: Path) -> None:
    # F6
    (tmp_path / "trees.md").write_text("Oaks are old.")
    added = cli("add", str(tmp_path / "trees.md"), "--kb", "Trees")
    exported = cli("export", "trees", str(tmp_path / "trees.zip"))
    saved = cli("docs", "download", "trees.md", "--kb", "Trees", "-o", str(tmp_path / "copy.md"))
    for done in (added, exported, saved):
        assert "" not in (done.stdout + done.stderr).splitlines()
