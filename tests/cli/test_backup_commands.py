"""`pinakes backup` and `pinakes restore` say what is wrong before they begin, and can run every night."""

import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from embedding_server import DIMS, serving
from harness import Server, Workspace, data_of, remove_home

Run = Callable[..., "subprocess.CompletedProcess[str]"]
KEY = "sk-very-secret-0123456789-wxyz"


def test_a_backup_can_be_repeated_with_the_same_key_file(cli: Run, tmp_path: Path) -> None:
    # F5
    command = ("backup", str(tmp_path / "all.tar"), "--key-file", str(tmp_path / "key"), "--force")
    cli(*command)
    kept = (tmp_path / "key").read_text()
    assert "The secret key is in" in cli(*command).stdout
    assert (tmp_path / "key").read_text() == kept
    (tmp_path / "key").write_text("00" * 32)
    refused = cli(*command, check=False)
    assert refused.returncode == 1
    assert "holds something else" in refused.stderr
    assert (tmp_path / "key").read_text() == "00" * 32


def test_a_backup_into_a_folder_that_is_not_there_says_so(cli: Run, tmp_path: Path) -> None:
    # F5, F6
    done = cli("backup", str(tmp_path / "nowhere" / "all.tar"), check=False)
    assert done.returncode == 1
    assert f"The folder {tmp_path}/nowhere does not exist" in done.stderr
    assert "space" not in done.stderr


@pytest.mark.parametrize("kind", ["missing", "text", "tar"])
def test_a_file_that_is_no_backup_is_refused_before_a_database_is_made(home: Path, tmp_path: Path, kind: str) -> None:
    # F5
    file = tmp_path / "all.tar"
    if kind == "text":
        file.write_text("Oaks can live for a thousand years.")
    elif kind == "tar":
        with tarfile.open(file, "w") as archive:
            archive.add(__file__, "notes.py")
    done = Server(home).run("restore", str(file), check=False)
    assert done.returncode == 1
    assert ("cannot be read" if kind == "missing" else "This is no back-up") in done.stderr
    assert "Traceback" not in done.stderr
    assert not (home / "postgres").exists()


def test_after_a_restore_without_the_key_it_is_said_how_to_enter_credentials(home: Path, tmp_path: Path) -> None:
    # F5, K9, F6
    near = {"PINAKES_OUTBOUND_HOSTS": "127.0.0.1"}
    # With no worker the document is still on its way when the back-up is made.
    origin = Server(home, environment=near, arguments=("--no-sample", "--no-worker")).start()
    other = Server(tmp_path / "other", environment=near)
    try:
        with serving(key=KEY) as endpoint:
            mine = {"name": "Mine", "baseUrl": endpoint.url, "model": "words", "apiKey": KEY}
            workspace = origin.new_workspace()
            data_of(workspace.client.post("/api/embedders", json=mine))
            data_of(workspace.upload(workspace.make_kb(), "owls.txt", "Owls hunt at night."))
            origin.run("backup", str(tmp_path / "all.tar"))
            told = other.run("restore", str(tmp_path / "all.tar")).stdout
            assert "1 document was still being indexed" in told
            assert "pinakes embedders update NAME --api-key -" in told
            other.start()
            restored = Workspace(workspace.id, workspace.key, other.url)
            locked = restored.client.post("/api/embedders/Mine/test")
            assert "`pinakes embedders update emb_" in locked.json()["error"]
            other.run("embedders", "update", "Mine", "--api-key", KEY, environment={"PINAKES_WORKSPACE": workspace.id})
            assert data_of(restored.client.post("/api/embedders/Mine/test"))["dims"] == DIMS
    finally:
        origin.stop()
        other.stop()
        remove_home(other.home)
