"""`pinakes upgrade`: the database of an older release becomes one of this release."""

import asyncio
import shutil
from pathlib import Path
from typing import Annotated, Any

import typer

from pinakes.cli.backup import require_own_data
from pinakes.cli.terminal import JsonOption, note, run, say
from pinakes.providers.postgres.layout import POSTGRES_MAJOR, kept_clusters, made_by
from pinakes.settings import Settings


def upgrade(
    check: Annotated[
        bool, typer.Option("--check", help="Only tell; exit code 1 where something is to be done.")
    ] = False,
    remove_old: Annotated[
        bool, typer.Option("--remove-old", help="Remove the older PostgreSQL's database that an upgrade kept.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Bring the database up to date and say what was done; `pinakes serve` does the same at its start."""

    async def work(settings: Settings) -> Any:
        require_own_data(settings)
        folder = (settings.home_folder / "postgres").resolve()
        embedded = settings.database_url is None
        before = await asyncio.to_thread(made_by, folder) if embedded else None
        done = {
            "postgresBefore": before,
            "postgres": POSTGRES_MAJOR if embedded else None,
            "checked": check,
            "migrations": await (_pending if check else _apply)(settings, before),
            "removed": await asyncio.to_thread(_remove, folder) if remove_old and not check else [],
        }
        return done | {"kept": [str(path) for path in kept_clusters(folder)] if embedded else []}

    run(work, _show, as_json=as_json, failed=lambda done: check and _is_older(done))


async def _pending(settings: Settings, before: str | None) -> list[str]:
    """What a start would migrate; a database that is not there yet, or of an older PostgreSQL, is not started."""
    from pinakes.store.migrate import pending_migrations  # noqa: PLC0415 - heavy, see client.connect
    from pinakes.wiring import open_storage  # noqa: PLC0415

    if settings.database_url is None and before != POSTGRES_MAJOR:
        return []
    async with open_storage(settings, report=note) as storage:
        return await pending_migrations(storage.urls.migrate_url)


async def _apply(settings: Settings, _before: str | None) -> list[str]:
    from pinakes.store.migrate import pending_migrations  # noqa: PLC0415 - heavy, see client.connect
    from pinakes.wiring import open_app, open_storage  # noqa: PLC0415

    async with open_storage(settings, report=note) as storage:
        pending = await pending_migrations(storage.urls.migrate_url)
        async with open_app(settings):
            return pending


def _remove(folder: Path) -> list[str]:
    """Only now that the new one has been started and used may the old one go."""
    removed = kept_clusters(folder)
    for cluster in removed:
        shutil.rmtree(cluster)
    return [str(cluster) for cluster in removed]


def _is_older(done: Any) -> bool:
    return bool(done["migrations"]) or done["postgresBefore"] not in {None, done["postgres"]}


def _show(done: Any) -> None:
    before, now = done["postgresBefore"], done["postgres"]
    if before != now and before is not None:
        words = "would be upgraded" if done["checked"] else "was upgraded"
        say(f"The database {words} from PostgreSQL {before} to {now}.")
    if done["migrations"]:
        say(f"{'To be applied' if done['checked'] else 'Applied'}: {', '.join(done['migrations'])}.")
    if not _is_older(done):
        say("The database is up to date.")
    for path in done["removed"]:
        say(f"Removed {path}.")
    for path in done["kept"]:
        say(f"The database as it was before the upgrade is kept in {path}; `pinakes upgrade --remove-old` removes it.")
