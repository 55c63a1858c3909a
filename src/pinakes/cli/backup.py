"""`pinakes backup` and `pinakes restore`: everything into one file, and back."""

import contextlib
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

from pinakes.cli.terminal import JsonOption, counted, megabytes, moment, note, progress_bar, run, say
from pinakes.domain.errors import Conflict, InvalidInput
from pinakes.providers.vault import load_secret_key, parse_secret_key
from pinakes.settings import Settings

KeyOption = Annotated[Path | None, typer.Option("--key-file", help="The secret key's own file.")]


def backup(
    file: Annotated[Path, typer.Argument(help="The file to write, for example pinakes.tar.")],
    key_file: KeyOption = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a file that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write everything - database and originals - to one file, while the server runs or not.

    The secret key is not in it: it opens stored provider credentials and checks signed links. Keep it apart
    (--key-file). Exit code 1 if an original was missing or damaged.
    """

    async def work(settings: Settings) -> Any:
        from pinakes.services.backup import write_backup  # noqa: PLC0415 - heavy, see client.connect
        from pinakes.wiring import open_storage  # noqa: PLC0415

        require_own_data(settings)
        async with open_storage(settings, report=note) as storage:
            with _progress() as report:
                manifest = await write_backup(storage.urls, storage.blobs, file, report, overwrite=force)
        if key_file is not None:
            _save_key(key_file, _own_key(settings))
        manifest.pop("parts")
        return manifest | {"path": str(file), "sizeBytes": file.stat().st_size, "keyFile": key_file and str(key_file)}

    run(work, _show_backup, as_json=as_json, failed=lambda made: bool(made["missing"] or made["damaged"]))


def restore(
    file: Annotated[Path, typer.Argument(help="A file that `pinakes backup` wrote.")],
    key_file: KeyOption = None,
    as_json: JsonOption = False,
) -> None:
    """Bring a back-up back, into an empty data folder or database. Restore only files that you trust."""

    async def work(settings: Settings) -> Any:
        from pinakes.services.restore import check_backup, restore_backup  # noqa: PLC0415 - heavy, see client.connect
        from pinakes.wiring import open_app, open_storage  # noqa: PLC0415

        require_own_data(settings)
        await check_backup(file)
        if key_file is not None:
            _take_key(settings, key_file)
        async with open_storage(settings, report=note) as storage:
            with _progress() as report:
                manifest = await restore_backup(storage.urls, storage.blobs, file, report)
        (settings.home_folder / "owner.token").unlink(missing_ok=True)
        # A sample is for beginners; whoever restores has their own.
        (settings.home_folder / "sample.loaded").touch()
        migrated: list[str] = []
        async with open_app(settings, report=migrated.append, take_over=True):
            pass
        manifest.pop("parts")
        return manifest | {"keyRestored": key_file is not None, "migrated": migrated}

    run(work, _show_restore, as_json=as_json)


def require_own_data(settings: Settings) -> None:
    """Some things are done where the database is, not through a server."""
    if settings.url is not None:
        raise InvalidInput(
            f"PINAKES_URL names the server {settings.url}. Run this where its database is, without PINAKES_URL."
        )


@contextlib.contextmanager
def _progress() -> Generator[Callable[[str, int, int], None]]:
    so_far = TextColumn("{task.fields[shown]}")
    with progress_bar(TextColumn("{task.description}"), BarColumn(), so_far, TimeElapsedColumn()) as bar:
        tasks: dict[str, Any] = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=None, shown="")
            shown = f"{done} of {total}" if total else megabytes(done)
            bar.update(tasks[what], completed=done, total=total or None, shown=shown)

        yield report


def _own_key(settings: Settings) -> bytes | None:
    """The secret key in use; None where none has been made yet."""
    from pinakes.wiring import load_key  # noqa: PLC0415 - heavy, see client.connect

    if settings.secret_key is None and not (settings.home_folder / "secret.key").exists():
        return None
    return load_key(settings)


def _save_key(key_file: Path, key: bytes | None) -> None:
    if key is None:
        raise InvalidInput("There is no secret key in the data folder yet; the back-up itself was written.")
    if key_file.exists():
        if _holds(key_file, key):
            return
        raise Conflict(
            f"{key_file} holds something else and was not overwritten; the back-up itself was written. "
            "Name another file."
        )
    _write_key(key_file, key)


def _holds(key_file: Path, key: bytes) -> bool:
    """Whether the very same key is in this file already, as after a back-up that runs every night."""
    try:
        return parse_secret_key(key_file.read_text(encoding="ascii", errors="replace")) == key
    except OSError as error:
        raise InvalidInput(f"{key_file} cannot be read: {error.strerror}.") from error


def _take_key(settings: Settings, key_file: Path) -> None:
    """Before anything is restored, so that a wrong file costs nothing and a restore is done once its data is in."""
    if not key_file.is_file():
        raise InvalidInput(f"{key_file} does not exist or is no file.")
    if load_secret_key(key_file) != (_own_key(settings) or load_secret_key(key_file)):
        raise Conflict("Another secret key is in use here already. Use a new data folder (PINAKES_HOME).")
    if settings.secret_key is None:
        settings.home_folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _write_key(settings.home_folder / "secret.key", load_secret_key(key_file))


def _write_key(path: Path, key: bytes) -> None:
    if path.exists():
        return
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(f"{key.hex()}\n")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be written: {error.strerror}.") from error


def _show_backup(made: Any) -> None:
    say(f"Backed up {_contents(made)} to {made['path']} ({megabytes(made['sizeBytes'])}).")
    for what, keys in (("missing from the store", made["missing"]), ("damaged in the store", made["damaged"])):
        if keys:
            say(f"{counted(len(keys), 'original')} {what}: {', '.join(keys[:5])}{' …' if len(keys) > 5 else ''}")
    if made["keyFile"]:
        say(f"The secret key is in {made['keyFile']}. Keep it apart from the back-up: together they open everything.")
    else:
        say(
            "The secret key (secret.key in the data folder) is not in it. Without it stored provider credentials must "
            "be entered again and links handed out before stop working; save it apart with --key-file."
        )


def _show_restore(restored: Any) -> None:
    say(f"Restored {_contents(restored)}, as of {moment(restored['createdAt'])}.")
    if restored["missing"]:
        missing = len(restored["missing"])
        say(f"{counted(missing, 'original')} {_were(missing)} missing when the back-up was made.")
    unfinished = restored["counts"]["unfinishedOperations"]
    if unfinished:
        say(
            f"{counted(unfinished, 'document')} {_were(unfinished)} still being indexed; `pinakes serve` goes on there."
        )
    if not restored["keyRestored"]:
        say(
            "Without the old secret key (--key-file) the API keys of embedders and re-rankers must be entered again: "
            "`pinakes embedders update NAME --api-key -`, `pinakes rerankers update NAME --api-key -`."
        )
    say("API keys, members and invitations are as they were. You are signed in here as the first owner.")


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _contents(manifest: Any) -> str:
    counts = manifest["counts"]
    words = (("workspaces", "workspace"), ("knowledgeBases", "knowledge base"), ("documents", "document"))
    return ", ".join(counted(counts[name], word) for name, word in words)
