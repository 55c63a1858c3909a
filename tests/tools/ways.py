"""The ways in which a tool can be called, each as one entry, so that one test tries them all."""

import json
from collections.abc import Callable, Coroutine
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
    """One interface: how a tool is called and how tools are listed; on some, whoever comes is an agent."""

    call: Callable[[Who, str, dict[str, Any]], Coroutine[Any, Any, Outcome]]
    names: Callable[[Who], Coroutine[Any, Any, list[str]]]
    knows_people: bool = True


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


async def _ask_mcp(who: Who, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """One request as it goes over the wire: the SDK's client hides what a refusal looks like."""
    headers = {"Accept": "application/json, text/event-stream"}
    async with _http(who) as client:
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = await client.post("/mcp", json=asked, headers=headers)
    if answer.headers["content-type"].startswith("text/event-stream"):
        data = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
        return json.loads(data[-1])
    return answer.json()


async def _call_mcp(who: Who, tool: str, arguments: dict[str, Any]) -> Outcome:
    body = await _ask_mcp(who, "tools/call", {"name": tool, "arguments": arguments})
    if "result" not in body:
        # What never reached the protocol is answered like any other request.
        refused: str = body["errorCode"] if "errorCode" in body else body["error"]["data"]["error_code"]
        return Outcome(refused, str(body["error"]))
    return Outcome(None, body["result"]["content"][0]["text"], body["result"]["structuredContent"])


async def _names_mcp(who: Who) -> list[str]:
    return [tool["name"] for tool in (await _ask_mcp(who, "tools/list", {}))["result"]["tools"]]


# A new interface is one more entry; the tests of access then try every tool through it.
WAYS = {
    "rest": Way(_call_rest, _names_rest),
    "python": Way(_call_python, _names_python),
    "mcp": Way(_call_mcp, _names_mcp, knows_people=False),
}
