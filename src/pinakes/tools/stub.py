"""The types of the Python client's calls, made from the registry: `python -m pinakes.tools.stub`."""

import sys
from collections.abc import Mapping
from typing import Any

from pinakes.tools.definition import Tool
from pinakes.tools.registry import all_tools

_HEAD = '"""A method for every tool. Made from the registry by `make types`; do not edit."""\n\n'
_IMPORTS = {"collections.abc": ("Mapping", "Sequence"), "typing": ("Any", "Literal")}
_SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
Schema = Mapping[str, Any]


def render_stub() -> str:
    """The whole stub."""
    methods = "\n".join(_method(tool) for tool in all_tools())
    imports = ""
    for module, names in _IMPORTS.items():
        if used := [name for name in names if f"{name}[" in methods or f"{name}]" in methods]:
            imports += f"from {module} import {', '.join(used)}\n"
    imports += "\n" if imports else ""
    return f"{_HEAD}{imports}from pinakes.client import Result\n\nclass ToolCalls:\n{methods}"


def _method(tool: Tool) -> str:
    schema = tool.input.model_json_schema(by_alias=False)
    required = schema.get("required", [])
    arguments = [
        f"        {name}: {_type(field, schema)}{'' if name in required else ' = ...'},\n"
        for name, field in schema.get("properties", {}).items()
    ]
    named = "*,\n" + "".join(arguments) if arguments else ""
    head = f"    async def {tool.name}(\n        self,\n        {named}    ) -> Result:\n"
    if not arguments:
        head = f"    async def {tool.name}(self) -> Result:\n"
    return f'{head}        """{tool.title}."""\n'


def _type(field: Schema, whole: Schema) -> str:
    if "$ref" in field:
        return _type(whole["$defs"][field["$ref"].rpartition("/")[2]], whole)
    if "const" in field or "enum" in field:
        values = field.get("enum", [field.get("const")])
        return f"Literal[{', '.join(map(repr, values))}]"
    if options := field.get("anyOf", field.get("oneOf")):
        return " | ".join(dict.fromkeys(_type(option, whole) for option in options))
    kind = field.get("type")
    if kind == "array":
        return f"Sequence[{_type(field.get('items', {}), whole)}]"
    if kind == "object":
        return "Mapping[str, Any]"
    return _SIMPLE.get(str(kind), "Any")


if __name__ == "__main__":
    sys.stdout.write(render_stub())
