"""The ways in which a tool can be called, each as one entry, so that one test tries them all."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx

import pinakes
from harness import DEADLINE
from pinakes.client import ApiFailure


@dataclass(frozen=True)
class Who:
    """A credential and where it is used; a person is no agent."""

    url: str
    credential: str
    workspace_id: str
    is_person: bool = False


@dataclass(frozen=True)
class Outcome:
    """What came of a call: the code of a refusal, or what the tool answered."""

    refusal: str | None
    text: str = ""
    metadata: dict[str, Any] | None = None

    @property
    def code(self) -> str | None:
        """The code of a refusal or of a mistake."""
        return self.refusal or (self.metadata or {}).get("error_code")


@dataclass(frozen=True)
class Way:
    """One interface: how a tool is called and how tools are listed."""

    call: Callable[[Who, str, dict[str, Any]], Awaitable[Outcome]]
    names: Callable[[Who], Awaitable[list[str]]]


def _http(who: Who) -> httpx.AsyncClient:
    headers = {"Authorization": f"Bearer {who.credential}", "X-Pinakes-Workspace": who.workspace_id}
    return httpx.AsyncClient(base_url=who.url, headers=headers, timeout=DEADLINE)


async def _call_rest(who: Who, tool: str, arguments: dict[str, Any]) -> Outcome:
    async with _http(who) as client:
        answer = await client.post(f"/api/tools/{tool}", json=arguments)
    body = answer.json()
    if not body["success"]:
        return Outcome(body["errorCode"], body["error"])
    return Outcome(None, body["data"]["content"][0]["text"], body["data"]["metadata"])


async def _names_rest(who: Who) -> list[str]:
    async with _http(who) as client:
        answer = await client.get("/api/tools")
    return [tool["name"] for tool in answer.json()["data"] if tool["mayCall"]]


def _connect(who: Who) -> Any:
    return pinakes.connect(who.url, who.credential, agent=None if who.is_person else "tests")


async def _call_python(who: Who, tool: str, arguments: dict[str, Any]) -> Outcome:
    try:
        async with _connect(who) as tools:
            result = await tools.call(tool, **arguments)
    except ApiFailure as failure:
        return Outcome(failure.code, failure.message)
    return Outcome(None, result.text, result.metadata)


async def _names_python(who: Who) -> list[str]:
    async with _connect(who) as tools:
        return [tool["name"] for tool in await tools.tools()]


# A new interface is one more entry; the tests of access then try every tool through it.
WAYS = {"rest": Way(_call_rest, _names_rest), "python": Way(_call_python, _names_python)}
