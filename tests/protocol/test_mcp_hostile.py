"""What somebody sends over MCP who wants to break it, or has it wrong: refused in words, and others go on."""

import contextlib
import json
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError

from harness import DEADLINE, Server, Workspace, data_of, failure_of
from protocol.conftest import Connect, Library, Switch

_CALL = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": %s}}'


def send(server: Server, key: str, message: object) -> dict[str, Any]:
    """One message as it goes over the wire."""
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
    answer = httpx.post(f"{server.url}/mcp", json=message, headers=headers, timeout=DEADLINE)
    told = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    return json.loads(told[-1] if told else answer.text)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"name": "search", "arguments": '{"query": "boats"}'}, "arguments: Input should be"),
        ({"name": 5}, "name: Input should be a valid string"),
        ({}, "name: Field required"),
        ({"name": "search", "arguments": {}, "_meta": []}, "_meta: Input should be"),
    ],
)
def test_a_request_that_is_wrong_is_told_what_is_wrong(
    server: Server, library: Library, params: dict[str, Any], words: str
) -> None:
    # E3, D8
    refused = send(server, library.key, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert refused["error"]["code"] == -32602
    assert refused["error"]["message"].startswith("The request 'tools/call' is not right: ")
    assert words in refused["error"]["message"]


@pytest.mark.parametrize("version", [None, "2026-07-28"])
@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("{", -32700, "The body is not valid JSON."),
        (b"\xff", -32700, "The body is not valid JSON."),
        ("[" * 100_000, -32700, "The body is not valid JSON."),
        ('{"id": "\\ud800", "method": "tools/list"}', -32600, "'jsonrpc' must be \"2.0\"."),
        ("[{}]", -32600, "Send one message of JSON-RPC 2.0, a JSON object; no batch."),
        ('{"id": 7, "method": "tools/list"}', -32600, "'jsonrpc' must be \"2.0\"."),
        ('{"jsonrpc": "2.0", "id": 7}', -32600, "'method' must be a text"),
        ('{"jsonrpc": "2.0", "id": 7, "result": 5}', -32600, "'method' must be a text"),
        ('{"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": [1]}', -32600, "'params' must be an object."),
        # The SDK takes it for a notification, and a client would wait for its answer for ever.
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}', -32600, "'id' must be a text or an integer"),
        ('{"jsonrpc": "2.0", "id": null, "method": "tools/list"}', -32600, "'id' must be a text or an integer"),
    ],
)
def test_what_is_no_message_of_the_protocol_is_refused_in_our_words(
    library: Library, body: str | bytes, code: int, words: str, version: str | None
) -> None:
    # E3, D8
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    if version is not None:
        headers |= {"MCP-Protocol-Version": version, "Mcp-Method": "tools/list"}
    refused = library.workspace.client.post("/mcp", content=body, headers=headers)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, code)
    assert words in refused.json()["error"]["message"]
    assert "pydantic" not in refused.text
    assert refused.json()["id"] == (7 if b'"id": 7' in refused.request.content else None)


@pytest.mark.parametrize("fields", [{"method": "x"}, {"method": "x", "params": None}, {"id": 1, "result": {}}])
def test_what_wants_no_answer_gets_none(library: Library, fields: dict[str, Any]) -> None:
    # E3
    headers = {"Accept": "application/json, text/event-stream"}
    taken = library.workspace.client.post("/mcp", json={"jsonrpc": "2.0", **fields}, headers=headers)
    assert taken.status_code == 202


async def test_an_agent_that_names_an_unknown_tool_hears_of_no_tool_that_is_off(
    connect: Connect, switch: Switch, era: str
) -> None:
    # E7
    switch("search", False)
    async with connect(era) as client:
        with pytest.raises(MCPError, match=r"There is no tool 'serch'\. You may call: list_catalogs, ") as refused:
            await client.call_tool("serch", {})
    assert "search," not in str(refused.value).replace("search_user_knowledges", "")
    assert "create_catalog" not in str(refused.value)


async def test_one_key_cannot_take_all_streams_from_the_others(
    connect: Connect, workspace: Workspace, library: Library
) -> None:
    # E7, K5
    mine = data_of(workspace.client.post("/api/keys", json={"name": "greedy", "scopes": ["read"]}))["key"]
    async with connect(key=mine) as client, contextlib.AsyncExitStack() as streams:
        for _ in range(20):
            await streams.enter_async_context(client.listen(tools_list_changed=True))
        with pytest.raises(MCPError, match="You are listening on 20 streams already"):
            await streams.enter_async_context(client.listen(tools_list_changed=True))
        async with connect(key=library.key) as other, other.listen(tools_list_changed=True):
            pass


@pytest.mark.parametrize("path", ["/mcp", "/api/tools/search"])
def test_a_call_of_millions_of_values_is_refused_before_it_is_read(server: Server, library: Library, path: str) -> None:
    # K5: reading this one kept everybody else waiting for ten seconds
    query = '{"query": [' + "1," * 2_000_000 + "1]}"
    body = query if path != "/mcp" else _CALL % query
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    refused = library.workspace.client.post(path, content=body, headers=headers)
    assert "The call holds more than 2,000,000 values" in failure_of(refused, 413, "BODY_TOO_LARGE")
    # A long text is one value.
    long = library.workspace.client.post("/api/tools/search", json={"query": "a" * 5_000_000})
    assert "at most 10000" in data_of(long)["content"][0]["text"]
