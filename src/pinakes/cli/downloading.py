"""Whatever a server hands out as a file, on its way to the disk."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import httpx
from rich.progress import TextColumn

from pinakes.cli.client import PATIENT, ApiFailure, Client
from pinakes.cli.terminal import megabytes, progress_bar
from pinakes.domain.errors import InvalidInput


async def download(client: Client, path: str, target: Path, what: str) -> int:
    """How many bytes were written; the file appears under its name only when it is complete."""
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    size = 0
    progress = progress_bar(TextColumn(what), TextColumn("{task.fields[shown]}"))
    try:
        async with client.http.stream("GET", path, timeout=PATIENT) as response:
            if response.status_code != 200:
                await response.aread()
                body = response.json()
                raise ApiFailure(body["error"], code=body["errorCode"])
            with progress, draft.open("wb") as file:
                shown = progress.add_task("", shown="")
                async for piece in response.aiter_bytes():
                    file.write(piece)
                    size += len(piece)
                    progress.update(shown, shown=megabytes(size))
        draft.replace(target)
    except httpx.HTTPError as error:
        raise ApiFailure(f"The server broke off ({type(error).__name__}). Try again.", code="UNAVAILABLE") from error
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {os.strerror(error.errno or 0)}.") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return size
