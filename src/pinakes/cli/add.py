"""`pinakes add`: files and folders into a knowledge base, with progress."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pinakes.cli.client import ApiFailure, Client, connect
from pinakes.cli.files import FoundFile, find_files
from pinakes.cli.terminal import JsonOption, counted, err, note, out, print_table, run
from pinakes.settings import Settings

_UPLOADS_AT_ONCE = 4
_POLL_SECONDS = 0.3
_POLLED_AT_ONCE = 20
_BAD = frozenset({"refused", "failed"})
# Not the file's fault: something behind the server broke.
_FAULTS = frozenset({"UNAVAILABLE", "PROVIDER_UNAVAILABLE", "DISK_FULL", "TRY_AGAIN", "INTERNAL_ERROR"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    path: str
    name: str
    status: str
    reason: str | None = None
    document_id: str | None = None
    operation_id: str | None = None
    chunks: int | None = None


def add(
    paths: Annotated[list[Path], typer.Argument(help="Files (.txt, .md, .pdf) and folders.")],
    kb: Annotated[str, typer.Option("--kb", help="Knowledge base; made if there is none of that name.")],
    replace_existing: Annotated[bool, typer.Option("--replace", help="Replace documents of the same name.")] = False,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="name=value; may be repeated.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until everything is indexed.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Add files and folders to a knowledge base.

    Hidden files are left out. The exit code is 1 if any file was refused or failed.

    A file in a subfolder carries it in its name: "2024 › a.pdf".

    Adding the same again changes nothing.
    """

    async def work(settings: Settings) -> list[dict[str, Any]]:
        outcomes = [_as_found(file) for file in find_files(paths)]
        if any(outcome.status == "found" for outcome in outcomes):
            async with connect(settings, work=True) as client:
                kb_id = await _ensure_kb(client, kb)
                form = {"replace": str(replace_existing).lower(), "tags": tag or []}
                await _add_all(client, kb_id, outcomes, form, wait=wait)
        return [_as_json(outcome) for outcome in outcomes]

    run(work, _show, as_json=as_json, failed=_any_bad)


def _as_found(file: FoundFile) -> Outcome:
    return Outcome(str(file.path), file.name, file.status, file.reason)


async def _ensure_kb(client: Client, kb: str) -> str:
    try:
        return (await client.get(await client.kb_path(kb)))["id"]
    except ApiFailure as failure:
        if failure.code != "NOT_FOUND":
            raise
        return (await client.post("/api/knowledge-bases", json={"name": kb}))["id"]


async def _add_all(client: Client, kb_id: str, outcomes: list[Outcome], form: dict[str, Any], *, wait: bool) -> None:
    """Upload what was found and see it through; the outcomes are kept up to date in place."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
    )
    gate = asyncio.Semaphore(_UPLOADS_AT_ONCE)
    found = [at for at, outcome in enumerate(outcomes) if outcome.status == "found"]
    with progress:
        uploading = progress.add_task("Uploading", total=len(found))
        indexing = progress.add_task("Indexing", total=None)

        async def upload(at: int) -> None:
            async with gate:
                outcomes[at] = await _upload(client, kb_id, outcomes[at], form)
            progress.advance(uploading)

        try:
            await asyncio.gather(*(upload(at) for at in found))
            if wait:
                waiting = sum(outcome.status == "pending" for outcome in outcomes)
                progress.update(indexing, total=waiting)
                await _wait_for(client, outcomes, lambda n: progress.update(indexing, completed=n))
        except asyncio.CancelledError:
            note(_left_behind([outcomes[at] for at in found], in_process=client.in_process))
            raise


def _left_behind(outcomes: list[Outcome], *, in_process: bool) -> str:
    """What somebody who stops us half-way wants to know."""
    taken = sum(outcome.document_id is not None for outcome in outcomes)
    waiting = sum(outcome.status == "pending" for outcome in outcomes)
    when = "when Pinakes runs again" if in_process else "by the server"
    rest = f"; {waiting} of them will be indexed {when}" if waiting else ""
    return f"{taken} of {counted(len(outcomes), 'file')} are in already{rest}. Repeating the command is safe."


async def _upload(client: Client, kb_id: str, outcome: Outcome, form: dict[str, Any]) -> Outcome:
    try:
        content = await asyncio.to_thread(Path(outcome.path).read_bytes)
    except OSError as error:
        return replace(outcome, status="refused", reason=f"It cannot be read: {error.strerror}.")
    files = {"file": (outcome.name, content)}
    try:
        data = await client.post(f"/api/knowledge-bases/{kb_id}/documents", files=files, data=form)
    except ApiFailure as failure:
        if failure.code == "DUPLICATE_FILE" and failure.details:
            return await _compare(client, outcome, failure.details["documentId"], content)
        return _not_taken(outcome, failure)
    if data["unchanged"]:
        return _as_there(outcome, data["document"])
    document_id, operation_id = data["document"]["id"], data["operationId"]
    return replace(outcome, status="pending", document_id=document_id, operation_id=operation_id)


async def _compare(client: Client, outcome: Outcome, document_id: str, content: bytes) -> Outcome:
    """A document of this name is there; the very same file is no clash."""
    try:
        document = await client.get(f"/api/documents/{document_id}")
    except ApiFailure as failure:
        return _not_taken(outcome, failure)
    if document["sha256"] == hashlib.sha256(content).hexdigest():
        return _as_there(outcome, document)
    reason = (
        f"'{outcome.name}' is in this knowledge base with other content. Use --replace to put this file in its place."
    )
    return replace(outcome, status="refused", reason=reason)


def _not_taken(outcome: Outcome, failure: ApiFailure) -> Outcome:
    return replace(outcome, status="failed" if failure.code in _FAULTS else "refused", reason=failure.message)


def _as_there(outcome: Outcome, document: dict[str, Any]) -> Outcome:
    """The very same file is in already: indexed, on its way, or failed."""
    there = replace(outcome, document_id=document["id"], chunks=document["chunkCount"])
    if document["status"] == "failed":
        advice = f"It is in already. Try again with `pinakes docs retry {document['id']}`."
        return replace(there, status="failed", reason=f"{document['error']} {advice}")
    if document["status"] == "indexed":
        return replace(there, status="unchanged")
    return replace(there, status="pending", operation_id=document["operationId"])


async def _wait_for(client: Client, outcomes: list[Outcome], report: Callable[[int], None]) -> None:
    """Ask after the unfinished ones, a few at a time, until there are none."""
    open_ones = [at for at, outcome in enumerate(outcomes) if outcome.status == "pending"]
    total = len(open_ones)
    while open_ones:
        for at in open_ones[:_POLLED_AT_ONCE]:
            outcomes[at] = await _look(client, outcomes[at])
        open_ones = [at for at in open_ones if outcomes[at].status == "pending"]
        report(total - len(open_ones))
        if open_ones:
            await asyncio.sleep(_POLL_SECONDS)


async def _look(client: Client, outcome: Outcome) -> Outcome:
    try:
        document = await client.get(f"/api/documents/{outcome.document_id}")
    except ApiFailure as failure:
        if failure.code == "NOT_FOUND":
            return replace(outcome, status="failed", reason="It was deleted meanwhile.")
        if failure.code == "UNAVAILABLE":
            return outcome
        raise
    if document["status"] in {"indexed", "failed"}:
        return replace(outcome, status=document["status"], reason=document["error"], chunks=document["chunkCount"])
    return outcome


def _as_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "path": outcome.path,
        "name": outcome.name,
        "status": outcome.status,
        "reason": outcome.reason,
        "documentId": outcome.document_id,
        "operationId": outcome.operation_id,
        "chunks": outcome.chunks,
    }


def _any_bad(outcomes: list[dict[str, Any]]) -> bool:
    return any(outcome["status"] in _BAD for outcome in outcomes)


def _show(outcomes: list[dict[str, Any]]) -> None:
    told = [o for o in outcomes if o["reason"] and o["status"] in {*_BAD, "skipped"}]
    if told:
        print_table(("FILE", "OUTCOME", "REASON"), [(o["path"], o["status"], o["reason"]) for o in told], "")
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome["status"]] = counts.get(outcome["status"], 0) + 1
    summary = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    out.print(f"{counted(len(outcomes), 'file')}: {summary}.")
