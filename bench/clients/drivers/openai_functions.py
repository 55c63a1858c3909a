# pyright: basic, reportMissingImports=false
"""The `openai` package with our adapter's functions: the loop that every program of this kind has."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from openai import AsyncOpenAI

import pinakes
from bench.clients.journey import Given, passage_of, run
from bench.clients.scripted_model import LIST, MODEL, order
from pinakes.adapters.openai import answer_calls, function_schemas
from pinakes.client import Tools


class FunctionsClient:
    """One conversation for each call."""

    def __init__(self, client: AsyncOpenAI, tools: Tools, functions: list[Any]) -> None:
        self._client = client
        self._tools = tools
        self._functions = functions

    async def list_tools(self) -> list[str]:
        """As the model is offered them."""
        return json.loads(await self._say(LIST))

    async def call(self, tool: str, **arguments: Any) -> str:
        """What the model was told."""
        return await self._say(order(tool, arguments))

    async def read(self, uri: str) -> str:
        """With a tool."""
        return await self.call("fetch", id=passage_of(uri))

    async def _say(self, words: str) -> str:
        messages: list[Any] = [{"role": "user", "content": words}]
        while True:
            made = await self._client.chat.completions.create(model=MODEL, messages=messages, tools=self._functions)
            message = made.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            messages += [message, *await answer_calls(self._tools, message.tool_calls)]


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[FunctionsClient]:
    """One connection for the whole journey."""
    async with (
        AsyncOpenAI(base_url=given.model_url, api_key="none") as client,
        pinakes.connect(given.url, given.key, agent="openai") as tools,
    ):
        yield FunctionsClient(client, tools, await function_schemas(tools))


if __name__ == "__main__":
    run(connect, "openai")
