"""`pinakes embedders` from a person's point of view."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from embedding_server import DIMS, serving
from harness import Server, Workspace, wait_for

Run = Callable[..., "subprocess.CompletedProcess[str]"]
KEY = "sk-very-secret-0123456789-wxyz"


def test_an_embedder_is_added_tried_used_and_removed(cli: Run) -> None:
    # K9, F4
    assert "built-in model" in cli("embedders", "list").stdout
    with serving(key=KEY) as endpoint:
        options = ("--base-url", endpoint.url, "--model", "bag-of-words")
        refused = cli("embedders", "add", "My model", *options, "--api-key", "sk-a-wrong-key-0123", check=False)
        assert refused.returncode == 1
        assert "refused the API key" in refused.stderr
        assert "sk-a-wrong" not in refused.stderr
        without = cli("embedders", "add", "My model", *options, check=False)
        assert "asks for an API key" in without.stderr
        assert "--api-key" in without.stderr
        assert "again" not in without.stderr
        added = cli("embedders", "add", "My model", *options, "--api-key", KEY)
        assert f"Added My model ({DIMS} dimensions)" in added.stdout
        listed = cli("embedders", "list").stdout
        assert "bag-of-words" in listed
        assert "…wxyz" in listed
        assert KEY not in added.stdout + listed
        assert "It works" in cli("embedders", "test", "my model").stdout
        cli("kb", "create", "Papers", "--embedder", "My model")
        page = json.loads(cli("kb", "list", "--json").stdout)
        assert {kb["name"]: kb["embedder"] for kb in page["items"]}["Papers"] == "My model"
        in_use = cli("embedders", "remove", "My model", check=False)
        assert "'Papers'" in in_use.stderr
        cli("kb", "delete", "Papers", "--yes")
        cli("embedders", "remove", "My model")
    assert "built-in model" in cli("embedders", "list").stdout


def test_what_documents_wait_for_is_told_once_and_a_new_key_lets_them_go_on(
    cli: Run, server: Server, workspace: Workspace, tmp_path: Path
) -> None:
    # K3, K9, F6
    for name in ("owls.txt", "ships.txt"):
        (tmp_path / name).write_text(f"All about {name}.")
    with serving(key=KEY) as endpoint:
        options = ("--base-url", endpoint.url, "--model", "bag-of-words", "--api-key", KEY)
        cli("embedders", "add", "My model", *options)
        cli("kb", "create", "Papers", "--embedder", "My model")
        endpoint.key = "sk-another-key-0123456789"
        adding = subprocess.Popen(
            [sys.executable, "-m", "pinakes", "add", str(tmp_path), "--kb", "Papers"],
            env=server.variables() | {"PINAKES_WORKSPACE": workspace.id, "COLUMNS": "300"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert adding.stderr is not None
        told = wait_for(adding.stderr.readline, "the reason is told")
        changed = cli("embedders", "update", "My model", "--api-key", endpoint.key, "--name", "Yours")
        assert "Changed Yours." in changed.stdout
        out, rest = adding.communicate(timeout=60)
    assert "refused the API key" in told
    assert "embedders" in told
    assert "refused the API key" not in rest
    assert adding.returncode == 0
    assert "2 files: 2 indexed." in out
    assert "Nothing to change" in cli("embedders", "update", "Yours", check=False).stderr
