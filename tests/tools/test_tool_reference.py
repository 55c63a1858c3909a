"""What models read of the tools is reviewed as it changes."""

from pathlib import Path

from pinakes.tools.definition import Tool
from pinakes.tools.reference import render
from pinakes.tools.registry import all_tools

PAGE = Path(__file__).parents[2] / "docs" / "tool-reference.md"


def test_the_page_of_tools_is_what_the_definitions_say() -> None:
    # F1
    assert PAGE.read_text() == render(), "A tool changed: look at its words, then run `make types`."


def test_every_tool_is_described_for_a_model_and_each_argument_too() -> None:
    # F1
    for tool in all_tools():
        assert len(tool.description) > 60, tool.name
        undescribed = [name for name, given in arguments_of(tool).items() if not given.get("description")]
        assert not undescribed, f"{tool.name}: {undescribed}"


def test_only_what_reads_is_on_from_the_start() -> None:
    # E7
    for tool in all_tools():
        assert not (tool.on_by_default and (tool.annotations.destructive or tool.scope != "read")), tool.name
        assert not (tool.annotations.read_only and tool.scope != "read"), tool.name


def arguments_of(tool: Tool) -> dict[str, dict[str, object]]:
    """The schemas of its arguments by name."""
    return tool.input_schema.get("properties", {})
