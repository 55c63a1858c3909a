"""LangChain: each tool as a StructuredTool."""

from typing import Any, cast

import langchain_core.tools as langchain  # pyright: ignore[reportMissingImports]

from pinakes.client import Tools

_langchain = cast("Any", langchain)


async def langchain_tools(tools: Tools) -> list[Any]:
    """The tools that may be called; an answer is its text, and its artifact what a program reads."""
    return [_tool(tools, definition) for definition in await tools.tools()]


def _tool(tools: Tools, definition: dict[str, Any]) -> Any:
    name: str = definition["name"]

    async def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
        result = await tools.call(name, **arguments)
        return result.text, result.metadata

    return _langchain.StructuredTool(
        name=name,
        description=definition["description"],
        args_schema=definition["inputSchema"],
        coroutine=call,
        response_format="content_and_artifact",
    )
