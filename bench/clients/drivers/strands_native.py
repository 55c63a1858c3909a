# pyright: basic, reportMissingImports=false
"""Strands with our adapter's native tools; who is calling is said by each invocation."""

import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from strands import Agent
from strands.models.openai import OpenAIModel

from bench.clients.journey import Failed, Given, passage_of, run
from bench.clients.scripted_model import LIST, MODEL, order
from pinakes.adapters.strands import KEY, strands_tools


class StrandsClient:
    """One agent, one conversation."""

    def __init__(self, given: Given, tools: list[Any]) -> None:
        model = OpenAIModel(client_args={"base_url": given.model_url, "api_key": "none"}, model_id=MODEL)
        self._agent = Agent(model=model, tools=tools, callback_handler=None)
        self._state = {KEY: given.key}

    async def list_tools(self) -> list[str]:
        """As the model is offered them."""
        return json.loads(await self._say(LIST, self._state))

    async def call(self, tool: str, **arguments: Any) -> str:
        """What the model was told."""
        return await self._say(order(tool, arguments), self._state)

    async def read(self, uri: str) -> str:
        """With a tool."""
        return await self.call("fetch", id=passage_of(uri))

    async def refuse_strangers(self) -> None:
        """An invocation for nobody, or for somebody whom the server does not know, must not get anything."""
        for key in ("pk_somebody_else", "", None):
            told = await self._say(order("list_catalogs", {}), {KEY: key})
            if "Error" not in told:
                raise Failed(f"a key of nobody was answered: {told}")

    async def _say(self, words: str, state: dict[str, Any]) -> str:
        return str(await self._agent.invoke_async(words, invocation_state=dict(state))).strip()


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[StrandsClient]:
    """The tools are listed once; each of their calls connects by itself."""
    # The program has a key of its own, which must not stand in for one that an invocation lacks.
    os.environ["PINAKES_API_KEY"] = given.key
    client = StrandsClient(given, await strands_tools(given.url))
    await client.refuse_strangers()
    yield client


if __name__ == "__main__":
    run(connect, "strands-agents")
