"""Manifests: what a user interface needs to know of each toolset, made from the registry."""

from collections.abc import Container
from dataclasses import dataclass

from pinakes.tools.definition import Labels, Toolset
from pinakes.tools.registry import TOOLSETS


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """A tool in a manifest."""

    id: str
    name: str
    display_name: Labels


@dataclass(frozen=True, slots=True)
class Manifest:
    """One toolset: what it is for, how a model should use it, and its tools."""

    id: str
    name: str
    description: str
    category: str
    icon: str
    enabled: bool
    is_dynamic: bool
    tags: tuple[str, ...]
    system_prompt_guidance: str
    tools: tuple[ToolEntry, ...]


def list_manifests(shown: Container[str], on: Container[str]) -> list[Manifest]:
    """The manifest of every toolset of which a tool is shown; it is enabled where one of those is on."""
    return [manifest for toolset in TOOLSETS if (manifest := _manifest(toolset, shown, on)).tools]


def _manifest(toolset: Toolset, shown: Container[str], on: Container[str]) -> Manifest:
    tools = [tool for tool in toolset.tools if tool.name in shown]
    count = f"{len(tools)} tool" if len(tools) == 1 else f"{len(tools)} tools"
    return Manifest(
        id=toolset.toolset_id,
        name=toolset.name,
        description=f"{toolset.description} ({count})",
        category=toolset.category,
        icon=toolset.icon,
        enabled=any(tool.name in on for tool in tools),
        # Which of its tools are on may change while it is in use.
        is_dynamic=True,
        tags=toolset.tags,
        system_prompt_guidance=toolset.guidance,
        tools=tuple(ToolEntry(tool.name, tool.title, tool.labels) for tool in tools),
    )
