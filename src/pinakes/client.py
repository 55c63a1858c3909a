"""The Python client: every tool of a server as a typed call, over HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from pinakes import __version__
from pinakes.cli.client import ApiFailure, Client, connect, path_part, running_server
from pinakes.settings import load_settings
from pinakes.tool_calls import ToolCalls

__all__ = ["ApiFailure", "Result", "Tools", "open_tools"]


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered: `text` for a model, `metadata` the same for a program.

    What whoever calls can mend is an answer too: then `status` is *error*, and `error_code` says which.
    """

    status: Literal["success", "error"]
    text: str
    metadata: dict[str, Any]

    @property
    def error_code(self) -> str | None:
        """The stable code of an error."""
        return self.metadata.get("error_code")


class Tools(ToolCalls):
    """The tools of one workspace, a method each."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def call(self, tool: str, /, **arguments: Any) -> Result:
        """Call a tool by name; ApiFailure where it is off, unknown, not allowed or broken."""
        answer = await self._client.post(f"/api/tools/{path_part(tool)}", json=arguments)
        text = "\n".join(part["text"] for part in answer["content"])
        return Result(answer["status"], text, answer["metadata"])

    async def tools(self) -> list[dict[str, Any]]:
        """The tools that may be called, with their JSON schemas."""
        return [tool for tool in await self._client.get("/api/tools") if tool["mayCall"]]


@asynccontextmanager
async def open_tools(url: str | None, key: str | None, *, agent: str | None) -> AsyncGenerator[Tools]:
    """A connection to a server, for as long as the block runs."""
    settings = load_settings()
    given = {"url": url or settings.url or None, "api_key": key or settings.api_key}
    if given["url"] is None and await running_server(settings) is None:
        raise ApiFailure(
            f"No server runs on {settings.home_folder}. Start one with `pinakes serve`, or say where it is: "
            "pinakes.connect('https://…', key='pk_…').",
            code="UNAVAILABLE",
        )
    async with connect(settings.model_copy(update=given)) as client:
        client.http.headers["User-Agent"] = f"pinakes-python/{__version__}"
        if agent is not None:
            client.http.headers.update([(b"X-Pinakes-Agent", agent.encode())])
        yield Tools(client)
