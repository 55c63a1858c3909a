"""OpenAI function calling: the tools as function schemas, and the answers to the calls a model makes."""

import json
from collections.abc import Iterable
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
    return [await _answer(tools, call if isinstance(call, dict) else call.model_dump()) for call in calls]  # pyright: ignore[reportUnknownArgumentType]


async def _answer(tools: Tools, call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    arguments = _read(function["arguments"])
    if arguments is None:
        text = "Error: The arguments are no JSON object. Call the function again with one."
    else:
        text = (await tools.tell(function["name"], arguments)).text
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


def _read(arguments: str) -> dict[str, Any] | None:
    """What the model wrote; None unless that is an object."""
    try:
        read = json.loads(arguments or "{}")
    except ValueError:
        return None
    return cast("dict[str, Any]", read) if isinstance(read, dict) else None
