"""The command line on a data folder of its own: with no server running, and starting and stopping one."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from harness import Server, data_of, wait_for

SAMPLE = resources.files("pinakes") / "sample"
STOP_SECONDS = 20


@pytest.fixture
def offline(home: Path) -> Server:
    """A data folder on which no server runs."""
    return Server(home)


def family(server: Server) -> list[psutil.Process]:
    """The server, its worker and parsers, and the database with its supervisor."""
    assert server.process is not None
    engine = json.loads((server.home / "postgres" / "state.json").read_text())
    roots = [psutil.Process(pid) for pid in (server.process.pid, engine["supervisor"])]
    return [process for root in roots for process in (root, *root.children(recursive=True))]


def still_alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    """Who has not ended by then; one that only waits for its parent to notice has."""
    _, alive = psutil.wait_procs(processes, STOP_SECONDS)
    return [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def mentions(process: psutil.Process, text: str) -> bool:
    """Whether a process's command line holds this text."""
    try:
        return text in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


def printed_link(server: Server) -> str:
    """The sign-in link a server printed when it started."""
    return next(word for word in (server.home / "server.log").read_text().split() if "/sign-in?token=" in word)


def run_greeting(server: Server) -> str:
    """What the commands that a server proposes print in a shell that knows nothing of it."""
    lines = (server.home / "server.log").read_text().partition("another terminal:\n")[2].partition("Stop with")[0]
    bare = {"PATH": "/usr/bin:/bin", "HOME": "/"}
    return subprocess.run(["sh", "-ec", lines], env=bare, capture_output=True, text=True, check=True).stdout


def test_everything_works_with_no_server(offline: Server, tmp_path: Path) -> None:
    # F6, K3, K12
    (tmp_path / "trees.md").write_text("# Oak\n\nOaks can live for a thousand years.\n")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing of a PDF follows")
    done = offline.run("add", str(tmp_path / "trees.md"), str(tmp_path / "broken.pdf"), "--kb", "Trees", check=False)
    assert done.returncode == 1
    assert "1 failed, 1 indexed" in done.stdout
    assert "Traceback" not in done.stderr
    answer = json.loads(offline.run("ask", "How old do oaks get?", "--json").stdout)
    assert answer["sources"][0]["source"]["documentName"] == "trees.md"
    state = json.loads(offline.run("status", "--json").stdout)
    assert state["server"] is None
    assert state["documents"] == 2
    signing_in = offline.run("sign-in-link", environment={"PINAKES_PORT": "8765"})
    assert signing_in.stdout.startswith("http://127.0.0.1:8765/sign-in?token=")
    assert "pinakes serve" in signing_in.stderr
    findings = json.loads(offline.run("doctor", "--json").stdout)
    assert {finding["state"] for finding in findings} <= {"ok", "warning"}
    assert "Deleted 2 documents" in offline.run("kb", "delete", "Trees", "--yes").stdout
    assert [path.name for path in (offline.home / "originals").rglob("*") if path.is_file()] == ["installation"]
    # No program holds the engine any more, so it stops.
    wait_for(lambda: not (offline.home / "postgres" / "state.json").exists(), "the database stops", STOP_SECONDS)


def test_the_first_start_loads_the_sample_and_answers_from_it(home: Path) -> None:
    # F6, B12
    server = Server(home, arguments=()).start()
    try:
        kb = data_of(server.owner.get("/api/knowledge-bases/sample"))["id"]
        wait_for(
            lambda: data_of(server.owner.get(f"/api/knowledge-bases/{kb}/documents?status=indexed"))["total"] == 5,
            "the sample is indexed",
        )
        asked: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text())["questions"]
        for question in asked[:3]:
            answer = json.loads(server.run("ask", question["question"], "--json").stdout)
            cited = [entry["source"]["documentName"] for entry in answer["sources"]]
            assert question["document"] in cited, question
            assert "[1]" in answer["answer"]
        assert "120 scrolls" in run_greeting(server)
        signed_in = httpx.Client(base_url=server.url)
        assert signed_in.get(printed_link(server)).status_code == 303
        assert data_of(signed_in.get("/api/me"))["role"] == "owner"
        assert httpx.get(printed_link(server)).status_code == 401
        server.run("kb", "delete", "sample", "--yes")
        server.stop()
        server.start()
        assert httpx.get(f"{server.url}/readyz").is_success
        assert server.owner.get("/api/knowledge-bases/sample").status_code == 404
    finally:
        server.stop()


def test_ctrl_c_stops_everything_that_serve_started(home: Path, tmp_path: Path) -> None:
    # F6, K3
    server = Server(home, environment={"PINAKES_WORKER_NICENESS": "7"}).start()
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    for number in range(8):
        words = " ".join(f"word{number}x{at}" for at in range(5_000))
        workspace.upload(kb, f"{number}.txt", words)
    everybody = wait_for(
        lambda: (found := family(server)) and any(mentions(p, "parsers.child") for p in found) and found,
        "a parser child runs",
    )
    own = psutil.Process().nice()
    assert [process.nice() for process in everybody if mentions(process, "--attached")] == [min(own + 7, 19)]
    assert any(process.name() == "postgres" for process in everybody)
    assert server.process is not None
    began = time.monotonic()
    server.process.send_signal(signal.SIGINT)
    _, alive = psutil.wait_procs(everybody, STOP_SECONDS)
    assert [(process.pid, process.cmdline()) for process in alive] == []
    assert time.monotonic() - began < STOP_SECONDS
    assert server.process.wait() == 0
    assert not (home / "server.json").exists()
    assert "Traceback" not in (home / "server.log").read_text()


def test_ctrl_c_in_a_terminal_reaches_the_server_alone_and_still_stops_everything(home: Path) -> None:
    # F6
    home.mkdir()
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "pinakes", "serve", "--port", "0", "--no-sample"],
            env=Server(home).variables(),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    server = Server(home, process=process)
    wait_for(lambda: (home / "server.json").exists(), "the server starts")
    everybody = wait_for(
        lambda: (found := family(server)) and any(mentions(p, "--attached") for p in found) and found, "a worker runs"
    )
    os.killpg(process.pid, signal.SIGINT)
    assert still_alive(everybody) == []
    assert process.wait() == 0
    assert "starting it again" not in (home / "server.log").read_text()


def test_a_second_server_on_the_same_folder_says_where_the_first_is(server: Server) -> None:
    # F6
    second = server.run("serve", "--port", "0", check=False)
    assert second.returncode == 1
    assert server.url in second.stderr
    assert "Traceback" not in second.stderr
    assert httpx.get(f"{server.url}/healthz").is_success


@pytest.mark.parametrize(
    ("host", "words"),
    [("127.0.0.1", "in use"), ("192.0.2.1", "Cannot listen"), ("no.such.host.invalid", "Cannot listen")],
)
def test_an_address_that_cannot_be_had_is_said_in_words(offline: Server, host: str, words: str) -> None:
    # F6
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = offline.run("serve", "--host", host, "--port", port, check=False)
    assert done.returncode == 1
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (offline.home / "postgres").exists()


def test_a_killed_server_takes_everything_along_and_does_not_mislead_commands(home: Path) -> None:
    # F6
    server = Server(home).start()
    everybody = family(server)
    server.stop(signal.SIGKILL)
    assert still_alive(everybody) == []
    assert (home / "server.json").exists()
    state = json.loads(server.run("status", "--json").stdout)
    assert state["server"] is None
    server.start()
    assert json.loads(server.run("status", "--json").stdout)["server"] == server.url
    server.stop()
