"""Commands for tools: which there are, switching them, calling one."""

import json
from typing import Annotated, Any, cast

import typer

from pinakes.cli.client import Client, connect, path_part
from pinakes.cli.terminal import JsonOption, note, print_table, run, say
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

tools_app = typer.Typer(no_args_is_help=True, help="Tools that agents call: list, show, switch on or off, call.")
NameArgument = Annotated[str, typer.Argument(help="The tool's name.")]
NamesArgument = Annotated[list[str] | None, typer.Argument(help="Names of tools, or of toolsets.")]
AllOption = Annotated[bool, typer.Option("--all", help="Every tool there is.")]


@tools_app.command("list")
def list_tools(as_json: JsonOption = False) -> None:
    """List the tools, and which of them agents may call."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/tools")

    def show(tools: Any) -> None:
        rows = [(t["name"], "on" if t["isOn"] else "off", t["scope"], t["toolset"], t["title"]) for t in tools]
        print_table(("TOOL", "AGENTS", "SCOPE", "TOOLSET", "WHAT IT DOES"), rows, "There is no tool you may call.")

    run(work, show, as_json=as_json)


@tools_app.command("show")
def show_tool(name: NameArgument, as_json: JsonOption = False) -> None:
    """Show what a tool takes and what it is for."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get(f"/api/tools/{path_part(name)}")

    def show(tool: Any) -> None:
        say(f"{tool['name']} ({tool['title']}), {'on' if tool['isOn'] else 'off'} for agents, scope {tool['scope']}.")
        say(tool["description"])
        schema = tool["inputSchema"]
        rows = [
            (argument, _kind(field), "yes" if argument in schema.get("required", []) else "", _about(field))
            for argument, field in schema.get("properties", {}).items()
        ]
        print_table(("ARGUMENT", "TYPE", "REQUIRED", "MEANING"), rows, "It takes no arguments.")

    run(work, show, as_json=as_json)


@tools_app.command("on")
def switch_on(names: NamesArgument = None, every: AllOption = False, as_json: JsonOption = False) -> None:
    """Let the agents of the workspace call tools."""
    _switch(names or [], every=every, is_on=True, as_json=as_json)


@tools_app.command("off")
def switch_off(names: NamesArgument = None, every: AllOption = False, as_json: JsonOption = False) -> None:
    """Keep the agents of the workspace from calling tools."""
    _switch(names or [], every=every, is_on=False, as_json=as_json)


@tools_app.command("call")
def call_tool(
    name: NameArgument,
    given: Annotated[
        list[str] | None, typer.Option("--arg", "-a", help="name=value; may be repeated. Lists and objects as JSON.")
    ] = None,
    arguments: Annotated[str | None, typer.Option("--arguments", help="All arguments as one JSON object.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Call a tool and show what it answers."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            path = f"/api/tools/{path_part(name)}"
            body = _read_object(arguments)
            if given:
                fields = (await client.get(path))["inputSchema"].get("properties", {})
                body |= dict(_read_argument(text, fields) for text in given)
            return await client.post(path, json=body)

    def show(answer: Any) -> None:
        for part in answer["content"]:
            say(part["text"])

    run(work, show, as_json=as_json, failed=lambda answer: answer["status"] == "error")


def _switch(names: list[str], *, every: bool, is_on: bool, as_json: bool) -> None:
    async def work(settings: Settings) -> Any:
        if every == bool(names):
            raise InvalidInput("Name tools or toolsets, or give --all.")
        async with connect(settings) as client:
            chosen = await _choose(client, names, every=every)
            return await client.call("PATCH", "/api/tools", json={"switches": dict.fromkeys(chosen, is_on)})

    def show(tools: Any) -> None:
        say(f"{'On' if is_on else 'Off'} for agents: {', '.join(tool['name'] for tool in tools)}.")
        if is_on and any(tool["annotations"]["destructive"] for tool in tools):
            note("Some of these delete for good.")

    run(work, show, as_json=as_json)


async def _choose(client: Client, names: list[str], *, every: bool) -> list[str]:
    """The tools meant; a name that is none goes along, so that the server says which there are."""
    tools = await client.get("/api/tools")
    chosen: list[str] = []
    for name in names:
        chosen += [tool["name"] for tool in tools if tool["toolset"] == name] or [name]
    return [tool["name"] for tool in tools] if every else chosen


def _read_object(text: str | None) -> dict[str, Any]:
    try:
        read = json.loads(text or "{}")
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise InvalidInput('--arguments takes one JSON object, such as \'{"catalog_name": "Papers"}\'.')
    return cast("dict[str, Any]", read)


def _read_argument(text: str, fields: dict[str, Any]) -> tuple[str, Any]:
    """Text is taken as it is; what the tool wants as a number, a list and so on is read as JSON."""
    name, separator, value = text.partition("=")
    if not separator:
        raise InvalidInput(f"--arg {text}: give name=value.")
    if "string" in _kind(fields.get(name, {})):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _kind(field: dict[str, Any]) -> str:
    """The types that a field of a JSON schema may have."""
    if options := field.get("anyOf"):
        return " or ".join(kind for option in options if (kind := _kind(option)) != "null")
    return field.get("type", "object" if "$ref" in field else "any")


def _about(field: dict[str, Any]) -> str:
    default = field.get("default")
    told = field.get("description", "")
    return told if default in (None, "") else f"{told} Default: {json.dumps(default)}."
