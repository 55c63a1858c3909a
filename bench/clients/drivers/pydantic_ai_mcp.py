# pyright: basic, reportMissingImports=false
"""pydantic-ai's own MCP toolset in an agent."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from pydantic_ai.mcp import MCPToolset

from bench.clients.drivers.pydantic_ai_agent import AgentClient
from bench.clients.journey import Given, run


class McpClient(AgentClient):
    """The same, and it knows resources."""

    async def read(self, uri: str) -> str:
        """A resource."""
        return str(await self.toolset.read_resource(uri))


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[McpClient]:
    """One connection for the whole journey."""
    async with MCPToolset(given.mcp_url, headers=given.headers) as toolset:
        yield McpClient(toolset)


if __name__ == "__main__":
    run(connect, "pydantic-ai-slim")
