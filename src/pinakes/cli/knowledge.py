"""Commands for knowledge bases."""

from typing import Annotated, Any

import typer

from pinakes.cli.client import connect
from pinakes.cli.terminal import JsonOption, YesOption, confirm, counted, megabytes, out, print_table, run, say
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

kb_app = typer.Typer(
    no_args_is_help=True,
    help="Knowledge bases: list, create, update, delete, switch, cancel-switch, generations, drop-generation, "
    "calibrate.",
)
KbArgument = Annotated[str, typer.Argument(help="Knowledge base: id, slug or name.")]


@kb_app.command("list")
def list_kbs(as_json: JsonOption = False) -> None:
    """List knowledge bases."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/knowledge-bases", limit=500)

    def show(page: Any) -> None:
        rows = [
            (
                kb["name"],
                kb["slug"],
                kb["stats"]["documentCount"],
                kb["stats"]["chunkCount"],
                kb["embedder"],
                counted(kb["lifecycleDays"], "day") if kb["lifecycleDays"] else "never",
                kb["id"],
            )
            for kb in page["items"]
        ]
        columns = ("NAME", "SLUG", "DOCUMENTS", "CHUNKS", "EMBEDDER", "EXPIRY", "ID")
        print_table(columns, rows, "There is no knowledge base yet.")

    run(work, show, as_json=as_json)


@kb_app.command("create")
def create_kb(
    name: str,
    description: Annotated[str, typer.Option(help="What it is about.")] = "",
    lifecycle_days: Annotated[int, typer.Option(help="Days until documents expire; 0: never.")] = 0,
    embedder: Annotated[
        str | None, typer.Option(help="Embedder: name or id, or none for keywords only; default: the built-in model.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a knowledge base."""

    async def work(settings: Settings) -> Any:
        body = {"name": name, "description": description, "lifecycleDays": lifecycle_days, "embedder": embedder}
        async with connect(settings) as client:
            return await client.post("/api/knowledge-bases", json=body)

    run(work, lambda kb: say(f"Made {kb['name']} ({kb['slug']}), {kb['id']}."), as_json=as_json)


@kb_app.command("update")
def update_kb(
    kb: KbArgument,
    name: Annotated[str | None, typer.Option(help="Another name; the slug stays.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is about; an empty one clears it.")] = None,
    lifecycle_days: Annotated[int | None, typer.Option(help="Days until documents expire; 0: never.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Change a knowledge base's name, description or lifecycle."""

    async def work(settings: Settings) -> Any:
        given = {"name": name, "description": description, "lifecycleDays": lifecycle_days}
        body = {field: value for field, value in given.items() if value is not None}
        if not body:
            raise InvalidInput("Nothing to change: give --name, --description or --lifecycle-days.")
        async with connect(settings) as client:
            return await client.call("PATCH", await client.kb_path(kb), json=body)

    run(work, lambda changed: say(f"Changed {changed['name']} ({changed['slug']})."), as_json=as_json)


@kb_app.command("delete")
def delete_kb(kb: KbArgument, yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Delete a knowledge base with everything in it."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            found = await client.get(await client.kb_path(kb))
            if not yes:
                documents = counted(found["stats"]["documentCount"], "document")
                confirm(f"Delete {found['name']} and its {documents}?", as_json=as_json)
            return await client.delete(f"/api/knowledge-bases/{found['id']}", confirm="true")

    run(work, show_freed, as_json=as_json)


def show_freed(freed: Any) -> None:
    """What a deletion gave back."""
    out.print(
        f"Deleted {counted(freed['documents'], 'document')} with {counted(freed['chunks'], 'chunk')}; "
        f"{megabytes(freed['sizeBytes'])} freed."
    )
