"""An agent in a workspace, through any of the interfaces that tools are served on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from harness import Server, Workspace, data_of
from pinakes.tools.registry import all_tools

Call = Callable[[str, Mapping[str, Any]], "Told"]


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

    workspace: Workspace
    call_over: Call

    def call(self, name: str, **arguments: Any) -> Told:
        """What the tool answers, whatever it is."""
        return self.call_over(name, arguments)

    def do(self, name: str, **arguments: Any) -> dict[str, Any]:
        """What a program reads of an answer that must be a success."""
        told = self.call(name, **arguments)
        assert told.status == "success", told.text
        return told.metadata


def switch_on(server: Server, workspace: Workspace, *names: str, is_on: bool = True) -> None:
    """As the owner would, in the page: the tools named, or all."""
    with server.owner as owner:
        for name in names or [tool.name for tool in all_tools()]:
            body = {"isOn": is_on}
            data_of(owner.patch(f"/api/tools/{name}", json=body, headers={"X-Pinakes-Workspace": workspace.id}))


def over_rest(client: httpx.Client) -> Call:
    """Plain HTTP."""

    def call(name: str, arguments: Mapping[str, Any]) -> Told:
        envelope = data_of(client.post(f"/api/tools/{name}", json=dict(arguments)))
        (content,) = envelope["content"]
        return Told(envelope["status"], content["text"], envelope["metadata"])

    return call
