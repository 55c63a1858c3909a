"""The configuration of MCP clients: complete, and without harm to what is in their files."""

import json
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest

from cli.conftest import Run
from harness import Server, Workspace
from pinakes.cli.mcp_clients import SHAPES, Address, Launch, McpClient, make_entry, read, render, write
from pinakes.domain.errors import InvalidInput

LAUNCH = Launch("/usr/bin/python3", ["-m", "pinakes", "mcp"], {"PINAKES_HOME": "/home/me/with space"})
ADDRESS = Address("http://127.0.0.1:8700/mcp", {"Authorization": "Bearer pk_x_y"})
FILES = {
    "vscode": (".vscode/mcp.json", "servers"),
    "claude": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "claude-code": (".mcp.json", "mcpServers"),
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "codex": (".codex/config.toml", "mcp_servers"),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "zed": (".config/zed/settings.json", "context_servers"),
    "opencode": (".config/opencode/opencode.json", "mcp"),
    "lmstudio": (".lmstudio/mcp.json", "mcpServers"),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home folder, which is also the project they are in."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _parse(path: Path, text: str) -> dict[str, Any]:
    return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("client", list(McpClient))
def test_each_client_is_told_in_its_own_file_and_form(client: McpClient, home: Path) -> None:
    # E7, F6
    name, key = FILES[client]
    path = SHAPES[client].path()
    assert path == home / name
    entry = _parse(path, render(client, make_entry(client, LAUNCH)))[key]["pinakes"]
    command = entry["command"] if isinstance(entry["command"], list) else [entry["command"], *entry["args"]]
    assert command == ["/usr/bin/python3", "-m", "pinakes", "mcp"]
    assert entry.get("env", entry.get("environment")) == {"PINAKES_HOME": "/home/me/with space"}
    if client is McpClient.CLAUDE:
        with pytest.raises(InvalidInput, match="Leave --http out"):
            make_entry(client, ADDRESS)
        return
    reached = _parse(path, render(client, make_entry(client, ADDRESS)))[key]["pinakes"]
    assert ADDRESS.url in reached.values()
    assert ADDRESS.headers in reached.values()


@pytest.mark.parametrize("client", [client for client in McpClient if client is not McpClient.CODEX])
def test_what_a_file_holds_already_stays_and_twice_is_once(client: McpClient) -> None:
    # F6
    key = FILES[client][1]
    held = {"theme": "dunkel – ü", key: {"other": {"command": "x"}, "pinakes": {"command": "old"}}, "last": [1, 2]}
    text = render(client, make_entry(client, LAUNCH), json.dumps(held))
    after = json.loads(text)
    assert after[key].pop("pinakes") == make_entry(client, LAUNCH)
    assert after == {**held, key: {"other": {"command": "x"}}}
    assert list(after) == list(held)
    assert render(client, make_entry(client, LAUNCH), text) == text


def test_a_toml_file_keeps_its_comments_and_order() -> None:
    # F6
    before = (
        '# mine\nmodel = "o9"\n\n[mcp_servers.pinakes]\ncommand = "old"\n\n[mcp_servers.pinakes.env]\nA = "b"\n\n'
        '[mcp_servers.other]\ncommand = "x" # keep\n\n[[profiles]]\nname = "p"\n'
    )
    text = render(McpClient.CODEX, make_entry(McpClient.CODEX, LAUNCH), before)
    assert "# mine" in text
    assert 'command = "x" # keep' in text
    after = tomllib.loads(text)
    assert after["mcp_servers"]["pinakes"] == make_entry(McpClient.CODEX, LAUNCH)
    assert after["mcp_servers"]["other"] == {"command": "x"}
    assert (after["model"], after["profiles"]) == ("o9", [{"name": "p"}])
    assert render(McpClient.CODEX, make_entry(McpClient.CODEX, LAUNCH), text) == text


@pytest.mark.parametrize(
    ("client", "held"),
    [
        (McpClient.ZED, '{\n  // a comment\n  "theme": "x"\n}'),
        (McpClient.CURSOR, '{"mcpServers": []}'),
        (McpClient.CURSOR, "[1]"),
        (McpClient.CURSOR, '{"a": {"b": 1, "b": 2}}'),
        (McpClient.CURSOR, '{"mcpServers": {"mine": {}}, "mcpServers": {}}'),
        (McpClient.CURSOR, '{"a": 1e400}'),
        (McpClient.CURSOR, '{"a": NaN}'),
        (McpClient.CURSOR, '{"a": 12345678901234567890.5}'),
        (McpClient.CURSOR, '{"a": "\\ud800"}'),
        (McpClient.CURSOR, "[" * 5_000),
        (McpClient.CODEX, 'mcp_servers = { other = { command = "x" } }'),
        (McpClient.CODEX, 'text = """\n[mcp_servers.pinakes]\n"""\n'),
        (McpClient.CODEX, "not toml"),
    ],
)
def test_a_file_that_we_cannot_change_safely_is_left_alone(client: McpClient, held: str) -> None:
    # F6
    with pytest.raises(InvalidInput, match="was left as it is"):
        render(client, make_entry(client, LAUNCH), held)


def test_a_file_that_cannot_be_read_or_written_is_named_and_left_alone(home: Path) -> None:
    # F6, K2
    (home / "folder.json").mkdir()
    (home / "loop.json").symlink_to(home / "loop.json")
    (home / "utf16.json").write_bytes('{"a": 1}'.encode("utf-16"))
    (home / "file").write_text("x")
    for name in ("folder.json", "loop.json", "utf16.json"):
        with pytest.raises(InvalidInput, match=rf"{name} was left as it is: .+ Run this without --write"):
            read(home / name)
    for name in ("folder.json", "loop.json", "file/below.json"):
        with pytest.raises(InvalidInput, match=rf"{name} was left as it is: .+ Run this without --write"):
            write(home / name, "{}")
    assert {path.name for path in home.iterdir()} == {"folder.json", "loop.json", "utf16.json", "file"}
    assert read(home / "missing.json") == ""
    # Some editors put a mark before all else.
    (home / "marked.json").write_bytes(b'\xef\xbb\xbf{"keep": 1.50, "big": 1E5}')
    text = render(McpClient.CURSOR, make_entry(McpClient.CURSOR, LAUNCH), read(home / "marked.json"))
    assert (json.loads(text)["keep"], json.loads(text)["big"]) == (1.5, 100_000)
    with pytest.raises(InvalidInput, match=r"other\.json was left"):
        render(McpClient.CURSOR, {}, "{", home / "other.json")


def test_a_new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_mode_and_link(home: Path) -> None:
    # F2
    write(home / "new" / "mcp.json", "{}")
    assert (home / "new" / "mcp.json").stat().st_mode & 0o777 == 0o600
    (home / "real.json").write_text("{}")
    (home / "real.json").chmod(0o644)
    (home / "link.json").symlink_to(home / "real.json")
    write(home / "link.json", '{"a": 1}')
    assert (home / "link.json").is_symlink()
    assert (home / "real.json").read_text() == '{"a": 1}'
    assert (home / "real.json").stat().st_mode & 0o777 == 0o644
    assert {path.name for path in home.iterdir()} == {"new", "real.json", "link.json"}


def test_the_command_writes_the_file_with_a_key_that_works(server: Server, home: Path, cli: Run) -> None:
    # E7, F6
    (home / ".vscode").mkdir()
    (home / ".vscode" / "mcp.json").write_text('{"servers": {"other": {"url": "x"}}}')
    done = cli("mcp", "config", "--client", "vscode", "--http", "--write")
    assert "--enable-writing" in done.stderr
    servers = json.loads((home / ".vscode" / "mcp.json").read_text())["servers"]
    assert servers["other"] == {"url": "x"}
    told = servers["pinakes"]
    assert told["url"] == f"{server.url}/mcp"
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    assert '"search"' in httpx.post(told["url"], json=ask, headers=told["headers"] | accept).text


def test_agents_may_write_where_a_person_wants_that_and_a_key_cannot_want_it(
    workspace: Workspace, home: Path, cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    # E7, F2
    config = ("mcp", "config", "--client", "cursor", "--http", "--write", "--enable-writing")
    keys = workspace.client.get("/api/keys").json()["data"]
    with monkeypatch.context() as environment:
        environment.setenv("PINAKES_API_KEY", workspace.key)
        refused = cli(*config, check=False)
    assert refused.returncode == 1
    assert "Tools are switched by people" in refused.stderr
    assert not (home / ".cursor" / "mcp.json").exists()
    assert workspace.client.get("/api/keys").json()["data"] == keys
    done = cli(*config)
    assert "Agents may now also call: create_catalog, " in done.stderr
    told = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["pinakes"]
    call = {"name": "create_catalog", "arguments": {"catalog_name": "Birds"}}
    ask = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"Accept": "application/json, text/event-stream"}
    assert "Created catalog 'Birds'" in httpx.post(told["url"], json=ask, headers=told["headers"] | accept).text


def test_a_file_that_is_refused_costs_no_key(workspace: Workspace, home: Path, cli: Run) -> None:
    # F2
    (home / ".mcp.json").write_text("{ // comment\n}")
    before = workspace.client.get("/api/keys").json()["data"]
    done = cli("mcp", "config", "--client", "claude-code", "--http", "--write", check=False)
    assert done.returncode == 1
    assert "was left as it is" in done.stderr
    assert (home / ".mcp.json").read_text() == "{ // comment\n}"
    assert workspace.client.get("/api/keys").json()["data"] == before
