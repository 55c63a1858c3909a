"""Our tools, answers and errors in the words of the protocol."""

import functools
from typing import Any

import mcp_types as types
from mcp.shared.exceptions import MCPError

from pinakes.domain.errors import PinakesError
from pinakes.tools.calling import Result
from pinakes.tools.definition import Tool
from pinakes.tools.registry import TOOLSETS

_PURPOSE = "Pinakes keeps the user's documents, notes and memories, and answers from them with exact citations."
_ERROR = {
    "error": {"type": "string", "description": "What went wrong, in words: what the text says as well."},
    "error_code": {"type": "string", "description": "What went wrong, where the call failed: a stable code."},
    "error_details": {"type": "object", "description": "More about it."},
}


@functools.cache
def render_tool(tool: Tool) -> types.Tool:
    """A tool as it is listed."""
    hints = tool.annotations
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=_with_failures(tool.output_schema),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )


def _with_failures(schema: dict[str, Any]) -> dict[str, Any]:
    """Some clients hold the answer of a failed call against the schema as well, so it has to allow for one."""
    properties = {**schema.get("properties", {}), **_ERROR}
    either = [{"required": schema.get("required", [])}, {"required": list(_ERROR)}]
    return {key: value for key, value in schema.items() if key != "required"} | {
        "properties": properties,
        "anyOf": either,
    }


def render_result(result: Result) -> types.CallToolResult:
    """An answer, as text for the model and as data for a program.

    Some clients show their model the data alone, so the words of a failure are in there too.
    """
    is_error = result.status == "error"
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=result.text)],
        structured_content={**result.metadata, **({"error": result.text} if is_error else {})},
        is_error=is_error,
    )


def render_error(error: PinakesError) -> MCPError:
    """A refusal, in our words; `data` carries the stable code."""
    data: dict[str, Any] = {"error_code": error.code}
    if error.details:
        data["error_details"] = dict(error.details)
    return MCPError(types.INVALID_PARAMS, error.message, data)


def render_instructions() -> str:
    """How to go about using the tools, for the model's system prompt."""
    guidance = dict.fromkeys(toolset.guidance for toolset in TOOLSETS)
    return "\n\n".join([_PURPOSE, *guidance])
