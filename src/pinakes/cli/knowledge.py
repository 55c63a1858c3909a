"""Commands for knowledge bases and documents."""

from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from pinakes.cli.client import Client, connect, path_part
from pinakes.cli.terminal import JsonOption, counted, megabytes, out, print_table, run, say
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

kb_app = typer.Typer(no_args_is_help=True, help="Knowledge bases: list, create, delete.")
docs_app = typer.Typer(no_args_is_help=True, help="Documents: list, delete, retry, download.")
KbOption = Annotated[str, typer.Option("--kb", help="Knowledge base: id, slug or name.")]
DocumentArgument = Annotated[str, typer.Argument(help="The document's id.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@kb_app.command("list")
def list_kbs(as_json: JsonOption = False) -> None:
    """List knowledge bases."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/knowledge-bases", limit=500)

    def show(page: Any) -> None:
        rows = [
            (kb["name"], kb["slug"], kb["stats"]["documentCount"], kb["stats"]["chunkCount"], kb["id"])
            for kb in page["items"]
        ]
        print_table(("NAME", "SLUG", "DOCUMENTS", "CHUNKS", "ID"), rows, "There is no knowledge base yet.")

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


@kb_app.command("delete")
def delete_kb(kb: str, yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Delete a knowledge base with everything in it."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            found = await client.get(await client.kb_path(kb))
            if not yes:
                documents = counted(found["stats"]["documentCount"], "document")
                _confirm(f"Delete {found['name']} and its {documents}?", as_json=as_json)
            return await client.delete(f"/api/knowledge-bases/{found['id']}", confirm="true")

    run(work, _show_freed, as_json=as_json)


@docs_app.command("list")
def list_docs(
    kb: KbOption,
    status: Annotated[str | None, typer.Option(help="pending, indexing, indexed or failed.")] = None,
    tag: Annotated[str | None, typer.Option(help="name=value, or a bare value.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 100,
    offset: Annotated[int, typer.Option(min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """List documents, newest first."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            path = f"{await client.kb_path(kb)}/documents"
            return await client.get(path, status=status, tag=tag, limit=limit, offset=offset)

    def show(page: Any) -> None:
        rows = [(d["name"], _status(d), d["chunkCount"], megabytes(d["sizeBytes"]), d["id"]) for d in page["items"]]
        print_table(("NAME", "STATUS", "CHUNKS", "SIZE", "ID"), rows, "There is no document here.")
        if page["total"] > len(rows) + offset:
            out.print(f"{page['total'] - len(rows) - offset} more; use --offset {offset + len(rows)}.")

    run(work, show, as_json=as_json)


@docs_app.command("delete")
def delete_doc(document: DocumentArgument, yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Delete a document with its original, chunks and vectors."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            found = await client.get(f"/api/documents/{path_part(document)}")
            if not yes:
                _confirm(f"Delete {found['name']}?", as_json=as_json)
            return await client.delete(f"/api/documents/{path_part(document)}")

    run(work, _show_freed, as_json=as_json)


@docs_app.command("retry")
def retry_doc(document: DocumentArgument, as_json: JsonOption = False) -> None:
    """Try again to index a document that failed."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"/api/documents/{path_part(document)}/retry")

    def show(uploaded: Any) -> None:
        say(f"{uploaded['document']['name']} is in the queue again ({uploaded['operationId']}).")

    run(work, show, as_json=as_json)


@docs_app.command("refetch")
def refetch_doc(document: DocumentArgument, as_json: JsonOption = False) -> None:
    """Fetch a document that came from the web again."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"/api/documents/{path_part(document)}/refetch")

    def show(uploaded: Any) -> None:
        name = uploaded["document"]["name"]
        say(f"{name} has not changed." if uploaded["unchanged"] else f"{name} was fetched and is being indexed.")

    run(work, show, as_json=as_json)


@docs_app.command("download")
def download_doc(
    document: DocumentArgument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File or folder to write to.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Download a document's original."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            link = await client.get(f"/api/documents/{path_part(document)}/download")
            path = _target(output, link["fileName"])
            if path.exists() and not force:
                raise InvalidInput(f"{path} exists already. Use --force to overwrite it.")
            await _fetch(client, link["url"], path)
            return {"path": str(path), "sizeBytes": link["sizeBytes"]}

    run(work, lambda saved: say(f"Saved {saved['path']}."), as_json=as_json)


async def _fetch(client: Client, url: str, path: Path) -> None:
    # The link carries its own right; the path alone keeps it working behind whatever address we reached.
    target = httpx.URL(url)
    async with client.http.stream("GET", target.raw_path.decode()) as response:
        if response.status_code != 200:
            raise InvalidInput(f"The server did not hand the file out (status {response.status_code}).")
        with path.open("wb") as file:
            async for piece in response.aiter_bytes():
                file.write(piece)


def _target(output: Path | None, name: str) -> Path:
    # The name comes from whoever uploaded the file: never let it lead anywhere else.
    bare = Path(name).name or "download"
    if output is None:
        return Path(bare)
    return output / bare if output.is_dir() else output


def _confirm(question: str, *, as_json: bool) -> None:
    if as_json:
        raise InvalidInput("Use --yes together with --json: there is nobody to ask.")
    typer.confirm(question, abort=True)


def _status(document: Any) -> str:
    if document["status"] in {"failed", "pending"} and document["error"]:
        return f"{document['status']}: {document['error']}"
    return f"indexing {document['progress']} %" if document["status"] == "indexing" else document["status"]


def _show_freed(freed: Any) -> None:
    out.print(
        f"Deleted {counted(freed['documents'], 'document')} with {counted(freed['chunks'], 'chunk')}; "
        f"{megabytes(freed['sizeBytes'])} freed."
    )
