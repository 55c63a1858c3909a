"""Commands for documents."""

import os
import unicodedata
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer

from pinakes.cli.client import ApiFailure, Client, connect, path_part
from pinakes.cli.downloading import download
from pinakes.cli.knowledge import show_freed
from pinakes.cli.terminal import (
    TAG_HELP,
    JsonOption,
    YesOption,
    confirm,
    counted,
    megabytes,
    moment,
    out,
    print_table,
    run,
    say,
)
from pinakes.domain.document import parse_tag
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

docs_app = typer.Typer(
    no_args_is_help=True, help="Documents: list, show, update, delete, retry, refetch, download; `add` adds them."
)
KbOption = Annotated[str, typer.Option("--kb", help="Knowledge base: id, slug or name.")]
DocumentArgument = Annotated[str, typer.Argument(help="The document's id; or its name, together with --kb.")]
WithinOption = Annotated[
    str | None, typer.Option("--kb", help="The knowledge base, where the document is given by its name.")
]
_ID = "doc_"
_MOST = 500


@docs_app.command("list")
def list_docs(
    kb: KbOption,
    status: Annotated[str | None, typer.Option(help="pending, indexing, indexed or failed.")] = None,
    tag: Annotated[str | None, typer.Option(help="name=value, or a bare value.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=_MOST)] = 100,
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


@docs_app.command("show")
def show_doc(
    document: DocumentArgument,
    kb: WithinOption = None,
    text: Annotated[bool, typer.Option("--text", help="Print the text that was extracted from it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what is known of a document, or the text that was extracted from it."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            path = await _document_path(client, document, kb)
            found = await client.get(path)
            return found | await client.get(f"{path}/text") if text else found

    run(work, (lambda found: say(found["text"])) if text else _show, as_json=as_json)


@docs_app.command("update")
def update_doc(
    document: DocumentArgument,
    kb: WithinOption = None,
    title: Annotated[str | None, typer.Option(help="Another title; an empty one clears it.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help=f"{TAG_HELP} Takes the place of all tags.")] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Change a document's title or tags."""

    async def work(settings: Settings) -> Any:
        if tag and no_tags:
            raise InvalidInput("Give either --tag or --no-tags.")
        body: dict[str, Any] = {} if title is None else {"title": title}
        if tag or no_tags:
            pairs = map(parse_tag, tag or [])
            body["tags"] = [{"tagName": name, "tagValue": value} for name, value in pairs]
        if not body:
            raise InvalidInput("Nothing to change: give --title, --tag or --no-tags.")
        async with connect(settings) as client:
            return await client.call("PATCH", await _document_path(client, document, kb), json=body)

    run(work, lambda changed: say(f"Changed {changed['name']}."), as_json=as_json)


@docs_app.command("delete")
def delete_doc(
    document: DocumentArgument, kb: WithinOption = None, yes: YesOption = False, as_json: JsonOption = False
) -> None:
    """Delete a document with its original, chunks and vectors."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            path = await _document_path(client, document, kb)
            found = await client.get(path)
            if not yes:
                confirm(f"Delete {found['name']}?", as_json=as_json)
            return await client.delete(path)

    run(work, show_freed, as_json=as_json)


@docs_app.command("retry")
def retry_doc(document: DocumentArgument, kb: WithinOption = None, as_json: JsonOption = False) -> None:
    """Try again to index a document that failed."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"{await _document_path(client, document, kb)}/retry")

    def show(uploaded: Any) -> None:
        say(f"{uploaded['document']['name']} is in the queue again ({uploaded['operationId']}).")

    run(work, show, as_json=as_json)


@docs_app.command("refetch")
def refetch_doc(document: DocumentArgument, kb: WithinOption = None, as_json: JsonOption = False) -> None:
    """Fetch a document that came from the web again."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"{await _document_path(client, document, kb)}/refetch")

    def show(uploaded: Any) -> None:
        name = uploaded["document"]["name"]
        say(f"{name} has not changed." if uploaded["unchanged"] else f"{name} was fetched and is being indexed.")

    run(work, show, as_json=as_json)


@docs_app.command("download")
def download_doc(
    document: DocumentArgument,
    kb: WithinOption = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="File or folder to write to; a folder/ is made if need be.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Download a document's original."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            link = await client.get(f"{await _document_path(client, document, kb)}/download")
            path = _target(output, link["fileName"])
            if path.exists() and not force:
                raise InvalidInput(f"{path} exists already. Use --force to overwrite it.")
            # The link carries its own right; the path alone keeps it working behind whatever address we reached.
            await download(client, httpx.URL(link["url"]).raw_path.decode(), path, "Downloading")
            return {"path": str(path), "sizeBytes": link["sizeBytes"]}

    run(work, lambda saved: say(f"Saved {saved['path']}."), as_json=as_json)


async def _document_path(client: Client, reference: str, kb: str | None) -> str:
    """Where a document is found that was given by its id, or by its name in a knowledge base."""
    if kb is not None:
        name = unicodedata.normalize("NFC", reference)
        page = await client.get(f"{await client.kb_path(kb)}/documents", name=name, limit=_MOST)
        for document in page["items"]:
            if document["name"] == name:
                return f"/api/documents/{document['id']}"
    if reference.startswith(_ID):
        return f"/api/documents/{path_part(reference)}"
    reason = (
        f"'{reference}' is no id of a document. Give the knowledge base as well (--kb); "
        "or the id, which `pinakes docs list --kb …` shows."
        if kb is None
        else f"There is no document '{reference}' in '{kb}'. `pinakes docs list --kb '{kb}'` shows those there are."
    )
    raise ApiFailure(reason, code="NOT_FOUND")


def _target(output: str | None, name: str) -> Path:
    # The name comes from whoever uploaded the file: never let it lead anywhere else.
    bare = Path(name).name or "download"
    if output is None:
        return Path(bare)
    place = Path(output)
    if output.endswith(os.sep):
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InvalidInput(f"The folder {place} cannot be made: {error.strerror}.") from error
    elif not place.parent.is_dir():
        raise InvalidInput(
            f"The folder {place.parent} does not exist. Make it, or give it as '{place.parent}{os.sep}'."
        )
    return place / bare if place.is_dir() else place


def _show(document: Any) -> None:
    tags = [f"{tag['tagName']}={tag['tagValue']}" for tag in document["tags"]]
    rows: tuple[tuple[str, Any], ...] = (
        ("Name", document["name"]),
        ("Title", document["title"]),
        ("Id", document["id"]),
        ("Status", _status(document)),
        ("Size", f"{megabytes(document['sizeBytes'])}, {counted(document['chunkCount'], 'chunk')}"),
        ("Pages", document["pages"]),
        ("Language", document["language"]),
        ("Tags", ", ".join(tags)),
        ("Suggested tags", ", ".join(document["suggestedTags"])),
        ("Summary", document["summary"]),
        ("Remarks", " ".join(document["remarks"])),
        ("Source", document["source"]),
        ("Added", moment(document["createdAt"])),
        ("Expires", moment(document["expiresAt"])),
    )
    for label, value in rows:
        if value:
            say(f"{label}: {value}")


def _status(document: Any) -> str:
    if document["status"] in {"failed", "pending"} and document["error"]:
        return f"{document['status']}: {document['error']}"
    return f"indexing {document['progress']} %" if document["status"] == "indexing" else document["status"]
