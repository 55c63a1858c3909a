"""An agent in a workspace, through any of the interfaces that tools are served on."""

import asyncio
from dataclasses import dataclass
from typing import Any

from harness import Server, Workspace, data_of
from pinakes.tools.registry import all_tools
from tools.ways import WAYS, Who


@dataclass(frozen=True)
class Told:
    """What a tool answered: its words, and what a program reads."""

    status: str
    text: str
    metadata: dict[str, Any]

    @property
    def error(self) -> tuple[str, str]:
        """The code and the words of an error."""
        assert self.status == "error", self.text
        return self.metadata["error_code"], self.text


@dataclass(frozen=True)
class Agent:
    """Whoever has this workspace's key, with every tool switched on."""

    server: Server
    workspace: Workspace
    way: str = "rest"

    def call(self, name: str, /, **arguments: Any) -> Told:
        """What the tool answers, whatever it is."""
        who = Who(self.server.url, self.workspace.key, self.workspace.id)
        outcome = asyncio.run(WAYS[self.way].call(who, name, arguments))
        assert outcome.refusal is None, outcome
        metadata = outcome.metadata or {}
        return Told("error" if "error_code" in metadata else "success", outcome.text, metadata)

    def do(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """What a program reads of an answer that must be a success."""
        told = self.call(name, **arguments)
        assert told.status == "success", told.text
        return told.metadata


def switch_on(server: Server, workspace: Workspace, *names: str, is_on: bool = True) -> None:
    """As the owner would, in the page: the tools named, or all."""
    switches = dict.fromkeys(names or [tool.name for tool in all_tools()], is_on)
    with server.owner as owner:
        data_of(owner.patch("/api/tools", json={"switches": switches}, headers={"X-Pinakes-Workspace": workspace.id}))


def make_agent(server: Server, way: str = "rest") -> Agent:
    """An agent in a workspace of its own that may call everything."""
    workspace = server.new_workspace()
    switch_on(server, workspace)
    return Agent(server, workspace, way)
