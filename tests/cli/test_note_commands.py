"""`pinakes notes`: write, list, show, change, move and delete; templates."""

import json
import subprocess
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_note_is_written_listed_shown_changed_moved_and_deleted(cli: Run, tmp_path: Path) -> None:
    # F6, D1, D2
    cli("kb", "create", "Trees")
    text = tmp_path / "oaks.md"
    text.write_text("# Oaks\n\nOld trees.\n")
    note = json.loads(cli("notes", "add", "--file", str(text), "--tag", "wood", "--json").stdout)["note"]
    assert {"Oaks", "knowledge", "tag=wood", note["id"]} <= set(cli("notes", "list", "oak").stdout.split())
    assert cli("notes", "show", note["id"]).stdout.startswith("# Oaks\n\nOld trees.")
    changed = cli("notes", "edit", note["id"], "# Oaks\n\nVery old.", "--resource", "trees", "--no-tags")
    assert changed.stdout == "Changed content, tags, resource of 'Oaks'.\n"
    shown = json.loads(cli("notes", "show", note["id"], "--json").stdout)
    assert (shown["resource"], shown["tags"], shown["content"]) == ("trees", [], "# Oaks\n\nVery old.")
    assert "Deleted 1 document" in cli("notes", "delete", note["id"], "--yes").stdout
    assert "There is no note here." in cli("notes", "list").stdout


def test_a_note_that_is_of_another_revision_by_now_is_left_alone(cli: Run) -> None:
    # F6, K5
    note = json.loads(cli("notes", "add", "Elms are rare.", "--json").stdout)["note"]
    edited = cli("notes", "edit", note["id"], "Elms are gone.", "--revision", note["revision"], "--json").stdout
    late = cli("notes", "edit", note["id"], "--title", "Elm", "--revision", note["revision"], check=False)
    assert (late.returncode, "Somebody else changed this note meanwhile." in late.stderr) == (1, True)
    now = json.loads(cli("notes", "show", note["id"], "--json").stdout)
    assert (now["title"], now["revision"]) == ("Elms are rare.", json.loads(edited)["note"]["revision"])
    assert "Nothing to change" in cli("notes", "edit", note["id"], "--revision", "x", check=False).stderr


def test_times_are_those_of_the_clock_on_the_wall(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # F6
    note = json.loads(cli("notes", "add", "Oaks.", "--json").stdout)["note"]
    try:
        with monkeypatch.context() as elsewhere:
            elsewhere.setenv("TZ", "Asia/Tokyo")
            time.tzset()
            local = f"{datetime.fromisoformat(note['updatedAt']).astimezone():%Y-%m-%d %H:%M}"
            assert local in cli("notes", "list").stdout
            assert f"Added: {local}\n" in cli("docs", "show", note["id"]).stdout
    finally:
        time.tzset()


def test_what_is_missing_or_wrong_is_said_in_words(cli: Run) -> None:
    # F6, D8
    assert "--file" in cli("notes", "add", check=False).stderr
    assert "Available resources: knowledge." in cli("notes", "add", "x", "-r", "nowhere", check=False).stderr
    assert "Nothing to change" in cli("notes", "edit", "doc_x", check=False).stderr
    assert "Knowledge not found: doc_x" in cli("notes", "show", "doc_x", check=False).stderr


def test_a_template_is_kept_used_and_deleted(cli: Run, tmp_path: Path) -> None:
    # F6, D7
    assert "meeting-notes" in cli("notes", "template", "list").stdout
    text = tmp_path / "voyage.md"
    text.write_text("To {{port}}.")
    cli("notes", "template", "add", "Voyage", "--file", str(text), "--title", "Voyage to {{port}}")
    assert cli("notes", "template", "show", "voyage").stdout == "To {{port}}.\n"
    assert "Missing variables: port." in cli("notes", "template", "use", "voyage", check=False).stderr
    made = cli("notes", "template", "use", "voyage", "--var", "port=Colchis").stdout
    assert made.startswith("Wrote 'Voyage to Colchis' to knowledge (doc_")
    assert cli("notes", "template", "delete", "voyage").stdout == "Deleted Voyage.\n"
