"""What `add` and `sync` share: files, archives and addresses sent to a server and seen through, with progress."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

from pinakes.cli.client import ApiFailure, Client
from pinakes.cli.terminal import counted, note, out, print_table, progress_bar, say
from pinakes.domain.document import parse_tag

_UPLOADS_AT_ONCE = 4
_POLL_SECONDS = 0.3
_POLLED_AT_ONCE = 20
# How the list of supported formats begins, at the end of a reason.
_FORMATS = " Supported: "
_BAD = frozenset({"refused", "failed"})
# Not the file's fault: something behind the server broke.
_FAULTS = frozenset({"UNAVAILABLE", "PROVIDER_UNAVAILABLE", "DISK_FULL", "TRY_AGAIN", "INTERNAL_ERROR"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file or address; `found` means that it has yet to be sent."""

    path: str
    name: str
    status: str
    reason: str | None = None
    document_id: str | None = None
    operation_id: str | None = None
    chunks: int | None = None

    @property
    def is_bad(self) -> bool:
        """Whether somebody has to look at it."""
        return self.status in _BAD

    def as_json(self) -> dict[str, Any]:
        """As `--json` shows it."""
        return {
            "path": self.path,
            "name": self.name,
            "status": self.status,
            "reason": self.reason,
            "documentId": self.document_id,
            "operationId": self.operation_id,
            "chunks": self.chunks,
        }


@dataclass(frozen=True, slots=True)
class Terms:
    """How everything is to be sent."""

    kb_id: str
    replace_existing: bool = False
    tags: tuple[str, ...] = ()
    source: str | None = None

    @property
    def form(self) -> dict[str, Any]:
        """The fields that go with a file."""
        fields = {"replace": str(self.replace_existing).lower(), "tags": list(self.tags)}
        return fields if self.source is None else {**fields, "source": self.source}


def is_address(path: str) -> bool:
    """Whether what a person typed is an address, not a file."""
    return path.lower().startswith(("http://", "https://"))


async def ensure_kb(client: Client, kb: str) -> str:
    """The id of a knowledge base, made if there is none of that name."""
    try:
        return (await client.get(await client.kb_path(kb)))["id"]
    except ApiFailure as failure:
        if failure.code != "NOT_FOUND":
            raise
        return (await client.post("/api/knowledge-bases", json={"name": kb}))["id"]


async def send_all(client: Client, found: list[Outcome], terms: Terms, *, wait: bool) -> list[Outcome]:
    """Send what was found and see it through; an archive becomes as many outcomes as it holds files."""
    described = TextColumn("{task.description}")
    progress = progress_bar(described, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    gate = asyncio.Semaphore(_UPLOADS_AT_ONCE)
    sent: list[list[Outcome]] = [[outcome] for outcome in found]
    outcomes: list[Outcome] = []
    with progress:
        uploading = progress.add_task("Uploading", total=len(found))
        indexing = progress.add_task("Indexing", total=None)

        async def send(at: int) -> None:
            async with gate:
                sent[at] = await _send(client, found[at], terms)
            progress.advance(uploading)

        try:
            await asyncio.gather(*(send(at) for at in range(len(found))))
            outcomes = [outcome for group in sent for outcome in group]
            if wait:
                waiting = sum(outcome.status == "pending" for outcome in outcomes)
                progress.update(indexing, total=waiting)
                await _wait_for(client, outcomes, lambda n: progress.update(indexing, completed=n))
        except asyncio.CancelledError:
            so_far = outcomes or [outcome for group in sent for outcome in group]
            note(_left_behind(so_far, in_process=client.in_process))
            raise
    return outcomes


def show_outcomes(outcomes: list[dict[str, Any]]) -> None:
    """What went wrong, one by one, and how many ended how."""
    told = [o for o in outcomes if o["reason"] and o["status"] in {*_BAD, "skipped"}]
    if told:
        rows = [(o["path"], o["status"], without_formats(o["reason"])) for o in told]
        print_table(("FILE", "OUTCOME", "REASON"), rows, "")
        formats = {formats for o in told if (formats := o["reason"].partition(_FORMATS)[2])}
        for listed in sorted(formats):
            say(f"{_FORMATS.lstrip()}{listed}")
    counts: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome["status"]] = counts.get(outcome["status"], 0) + 1
    summary = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
    out.print(f"{counted(len(outcomes), 'file')}: {summary}.")


def without_formats(reason: str) -> str:
    """A reason without the list of supported formats, which is long and always the same."""
    return reason.partition(_FORMATS)[0]


def any_bad(outcomes: list[dict[str, Any]]) -> bool:
    """Whether any was refused or failed."""
    return any(outcome["status"] in _BAD for outcome in outcomes)


def _left_behind(outcomes: list[Outcome], *, in_process: bool) -> str:
    """What somebody who stops us half-way wants to know."""
    taken = sum(outcome.document_id is not None for outcome in outcomes)
    waiting = sum(outcome.status == "pending" for outcome in outcomes)
    when = "when Pinakes runs again" if in_process else "by the server"
    rest = f"; {waiting} of them will be indexed {when}" if waiting else ""
    return f"{taken} of {counted(len(outcomes), 'file')} are in already{rest}. Repeating the command is safe."


async def _send(client: Client, outcome: Outcome, terms: Terms) -> list[Outcome]:
    if is_address(outcome.path):
        return [await _send_address(client, outcome, terms)]
    try:
        content = await asyncio.to_thread(Path(outcome.path).read_bytes)
    except OSError as error:
        return [replace(outcome, status="refused", reason=f"It cannot be read: {error.strerror}.")]
    if Path(outcome.path).suffix.lower() == ".zip":
        return await _send_archive(client, outcome, content, terms)
    return [await _send_file(client, outcome, content, terms)]


async def _send_file(client: Client, outcome: Outcome, content: bytes, terms: Terms) -> Outcome:
    path = f"/api/knowledge-bases/{terms.kb_id}/documents"
    try:
        data = await client.post(path, files={"file": (outcome.name, content)}, data=terms.form)
    except ApiFailure as failure:
        if failure.code == "DUPLICATE_FILE" and failure.details:
            return await _compare(client, outcome, failure.details["documentId"], content)
        return _not_taken(outcome, failure)
    return _taken(outcome, data)


async def _send_address(client: Client, outcome: Outcome, terms: Terms) -> Outcome:
    tags = [dict(zip(("tagName", "tagValue"), parse_tag(tag), strict=True)) for tag in terms.tags]
    body = {"url": outcome.path, "replace": terms.replace_existing} | ({"tags": tags} if tags else {})
    try:
        data = await client.post(f"/api/knowledge-bases/{terms.kb_id}/urls", json=body)
    except ApiFailure as failure:
        if failure.code == "DUPLICATE_FILE" and failure.details:
            return await _compare_address(client, outcome, failure.details["documentId"])
        return _not_taken(outcome, failure)
    return _taken(replace(outcome, name=data["document"]["name"]), data)


async def _send_archive(client: Client, outcome: Outcome, content: bytes, terms: Terms) -> list[Outcome]:
    path = f"/api/knowledge-bases/{terms.kb_id}/archives"
    try:
        data = await client.post(path, files={"file": (outcome.name, content)}, data=terms.form)
    except ApiFailure as failure:
        return [_not_taken(outcome, failure)]
    return [_member(outcome, member) for member in data["items"]]


def _member(archive: Outcome, member: dict[str, Any]) -> Outcome:
    outcome = Outcome(f"{archive.path}: {member['name']}", member["name"], "refused", member["reason"])
    if member["document"] is None:
        return outcome
    return _taken(outcome, {**member, "unchanged": member["status"] == "unchanged"})


def _taken(outcome: Outcome, data: dict[str, Any]) -> Outcome:
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


async def _compare_address(client: Client, outcome: Outcome, document_id: str) -> Outcome:
    """A document of this name is there; the same address is no clash, whatever it holds today."""
    try:
        document = await client.get(f"/api/documents/{document_id}")
    except ApiFailure as failure:
        return _not_taken(outcome, failure)
    outcome = replace(outcome, name=document["name"])
    if document["source"] != str(httpx.URL(outcome.path.strip()).copy_with(fragment=None)):
        reason = (
            f"'{document['name']}' is in this knowledge base from elsewhere. Use --replace to put this in its place."
        )
        return replace(outcome, status="refused", reason=reason)
    there = _as_there(outcome, document)
    if there.status == "unchanged":
        return replace(there, reason=f"Fetched before. `pinakes docs refetch {document_id}` fetches it again.")
    return there


def _not_taken(outcome: Outcome, failure: ApiFailure) -> Outcome:
    return replace(outcome, status="failed" if failure.code in _FAULTS else "refused", reason=failure.message)


def _as_there(outcome: Outcome, document: dict[str, Any]) -> Outcome:
    """The very same file is in already: indexed, on its way, or failed."""
    there = replace(outcome, document_id=document["id"], chunks=document["chunkCount"])
    if document["status"] == "failed":
        reason = document["error"] or ""
        if document["retryable"]:
            reason = f"{reason} It is in already. Try again with `pinakes docs retry {document['id']}`.".strip()
        return replace(there, status="failed", reason=reason)
    if document["status"] == "indexed":
        return replace(there, status="unchanged")
    return replace(there, status="pending", operation_id=document["operationId"])


async def _wait_for(client: Client, outcomes: list[Outcome], report: Callable[[int], None]) -> None:
    """Ask after the unfinished ones, a few at a time, until there are none."""
    open_ones = [at for at, outcome in enumerate(outcomes) if outcome.status == "pending"]
    total, told = len(open_ones), set[str]()
    while open_ones:
        for at in open_ones[:_POLLED_AT_ONCE]:
            outcomes[at] = await _look(client, outcomes[at], told)
        open_ones = [at for at in open_ones if outcomes[at].status == "pending"]
        report(total - len(open_ones))
        if open_ones:
            await asyncio.sleep(_POLL_SECONDS)


async def _look(client: Client, outcome: Outcome, told: set[str]) -> Outcome:
    """How it is by now."""
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
    tell_wait(document, told)
    return outcome


def tell_wait(document: dict[str, Any], told: set[str]) -> None:
    """Say what a document waits for, unless it was told before."""
    if document["error"] and document["error"] not in told:
        told.add(document["error"])
        note(f"Still waiting: {document['error']}")
