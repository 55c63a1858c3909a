"""`pinakes export` and `pinakes import`: one knowledge base into one file, and back."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from pinakes.cli.client import PATIENT, ApiFailure, Client, connect
from pinakes.cli.downloading import download
from pinakes.cli.terminal import JsonOption, counted, megabytes, progress_bar, run, say
from pinakes.cli.uploading import tell_wait
from pinakes.domain.errors import Conflict, InvalidInput
from pinakes.settings import Settings

_POLL_SECONDS = 0.5


def export_kb(
    kb: Annotated[str, typer.Argument(help="Knowledge base: id, slug or name.")],
    file: Annotated[Path, typer.Argument(help="The file to write, for example papers.pinakes.zip.")],
    vectors: Annotated[bool, typer.Option("--vectors", help="With embeddings: they are not made again.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write a knowledge base to one portable file: originals, titles, tags, and embeddings if wanted."""

    async def work(settings: Settings) -> Any:
        if file.exists() and not force:
            raise Conflict(f"{file} exists already. Use --force to overwrite it.")
        async with connect(settings) as client:
            path = f"{await client.kb_path(kb)}/export?vectors={str(vectors).lower()}"
            size = await download(client, path, file, "Exporting")
        return {"path": str(file), "sizeBytes": size}

    run(work, lambda made: say(f"Wrote {made['path']} ({megabytes(made['sizeBytes'])})."), as_json=as_json)


def import_kb(
    file: Annotated[Path, typer.Argument(help="A file that `pinakes export` wrote.")],
    name: Annotated[str | None, typer.Option(help="Another name than the one it had.")] = None,
    kb_slug: Annotated[str | None, typer.Option(help="The slug; made from the name if left out.")] = None,
    embedder: Annotated[str | None, typer.Option(help="Another embedding model than the built-in one.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until everything is indexed.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Make a knowledge base out of an exported file. The exit code is 1 if any document failed."""

    async def work(settings: Settings) -> Any:
        given = {"name": name, "slug": kb_slug, "embedder": embedder}
        form = {field: value for field, value in given.items() if value is not None}
        async with connect(settings, work=True) as client:
            imported = await _upload(client, file, form)
            path = f"/api/knowledge-bases/{imported['knowledgeBase']['id']}"
            if wait:
                await _wait(client, path, imported["documents"])
            imported["failed"] = await _count(client, path, "failed")
            imported["knowledgeBase"] = await client.get(path)
        return imported

    run(work, _show, as_json=as_json, failed=lambda imported: imported["failed"] > 0)


async def _upload(client: Client, path: Path, form: dict[str, str]) -> Any:
    try:
        with path.open("rb") as file:
            files = {"file": (path.name, file)}
            return await client.post("/api/knowledge-bases/import", files=files, data=form, timeout=PATIENT)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    except ApiFailure as failure:
        if failure.code != "NAME_EXISTS":
            raise
        raise ApiFailure(f"{failure.message.removesuffix('.')} with --name.", code=failure.code) from failure


async def _wait(client: Client, path: str, total: int) -> None:
    progress = progress_bar(TextColumn("Indexing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    told = set[str]()
    with progress:
        task = progress.add_task("", total=total)
        while left := await _count(client, path, "pending", told) + await _count(client, path, "indexing"):
            progress.update(task, completed=max(0, total - left))
            await asyncio.sleep(_POLL_SECONDS)


async def _count(client: Client, path: str, status: str, told: set[str] | None = None) -> int:
    """How many there are; with `told`, what the first of them waits for is told as well."""
    page = await client.get(f"{path}/documents", status=status, limit=1)
    if told is not None and page["items"]:
        tell_wait(page["items"][0], told)
    return page["total"]


def _show(imported: Any) -> None:
    kb = imported["knowledgeBase"]
    reused = f", {counted(imported['embeddings'], 'embedding')} came along" if imported["embeddings"] else ""
    say(f"Made {kb['name']} ({kb['slug']}) with {counted(imported['documents'], 'document')}{reused}.")
    if imported["failed"]:
        say(f"{counted(imported['failed'], 'document')} failed; `pinakes docs list --kb {kb['slug']}` says why.")
