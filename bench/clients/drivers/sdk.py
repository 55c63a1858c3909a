# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""The official SDK's client, over HTTP."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from bench.clients.journey import Given, run


class SdkClient:
    """A session; what a program reads comes after what a model reads."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def list_tools(self) -> list[str]:
        """All of them are on one page."""
        return [tool.name for tool in (await self._client.list_tools()).tools]

    async def call(self, tool: str, **arguments: Any) -> str:
        """Text and structured content, which the client has held against the tool's output schema."""
        result = await self._client.call_tool(tool, arguments)
        return result.model_dump_json()

    async def read(self, uri: str) -> str:
        """A resource."""
        return (await self._client.read_resource(uri)).contents[0].text


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[SdkClient]:
    """With the newest revision of the protocol that both sides know."""
    async with (
        httpx2.AsyncClient(headers=given.headers, timeout=60) as http,
        Client(streamable_http_client(given.mcp_url, http_client=http)) as client,
    ):
        yield SdkClient(client)


if __name__ == "__main__":
    run(connect, "mcp")
