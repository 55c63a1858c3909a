"""Commands for embedders: embedding models that a workspace brings itself."""

from typing import Annotated, Any

import typer

from pinakes.cli import endpoints
from pinakes.cli.endpoints import KeyOption
from pinakes.cli.terminal import JsonOption, print_table, say

embedders_app = typer.Typer(no_args_is_help=True, help="Embedding models of your own: list, add, test, update, remove.")
EmbedderArgument = Annotated[str, typer.Argument(help="The embedder's name or id.")]


@embedders_app.command("list")
def list_embedders(as_json: JsonOption = False) -> None:
    """List the workspace's embedders."""

    def show(embedders: Any) -> None:
        rows = [(e["name"], e["model"], e["dims"], e["baseUrl"], e["keyHint"] or "none", e["id"]) for e in embedders]
        empty = "There is no embedder yet; knowledge bases use the built-in model."
        print_table(("NAME", "MODEL", "DIMENSIONS", "BASE URL", "KEY", "ID"), rows, empty)

    endpoints.list_them("embedders", show, as_json=as_json)


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

    def show(made: Any) -> None:
        say(f"Added {made['name']} ({made['dims']} dimensions), {made['id']}.")
        say(f"Use it with `pinakes kb create NAME --embedder {made['id']}`.")

    fields = {"name": name, "baseUrl": base_url, "model": model, "apiKey": api_key}
    endpoints.add("embedders", show, as_json=as_json, **fields, dims=dims, maxTokens=max_tokens)


@embedders_app.command("test")
def try_embedder(embedder: EmbedderArgument, as_json: JsonOption = False) -> None:
    """Call an embedder once and say whether it works."""

    def show(trial: Any) -> None:
        say(f"It works: {trial['dims']} dimensions, {trial['milliseconds']} ms.")
        if not trial["separates"]:
            say("It hardly tells what answers a question from other texts, so keywords decide the scores.")

    endpoints.try_out("embedders", embedder, show, as_json=as_json)


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
    fields = {"name": name, "baseUrl": base_url, "model": model, "apiKey": api_key}
    endpoints.update("embedders", embedder, as_json=as_json, **fields, dims=dims, maxTokens=max_tokens)


@embedders_app.command("remove")
def remove_embedder(embedder: EmbedderArgument, as_json: JsonOption = False) -> None:
    """Remove an embedder that no knowledge base uses."""
    endpoints.remove("embedders", embedder, as_json=as_json)
