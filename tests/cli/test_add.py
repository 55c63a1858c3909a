"""`pinakes add`: which files are meant, what they are called, and what becomes of them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from harness import Server, data_of, wait_for
from parsers.pdf_files import make_pdf
from pinakes.cli.files import find_files
from pinakes.domain.errors import InvalidInput

Run = Callable[..., "subprocess.CompletedProcess[str]"]
NOBODY = 65534


def write(path: Path, text: str) -> str:
    """A file, with the folders it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def names(cli: Run, kb: str) -> list[str]:
    """The documents of a knowledge base."""
    return sorted(d["name"] for d in json.loads(cli("docs", "list", "--kb", kb, "--json").stdout)["items"])


@contextlib.contextmanager
def powerless() -> Generator[None]:
    """Somebody whom permissions bind: root is not."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that everybody may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def test_files_of_one_name_in_different_subfolders_stay_apart(cli: Run, tmp_path: Path) -> None:
    # K3, K4
    folder = tmp_path / "papers"
    for place in ("notes.txt", "2023/notes.txt", "2024/may/notes.txt"):
        write(folder / place, f"These are the notes in {place}.")
    for options in ([], ["--replace"]):
        cli("add", str(folder), "--kb", "Papers", *options)
        assert names(cli, "Papers") == ["2023 › notes.txt", "2024 › may › notes.txt", "notes.txt"]
    found = json.loads(cli("search", "notes in 2023", "--kb", "Papers", "--json").stdout)["results"]
    assert {hit["documentName"]: hit["content"] for hit in found}["2023 › notes.txt"].endswith("2023/notes.txt.")


def test_files_that_would_get_one_name_are_refused_before_anything_is_sent(cli: Run, tmp_path: Path) -> None:
    # K4, F6
    paths = [write(tmp_path / place, place) for place in ("a/x.txt", "b/x.txt", "b/y.txt")]
    done = cli("add", *paths, "--kb", "Papers", "--replace", check=False)
    assert done.returncode == 1
    assert "2 of these files would be called 'x.txt'" in done.stdout
    assert "3 files: 1 indexed, 2 refused." in done.stdout
    assert names(cli, "Papers") == ["y.txt"]


def test_a_file_named_twice_is_added_once(tmp_path: Path) -> None:
    # F6
    path = write(tmp_path / "a.txt", "a")
    assert [file.name for file in find_files([Path(path), tmp_path, tmp_path / "." / "a.txt"])] == ["a.txt"]


def test_links_out_of_the_folder_are_left_out_and_named(cli: Run, tmp_path: Path) -> None:
    # F6
    write(tmp_path / "secret" / "key.txt", "secret")
    folder = tmp_path / "papers"
    write(folder / "a.txt", "Alder trees like water.")
    (folder / "same.txt").symlink_to("a.txt")
    (folder / "key.txt").symlink_to(tmp_path / "secret" / "key.txt")
    (folder / "all").symlink_to(tmp_path / "secret")
    (folder / "gone.txt").symlink_to("nothing")
    (folder / "loop").symlink_to("loop")
    outcomes = json.loads(cli("add", str(folder), "--kb", "Papers", "--json").stdout)
    assert {o["name"]: o["status"] for o in outcomes} == {
        "a.txt": "indexed",
        "same.txt": "indexed",
        **dict.fromkeys(("all", "gone.txt", "key.txt", "loop"), "skipped"),
    }
    assert all(o["reason"] for o in outcomes if o["status"] == "skipped")
    assert names(cli, "Papers") == ["a.txt", "same.txt"]


def test_subfolders_that_cannot_be_read_are_refused_by_name(shared: Path) -> None:
    # F6
    write(shared / "a.txt", "a")
    write(shared / "closed" / "b.txt", "b")
    (shared / "closed").chmod(0)
    with powerless():
        found = find_files([shared])
        with pytest.raises(InvalidInput, match="cannot be read"):
            find_files([shared / "closed" / "b.txt"])
    (shared / "closed").chmod(0o755)
    assert {file.name: file.status for file in found} == {"a.txt": "found", "closed": "refused"}
    assert "Permission denied" in str(found[1].reason)


def test_adding_the_same_again_changes_nothing_and_other_content_needs_replace(cli: Run, tmp_path: Path) -> None:
    # K4
    path = write(tmp_path / "a.txt", "Alder trees like water.")
    assert "1 file: 1 indexed." in cli("add", path, "--kb", "Papers").stdout
    assert "1 file: 1 unchanged." in cli("add", path, "--kb", "Papers").stdout
    write(tmp_path / "a.txt", "Alder trees like rivers.")
    refused = cli("add", path, "--kb", "Papers", check=False)
    assert refused.returncode == 1
    assert "--replace" in refused.stdout


def test_adding_a_failed_file_again_says_that_it_failed_and_how_to_retry(cli: Run, tmp_path: Path) -> None:
    # K3
    path = tmp_path / "scanned.pdf"
    path.write_bytes(make_pdf(""))
    first = json.loads(cli("add", str(path), "--kb", "Papers", "--json", check=False).stdout)[0]
    again = json.loads(cli("add", str(path), "--kb", "Papers", "--json", check=False).stdout)[0]
    assert again["status"] == "failed"
    assert again["reason"].startswith(first["reason"])
    assert f"docs retry {first['documentId']}" in again["reason"]


def test_a_protected_file_added_again_is_not_to_be_retried(cli: Run, tmp_path: Path) -> None:
    # K1, F6
    path = write(
        tmp_path / "secret.eml",
        "From: a@example.org\nSubject: Secret\nMIME-Version: 1.0\n"
        'Content-Type: multipart/encrypted; protocol="application/pgp-encrypted"; boundary="b"\n\n'
        "--b\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n"
        "--b\nContent-Type: application/octet-stream\n\n-----BEGIN PGP MESSAGE-----\n\n--b--\n",
    )
    cli("add", path, "--kb", "Papers", check=False)
    again = json.loads(cli("add", path, "--kb", "Papers", "--json", check=False).stdout)[0]
    assert again["status"] == "failed"
    assert "upload it again" in again["reason"]
    assert "docs retry" not in again["reason"]


def test_the_supported_formats_are_listed_once(cli: Run, tmp_path: Path) -> None:
    # K1, F6
    for name in ("a.exe", "b.exe"):
        (tmp_path / name).write_bytes(b"MZ\x90\x00")
    for command in ("add", "sync"):
        done = cli(command, str(tmp_path), "--kb", "Papers", check=False)
        assert done.returncode == 1
        assert done.stdout.count("Supported: ") == 1
        assert done.stdout.count("unsupported extension") == 2
    outcomes = json.loads(cli("add", str(tmp_path), "--kb", "Papers", "--json", check=False).stdout)
    assert all("Supported: PDF" in outcome["reason"] for outcome in outcomes)


def test_an_address_added_again_changes_nothing(cli: Run, tmp_path: Path) -> None:
    # K4
    write(tmp_path / "tides.txt", "The moon pulls the sea.")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as web:
        Thread(target=web.serve_forever, daemon=True).start()
        page = f"http://127.0.0.1:{web.server_port}/tides.txt"
        assert "1 indexed" in cli("add", page, "--kb", "Papers").stdout
        assert "1 unchanged" in cli("add", f"{page}#top", "--kb", "Papers").stdout
        told = json.loads(cli("add", page, "--kb", "Papers", "--json").stdout)[0]
        assert (told["status"], told["chunks"]) == ("unchanged", 1)
        assert f"docs refetch {told['documentId']}" in told["reason"]
        web.shutdown()


def test_small_sizes_are_given_in_bytes(cli: Run, tmp_path: Path) -> None:
    # F6
    cli("add", write(tmp_path / "a.txt", "Alder"), "--kb", "Papers")
    assert "5 bytes" in cli("docs", "list", "--kb", "Papers").stdout


def test_ctrl_c_tells_what_is_in_and_repeating_is_safe(home: Path, tmp_path: Path) -> None:
    # K3, F6
    # With no worker the files stay on their way until we stop waiting.
    server = Server(home, arguments=("--no-sample", "--no-worker")).start()
    folder = tmp_path / "papers"
    for number in range(3):
        write(folder / f"{number}.txt", f"Paper {number}.")
    arguments = ["add", str(folder), "--kb", "Papers"]

    def stored() -> list[dict[str, Any]]:
        answer = server.owner.get("/api/knowledge-bases/papers/documents")
        return data_of(answer)["items"] if answer.is_success else []

    try:
        command = subprocess.Popen(
            [sys.executable, "-m", "pinakes", *arguments],
            env=server.variables(),
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: len(stored()) == 3, "the files are uploaded")
        # Until the answers have reached the command as well.
        with contextlib.suppress(subprocess.TimeoutExpired):
            command.wait(1)
        command.send_signal(signal.SIGINT)
        _, error = command.communicate(timeout=10)
        assert command.returncode == 130
        assert "Traceback" not in error
        assert "3 of 3 files are in already; 3 of them will be indexed by the server." in error
        before = stored()
        again = json.loads(server.run(*arguments, "--no-wait", "--json").stdout)
        assert {(o["status"], o["documentId"]) for o in again} == {("pending", d["id"]) for d in before}
        assert [d["sha256"] for d in stored()] == [d["sha256"] for d in before]
    finally:
        server.stop()
