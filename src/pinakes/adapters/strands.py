"""Strands Agents: each tool as a native one, called as whoever the invocation is for."""

from typing import Any, cast

import strands  # pyright: ignore[reportMissingImports]

import pinakes

_strands = cast("Any", strands)
# What an invocation says who it is for: agent("…", pinakes_key="pk_…").
KEY = "pinakes_key"


async def strands_tools(url: str | None = None, key: str | None = None) -> list[Any]:
    """The tools that this key may call; an invocation may bring a key of its own."""
    async with pinakes.connect(url, key) as tools:
        return [_tool(url, key, definition) for definition in await tools.tools()]


def _tool(url: str | None, key: str | None, definition: dict[str, Any]) -> Any:
    name: str = definition["name"]

    async def call(tool_context: Any) -> dict[str, Any]:
        # An agent may run in a loop of its own, so each call connects by itself.
        async with pinakes.connect(url, tool_context.invocation_state.get(KEY, key)) as tools:
            result = await tools.call(name, **tool_context.tool_use["input"])
        return {"status": result.status, "content": [{"text": result.text}], "metadata": result.metadata}

    spec = {"name": name, "description": definition["description"], "inputSchema": definition["inputSchema"]}
    return _strands.tool(**spec, context=True)(call)
