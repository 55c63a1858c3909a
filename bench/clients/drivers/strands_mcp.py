# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""Strands with its own MCPClient."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
from mcp.client.streamable_http import streamable_http_client
from strands.tools.mcp import MCPClient

from bench.clients.drivers.strands_native import StrandsClient
from bench.clients.journey import Given, run


class McpClient(StrandsClient):
    """The same agent, and it knows resources."""

    def __init__(self, given: Given, client: MCPClient) -> None:
        super().__init__(given, client.list_tools_sync())
        self._client = client

    async def read(self, uri: str) -> str:
        """A resource."""
        return self._client.read_resource_sync(uri).contents[0].text


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[McpClient]:
    """One connection for the whole journey, in the client's own thread."""
    http = httpx2.AsyncClient(headers=given.headers, timeout=60)
    with MCPClient(lambda: streamable_http_client(given.mcp_url, http_client=http)) as client:
        yield McpClient(given, client)


if __name__ == "__main__":
    run(connect, "strands-agents")
