"""`pinakes docs`, `kb update` and `keys revoke`: what they show, and by which names things are found."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
OAKS = "# Oaks\n\nOaks can live for a thousand years. Oaks shelter beetles.\n"


@pytest.fixture
def oaks(cli: Run, tmp_path: Path) -> str:
    """The id of a document in the knowledge base Trees."""
    path = tmp_path / "oaks.md"
    path.write_text(OAKS)
    return json.loads(cli("add", str(path), "--kb", "Trees", "--tag", "genus=quercus", "--json").stdout)[0][
        "documentId"
    ]


def shown(cli: Run, document: str) -> dict[str, Any]:
    """A document as JSON."""
    return json.loads(cli("docs", "show", document, "--json").stdout)


def test_a_document_is_shown_with_all_that_is_known_of_it(cli: Run, oaks: str) -> None:
    # K4, F6
    lines = cli("docs", "show", oaks).stdout.splitlines()
    assert {"Name: oaks.md", f"Id: {oaks}", "Status: indexed", "Tags: genus=quercus", "Expires: never"} <= set(lines)
    assert any(line.startswith("Summary: Oaks") for line in lines)


def test_the_text_of_a_document_can_be_read(cli: Run, oaks: str) -> None:
    # K1
    assert "Oaks shelter beetles." in cli("docs", "show", oaks, "--text").stdout
    assert "Oaks shelter beetles." in json.loads(cli("docs", "show", oaks, "--text", "--json").stdout)["text"]


def test_title_and_tags_change_and_go(cli: Run, oaks: str) -> None:
    # K4
    cli("docs", "update", oaks, "--title", "On oaks", "--tag", "old", "--tag", "year=2024")
    changed = shown(cli, oaks)
    assert changed["title"] == "On oaks"
    assert changed["tags"] == [{"tagName": "tag", "tagValue": "old"}, {"tagName": "year", "tagValue": "2024"}]
    cli("docs", "update", oaks, "--no-tags")
    assert (shown(cli, oaks)["title"], shown(cli, oaks)["tags"]) == ("On oaks", [])
    assert "--title" in cli("docs", "update", oaks, check=False).stderr
    assert "either" in cli("docs", "update", oaks, "--tag", "x", "--no-tags", check=False).stderr


def test_a_document_is_found_by_its_name_in_a_knowledge_base(cli: Run, oaks: str, tmp_path: Path) -> None:
    # F6
    assert oaks in cli("docs", "show", "oaks.md", "--kb", "trees").stdout
    cli("docs", "download", "oaks.md", "--kb", "Trees", "-o", str(tmp_path / "copy.md"))
    assert (tmp_path / "copy.md").read_text() == OAKS
    bare = cli("docs", "download", "oaks.md", check=False)
    assert bare.returncode == 1
    assert "pinakes docs list --kb" in bare.stderr
    wrong = cli("docs", "show", "elms.md", "--kb", "Trees", check=False)
    assert wrong.returncode == 1
    assert "no document 'elms.md' in 'Trees'" in wrong.stderr
    assert "Deleted 1 document" in cli("docs", "delete", "oaks.md", "--kb", "Trees", "--yes").stdout


def test_a_download_makes_the_folder_it_is_told_to_go_to(cli: Run, oaks: str, tmp_path: Path) -> None:
    # K13
    cli("docs", "download", oaks, "-o", f"{tmp_path}/new/out/")
    assert (tmp_path / "new" / "out" / "oaks.md").read_text() == OAKS
    missing = cli("docs", "download", oaks, "-o", f"{tmp_path}/nowhere/a.md", check=False)
    assert missing.returncode == 1
    assert f"The folder {tmp_path}/nowhere does not exist" in missing.stderr
    (tmp_path / "file").write_text("in the way")
    blocked = cli("docs", "download", oaks, "-o", f"{tmp_path}/file/", check=False)
    assert blocked.returncode == 1
    assert "cannot be made" in blocked.stderr


def test_a_knowledge_base_is_renamed_and_says_what_it_is_embedded_with(cli: Run) -> None:
    # K2, K9
    cli("kb", "create", "Trees", "--embedder", "none")
    changed = cli("kb", "update", "Trees", "--name", "Woods", "--lifecycle-days", "30", "--description", "All of them")
    assert "Changed Woods (trees)." in changed.stdout
    listed = next(line for line in cli("kb", "list").stdout.splitlines() if line.startswith("Woods"))
    assert "none" in listed.split()
    assert "30 days" in listed
    assert "--name" in cli("kb", "update", "Woods", check=False).stderr


def test_a_key_is_revoked_by_its_name_unless_two_have_it(cli: Run) -> None:
    # F2, F6
    first = json.loads(cli("keys", "create", "robot", "--json").stdout)["id"]
    assert "Revoked." in cli("keys", "revoke", "robot").stdout
    twins = [json.loads(cli("keys", "create", "robot", "--json").stdout)["id"] for _ in range(2)]
    unclear = cli("keys", "revoke", "robot", check=False)
    assert unclear.returncode == 1
    assert all(twin in unclear.stderr for twin in twins)
    assert first not in unclear.stderr
    cli("keys", "revoke", twins[0])
    cli("keys", "revoke", "robot")
    states = {key["id"]: bool(key["revokedAt"]) for key in json.loads(cli("keys", "list", "--json").stdout)}
    assert all(states[key] for key in (first, *twins))
    assert "pinakes keys list" in cli("keys", "revoke", "robot", check=False).stderr


def test_operations_are_listed_by_where_they_stand(cli: Run, oaks: str) -> None:
    # K3
    listed = cli("operations").stdout
    assert "oaks.md" in listed
    assert "completed" in listed
    assert "There is no operation." in cli("operations", "--status", "failed").stdout
    assert json.loads(cli("operations", "--json").stdout)["items"][0]["documentId"] == oaks
    # By the name that every other list has, too.
    assert cli("operations", "list").stdout == listed
    assert "There is no operation." in cli("operations", "list", "--status", "failed").stdout


def test_a_bundle_whose_name_is_taken_can_be_given_another(cli: Run, oaks: str, tmp_path: Path) -> None:
    # F5, F6
    cli("export", "Trees", str(tmp_path / "trees.zip"))
    clash = cli("import", str(tmp_path / "trees.zip"), check=False)
    assert clash.returncode == 1
    assert "Choose another name with --name." in clash.stderr
    assert "Made Woods (woods) with 1 document" in cli("import", str(tmp_path / "trees.zip"), "--name", "Woods").stdout
