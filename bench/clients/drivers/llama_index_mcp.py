# pyright: basic, reportMissingImports=false
"""LlamaIndex's MCP tools."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

from bench.clients.journey import Given, run


class LlamaIndexClient:
    """Tools by their names."""

    def __init__(self, client: BasicMCPClient, tools: list[Any]) -> None:
        self._client = client
        self._tools = {tool.metadata.name: tool for tool in tools}

    async def list_tools(self) -> list[str]:
        """As an agent would offer them."""
        return list(self._tools)

    async def call(self, tool: str, **arguments: Any) -> str:
        """What goes back to the model."""
        return (await self._tools[tool].acall(**arguments)).content

    async def read(self, uri: str) -> str:
        """A resource."""
        return (await self._client.read_resource(uri)).contents[0].text  # pyright: ignore[reportArgumentType]


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[LlamaIndexClient]:
    """Every call connects by itself, as this client does."""
    client = BasicMCPClient(given.mcp_url, headers=given.headers)
    yield LlamaIndexClient(client, await McpToolSpec(client=client).to_tool_list_async())


if __name__ == "__main__":
    run(connect, "llama-index-tools-mcp")
