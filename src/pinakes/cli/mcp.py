"""`pinakes mcp`: speak the Model Context Protocol, and tell clients how to find us."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pinakes.cli.client import address, connect, running_server
from pinakes.cli.mcp_clients import SHAPES, Address, Launch, McpClient, make_entry, read, render, write
from pinakes.cli.terminal import JsonOption, fail, note, run, say
from pinakes.domain.errors import PinakesError
from pinakes.settings import Settings, load_settings

mcp_app = typer.Typer(help="MCP: serve an agent on standard input and output, or write its configuration.")
# What the program that a client starts must know of the environment this one runs in.
_PASSED_ON = (
    *("home", "cache", "database_url", "migrate_url", "originals", "s3_endpoint", "s3_region", "s3_access_key"),
    *("s3_secret_key", "secret_key", "public_url", "url", "api_key", "workspace"),
)
_SECRETS = ("PINAKES_DATABASE_URL", "PINAKES_S3_SECRET_KEY", "PINAKES_SECRET_KEY", "PINAKES_API_KEY")


@mcp_app.callback(invoke_without_command=True)
def serve_stdio(
    context: typer.Context,
    url: Annotated[str | None, typer.Option(help="A server to speak for, instead of this machine's data.")] = None,
    root: Annotated[
        list[Path] | None, typer.Option(help="A folder whose files the agent may name by path; may be repeated.")
    ] = None,
) -> None:
    """Speak MCP on standard input and output; agents start this themselves (see `pinakes mcp config`)."""
    if context.invoked_subcommand is not None:
        return
    if sys.stdin.isatty():
        note("This speaks MCP with the program that starts it. `pinakes mcp config` tells an agent how. Stop: Ctrl-C.")
    from pinakes.cli.mcp_serving import run_stdio  # noqa: PLC0415 - heavy, see client.connect

    try:
        settings = load_settings()
        run_stdio(settings if url is None else settings.model_copy(update={"url": url}), root or [])
    except PinakesError as error:
        fail(error, as_json=False)


@mcp_app.command("config")
def config(
    client: Annotated[McpClient, typer.Option(help="Which client's configuration.")],
    put: Annotated[
        bool, typer.Option("--write", help="Write it into the client's file, beside what is in it.")
    ] = False,
    path: Annotated[Path | None, typer.Option(help="Another file than the client's usual one.")] = None,
    http: Annotated[bool, typer.Option("--http", help="Reach the running server, with a fresh API key.")] = False,
    writing: Annotated[
        bool, typer.Option("--enable-writing", help="Let agents also write, delete and remember in this workspace.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Print or write what an MCP client needs to know to use Pinakes."""

    async def work(settings: Settings) -> Any:
        file = (path or SHAPES[client].path()).absolute()
        # Refused before a key is made for it, or a tool switched on.
        before = read(file) if put else ""
        probe = make_entry(client, Address("", {}) if http else _launch(settings))
        render(client, probe, before, file)
        switched = await _enable(settings) if writing else []
        entry = make_entry(client, await _reach(settings, client, writing=writing)) if http else probe
        text = render(client, entry, before, file)
        if put:
            write(file, text)
        return {
            "client": client,
            "file": str(file),
            "written": put,
            "configuration": text,
            "holdsSecret": http or any(name in text for name in _SECRETS),
            "switchedOn": switched,
        }

    run(work, lambda made: _show(made, writing=writing, shared=SHAPES[client].shared), as_json=as_json)


def _show(made: Any, *, writing: bool, shared: bool) -> None:
    if made["written"]:
        say(f"Written: {made['file']}. Restart the client, or reload its servers.")
    else:
        note(f"This belongs in {made['file']}; --write puts it there.")
        say(made["configuration"].rstrip())
    if made["holdsSecret"] and shared:
        note("It holds a secret: keep the file out of version control.")
    if writing:
        note(f"Agents may now also call: {', '.join(made['switchedOn'])}.")
    else:
        note("Agents may read. To let them also write, delete and remember, add --enable-writing.")


def _launch(settings: Settings) -> Launch:
    """By the interpreter's full path: a client knows nothing of this terminal's PATH."""
    given = {name: getattr(settings, name) for name in _PASSED_ON if name in settings.model_fields_set}
    environment = {f"PINAKES_{name.upper()}": _plain(value) for name, value in given.items() if value is not None}
    return Launch(sys.executable, ["-m", "pinakes", "mcp"], environment)


def _plain(value: Any) -> str:
    if isinstance(value, Path):
        return str(value.expanduser().absolute())
    return value.get_secret_value() if hasattr(value, "get_secret_value") else str(value)


async def _reach(settings: Settings, client: McpClient, *, writing: bool) -> Address:
    running = await running_server(settings)
    if settings.url is None and running is None:
        note("No server is running. Start it with `pinakes serve` before the client needs it.")
    base = settings.url or settings.public_url or running or address(settings.host, settings.port)
    scopes = ["read", "write"] if writing else ["read"]
    async with connect(settings) as api:
        made = await api.post("/api/keys", json={"name": f"MCP: {client}", "scopes": scopes})
    return Address(f"{base.rstrip('/')}/mcp", {"Authorization": f"Bearer {made['key']}"})


async def _enable(settings: Settings) -> list[str]:
    """Switch on every tool that is off until a person wants it; their names."""
    async with connect(settings) as api:
        names = [tool["name"] for tool in await api.get("/api/tools") if not tool["onByDefault"]]
        await api.call("PATCH", "/api/tools", json={"switches": dict.fromkeys(names, True)})
    return names
