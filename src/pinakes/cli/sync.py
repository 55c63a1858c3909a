"""`pinakes sync`: a knowledge base kept in step with a folder."""

import asyncio
import hashlib
import platform
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

from pinakes.cli.client import ApiFailure, Client, connect, path_part
from pinakes.cli.files import FoundFile, find_files
from pinakes.cli.terminal import TAG_HELP, JsonOption, counted, note, print_json_line, run, say
from pinakes.cli.uploading import Outcome, Terms, any_bad, ensure_kb, send_all, show_outcomes, without_formats
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

# Changes that no file system told us about are found this often.
_LOOK_AGAIN_MS = 60_000
_PAGE = 200


@dataclass
class _Folder:
    """A folder, and the hashes of its files as of when they were last read."""

    path: Path
    hashes: dict[Path, tuple[int, int, str]] = field(default_factory=dict[Path, tuple[int, int, str]])

    @property
    def source(self) -> str:
        """What documents of this folder say they come from; the same after any restart."""
        return f"folder:{platform.node()}:{self.path}"

    def find(self) -> list[FoundFile]:
        """The files that are there now."""
        if not self.path.is_dir():
            raise InvalidInput(f"{self.path} is no folder. Is it mounted? Nothing was changed.")
        return find_files([self.path], allow_none=True)

    def hash(self, path: Path) -> str:
        """The content's hash; a file that looks as it did is not read again."""
        state = path.stat()
        seen = self.hashes.get(path)
        if seen is None or seen[:2] != (state.st_mtime_ns, state.st_size):
            seen = (state.st_mtime_ns, state.st_size, hashlib.sha256(path.read_bytes()).hexdigest())
            self.hashes[path] = seen
        return seen[2]


def sync(
    folder: Annotated[Path, typer.Argument(help="The folder to keep in step with.")],
    kb: Annotated[str, typer.Option("--kb", help="Knowledge base; made if there is none of that name.")],
    watch: Annotated[bool, typer.Option("--watch", help="Go on until stopped, and follow every change.")] = False,
    remove_all: Annotated[
        bool, typer.Option("--remove-all", help="Really remove every document when the folder is empty.")
    ] = False,
    tag: Annotated[list[str] | None, typer.Option("--tag", help=TAG_HELP)] = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a knowledge base in step with a folder: new files are added, changed ones replaced, missing ones removed.

    Only documents that came from this folder are ever removed. What is in step is known to the server, so that
    a restart picks up where it was. The exit code is 1 if any file was refused or failed.
    """
    place = _Folder(folder.expanduser().absolute())

    async def once(settings: Settings) -> list[dict[str, Any]]:
        async with connect(settings, work=True) as client:
            terms = Terms(await ensure_kb(client, kb), True, tuple(tag or ()), place.source)
            return await _bring_in_step(client, place, terms, remove_all=remove_all)

    async def forever(settings: Settings) -> None:
        async with connect(settings, work=True) as client:
            terms = Terms(await ensure_kb(client, kb), True, tuple(tag or ()), place.source)
            await _follow(client, place, terms, remove_all=remove_all, as_json=as_json)

    if watch:
        run(forever, lambda _: None)
    else:
        run(once, _show, as_json=as_json, failed=any_bad)


async def _follow(client: Client, place: _Folder, terms: Terms, *, remove_all: bool, as_json: bool) -> None:
    """Bring in step, wait for a change, and again; a server that is away for a while does not end it."""
    place.find()
    changed = asyncio.Event()
    # It watches from before the first round on: what changes during a round brings about the next one.
    watching = asyncio.create_task(_watch(place.path, changed))
    await asyncio.sleep(0)
    note(f"Watching {place.path}. Ctrl-C stops.")
    try:
        while not watching.done():
            changed.clear()
            try:
                outcomes = await _bring_in_step(client, place, terms, remove_all=remove_all)
                _tell([outcome for outcome in outcomes if outcome["status"] != "unchanged"], as_json=as_json)
            except (ApiFailure, InvalidInput, OSError) as error:
                note(f"{datetime.now().astimezone():%H:%M:%S} {error}")
            await changed.wait()
    finally:
        watching.cancel()


async def _watch(path: Path, changed: asyncio.Event) -> None:
    async for _ in awatch(path, rust_timeout=_LOOK_AGAIN_MS, yield_on_timeout=True, recursive=True):
        changed.set()


def _show(outcomes: list[dict[str, Any]]) -> None:
    if outcomes:
        show_outcomes(outcomes)
    else:
        say("Nothing to do: the folder is empty.")


def _tell(outcomes: list[dict[str, Any]], *, as_json: bool) -> None:
    for outcome in outcomes:
        if as_json:
            print_json_line(outcome)
        else:
            reason = f": {without_formats(outcome['reason'])}" if outcome["reason"] else ""
            say(f"{datetime.now().astimezone():%H:%M:%S} {outcome['status']} {outcome['name']}{reason}")


async def _bring_in_step(client: Client, place: _Folder, terms: Terms, *, remove_all: bool) -> list[dict[str, Any]]:
    """One round; what is as it was is `unchanged`, what is gone is `removed`."""
    files = await asyncio.to_thread(place.find)
    there = await _list_documents(client, terms)
    names = {file.name for file in files}
    gone = [document for document in there.values() if document["name"] not in names]
    if gone and not files and not remove_all:
        raise InvalidInput(
            f"{place.path} is empty, and {counted(len(gone), 'document')} of it would be removed. "
            "Repeat with --remove-all if you mean it."
        )
    unchanged, changed, other = await asyncio.to_thread(_compare, place, files, there)
    sent = await send_all(client, changed, terms, wait=True) if changed else []
    removed = [await _remove(client, document) for document in gone]
    return [outcome.as_json() for outcome in (*sent, *removed, *other, *unchanged)]


def _compare(
    place: _Folder, files: list[FoundFile], there: dict[str, dict[str, Any]]
) -> tuple[list[Outcome], list[Outcome], list[Outcome]]:
    """Files as they were, files to send, and those that are not sent for a reason."""
    unchanged: list[Outcome] = []
    changed: list[Outcome] = []
    other: list[Outcome] = []
    for file in files:
        outcome = Outcome(str(file.path), file.name, file.status, file.reason)
        document = there.get(file.name)
        if file.status != "found":
            other.append(outcome)
        elif file.path.suffix.lower() == ".zip":
            other.append(replace(outcome, status="skipped", reason="An archive is not kept in step. Unpack it."))
        elif document is not None and _same(place, file.path, document):
            state = "failed" if document["status"] == "failed" else "unchanged"
            unchanged.append(replace(outcome, status=state, reason=document["error"], document_id=document["id"]))
        else:
            changed.append(outcome)
    return unchanged, changed, other


def _same(place: _Folder, path: Path, document: dict[str, Any]) -> bool:
    try:
        return document["sha256"] == place.hash(path)
    except OSError:
        return False


async def _list_documents(client: Client, terms: Terms) -> dict[str, dict[str, Any]]:
    """The documents of this folder by name."""
    found: dict[str, dict[str, Any]] = {}
    path = f"/api/knowledge-bases/{terms.kb_id}/documents"
    while True:
        page = await client.get(path, source=terms.source, limit=_PAGE, offset=len(found))
        found |= {document["name"]: document for document in page["items"]}
        if not page["items"] or len(found) >= page["total"]:
            return found


async def _remove(client: Client, document: dict[str, Any]) -> Outcome:
    outcome = Outcome(document["name"], document["name"], "removed", document_id=document["id"])
    try:
        await client.delete(f"/api/documents/{path_part(document['id'])}")
    except ApiFailure as failure:
        if failure.code != "NOT_FOUND":
            return Outcome(document["name"], document["name"], "failed", failure.message)
    return outcome
