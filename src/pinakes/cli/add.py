"""`pinakes add`: files, folders, archives and web addresses into a knowledge base."""

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from pinakes.cli.client import connect
from pinakes.cli.files import FoundFile, find_files
from pinakes.cli.terminal import TAG_HELP, JsonOption, run
from pinakes.cli.uploading import Outcome, Terms, any_bad, ensure_kb, is_address, send_all, show_outcomes
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

_OTHER_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def add(
    paths: Annotated[list[str], typer.Argument(help="Files, folders, ZIP archives and web addresses.")],
    kb: Annotated[str, typer.Option("--kb", help="Knowledge base; made if there is none of that name.")],
    replace_existing: Annotated[bool, typer.Option("--replace", help="Replace documents of the same name.")] = False,
    tag: Annotated[list[str] | None, typer.Option("--tag", help=TAG_HELP)] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until everything is indexed.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Add files, folders, ZIP archives and web addresses to a knowledge base.

    Hidden files are left out. The exit code is 1 if any file was refused or failed.

    A file in a subfolder carries it in its name: "2024 › a.pdf".

    Every file of an archive becomes a document of its own.

    Adding the same again changes nothing; `docs refetch` fetches a page again.
    """

    async def work(settings: Settings) -> list[dict[str, Any]]:
        addresses = [Outcome(path, path, "found") for path in dict.fromkeys(paths) if is_address(path)]
        files = [_as_file(path) for path in paths if not is_address(path)]
        outcomes = addresses + ([_as_found(file) for file in find_files(files)] if files else [])
        found = [outcome for outcome in outcomes if outcome.status == "found"]
        if found:
            async with connect(settings, work=True) as client:
                terms = Terms(await ensure_kb(client, kb), replace_existing, tuple(tag or ()))
                sent = await send_all(client, found, terms, wait=wait)
            outcomes = sent + [outcome for outcome in outcomes if outcome.status != "found"]
        return [outcome.as_json() for outcome in outcomes]

    run(work, show_outcomes, as_json=as_json, failed=any_bad)


def _as_file(path: str) -> Path:
    if _OTHER_ADDRESS.match(path):
        raise InvalidInput(f"{path} cannot be fetched: only http and https are. Download it, then add the file.")
    return Path(path)


def _as_found(file: FoundFile) -> Outcome:
    return Outcome(str(file.path), file.name, file.status, file.reason)
