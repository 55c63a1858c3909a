# pyright: basic, reportMissingImports=false
"""LangChain with our adapter's tools, called as its agents call them."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import pinakes
from bench.clients.journey import Given, passage_of, run
from pinakes.adapters.langchain import langchain_tools


class LangchainClient:
    """Tools by their names."""

    def __init__(self, tools: list[Any]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    async def list_tools(self) -> list[str]:
        """As an agent would offer them."""
        return list(self._tools)

    async def call(self, tool: str, **arguments: Any) -> str:
        """The content of the message that goes back to the model."""
        call = {"type": "tool_call", "id": "call_1", "name": tool, "args": arguments}
        content = (await self._tools[tool].ainvoke(call)).content
        return content if isinstance(content, str) else json.dumps(content)

    async def read(self, uri: str) -> str:
        """With a tool."""
        return await self.call("fetch", id=passage_of(uri))


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[LangchainClient]:
    """One connection for the whole journey."""
    async with pinakes.connect(given.url, given.key, agent="langchain") as tools:
        yield LangchainClient(await langchain_tools(tools))


if __name__ == "__main__":
    run(connect, "langchain-core")
