"""`pinakes embedders` from a person's point of view."""

import json
import subprocess
from collections.abc import Callable

from embedding_server import DIMS, serving

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
