"""All toolsets, in the order in which they are shown."""

from pinakes.domain.errors import NotFound
from pinakes.tools import reading
from pinakes.tools.catalog import toolset as catalog
from pinakes.tools.definition import Tool, Toolset
from pinakes.tools.notes import toolset as notes

TOOLSETS: tuple[Toolset, ...] = (catalog.TOOLSET, notes.TOOLSET, reading.TOOLSET)
_TOOLS = {tool.name: (toolset, tool) for toolset in TOOLSETS for tool in toolset.tools}


def all_tools() -> list[Tool]:
    """Every tool, always in the same order."""
    return [tool for _, tool in _TOOLS.values()]


def find_tool(name: str) -> tuple[Toolset, Tool]:
    """A tool and the set it belongs to; NotFound says which there are."""
    if name not in _TOOLS:
        raise NotFound(f"There is no tool '{name}'. There are: {', '.join(_TOOLS)}.", code="TOOL_NOT_FOUND")
    return _TOOLS[name]
