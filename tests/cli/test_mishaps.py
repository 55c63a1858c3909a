"""What can be wrong with a machine or its settings is said in words; what is shown is shown as it is."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness import Server, Workspace
from pinakes.providers.postgres import status

Run = Callable[..., "subprocess.CompletedProcess[str]"]
MEGABYTE = 1024**2


def findings(done: "subprocess.CompletedProcess[str]") -> dict[str, dict[str, Any]]:
    """What the doctor found, by what was checked."""
    return {finding["check"]: finding for finding in json.loads(done.stdout)}


@pytest.fixture(params=["a file", "below a file", "nowhere"])
def unusable(request: pytest.FixtureRequest, tmp_path: Path) -> Server:
    """A data folder that cannot be one."""
    (tmp_path / "file").write_text("in the way")
    places = {"a file": tmp_path / "file", "below a file": tmp_path / "file" / "home", "nowhere": Path("/proc/no/home")}
    return Server(places[request.param])


def test_a_data_folder_that_cannot_be_used_is_one_sentence(unusable: Server) -> None:
    # F6
    done = unusable.run("kb", "list", check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: The data folder {unusable.home} cannot be used: ")
    assert "PINAKES_HOME" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_doctor_says_how_to_mend_an_unusable_data_folder(unusable: Server) -> None:
    # F6
    done = unusable.run("doctor", check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "✗ Data folder" in done.stdout
    assert "PINAKES_HOME" in done.stdout
    assert "Everything works" not in done.stdout


def test_an_unknown_log_level_is_refused_with_those_there_are(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # F6
    monkeypatch.setenv("PINAKES_LOG_LEVEL", "LOUD")
    done = cli("kb", "list", check=False)
    assert done.returncode == 1
    assert "PINAKES_LOG_LEVEL" in done.stderr
    assert "'WARNING'" in done.stderr
    monkeypatch.setenv("PINAKES_LOG_LEVEL", "error")
    cli("kb", "list")


def test_ctrl_c_while_the_program_loads_leaves_no_traceback() -> None:
    # F6
    program = (
        "import os, signal, sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
        "from pinakes.cli.main import run\n"
        "run()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Stopped.\n")


def test_databases_not_in_use_are_named_with_the_command_that_removes_them(
    cli: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # F6
    kept = tmp_path / "kept"
    kept.mkdir()
    for name, home in (("one", kept), ("two", tmp_path / "gone")):
        (tmp_path / "system" / name).mkdir(parents=True)
        (tmp_path / "system" / name / status.HOME_RECORD).write_text(str(home))
    monkeypatch.setattr(status, "SYSTEM_FOLDER", tmp_path / "system")
    shown = cli("doctor").stdout
    assert f"{tmp_path}/system/one was made for {kept}, which does not use it." in shown
    assert f"{tmp_path}/system/two was made for {tmp_path}/gone, which is gone." in shown
    assert f"rm -r {tmp_path}/system/two" in shown
    assert "Everything works" not in shown
    assert "Nothing is broken; " in shown


def test_a_disk_that_fills_up_is_a_warning_and_a_full_one_an_error(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # F6
    def leave(free: int) -> None:
        def usage(_: object) -> Any:
            return SimpleNamespace(free=free)

        monkeypatch.setattr(shutil, "disk_usage", usage)

    leave(1000 * MEGABYTE)
    assert findings(cli("doctor", "--json"))["Disk"]["state"] == "warning"
    leave(100 * MEGABYTE)
    done = cli("doctor", "--json", check=False)
    assert done.returncode == 1
    assert findings(done)["Disk"]["state"] == "error"


def test_what_goes_into_a_file_is_neither_broken_nor_made_prettier(
    server: Server, workspace: Workspace, tmp_path: Path
) -> None:
    # F6
    line = f"Oaks :100: grow :warning: slowly, {'very ' * 40}slowly."
    name = f":x: {'long ' * 20}.txt"
    (tmp_path / name).write_bytes(f"{line}\r\nAnd birches do not.\r\n".encode())
    narrow = {"COLUMNS": "40", "PINAKES_WORKSPACE": workspace.id}
    server.run("add", str(tmp_path / name), "--kb", "Trees", environment=narrow)
    shown = server.run("search", "oaks", environment=narrow).stdout.splitlines()
    assert line in shown
    assert "And birches do not." in shown
    assert name in server.run("docs", "list", "--kb", "Trees", environment=narrow).stdout
    refused = server.run("docs", "list", "--kb", "no such place " * 10, check=False, environment=narrow)
    assert len(refused.stderr.splitlines()) == 1
