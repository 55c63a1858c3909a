"""Commands for embedders: embedding models that a workspace brings itself."""

import sys
from typing import Annotated, Any

import typer

from pinakes.cli.client import connect, path_part
from pinakes.cli.terminal import JsonOption, out, print_table, run, say
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

embedders_app = typer.Typer(no_args_is_help=True, help="Embedding models of your own: list, add, test, update, remove.")
EmbedderArgument = Annotated[str, typer.Argument(help="The embedder's name or id.")]
KeyOption = Annotated[
    str | None, typer.Option("--api-key", help="Its API key; - to be asked for it, or to read it from standard input.")
]
_ASK = "-"


@embedders_app.command("list")
def list_embedders(as_json: JsonOption = False) -> None:
    """List the workspace's embedders."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/embedders")

    def show(embedders: Any) -> None:
        rows = [(e["name"], e["model"], e["dims"], e["baseUrl"], e["keyHint"] or "none", e["id"]) for e in embedders]
        empty = "There is no embedder yet; knowledge bases use the built-in model."
        print_table(("NAME", "MODEL", "DIMENSIONS", "BASE URL", "KEY", "ID"), rows, empty)

    run(work, show, as_json=as_json)


@embedders_app.command("add")
def add_embedder(
    name: str,
    base_url: Annotated[str, typer.Option(help="Any OpenAI-compatible endpoint, such as https://api.openai.com/v1.")],
    model: Annotated[str, typer.Option(help="The model's name, as the endpoint knows it.")],
    api_key: KeyOption = None,
    dims: Annotated[int | None, typer.Option(help="Ask for vectors of this length.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="How long passages are cut for it; default: 400.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Add an embedder, once it has shown that it works."""

    async def work(settings: Settings) -> Any:
        body = _given(name, base_url, model, api_key, dims, max_tokens)
        async with connect(settings) as client:
            return await client.post("/api/embedders", json=body)

    def show(made: Any) -> None:
        say(f"Added {made['name']} ({made['dims']} dimensions), {made['id']}.")
        say(f"Use it with `pinakes kb create NAME --embedder {made['id']}`.")

    run(work, show, as_json=as_json)


@embedders_app.command("test")
def try_embedder(embedder: EmbedderArgument, as_json: JsonOption = False) -> None:
    """Call an embedder once and say whether it works."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"/api/embedders/{path_part(embedder)}/test")

    def show(trial: Any) -> None:
        say(f"It works: {trial['dims']} dimensions, {trial['milliseconds']} ms.")

    run(work, show, as_json=as_json)


@embedders_app.command("update")
def update_embedder(
    embedder: EmbedderArgument,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Another endpoint, while no knowledge base uses it.")] = None,
    model: Annotated[str | None, typer.Option(help="Another model, while no knowledge base uses it.")] = None,
    api_key: KeyOption = None,
    dims: Annotated[int | None, typer.Option(help="Another length, while no knowledge base uses it.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="How long passages are cut for it.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change an embedder, for instance its API key; an empty API key takes the key away."""

    async def work(settings: Settings) -> Any:
        body = _given(name, base_url, model, api_key, dims, max_tokens)
        if not body:
            raise InvalidInput(
                "Nothing to change: give --api-key, --name, --base-url, --model, --dims or --max-tokens."
            )
        async with connect(settings) as client:
            return await client.call("PATCH", f"/api/embedders/{path_part(embedder)}", json=body)

    def show(changed: Any) -> None:
        say(f"Changed {changed['name']}. See whether it works: `pinakes embedders test {changed['id']}`.")

    run(work, show, as_json=as_json)


@embedders_app.command("remove")
def remove_embedder(embedder: EmbedderArgument, as_json: JsonOption = False) -> None:
    """Remove an embedder that no knowledge base uses."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.delete(f"/api/embedders/{path_part(embedder)}")

    run(work, lambda _: out.print("Removed."), as_json=as_json)


def _given(
    name: str | None,
    base_url: str | None,
    model: str | None,
    api_key: str | None,
    dims: int | None,
    max_tokens: int | None,
) -> dict[str, Any]:
    """What a person gave, as the API calls it."""
    key = _read_key() if api_key == _ASK else api_key
    body = {"name": name, "baseUrl": base_url, "model": model, "apiKey": key, "dims": dims, "maxTokens": max_tokens}
    return {field: value for field, value in body.items() if value is not None}


def _read_key() -> str:
    """Typed without an echo, or piped in; so that it stands in no history and no list of processes."""
    return str(typer.prompt("API key", hide_input=True)) if sys.stdin.isatty() else sys.stdin.readline().strip()
