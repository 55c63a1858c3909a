# pyright: basic, reportMissingImports=false
"""An agent of pydantic-ai whose model does what it is told; with our adapter's toolset."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import pinakes
from bench.clients.journey import Given, passage_of, run
from bench.clients.scripted_model import LIST, order
from pinakes.adapters.pydantic_ai import pydantic_ai_toolset


def do_as_told(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Make the call that the user asks for, then repeat its answer."""
    last = messages[-1].parts[-1]
    if not isinstance(last, UserPromptPart):
        return ModelResponse(
            parts=[TextPart(last.content if isinstance(last.content, str) else json.dumps(last.content))]
        )
    if last.content == LIST:
        return ModelResponse(parts=[TextPart(json.dumps([tool.name for tool in info.function_tools]))])
    asked = json.loads(str(last.content))
    return ModelResponse(parts=[ToolCallPart(asked["tool"], asked["arguments"])])


class AgentClient:
    """Every call is a run of the agent."""

    def __init__(self, toolset: Any) -> None:
        self.toolset = toolset
        self._agent = Agent(FunctionModel(do_as_told), toolsets=[toolset])

    async def list_tools(self) -> list[str]:
        """As the model is offered them."""
        return json.loads((await self._agent.run(LIST)).output)

    async def call(self, tool: str, **arguments: Any) -> str:
        """What the model was told."""
        return (await self._agent.run(order(tool, arguments))).output

    async def read(self, uri: str) -> str:
        """With a tool."""
        return await self.call("fetch", id=passage_of(uri))


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[AgentClient]:
    """One connection for the whole journey."""
    async with pinakes.connect(given.url, given.key, agent="pydantic-ai") as tools:
        yield AgentClient(await pydantic_ai_toolset(tools))


if __name__ == "__main__":
    run(connect, "pydantic-ai-slim")
