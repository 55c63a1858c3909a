"""The adapters that need no framework, and that none of them needs more than its own. The rest: bench/clients."""

import ast
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from bench.clients.scripted_model import LIST, MODEL, order, scripted_model

import pinakes
from harness import Server, Workspace, data_of
from pinakes import adapters
from pinakes.adapters.openai import answer_calls, function_schemas
from pinakes.client import ApiFailure, Tools
from pinakes.tools.registry import all_tools
from tools.agents import switch_on

FRAMEWORKS = {"langchain": "langchain_core", "openai": None, "pydantic_ai": "pydantic_ai", "strands": "strands"}
FOLDER = Path(adapters.__file__).parent


@pytest.fixture
def workspace(server: Server) -> Workspace:
    """With every tool switched on."""
    workspace = server.new_workspace()
    switch_on(server, workspace)
    return workspace


@pytest.fixture
async def tools(workspace: Workspace) -> AsyncIterator[Tools]:
    """A connection as an agent has it."""
    async with pinakes.connect(str(workspace.client.base_url), workspace.key) as tools:
        yield tools


@pytest.fixture
async def model() -> AsyncIterator[httpx.AsyncClient]:
    """A model that does what it is told."""
    with scripted_model() as url:
        async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
            yield client


def called(name: str, arguments: str, number: str = "call_1") -> dict[str, Any]:
    """A call as a model makes it."""
    return {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}


async def test_the_functions_are_the_tools_that_may_be_called(server: Server, workspace: Workspace) -> None:
    # F1
    switch_on(server, workspace, "delete_catalog", is_on=False)
    async with pinakes.connect(str(workspace.client.base_url), workspace.key) as tools:
        schemas = await function_schemas(tools)
    listed = {tool["name"]: tool for tool in data_of(workspace.client.get("/api/tools"))}
    functions = {schema["function"]["name"]: schema["function"] for schema in schemas}
    assert set(functions) == {tool.name for tool in all_tools()} - {"delete_catalog"}
    assert {schema["type"] for schema in schemas} == {"function"}
    for name, function in functions.items():
        assert function["description"] == listed[name]["description"]
        assert function["parameters"] == listed[name]["inputSchema"]
        assert function["parameters"]["type"] == "object"


async def test_calls_are_answered_one_by_one_whatever_form_they_come_in(tools: Tools) -> None:
    # F1, B14
    as_json = called("create_catalog", '{"catalog_name": "Birds"}', "a")
    as_object = SimpleNamespace(model_dump=lambda: called("list_catalogs", "", "b"))
    made, listed = await answer_calls(tools, [as_json, as_object])
    assert (made["role"], made["tool_call_id"], listed["tool_call_id"]) == ("tool", "a", "b")
    assert made["content"].startswith("Created catalog 'Birds' (ID: ")
    assert "1. **Birds**" in listed["content"]


@pytest.mark.parametrize("arguments", ["[1, 2]", '{"catalog_name": "Bi', "null", '"Birds"'])
async def test_arguments_that_are_no_object_are_told_to_the_model(tools: Tools, arguments: str) -> None:
    # D8
    (told,) = await answer_calls(tools, [called("create_catalog", arguments)])
    assert told["content"] == "Error: The arguments are no JSON object. Call the function again with one."


async def test_what_a_model_gets_wrong_or_may_not_do_is_told_to_it(
    server: Server, workspace: Workspace, tools: Tools
) -> None:
    # D8, E7
    switch_on(server, workspace, "delete_catalog", is_on=False)
    calls = [
        called("create_catalog", '{"name": "Birds"}'),
        called("make_coffee", "{}"),
        called("delete_catalog", '{"catalog_id": "Birds", "confirm": true}'),
    ]
    wrong, unknown, off = [answer["content"] for answer in await answer_calls(tools, calls)]
    assert wrong.startswith("Error: The arguments are not right: ")
    assert unknown.startswith("Error: ")
    assert "make_coffee" in unknown
    assert off.startswith("Error: The tool 'delete_catalog' is switched off in this workspace.")


async def test_a_key_that_nobody_has_is_no_matter_for_a_model(workspace: Workspace) -> None:
    # F2
    async with pinakes.connect(str(workspace.client.base_url), "pk_nobody") as tools:
        with pytest.raises(ApiFailure) as refused:
            await answer_calls(tools, [called("list_catalogs", "{}")])
    assert refused.value.code == "UNAUTHENTICATED"


async def test_a_model_calls_the_functions_it_was_offered(tools: Tools, model: httpx.AsyncClient) -> None:
    # B14
    functions = await function_schemas(tools)

    async def say(words: str) -> str:
        messages: list[dict[str, Any]] = [{"role": "user", "content": words}]
        while True:
            asked = {"model": MODEL, "messages": messages, "tools": functions}
            message = (await model.post("chat/completions", json=asked)).json()["choices"][0]["message"]
            if "tool_calls" not in message:
                return message["content"]
            messages += [message, *await answer_calls(tools, message["tool_calls"])]

    assert "query_catalog" in json.loads(await say(LIST))
    assert (await say(order("create_catalog", {"catalog_name": "Wading Birds"}))).startswith("Created catalog")
    assert "**Wading Birds**" in await say(order("list_catalogs", {}))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("[a-z]*.py")), ids=lambda file: file.stem)
def test_an_adapter_needs_its_framework_and_nothing_more(file: Path) -> None:
    # F1
    needed: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            needed |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            needed.add(node.module or "")
    ours = {name for name in needed if name.partition(".")[0] == "pinakes"}
    assert ours <= {"pinakes", "pinakes.client"}
    others = {name.partition(".")[0] for name in needed - ours} - set(sys.stdlib_module_names)
    assert others == {FRAMEWORKS[file.stem]} - {None}


def test_a_program_that_only_calls_tools_does_not_load_the_server() -> None:
    # F1
    heavy = ("fastapi", "mcp", "psycopg", "numpy", "onnxruntime", "typer", "pinakes.services")
    program = f"import sys, pinakes.adapters.openai; print([name for name in {heavy} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"
