"""Commands for re-rankers: models of a workspace's own that put a search's hits in a better order."""

from typing import Annotated, Any

import typer

from pinakes.cli import endpoints
from pinakes.cli.client import connect
from pinakes.cli.endpoints import KeyOption
from pinakes.cli.terminal import JsonOption, print_table, run, say
from pinakes.domain.reranker import RerankStyle
from pinakes.settings import Settings

rerankers_app = typer.Typer(no_args_is_help=True, help="Re-rankers of your own: list, add, use, test, update, remove.")
RerankerArgument = Annotated[str, typer.Argument(help="The reranker's name or id.")]
SecondsOption = Annotated[float | None, typer.Option(help="How long a search waits for it; 2 at first.")]
HitsOption = Annotated[int | None, typer.Option(help="How many of the first hits it sees; 50 at first.")]


@rerankers_app.command("list")
def list_rerankers(as_json: JsonOption = False) -> None:
    """List the workspace's re-rankers."""

    def show(found: Any) -> None:
        names = ("name", "style", "model", "baseUrl", "keyHint", "id")
        rows = [(*(r[name] or "none" for name in names), "default" if r["isDefault"] else "") for r in found]
        empty = "There is no reranker yet; searches answer in their own order."
        print_table(("NAME", "STYLE", "MODEL", "BASE URL", "KEY", "ID", ""), rows, empty)

    endpoints.list_them("rerankers", show, as_json=as_json)


@rerankers_app.command("add")
def add_reranker(
    name: str,
    style: Annotated[RerankStyle, typer.Option(help="How it is asked.")],
    base_url: Annotated[str, typer.Option(help="Where it is served, such as https://api.jina.ai/v1.")],
    model: Annotated[str | None, typer.Option(help="The model's name; style tei needs none.")] = None,
    api_key: KeyOption = None,
    seconds: SecondsOption = None,
    hits: HitsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a re-ranker, once it has shown that it works."""

    def show(made: Any) -> None:
        say(f"Added {made['name']}, {made['id']}.")
        say(f"For one search: `--reranker {made['id']}`. For every search: `pinakes rerankers use {made['id']}`.")

    fields = {"name": name, "style": style, "baseUrl": base_url, "model": model, "apiKey": api_key}
    endpoints.add("rerankers", show, as_json=as_json, **fields, seconds=seconds, hits=hits)


@rerankers_app.command("use")
def use_reranker(
    reranker: Annotated[str, typer.Argument(help="The reranker's name or id; none for none.")],
    as_json: JsonOption = False,
) -> None:
    """Have every search use a re-ranker that names no other, or none."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.call("PUT", "/api/rerankers/default", json={"rerankerId": reranker})

    def show(used: Any) -> None:
        say(f"Searches use {used['name']} now." if used else "Searches use no reranker now.")

    run(work, show, as_json=as_json)


@rerankers_app.command("test")
def try_reranker(reranker: RerankerArgument, as_json: JsonOption = False) -> None:
    """Call a re-ranker once and say whether it works."""

    def show(trial: Any) -> None:
        say(f"It works: {trial['milliseconds']} ms.")

    endpoints.try_out("rerankers", reranker, show, as_json=as_json)


@rerankers_app.command("update")
def update_reranker(
    reranker: RerankerArgument,
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    style: Annotated[RerankStyle | None, typer.Option(help="How it is asked.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Another endpoint.")] = None,
    model: Annotated[str | None, typer.Option(help="Another model.")] = None,
    api_key: KeyOption = None,
    seconds: SecondsOption = None,
    hits: HitsOption = None,
    raw_scores: Annotated[
        bool | None, typer.Option("--raw-scores/--probabilities", help="What its scores are; found out at first.")
    ] = None,
    slope: Annotated[float | None, typer.Option(help="Of the logistic that turns its scores into similarity.")] = None,
    bias: Annotated[float | None, typer.Option(help="Of the same logistic.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change a re-ranker, for instance its API key; an empty API key takes the key away."""
    fields = {"name": name, "style": style, "baseUrl": base_url, "model": model, "apiKey": api_key}
    limits = {"seconds": seconds, "hits": hits}
    scores = {"rawScores": raw_scores, "slope": slope, "bias": bias}
    endpoints.update("rerankers", reranker, as_json=as_json, **fields, **limits, **scores)


@rerankers_app.command("remove")
def remove_reranker(reranker: RerankerArgument, as_json: JsonOption = False) -> None:
    """Remove a re-ranker; searches that used it go on without."""
    endpoints.remove("rerankers", reranker, as_json=as_json)
