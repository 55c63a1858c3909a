"""`pinakes kb switch` and its companions from a person's point of view."""

import json
import subprocess
from collections.abc import Callable

from embedding_server import serving
from harness import Workspace

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_knowledge_base_is_switched_back_and_forth_and_tidied_up(cli: Run, workspace: Workspace) -> None:
    # K10
    with serving(dims=8) as endpoint:
        cli("embedders", "add", "My model", "--base-url", endpoint.url, "--model", "bag-of-words")
        kb = workspace.make_kb("Papers", embedder="none")
        workspace.add(kb, "owls.txt", "Owls hunt mice at night.")
        assert "Papers answers with My model now" in cli("kb", "switch", "papers", "--embedder", "My model").stdout
        assert "(switch of Papers)" in cli("operations").stdout
        listed = cli("kb", "generations", "papers").stdout
        assert [row.split()[:2] for row in listed.splitlines()[1:]] == [["My", "model"], ["none", "none"]]
        assert "active" in listed.splitlines()[1]
        assert "kept" in listed.splitlines()[2]
        cli("kb", "switch", "papers", "--embedder", "none")
        workspace.add(kb, "ships.txt", "A barge carried salt up the river.")
        endpoint.stop()
        begun = cli("kb", "switch", "papers", "--embedder", "My model", "--no-wait").stdout
        assert "Switching Papers in the background: op_" in begun
        running = cli("kb", "switch", "papers", "--embedder", "builtin", check=False)
        assert "pinakes kb cancel-switch papers" in running.stderr
        assert "Papers stays as it is" in cli("kb", "cancel-switch", "papers").stdout
    assert "not being switched" in cli("kb", "cancel-switch", "papers", check=False).stderr
    generations = json.loads(cli("kb", "generations", "papers", "--json").stdout)
    assert {generation["embedder"]: generation["state"] for generation in generations} == {
        "My model": "kept",
        "none": "active",
    }


def test_a_generation_is_dropped_by_its_id_unless_it_answers(cli: Run, workspace: Workspace) -> None:
    # K10
    kb = workspace.make_kb("Papers", embedder="none")
    workspace.add(kb, "owls.txt", "Owls hunt mice at night.")
    cli("kb", "switch", "papers", "--embedder", "builtin")
    ids = {g["state"]: g["id"] for g in json.loads(cli("kb", "generations", "papers", "--json").stdout)}
    refused = cli("kb", "drop-generation", "papers", ids["active"], check=False)
    assert refused.returncode == 1
    assert "Switch to another one first" in refused.stderr
    assert "Dropped" in cli("kb", "drop-generation", "papers", ids["kept"]).stdout
    assert [g["id"] for g in json.loads(cli("kb", "generations", "papers", "--json").stdout)] == [ids["active"]]
    already = cli("kb", "switch", "papers", "--embedder", "builtin", check=False)
    assert already.returncode == 1
    assert "already" in already.stderr
