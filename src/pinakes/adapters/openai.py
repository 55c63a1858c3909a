"""OpenAI function calling: the tools as function schemas, and the answers to the calls a model makes."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

from pinakes.client import Tools


async def function_schemas(tools: Tools) -> list[dict[str, Any]]:
    """What goes into `tools` of a chat completion."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["inputSchema"],
            },
        }
        for tool in await tools.tools()
    ]


async def answer_calls(tools: Tools, calls: Iterable[Any]) -> list[dict[str, Any]]:
    """The messages that answer a model's `tool_calls`, one each, as objects of the client or as plain JSON."""
    return [await _answer(tools, _plain(call)) for call in calls]


def _plain(call: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", call if isinstance(call, Mapping) else call.model_dump())


async def _answer(tools: Tools, call: Mapping[str, Any]) -> dict[str, Any]:
    function = call["function"]
    try:
        arguments = json.loads(function["arguments"] or "{}")
    except ValueError:
        arguments = None
    if isinstance(arguments, dict):
        text = (await tools.call(function["name"], **cast("dict[str, Any]", arguments))).text
    else:
        text = "Error: The arguments are no JSON object. Call the function again with one."
    return {"role": "tool", "tool_call_id": call["id"], "content": text}
