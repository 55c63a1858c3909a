"""The command line against a running server."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import typer.main
from typer.core import TyperGroup
from typer.testing import CliRunner

from cli.agent_commands import run_agent_commands
from embedding_server import serving
from harness import Server, Workspace, data_of
from pinakes.cli.commands import app
from pinakes.services.answers import DEFAULT_MIN_SCORE

OAKS = "# Trees\n\n## Oak\n\nOaks can live for a thousand years.\n"
HEAVY = ("fastapi", "numpy", "obstore", "onnx", "onnxruntime", "procrastinate", "psycopg", "pypdfium2", "tokenizers")
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def oaks(tmp_path: Path) -> str:
    """A file to add."""
    path = tmp_path / "trees.md"
    path.write_text(OAKS)
    return str(path)


def commands() -> Iterator[tuple[str, ...]]:
    """Every command there is, from typer's own tree."""

    def below(group: TyperGroup, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                yield from below(command, (*path, name))
            else:
                yield (*path, name)

    root = typer.main.get_command(app)
    assert isinstance(root, TyperGroup)
    return below(root, ())


def as_json(done: "subprocess.CompletedProcess[str]") -> Any:
    """What a command printed, which must be one JSON document and nothing else."""
    return json.loads(done.stdout)


def said(done: "subprocess.CompletedProcess[str]") -> str:
    """The one sentence a failed command left on standard error."""
    assert done.returncode == 1, done
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("Error: "), done.stderr
    assert done.stdout == ""
    return " ".join(done.stderr.removeprefix("Error: ").split())


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_explains_itself_and_offers_json(path: tuple[str, ...]) -> None:
    # F6
    shown = CliRunner().invoke(app, [*path, "--help"], env={"COLUMNS": "200"}, catch_exceptions=False)
    assert shown.exit_code == 0
    assert "--json" in shown.output
    assert len(shown.output.strip().splitlines()) > 5


def test_the_help_names_the_subcommands_and_the_figure_an_answer_needs() -> None:
    # F6
    for group in ("kb", "docs", "keys", "identities", "members", "workspaces", "embedders", "rerankers", "model"):
        shown = CliRunner().invoke(app, [group, "--help"], env={"COLUMNS": "200"}).output
        summary = shown.partition("Options")[0]
        assert [path[1] for path in commands() if path[0] == group and path[1] not in summary] == []
    shown = CliRunner().invoke(app, ["ask", "--help"], env={"COLUMNS": "200"}).output
    assert f"Default: {DEFAULT_MIN_SCORE}." in shown
    for command in ("add", "sync", "search", "ask"):
        assert "or a bare value" in CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output


def test_every_command_prints_valid_json(cli: Run, server: Server, oaks: str, tmp_path: Path) -> None:
    # F6
    seen: dict[tuple[str, ...], Any] = {}

    def run(path: str, *arguments: str, code: int = 0) -> Any:
        done = cli(*path.split(), *arguments, "--json", check=False)
        assert done.returncode == code, done
        seen[tuple(path.split())] = as_json(done)
        return seen[tuple(path.split())]

    kb = run("kb create", "Trees")
    assert run("kb list")["total"] == 3
    added = run("add", oaks, "--kb", "Trees")[0]
    assert added["status"] == "indexed"
    assert added["chunks"] == 1
    assert run("docs list", "--kb", kb["slug"])["items"][0]["id"] == added["documentId"]
    assert run("search", "old oaks")["results"][0]["documentId"] == added["documentId"]
    assert run("ask", "How old do oaks get?")["sources"]
    assert run("docs show", added["documentId"])["name"] == "trees.md"
    assert run("docs update", added["documentId"], "--title", "On trees")["title"] == "On trees"
    assert run("kb update", "Trees", "--description", "All kinds")["description"] == "All kinds"
    assert run("kb calibrate", "Trees")["passages"] == 0
    assert run("operations list")["items"][0]["documentId"] == added["documentId"]
    assert run("kb switch", "Trees", "--embedder", "none")["status"] == "completed"
    states = {each["state"]: each["id"] for each in run("kb generations", "Trees")}
    assert run("kb cancel-switch", "Trees", code=1)["errorCode"] == "NOT_FOUND"
    run("kb drop-generation", "Trees", states["kept"])
    copy = run("docs download", added["documentId"], "-o", str(tmp_path / "elsewhere" / "copy.md"), code=1)
    assert copy["errorCode"] == "INVALID_REQUEST"
    assert Path(run("docs download", added["documentId"], "-o", f"{tmp_path}/.copy/")["path"]).read_text() == OAKS
    assert run("docs refetch", added["documentId"], code=1)["errorCode"] == "CONFLICT"
    assert run("sync", str(Path(oaks).parent), "--kb", "Trees")[0]["status"] == "unchanged"
    assert run("export", "Trees", str(tmp_path / "trees.zip"))["sizeBytes"] > 0
    assert run("docs retry", added["documentId"], code=1)["errorCode"] == "CONFLICT"
    assert run("docs delete", added["documentId"], "--yes")["documents"] == 1
    assert run("kb delete", "Trees", "--yes")["documents"] == 0
    assert run("import", str(tmp_path / "trees.zip"))["documents"] == 1
    assert run("backup", str(tmp_path / "all.tar"))["missing"] == []
    assert run("restore", str(tmp_path / "all.tar"), code=1)["errorCode"] == "CONFLICT"
    assert run("upgrade")["migrations"] == []
    with serving() as endpoint:
        made = run("embedders add", "Mine", "--base-url", endpoint.url, "--model", "bag-of-words")
        assert run("embedders update", made["id"], "--name", "Ours")["name"] == "Ours"
        assert run("embedders list")[0]["name"] == "Ours"
        assert run("embedders test", "Ours")["dims"] == made["dims"]
        run("embedders remove", "Ours")
        made = run("rerankers add", "Mine", "--style", "jina", "--base-url", endpoint.url, "--model", "words")
        assert run("rerankers update", made["id"], "--name", "Ours", "--seconds", "1.5")["seconds"] == 1.5
        assert run("rerankers use", "Ours")["isDefault"]
        assert run("rerankers list")[0]["isDefault"]
        assert run("rerankers test", "Ours")["rawScores"] is False
        assert run("search", "old oaks", "--reranker", "Ours")["results"][0]["metadata"]["rerank"] > 0
        assert "default" in cli("rerankers", "list").stdout
        run("rerankers remove", "Ours")
    run_agent_commands(run, tmp_path)
    key = run("keys create", "robot", "--scope", "read")
    assert key["id"] in [listed["id"] for listed in run("keys list")]
    run("keys revoke", key["id"])
    assert httpx.get(run("members invite", "Ada")["url"]).status_code == 303
    cli("members", "invite", "Grace")
    run("members withdraw", run("members invitations")[0]["id"])
    ada = next(member for member in run("members list") if member["name"] == "Ada")
    assert run("members role", ada["userId"], "editor")["role"] == "editor"
    run("members remove", ada["userId"])
    other = run("workspaces create", "Other")
    assert run("workspaces rename", other["id"], "Another")["name"] == "Another"
    assert "Another" in [workspace["name"] for workspace in run("workspaces list")]
    run("workspaces delete", other["id"], "--yes")
    assert run("whoami")["role"] == "owner"
    assert run("status")["server"] == server.url
    assert all(finding["state"] != "error" for finding in run("doctor"))
    assert run("model install")["wasInstalled"] is True
    assert run("sign-in-link")["url"].startswith(server.url)
    assert "mcpServers" in run("mcp config", "--client", "claude")["configuration"]
    assert run("serve", code=1)["errorCode"] == "CONFLICT"
    # A worker has nothing to print until it is stopped; it shows no JSON but takes the option.
    assert set(commands()) - set(seen) == {("worker",)}


def test_add_takes_folders_and_reports_each_file(cli: Run, tmp_path: Path) -> None:
    # F6, K3
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.txt").write_text("Alder trees like water.")
    (folder / "deep" / "b.md").write_text("# Birch\n\nBirch bark is white.")
    (folder / ".hidden.txt").write_text("not me")
    outcomes = as_json(cli("add", str(folder), "--kb", "Papers", "--tag", "genus=trees", "--json"))
    assert [(Path(o["path"]).name, o["status"]) for o in outcomes] == [("a.txt", "indexed"), ("b.md", "indexed")]
    found = as_json(cli("search", "bark", "--tag", "genus=trees", "--json"))["results"]
    assert found[0]["documentName"] == "deep › b.md"
    assert as_json(cli("search", "bark", "--tag", "genus=birds", "--json"))["results"] == []
    assert "2 files: 2 unchanged." in cli("add", str(folder), "--kb", "papers").stdout
    assert "2 files: 2 unchanged." in cli("add", str(folder), "--kb", "papers", "--replace").stdout


def test_add_need_not_wait(cli: Run, workspace: Workspace, oaks: str) -> None:
    # K3
    outcome = as_json(cli("add", oaks, "--kb", "Trees", "--no-wait", "--json"))[0]
    assert outcome["status"] == "pending"
    assert data_of(workspace.client.get(f"/api/operations/{outcome['operationId']}"))["documentName"] == "trees.md"
    assert workspace.settle(outcome["documentId"])["status"] == "indexed"


def test_add_replaces_only_when_told(cli: Run, tmp_path: Path, oaks: str) -> None:
    # K4
    cli("add", oaks, "--kb", "Trees")
    Path(oaks).write_text("# Trees\n\nPines stay green in winter.\n")
    refused = cli("add", oaks, "--kb", "Trees", check=False)
    assert refused.returncode == 1
    assert "replace" in refused.stdout
    assert "1 file: 1 indexed." in cli("add", oaks, "--kb", "Trees", "--replace").stdout
    contents = [hit["content"] for hit in as_json(cli("search", "pines or oaks", "--kb", "Trees", "--json"))["results"]]
    assert len(contents) == 1
    assert "Pines" in contents[0]


def test_a_broken_file_fails_with_its_reason_and_can_be_retried(cli: Run, tmp_path: Path, oaks: str) -> None:
    # K3, K1
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7\nnothing of a PDF follows")
    program = tmp_path / "program.pdf"
    program.write_bytes(b"\x7fELF" + bytes(60))
    done = cli("add", oaks, str(broken), str(program), "--kb", "Trees", "--json", check=False)
    assert done.returncode == 1
    good, failed, refused = as_json(done)
    assert good["status"] == "indexed"
    assert failed["status"] == "failed"
    assert refused["status"] == "refused"
    assert refused["documentId"] is None
    assert failed["reason"]
    shown = cli("add", str(broken), "--kb", "Trees", "--replace", check=False)
    assert shown.returncode == 1
    assert set(failed["reason"].split()) <= set(shown.stdout.split())
    listed = cli("docs", "list", "--kb", "Trees", "--status", "failed").stdout
    assert "broken.pdf" in listed
    document = as_json(cli("docs", "list", "--kb", "Trees", "--status", "failed", "--json"))["items"][0]["id"]
    assert "in the queue again" in cli("docs", "retry", document).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["add", "/no/such/file", "--kb", "x"], "/no/such/file does not exist"),
        (["docs", "list", "--kb", "nowhere"], "no knowledge base 'nowhere'"),
        (["docs", "list", "--kb", "no/where?"], "no knowledge base 'no/where?'"),
        (["docs", "delete", "doc_../..", "--yes"], "Not Found"),
        (["docs", "download", "doc_none"], "no document 'doc_none'"),
        (["docs", "show", "notes.md"], "pinakes docs list --kb"),
        (["embedders", "test", "nope"], "pinakes embedders list"),
        (["rerankers", "use", "nope"], "pinakes rerankers list"),
        (["rerankers", "update", "nope"], "Nothing to change"),
        (["search", "x", "--reranker", "nope"], "no reranker 'nope'"),
        (["add", "ftp://example.org/a.txt", "--kb", "x"], "only http and https"),
        (["kb", "delete", "[/nowhere]", "--yes"], "no knowledge base '[/nowhere]'"),
        (["kb", "create", " "], "The name is empty"),
        (["search", "x", "--kb", "nowhere"], "no knowledge base 'nowhere'"),
        (["search", "\udcff"], "UTF-8"),
        (["keys", "revoke", "key_none"], "no such API key"),
        (["workspaces", "rename", "ws_none", "x"], "no such workspace"),
    ],
)
def test_errors_are_one_sentence(cli: Run, arguments: list[str], words: str) -> None:
    # F6
    assert words in said(cli(*arguments, check=False))
    failed = cli(*arguments, "--json", check=False)
    assert failed.returncode == 1
    assert words in as_json(failed)["error"]


def test_a_wrong_configuration_is_named(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    # F6
    monkeypatch.setenv("PINAKES_PORT", "many")
    assert "PINAKES_PORT" in said(cli("status", check=False))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://127.0.0.1:9", "does not answer"),
        ("nonsense", "no address"),
        ("http://[::1", "no address"),
        ("http://127.0.0.1:99999", "no address"),
    ],
)
def test_a_server_that_is_not_there_is_said_in_words(
    cli: Run, monkeypatch: pytest.MonkeyPatch, url: str, words: str
) -> None:
    # F6
    monkeypatch.setenv("PINAKES_URL", url)
    assert words in said(cli("kb", "list", check=False))


@pytest.mark.parametrize("body", [b"[]", b"{}", b"<html>", b"\xff", b'{"success": false}'])
def test_what_is_not_pinakes_is_told_apart(cli: Run, monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    # F6
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setenv("PINAKES_URL", f"http://127.0.0.1:{other.getsockname()[1]}")

        def answer() -> None:
            connection, _ = other.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + body)

        Thread(target=answer).start()
        assert "is not Pinakes" in said(cli("kb", "list", check=False))


def test_a_url_and_a_key_reach_a_server_elsewhere(
    server: Server, workspace: Workspace, tmp_path: Path, oaks: str
) -> None:
    # F2, F6
    elsewhere = {"PINAKES_HOME": str(tmp_path / "none"), "PINAKES_URL": server.url, "PINAKES_API_KEY": workspace.key}
    server.run("add", oaks, "--kb", "Trees", environment=elsewhere)
    assert "Oaks can live" in server.run("ask", "How old do oaks get?", environment=elsewhere).stdout
    assert as_json(server.run("status", "--json", environment=elsewhere))["workspaceId"] == workspace.id
    assert not (tmp_path / "none").exists()
    refused = server.run("kb", "list", check=False, environment=elsewhere | {"PINAKES_API_KEY": "pk_x_y"})
    assert "API key is not valid" in said(refused)
    nobody = server.run("whoami", check=False, environment=elsewhere | {"PINAKES_API_KEY": ""})
    assert "PINAKES_API_KEY" in said(nobody)


def test_ids_links_and_keys_are_whole_on_a_narrow_terminal(
    cli: Run, server: Server, workspace: Workspace, tmp_path: Path
) -> None:
    # F6
    narrow = {"COLUMNS": "80", "PINAKES_WORKSPACE": workspace.id}
    path = tmp_path / f"{'a long name with [bold] words ' * 4}.md"
    path.write_text(OAKS)
    kb = as_json(cli("kb", "create", f"{'Many words for one knowledge base ' * 3}[/x]", "--json"))["id"]
    document = as_json(cli("add", str(path), "--kb", kb, "--json"))[0]["documentId"]
    assert kb in server.run("kb", "list", environment=narrow).stdout.split()
    listed = server.run("docs", "list", "--kb", kb, environment=narrow).stdout
    assert document in listed.split()
    assert "[bold]" in listed
    assert document in server.run("docs", "list", "--kb", kb, environment=narrow | {"COLUMNS": "40"}).stdout.split()
    assert len(server.run("sign-in-link", environment=narrow).stdout.splitlines()) == 1
    secret = server.run("keys", "create", "robot", environment=narrow).stdout.splitlines()[0]
    assert httpx.get(f"{server.url}/api/me", headers={"Authorization": f"Bearer {secret}"}).is_success


def test_documents_cannot_steer_the_terminal(cli: Run, tmp_path: Path) -> None:
    # F6
    (tmp_path / "evil.txt").write_text("Oaks \x9b2J grow [/bold] slowly.")
    cli("add", str(tmp_path / "evil.txt"), "--kb", "Evil")
    shown = cli("search", "oaks").stdout
    assert "\x9b" not in shown
    assert "[/bold]" in shown


def test_names_that_are_no_path_parts_work(cli: Run, oaks: str) -> None:
    # F6
    for name in ("R/D 100 %?", "..", "Ünï#x"):
        assert as_json(cli("add", oaks, "--kb", name, "--json"))[0]["status"] == "indexed"
        assert "1 file: 1 unchanged." in cli("add", oaks, "--kb", name, "--replace").stdout
        assert as_json(cli("docs", "list", "--kb", name, "--json"))["total"] == 1


def test_deleting_asks_first(cli: Run, oaks: str) -> None:
    # K12
    cli("add", oaks, "--kb", "Trees")
    unanswered = cli("kb", "delete", "Trees", check=False)
    assert unanswered.returncode == 1
    assert "Delete Trees and its 1 document?" in unanswered.stdout
    assert "--yes" in as_json(cli("kb", "delete", "Trees", "--json", check=False))["error"]
    assert as_json(cli("docs", "list", "--kb", "Trees", "--json"))["total"] == 1
    assert "Deleted 1 document with 1 chunk;" in cli("kb", "delete", "Trees", "--yes").stdout


def test_a_download_overwrites_nothing_unasked(cli: Run, oaks: str, tmp_path: Path) -> None:
    # K13
    document = as_json(cli("add", oaks, "--kb", "Trees", "--json"))[0]["documentId"]
    Path(oaks).write_text("mine")
    assert "exists already" in said(cli("docs", "download", document, "-o", str(tmp_path), check=False))
    assert Path(oaks).read_text() == "mine"
    cli("docs", "download", document, "-o", str(tmp_path), "--force")
    assert Path(oaks).read_text() == OAKS


def test_a_command_that_talks_to_a_server_loads_none_of_the_application(server: Server) -> None:
    # F6
    program = (
        "import sys; from pinakes.cli.commands import app; app(sys.argv[1:], standalone_mode=False); "
        f"sys.stderr.write(','.join(name for name in {HEAVY!r} if name in sys.modules))"
    )
    for arguments in (["--help"], ["search", "anything"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=server.variables(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""


def test_ctrl_c_on_a_command_leaves_no_traceback(tmp_path: Path) -> None:
    # F6
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        environment = os.environ | {"PINAKES_HOME": str(tmp_path), "PINAKES_URL": url}
        command = subprocess.Popen(
            [sys.executable, "-m", "pinakes", "kb", "list"], env=environment, stderr=subprocess.PIPE, text=True
        )
        silent.accept()
        command.send_signal(signal.SIGINT)
        _, error = command.communicate(timeout=10)
    assert command.returncode == 130
    assert error == "Stopped.\n"
