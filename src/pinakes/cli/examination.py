"""What `pinakes doctor` looks at, one thing after the other."""

import os
import platform
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from pinakes.cli.client import running_server
from pinakes.domain.errors import PinakesError
from pinakes.providers.minilm.install import model_folder, verify_model
from pinakes.providers.postgres.status import abandoned_engines, engine_status
from pinakes.providers.vault import load_secret_key
from pinakes.services.readiness import check_readiness
from pinakes.settings import Settings
from pinakes.wiring import open_app

State = Literal["ok", "warning", "error"]
_LOW_DISK = 2 * 1024**3


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked, and how to mend it."""

    check: str
    state: State
    detail: str
    advice: str | None = None


async def examine(settings: Settings) -> AsyncIterator[Finding]:
    """Everything that can be checked, thing by thing."""
    yield _python()
    yield _folder(settings)
    yield _disk(settings)
    yield _secret_key(settings)
    yield _model(settings)
    for finding in _engines(settings):
        yield finding
    async for finding in _application(settings):
        yield finding
    url = await running_server(settings)
    detail = f"running on {url}" if url else "not running; commands open the engine themselves"
    yield Finding("Server", "ok", detail, None if url else "Start it with `pinakes serve`.")


def _python() -> Finding:
    return Finding("Python", "ok", f"{platform.python_version()} on {platform.system()}")


def _folder(settings: Settings) -> Finding:
    home = settings.home_folder
    place = home if home.exists() else home.parent
    if os.access(place, os.W_OK):
        return Finding("Data folder", "ok", str(home))
    return Finding("Data folder", "error", f"{home} cannot be written", "Set PINAKES_HOME to a folder of yours.")


def _disk(settings: Settings) -> Finding:
    home = settings.home_folder
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    detail = f"{free / 1024**3:.1f} GB free"
    if free < _LOW_DISK:
        return Finding("Disk", "warning", detail, "Free some space: a full disk stops the database.")
    return Finding("Disk", "ok", detail)


def _secret_key(settings: Settings) -> Finding:
    path = settings.home_folder / "secret.key"
    if not path.exists():
        return Finding("Secret key", "ok", "will be made on the first start")
    try:
        load_secret_key(path)
    except PinakesError as error:
        return Finding("Secret key", "error", error.message)
    return Finding("Secret key", "ok", str(path))


def _model(settings: Settings) -> Finding:
    try:
        verify_model(model_folder(settings.cache_folder))
    except PinakesError as error:
        return Finding(
            "Embedding model",
            "warning",
            f"{error.message} Search is by keywords only.",
            "Run `pinakes model install`.",
        )
    return Finding("Embedding model", "ok", str(model_folder(settings.cache_folder)))


def _engines(settings: Settings) -> list[Finding]:
    if settings.database_url is not None:
        return [Finding("PostgreSQL", "ok", "your own server (PINAKES_DATABASE_URL)")]
    found = engine_status(settings.home_folder)
    state: State = "error" if found.state == "broken" else "ok"
    findings = [Finding("PostgreSQL", state, f"embedded, {found.state}. {found.detail}".strip())]
    findings += [
        Finding(
            "Abandoned database",
            "warning",
            str(engine),
            "Its data folder is gone; delete it if you do not need it.",
        )
        for engine in abandoned_engines()
    ]
    return findings


async def _application(settings: Settings) -> AsyncIterator[Finding]:
    try:
        async with open_app(settings) as app:
            for name, state in (await check_readiness(app.resources)).items():
                good = state in {"ok", "keywords only"}
                yield Finding(f"Readiness: {name}", "ok" if good else "error", state)
    except PinakesError as error:
        yield Finding("Application", "error", error.message)
