"""What `pinakes doctor` looks at, one thing after the other."""

import asyncio
import platform
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pinakes.cli.client import running_server
from pinakes.domain.errors import PinakesError
from pinakes.providers.minilm.install import model_folder, verify_model
from pinakes.providers.parsers.pdf.ocr import find_ocr_problem
from pinakes.providers.postgres.status import AbandonedEngine, abandoned_engines, database_place, engine_status
from pinakes.providers.vault import load_secret_key, parse_secret_key
from pinakes.services.readiness import check_readiness
from pinakes.settings import Settings
from pinakes.wiring import HOME_ADVICE, App, open_app, open_issuer, prepare_home

State = Literal["ok", "warning", "error"]
_LOW_DISK = 2 * 1024**3
_FULL_DISK = 200 * 1024**2


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
    yield _model(settings)
    if settings.ocr_languages is not None:
        yield await asyncio.to_thread(_ocr, settings.ocr_languages)
    if (problem := prepare_home(settings.home_folder)) is not None:
        yield Finding("Data folder", "error", problem, HOME_ADVICE)
        return
    yield Finding("Data folder", "ok", str(settings.home_folder))
    for finding in _disks(settings):
        yield finding
    yield _secret_key(settings)
    for finding in _engines(settings):
        yield finding
    async for finding in _application(settings):
        yield finding
    url = await running_server(settings)
    detail = f"running on {url}" if url else "not running; commands open the engine themselves"
    yield Finding("Server", "ok", detail, None if url else "Start it with `pinakes serve`.")


def _python() -> Finding:
    return Finding("Python", "ok", f"{platform.python_version()} on {platform.system()}")


def _disks(settings: Settings) -> list[Finding]:
    """The disk of the data folder and, where they are on others, those of the database and of the originals."""
    home, originals = settings.home_folder, settings.originals_folder
    findings = [_disk("Disk", home)]
    if originals is not None and originals.is_dir() and originals.stat().st_dev != home.stat().st_dev:
        findings.append(_disk("Disk of the originals", originals))
    if settings.database_url is None:
        place = database_place(home)
        if place.stat().st_dev != home.stat().st_dev:
            findings.append(_disk("Disk of the database", place))
    return findings


def _disk(check: str, place: Path) -> Finding:
    free = shutil.disk_usage(place).free
    detail = f"{free / 1024**3:.1f} GB free at {place}"
    if free < _LOW_DISK:
        state: State = "error" if free < _FULL_DISK else "warning"
        return Finding(check, state, detail, "Free some space: a full disk stops the database.")
    return Finding(check, "ok", detail)


def _secret_key(settings: Settings) -> Finding:
    path = settings.home_folder / "secret.key"
    if settings.secret_key is not None:
        if parse_secret_key(settings.secret_key.get_secret_value()) is None:
            return Finding("Secret key", "error", "PINAKES_SECRET_KEY must be 64 hexadecimal digits.")
        return Finding("Secret key", "ok", "PINAKES_SECRET_KEY")
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


def _ocr(languages: str) -> Finding:
    problem = find_ocr_problem(languages)
    return Finding("OCR", "ok", languages) if problem is None else Finding("OCR", "warning", problem)


def _engines(settings: Settings) -> list[Finding]:
    if settings.database_url is not None:
        return [Finding("PostgreSQL", "ok", "your own server (PINAKES_DATABASE_URL)")]
    found = engine_status(settings.home_folder)
    state: State = "error" if found.state == "broken" else "ok"
    findings = [Finding("PostgreSQL", state, f"embedded, {found.state}. {found.detail}".strip())]
    return findings + [_abandoned(engine) for engine in abandoned_engines()]


def _abandoned(engine: AbandonedEngine) -> Finding:
    home = engine.home
    owner = "no data folder" if home is None else f"{home}, which {'does not use it' if home.is_dir() else 'is gone'}"
    return Finding(
        "Database not in use",
        "warning",
        f"{engine.folder} was made for {owner}.",
        f"Unless you moved that data folder elsewhere, remove it: rm -r {engine.folder}",
    )


async def _query_cache(app: App) -> Finding:
    """Being without it costs time and nothing else."""
    if app.settings.redis_url is None:
        return Finding("Query cache", "ok", "in the server's process")
    problem = await app.resources.query_cache.open()
    return Finding("Query cache", "warning", problem) if problem else Finding("Query cache", "ok", "in Redis")


async def examine_issuer(settings: Settings) -> Finding:
    """Without it only access tokens are refused."""
    issuer = open_issuer(settings)
    assert issuer is not None
    problem = await issuer.keys.check()
    await issuer.close()
    return Finding("Issuer", "warning" if problem else "ok", f"{settings.oidc_issuer}. {problem or ''}".strip())


async def _application(settings: Settings) -> AsyncIterator[Finding]:
    try:
        async with open_app(settings) as app:
            for name, state in (await check_readiness(app.resources)).items():
                good = state in {"ok", "keywords only"}
                yield Finding(f"Readiness: {name}", "ok" if good else "error", state)
            yield await _query_cache(app)
        if settings.oidc_issuer is not None:
            yield await examine_issuer(settings)
    except PinakesError as error:
        yield Finding("Application", "error", error.message)
