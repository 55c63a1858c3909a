"""pydantic-ai: the tools as one toolset."""

from typing import Any, cast

import pydantic_ai  # pyright: ignore[reportMissingImports]

from pinakes.client import Tools

_pydantic_ai = cast("Any", pydantic_ai)


async def pydantic_ai_toolset(tools: Tools) -> Any:
    """What goes into `toolsets` of an agent. Arguments are checked by the server, which tells the model."""
    return _pydantic_ai.FunctionToolset([_tool(tools, definition) for definition in await tools.tools()], id="pinakes")


def _tool(tools: Tools, definition: dict[str, Any]) -> Any:
    name: str = definition["name"]

    async def call(**arguments: Any) -> str:
        return (await tools.call(name, **arguments)).text

    return _pydantic_ai.Tool.from_schema(call, name, definition["description"], definition["inputSchema"])
