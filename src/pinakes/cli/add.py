"""`pinakes add`: files and folders into a knowledge base, with progress."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pinakes.cli.client import ApiFailure, Client, connect
from pinakes.cli.terminal import JsonOption, err, out, print_table, run
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

_UPLOADS_AT_ONCE = 4
_POLL_SECONDS = 0.3
_POLLED_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    path: str
    status: str
    reason: str | None = None
    document_id: str | None = None
    operation_id: str | None = None
    chunks: int | None = None


def add(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.")],
    kb: Annotated[str, typer.Option("--kb", help="Knowledge base; made if there is none of that name.")],
    replace_existing: Annotated[bool, typer.Option("--replace", help="Replace documents of the same name.")] = False,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="name=value; may be repeated.")] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until everything is indexed.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Add files and folders to a knowledge base."""

    async def work(settings: Settings) -> list[dict[str, Any]]:
        files = _collect(paths)
        async with connect(settings, work=True) as client:
            kb_id = await _ensure_kb(client, kb)
            outcomes = await _add_all(
                client, kb_id, files, {"replace": str(replace_existing).lower(), "tags": tag or []}, wait=wait
            )
        return [_as_json(outcome) for outcome in outcomes]

    run(work, _show, as_json=as_json, failed=_any_bad)


def _collect(paths: Iterable[Path]) -> list[Path]:
    """Every file named, and every visible file below every folder named."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            below = (f for f in sorted(path.rglob("*")) if f.is_file())
            files += [f for f in below if not any(p.startswith(".") for p in f.relative_to(path).parts)]
        elif path.is_file():
            files.append(path)
        else:
            raise InvalidInput(f"{path} does not exist or is no file. Check the path.")
    if not files:
        raise InvalidInput("There is no file in the given folders.")
    return files


async def _ensure_kb(client: Client, kb: str) -> str:
    try:
        return (await client.get(await client.kb_path(kb)))["id"]
    except ApiFailure as failure:
        if failure.code != "NOT_FOUND":
            raise
        return (await client.post("/api/knowledge-bases", json={"name": kb}))["id"]


async def _add_all(client: Client, kb_id: str, files: list[Path], form: dict[str, Any], *, wait: bool) -> list[Outcome]:
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
    )
    gate = asyncio.Semaphore(_UPLOADS_AT_ONCE)
    with progress:
        uploading = progress.add_task("Uploading", total=len(files))
        indexing = progress.add_task("Indexing", total=None)

        async def upload(path: Path) -> Outcome:
            async with gate:
                outcome = await _upload(client, kb_id, path, form)
            progress.advance(uploading)
            return outcome

        outcomes = await asyncio.gather(*(upload(path) for path in files))
        if wait:
            waiting = sum(outcome.status == "pending" for outcome in outcomes)
            progress.update(indexing, total=waiting)
            outcomes = await _wait_for(client, list(outcomes), lambda n: progress.update(indexing, completed=n))
    return list(outcomes)


async def _upload(client: Client, kb_id: str, path: Path, form: dict[str, Any]) -> Outcome:
    try:
        content = await asyncio.to_thread(path.read_bytes)
        data = await client.post(
            f"/api/knowledge-bases/{kb_id}/documents", files={"file": (path.name, content)}, data=form
        )
    except ApiFailure as failure:
        return Outcome(str(path), "refused", failure.message)
    except OSError as error:
        return Outcome(str(path), "refused", f"It cannot be read: {error.strerror}.")
    document = data["document"]
    if data["unchanged"]:
        return Outcome(str(path), "unchanged", None, document["id"], None, document["chunkCount"])
    return Outcome(str(path), "pending", None, document["id"], data["operationId"])


async def _wait_for(client: Client, outcomes: list[Outcome], report: Callable[[int], None]) -> list[Outcome]:
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
    return outcomes


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
        "status": outcome.status,
        "reason": outcome.reason,
        "documentId": outcome.document_id,
        "operationId": outcome.operation_id,
        "chunks": outcome.chunks,
    }


def _any_bad(outcomes: list[dict[str, Any]]) -> bool:
    return any(outcome["status"] in {"refused", "failed"} for outcome in outcomes)


def _show(outcomes: list[dict[str, Any]]) -> None:
    bad = [o for o in outcomes if o["status"] in {"refused", "failed"}]
    if bad:
        print_table(("FILE", "OUTCOME", "REASON"), [(o["path"], o["status"], o["reason"]) for o in bad], "")
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome["status"]] = counts.get(outcome["status"], 0) + 1
    summary = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    out.print(f"{len(outcomes)} files: {summary}.")
