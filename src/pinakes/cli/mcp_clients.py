"""How each MCP client is told about a server: where its file is, and what stands in it."""

import json
import math
import os
import re
import secrets
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any, cast

from pinakes.domain.errors import InvalidInput

NAME = "pinakes"
Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Launch:
    """The command that a client starts, and what it needs to know."""

    command: str
    arguments: list[str]
    environment: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a client finds a server, with the key to it."""

    url: str
    headers: Mapping[str, str]


class McpClient(StrEnum):
    """The clients whose configuration we know."""

    VSCODE = "vscode"
    CLAUDE = "claude"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    CODEX = "codex"
    WINDSURF = "windsurf"
    GEMINI = "gemini"
    ZED = "zed"
    OPENCODE = "opencode"
    LM_STUDIO = "lmstudio"


@dataclass(frozen=True, slots=True)
class Shape:
    """The file of a client, the key under which servers stand in it, and an entry for either way."""

    path: Callable[[], Path]
    key: str
    launch: Callable[[Launch], Entry]
    address: Callable[[Address], Entry] | None
    # Files in a project are seen by everybody who works on it.
    shared: bool = False


def _plain(launch: Launch) -> Entry:
    entry: Entry = {"command": launch.command, "args": launch.arguments}
    return entry | ({"env": dict(launch.environment)} if launch.environment else {})


def _typed(launch: Launch) -> Entry:
    return {"type": "stdio", **_plain(launch)}


def _one_command(launch: Launch) -> Entry:
    entry: Entry = {"type": "local", "command": [launch.command, *launch.arguments], "enabled": True}
    return entry | ({"environment": dict(launch.environment)} if launch.environment else {})


def _at(name: str, **more: Any) -> Callable[[Address], Entry]:
    return lambda address: {**more, name: address.url, "headers": dict(address.headers)}


def _codex_address(address: Address) -> Entry:
    return {"url": address.url, "http_headers": dict(address.headers)}


def _claude_file() -> Path:
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        folder = Path(os.environ.get("APPDATA", Path.home() / "AppData" / "Roaming"))
    else:
        folder = _config_folder()
    return folder / "Claude" / "claude_desktop_config.json"


def _config_folder() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


_SERVERS = "mcpServers"
SHAPES: Mapping[McpClient, Shape] = {
    McpClient.VSCODE: Shape(
        lambda: Path.cwd() / ".vscode" / "mcp.json", "servers", _typed, _at("url", type="http"), shared=True
    ),
    McpClient.CLAUDE: Shape(_claude_file, _SERVERS, _plain, None),
    McpClient.CLAUDE_CODE: Shape(
        lambda: Path.cwd() / ".mcp.json", _SERVERS, _typed, _at("url", type="http"), shared=True
    ),
    McpClient.CURSOR: Shape(lambda: Path.home() / ".cursor" / "mcp.json", _SERVERS, _plain, _at("url")),
    McpClient.CODEX: Shape(
        lambda: Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex") / "config.toml",
        "mcp_servers",
        _plain,
        _codex_address,
    ),
    McpClient.WINDSURF: Shape(
        lambda: Path.home() / ".codeium" / "windsurf" / "mcp_config.json", _SERVERS, _plain, _at("serverUrl")
    ),
    McpClient.GEMINI: Shape(lambda: Path.home() / ".gemini" / "settings.json", _SERVERS, _plain, _at("httpUrl")),
    McpClient.ZED: Shape(lambda: _config_folder() / "zed" / "settings.json", "context_servers", _plain, _at("url")),
    McpClient.OPENCODE: Shape(
        lambda: _config_folder() / "opencode" / "opencode.json", "mcp", _one_command, _at("url", type="remote")
    ),
    McpClient.LM_STUDIO: Shape(lambda: Path.home() / ".lmstudio" / "mcp.json", _SERVERS, _plain, _at("url")),
}


def make_entry(client: McpClient, reached: Launch | Address) -> Entry:
    """What the client must be told."""
    shape = SHAPES[client]
    if isinstance(reached, Launch):
        return shape.launch(reached)
    if shape.address is None:
        raise InvalidInput(
            f"The file of '{client}' cannot name a server's address. Leave --http out: it then starts Pinakes itself."
        )
    return shape.address(reached)


def render(client: McpClient, entry: Entry, before: str = "", path: Path | None = None) -> str:
    """The whole file with our entry in it, and everything else as it was; InvalidInput if that cannot be promised."""
    shape = SHAPES[client]
    file = path or shape.path()
    if shape.path().suffix == ".toml":
        return _render_toml(shape.key, entry, before, file)
    try:
        held: Any = _read_json(before) if before.strip() else {}
        servers: Any = cast("Entry", held).setdefault(shape.key, {}) if isinstance(held, dict) else None
        if isinstance(servers, dict):
            servers[NAME] = entry
            after = json.dumps(held, indent=2, ensure_ascii=False) + "\n"
            after.encode()
            return after
    except UnicodeEncodeError as error:
        raise _unreadable(file, "a text in it has broken Unicode characters") from error
    except _NotKept as error:
        raise _unreadable(file, str(error)) from error
    except (ValueError, RecursionError) as error:
        raise _unreadable(file, "it is no plain JSON (comments, perhaps)") from error
    raise _unreadable(file, f"'{shape.key}' in it is not what we expect")


class _NotKept(Exception):
    """Something in a file that would not be written as it was read."""


def _read_json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_read_object, parse_float=_read_float, parse_constant=_read_float)


def _read_object(pairs: list[tuple[str, Any]]) -> Entry:
    held = dict(pairs)
    if len(held) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _NotKept(f"'{twice}' stands in it twice, and one of the two would be lost")
    return held


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number) or Decimal(text) != Decimal(repr(number)):
        raise _NotKept(f"the number {text[:40]} in it would be changed")
    return number


def _render_toml(key: str, entry: Entry, before: str, path: Path) -> str:
    """By its lines, so that comments and order stay; then read again to see that nothing else changed."""
    ours = re.compile(rf'\s*\[\s*{key}\s*\.\s*"?{NAME}"?\s*[.\]]')
    kept: list[str] = []
    inside = False
    for line in before.splitlines():
        if line.lstrip().startswith("["):
            inside = ours.match(line) is not None
        if not inside:
            kept.append(line)
    lines = [f"[{key}.{NAME}]", *(f"{name} = {_toml(value)}" for name, value in entry.items())]
    after = "\n".join([*"\n".join(kept).rstrip().splitlines(), *([""] if kept else []), *lines]) + "\n"
    try:
        wanted = tomllib.loads(before)
        wanted.setdefault(key, {})[NAME] = entry
        if tomllib.loads(after) == wanted:
            return after
    except (tomllib.TOMLDecodeError, AttributeError, TypeError) as error:
        raise _unreadable(path, "it is no TOML that we understand") from error
    raise _unreadable(path, f"'{key}' is written in it in a way that we cannot change safely")


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(name)} = {_toml(each)}" for name, each in value.items()) + " }"  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return json.dumps(value, ensure_ascii=False)


def read(path: Path) -> str:
    """What is in a file; nothing, where there is none."""
    try:
        # Some editors begin a file with a mark, which is no part of it.
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not in UTF-8"
        raise _unreadable(path, f"{why}") from error


def write(path: Path, text: str) -> None:
    """Put a file in place at once, readable by its owner alone if it is new: it may hold a key."""
    try:
        path = path.resolve()
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
        temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:
        raise _unreadable(path, getattr(error, "strerror", None) or "its link leads nowhere") from error


def _unreadable(path: Path, why: str) -> InvalidInput:
    return InvalidInput(f"{path} was left as it is: {why}. Run this without --write, and put what it prints in there.")
