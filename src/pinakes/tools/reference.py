"""The page of all tools, written from their definitions; `make types` puts it into the documentation."""

import sys
from collections.abc import Mapping
from typing import Any

from pinakes.tools.definition import Annotations, Tool, Toolset
from pinakes.tools.registry import TOOLSETS

_HEAD = """# Tools

Every tool that agents can call, over MCP, REST and Python alike, as models read it. This page is written from the
definitions: `make types` renews it. How to use them: [tools](tools.md).
"""
_NO_ARGUMENTS = "\nTakes no arguments.\n"


def render() -> str:
    """The whole page."""
    return "\n".join([_HEAD, *(_toolset(toolset) for toolset in TOOLSETS)])


def _toolset(toolset: Toolset) -> str:
    guidance = "\n".join(f"> {line}".rstrip() for line in toolset.guidance.splitlines())
    tools = "\n".join(_tool(tool) for tool in toolset.tools)
    return (
        f"## {toolset.icon} {toolset.name} (`{toolset.toolset_id}`)\n\n{toolset.description}.\n\n{guidance}\n\n{tools}"
    )


def _tool(tool: Tool) -> str:
    on = "on from the start" if tool.on_by_default else "off until a person switches it on"
    head = f"### `{tool.name}`\n\n{tool.description}\n\n*{_kind(tool.annotations)}; scope `{tool.scope}`; {on}.*\n"
    rows = _rows(tool.input_schema)
    table = (
        f"\n| argument | type | default | meaning |\n|---|---|---|---|\n{rows}\n" if rows else "\nTakes no arguments.\n"
    )
    fields = ", ".join(f"`{name}`" for name in tool.output_schema["properties"])
    return f"{head}{table if rows else _NO_ARGUMENTS}\nAnswers with {fields}.\n"


def _kind(annotations: Annotations) -> str:
    if annotations.read_only:
        return "Only reads"
    return "Destroys" if annotations.destructive else "Writes"


def _rows(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    return "\n".join(
        f"| `{name}` | {_type(given)} | {'required' if name in required else f'`{_default(given)}`'} | "
        f"{given.get('description', '')} |"
        for name, given in schema.get("properties", {}).items()
    )


def _default(given: Mapping[str, Any]) -> str:
    default = given.get("default")
    if isinstance(default, bool):
        return str(default).lower()
    return {None: "none", "": '""'}.get(default, str(default)) if _plain(default) else "…"


def _plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float)


def _type(given: Mapping[str, Any]) -> str:
    kinds = [option.get("type", "object") for option in given.get("anyOf", [given])]
    named = " or ".join(kind for kind in kinds if kind != "null")
    if "minimum" in given and "maximum" in given:
        named += f", {given['minimum']} to {given['maximum']}"
    return named


if __name__ == "__main__":
    sys.stdout.write(render())
