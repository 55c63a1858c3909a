# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false, reportCallIssue=false
"""LangChain: each tool as a StructuredTool."""

from typing import Any

from langchain_core.tools import StructuredTool

from pinakes.client import Tools


async def langchain_tools(tools: Tools) -> list[Any]:
    """The tools that may be called; an answer is its text, and its artifact what a program reads."""
    return [_tool(tools, definition) for definition in await tools.tools()]


def _tool(tools: Tools, definition: dict[str, Any]) -> Any:
    name: str = definition["name"]

    async def call(**arguments: Any) -> tuple[str, dict[str, Any]]:
        result = await tools.tell(name, arguments)
        return result.text, result.metadata

    return StructuredTool(
        name=name,
        description=definition["description"],
        args_schema=definition["inputSchema"],
        coroutine=call,
        response_format="content_and_artifact",
    )
