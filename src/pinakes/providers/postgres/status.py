"""What can be said about an engine without starting or changing anything."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pinakes.providers.postgres.binaries import SYSTEM_FOLDER, older_binaries, postgres_version
from pinakes.providers.postgres.folder import HOME_RECORD, links_to, recorded_home
from pinakes.providers.postgres.layout import POSTGRES_MAJOR, Layout, read_json, supervisor_lives
from pinakes.providers.postgres.processes import postmaster_of

EngineState = Literal["stopped", "running", "broken"]


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The state of a home's engine; `pid` is the postmaster's, `detail` is for a person."""

    state: EngineState
    folder: Path
    pid: int | None
    version: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class AbandonedEngine:
    """An engine under the system folder that no home points to any more."""

    folder: Path
    home: Path | None


def engine_status(home: Path) -> EngineStatus:
    """How this home's engine is; nothing is started."""
    place = home / "postgres"
    folder = place.resolve()
    try:
        state, pid, detail = _judge(place, Layout(folder=folder, bin=folder))
    except PermissionError:
        state, pid, detail = "broken", None, f"{folder} belongs to another user."
    return EngineStatus(state=state, folder=folder, pid=pid, version=postgres_version(), detail=detail)


def _judge(place: Path, layout: Layout) -> tuple[EngineState, int | None, str]:
    if place.is_symlink() and not layout.folder.is_dir():
        return "broken", None, f"{place} points to {layout.folder}, which is gone."
    if not layout.data.exists():
        return "stopped", None, "No database has been made yet."
    made_by = (layout.data / "PG_VERSION").read_text().strip()
    if made_by != POSTGRES_MAJOR and not supervisor_lives(layout):
        return _judge_older(made_by)
    pid = postmaster_of(layout.data)
    said = read_json(layout.state)
    if supervisor_lives(layout):
        failing = said.get("state") in ("failing", "failed")
        detail = f"PostgreSQL does not stay up; see {layout.log}." if failing else str(said.get("state"))
        return ("broken" if failing else "running"), pid, detail
    if pid is not None:
        return "broken", pid, "PostgreSQL runs without its supervisor; the next start takes care of it."
    failed = said.get("state") == "failed"
    detail = f"The last start failed: {said.get('detail')}" if failed else "No program uses it."
    return ("broken" if failed else "stopped"), None, detail


def _judge_older(made_by: str) -> tuple[EngineState, int | None, str]:
    if older_binaries(made_by) is None:
        return "broken", None, f"The database was made by PostgreSQL {made_by}; this is {POSTGRES_MAJOR}."
    detail = f"The database was made by PostgreSQL {made_by}; the next start upgrades it to {POSTGRES_MAJOR}."
    return "stopped", None, detail


def database_place(home: Path) -> Path:
    """A folder on the disk that holds this home's database, or will hold it."""
    place = home / "postgres"
    if place.exists():
        return place.resolve()
    elsewhere = SYSTEM_FOLDER if os.geteuid() == 0 else home
    return next(folder for folder in (elsewhere, *elsewhere.parents) if folder.is_dir())


def abandoned_engines() -> list[AbandonedEngine]:
    """Engines root once made whose home is gone or has another engine now; their folders may be removed."""
    found: list[AbandonedEngine] = []
    for folder in _linked_folders():
        try:
            home = recorded_home(folder)
        except PermissionError:
            continue
        if home is None or not links_to(home, folder):
            found.append(AbandonedEngine(folder=folder, home=home))
    return found


def _linked_folders() -> list[Path]:
    try:
        return [folder for folder in sorted(SYSTEM_FOLDER.iterdir()) if (folder / HOME_RECORD).is_file()]
    except OSError:
        return []
