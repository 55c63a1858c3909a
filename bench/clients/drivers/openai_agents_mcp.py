# pyright: basic, reportMissingImports=false
"""The OpenAI Agents SDK with its MCP server over HTTP."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
from agents.mcp import MCPServerStreamableHttp
from openai import AsyncOpenAI

from bench.clients.journey import Given, run
from bench.clients.scripted_model import LIST, MODEL, order


class AgentsClient:
    """Every call is a run of the agent."""

    def __init__(self, given: Given, server: MCPServerStreamableHttp) -> None:
        client = AsyncOpenAI(base_url=given.model_url, api_key="none")
        model = OpenAIChatCompletionsModel(model=MODEL, openai_client=client)
        self._server = server
        self._agent = Agent(name="traveller", model=model, mcp_servers=[server])

    async def list_tools(self) -> list[str]:
        """As the model is offered them."""
        return json.loads(await self._say(LIST))

    async def call(self, tool: str, **arguments: Any) -> str:
        """What the model was told."""
        return await self._say(order(tool, arguments))

    async def read(self, uri: str) -> str:
        """A resource."""
        return (await self._server.read_resource(uri)).contents[0].text

    async def _say(self, words: str) -> str:
        return str((await Runner.run(self._agent, words)).final_output)


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[AgentsClient]:
    """One connection for the whole journey."""
    set_tracing_disabled(True)
    async with MCPServerStreamableHttp(params={"url": given.mcp_url, "headers": given.headers}) as server:
        yield AgentsClient(given, server)


if __name__ == "__main__":
    run(connect, "openai-agents")
