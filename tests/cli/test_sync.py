"""`pinakes sync`: a knowledge base in step with a folder."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import Server, Workspace, wait_for

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two files."""
    place = tmp_path / "papers"
    (place / "2024").mkdir(parents=True)
    (place / "oak.txt").write_text("Oaks can live for a thousand years.")
    (place / "2024" / "elm.md").write_text("# Elms\n\nElms line many streets.")
    return place


def statuses(done: "subprocess.CompletedProcess[str]") -> dict[str, str]:
    """What became of each file."""
    return {outcome["name"]: outcome["status"] for outcome in json.loads(done.stdout)}


def names(cli: Run, kb: str) -> set[str]:
    """The documents of a knowledge base."""
    return {document["name"] for document in json.loads(cli("docs", "list", "--kb", kb, "--json").stdout)["items"]}


def test_files_are_added_replaced_and_removed(cli: Run, folder: Path) -> None:  # K4
    kb = "sync-once"
    assert statuses(cli("sync", str(folder), "--kb", kb, "--json")) == {
        "oak.txt": "indexed",
        "2024 › elm.md": "indexed",
    }
    assert set(statuses(cli("sync", str(folder), "--kb", kb, "--json")).values()) == {"unchanged"}
    (folder / "oak.txt").write_text("Oaks shelter beetles.")
    (folder / "2024" / "elm.md").unlink()
    (folder / "ash.txt").write_text("Ashes make good handles.")
    done = statuses(cli("sync", str(folder), "--kb", kb, "--json"))
    assert done == {"oak.txt": "indexed", "ash.txt": "indexed", "2024 › elm.md": "removed"}
    assert names(cli, kb) == {"oak.txt", "ash.txt"}
    assert "beetles" in cli("search", "beetles", "--kb", kb).stdout


def test_documents_from_elsewhere_stay(cli: Run, folder: Path, tmp_path: Path) -> None:  # K4
    kb = "sync-shared"
    other = tmp_path / "mine.txt"
    other.write_text("My own words.")
    cli("add", str(other), "--kb", kb)
    cli("add", str(folder / "oak.txt"), "--kb", kb)
    cli("sync", str(folder), "--kb", kb)
    # What was added by hand and lies in the folder as well belongs to the folder now.
    (folder / "oak.txt").unlink()
    assert statuses(cli("sync", str(folder), "--kb", kb, "--json"))["oak.txt"] == "removed"
    assert names(cli, kb) == {"mine.txt", "2024 › elm.md"}


def test_an_empty_or_missing_folder_removes_nothing_by_itself(cli: Run, folder: Path) -> None:
    kb = "sync-empty"
    cli("sync", str(folder), "--kb", kb)
    away = folder.rename(folder.with_name("away"))
    done = cli("sync", str(folder), "--kb", kb, check=False)
    assert done.returncode == 1
    assert "mounted" in done.stderr
    folder.mkdir()
    done = cli("sync", str(folder), "--kb", kb, check=False)
    assert done.returncode == 1
    assert "--remove-all" in done.stderr
    assert len(names(cli, kb)) == 2
    assert away.exists()
    cli("sync", str(folder), "--kb", kb, "--remove-all")
    assert names(cli, kb) == set()


def test_an_empty_folder_is_nothing_to_do(cli: Run, tmp_path: Path) -> None:
    # F6
    (tmp_path / "empty").mkdir()
    assert cli("sync", str(tmp_path / "empty"), "--kb", "sync-nothing").stdout.strip() == (
        "Nothing to do: the folder is empty."
    )


def test_a_refused_file_is_told_and_the_rest_goes_on(cli: Run, folder: Path) -> None:
    (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    (folder / "all.zip").write_bytes(b"PK\x03\x04")
    done = cli("sync", str(folder), "--kb", "sync-refused", "--json", check=False)
    assert done.returncode == 1
    assert statuses(done)["photo.jpg"] == "refused"
    assert statuses(done)["all.zip"] == "skipped"
    assert len(names(cli, "sync-refused")) == 2


def test_watching_follows_changes_and_survives_a_restart(
    cli: Run, server: Server, workspace: Workspace, folder: Path
) -> None:
    kb = "sync-watch"

    def start() -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "pinakes", "sync", str(folder), "--kb", kb, "--watch", "--json"],
            env=server.variables() | {"PINAKES_WORKSPACE": workspace.id},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def has(*wanted: str) -> Callable[[], Any]:
        return lambda: names(cli, kb) == set(wanted)

    cli("kb", "create", kb)
    told: list[dict[str, Any]] = []
    watcher = start()
    try:
        wait_for(has("oak.txt", "2024 › elm.md"), "the folder is not taken in")
        (folder / "ash.txt").write_text("Ashes make good handles.")
        wait_for(has("oak.txt", "2024 › elm.md", "ash.txt"), "a new file is not taken in")
        os.kill(watcher.pid, signal.SIGKILL)
        watcher.wait()
        (folder / "oak.txt").unlink()
        watcher = start()
        wait_for(has("2024 › elm.md", "ash.txt"), "what went while nobody watched is still there")
        (folder / "2024" / "elm.md").rename(folder / "elm.md")
        wait_for(has("elm.md", "ash.txt"), "a move is not followed")
        assert watcher.stdout is not None
        while ("elm.md", "indexed") not in {(outcome["name"], outcome["status"]) for outcome in told}:
            told.append(json.loads(watcher.stdout.readline()))
    finally:
        watcher.send_signal(signal.SIGINT)
        assert watcher.wait(20) == 130
    assert {"name": "oak.txt", "status": "removed"}.items() <= told[0].items()
