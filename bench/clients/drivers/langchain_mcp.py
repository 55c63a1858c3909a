# pyright: basic, reportMissingImports=false
"""langchain-mcp-adapters: the tools as LangChain gets them over MCP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from langchain_mcp_adapters.client import MultiServerMCPClient

from bench.clients.drivers.langchain_tools import LangchainClient
from bench.clients.journey import Given, run


class McpClient(LangchainClient):
    """The same tools, and it knows resources."""

    def __init__(self, tools: list[Any], client: MultiServerMCPClient) -> None:
        super().__init__(tools)
        self._client = client

    async def read(self, uri: str) -> str:
        """A resource."""
        (blob,) = await self._client.get_resources("pinakes", uris=uri)
        return blob.as_string()


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[McpClient]:
    """Every call connects by itself, as this client does."""
    server: Any = {"transport": "streamable_http", "url": given.mcp_url, "headers": given.headers}
    client = MultiServerMCPClient({"pinakes": server})
    yield McpClient(await client.get_tools(), client)


if __name__ == "__main__":
    run(connect, "langchain-mcp-adapters")
