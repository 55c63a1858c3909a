"""Finding or making the engine's folder, for an ordinary user and for root, who may not run PostgreSQL."""

import contextlib
import os
import pwd
import secrets
import shutil
import stat
from pathlib import Path

from pinakes.domain.errors import ProviderFault
from pinakes.providers.postgres.binaries import (
    SYSTEM_FOLDER,
    older_binaries,
    shared_binaries,
    shared_older_binaries,
    wheel_binaries,
)
from pinakes.providers.postgres.layout import (
    POSTGRES_MAJOR,
    Layout,
    give_to_owner,
    kept_clusters,
    made_by,
    write_private,
)

HOME_RECORD = "home"

_USERS_FOR_ROOT = ("pinakes", "nobody")


def prepare_folder(home: Path) -> Layout:
    """The engine's folder of this home, made where it is missing; what exists keeps its permissions."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    home = home.resolve()
    place = home / "postgres"
    if place.is_symlink() and not place.is_dir():
        raise ProviderFault(
            f"The database of {home} was in {place.readlink()}, which is gone. Bring it back, or remove "
            f"{place} to begin with an empty database."
        )
    layout = _prepare_for_root(home, place) if os.geteuid() == 0 else _prepare_for_user(place)
    layout.log.parent.mkdir(mode=0o700, exist_ok=True)
    give_to_owner(layout.log.parent)
    return layout


def _prepare_for_user(place: Path) -> Layout:
    _require_user_name()
    place.mkdir(mode=0o700, exist_ok=True)
    folder = place.resolve()
    layout = Layout(folder=folder, bin=wheel_binaries(), old_bin=older_binaries(_older_major(folder)))
    _require_access(layout.folder)
    return layout


def _require_user_name() -> None:
    uid = os.geteuid()
    try:
        pwd.getpwuid(uid)
    except KeyError as error:
        raise ProviderFault(
            f"This process runs as user id {uid}, which has no name here (no entry in /etc/passwd), "
            "and PostgreSQL refuses to run so. Add an entry for it, run as a user that has one, or name a "
            "PostgreSQL server of your own in PINAKES_DATABASE_URL."
        ) from error


def _require_access(folder: Path) -> None:
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        owner = folder.stat().st_uid
        raise ProviderFault(
            f"The database in {folder} belongs to user id {owner}, and this process runs as {os.geteuid()}. "
            "Run as that user, or use another home."
        )


def _prepare_for_root(home: Path, place: Path) -> Layout:
    _make_system_folder()
    if place.is_symlink():
        folder = _follow_link(home, place)
    elif place.is_dir():
        folder = place
    else:
        folder = _make_linked_folder(home, place)
    run_as = _user_for(folder)
    _require_reach(folder, run_as)
    old_bin = shared_older_binaries(_older_major(folder))
    return Layout(folder=folder, bin=shared_binaries(), run_as=run_as, old_bin=old_bin)


def _older_major(folder: Path) -> str:
    """The release that made the cluster, if it is not ours and the cluster can be looked at; else nothing."""
    try:
        major = made_by(folder)
    except PermissionError:
        return ""
    return major if major and major != POSTGRES_MAJOR else ""


def _make_system_folder() -> None:
    SYSTEM_FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
    found = SYSTEM_FOLDER.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != 0 or found.st_mode & 0o022:
        raise ProviderFault(f"{SYSTEM_FOLDER} must be a folder that only root can change.")


def _make_linked_folder(home: Path, place: Path) -> Path:
    folder = SYSTEM_FOLDER / secrets.token_hex(8)
    folder.mkdir(mode=0o700)
    write_private(folder / HOME_RECORD, str(home))
    # Postgres only has to pass through; what it owns lies below.
    folder.chmod(0o711)
    try:
        place.symlink_to(folder)
    except FileExistsError:
        shutil.rmtree(folder)
        return _follow_link(home, place)
    except OSError as error:
        shutil.rmtree(folder)
        raise ProviderFault(f"{place} cannot be made: {error.strerror}. Use a home that can be written.") from error
    return folder


def _follow_link(home: Path, place: Path) -> Path:
    folder = place.readlink()
    if folder.parent != SYSTEM_FOLDER:
        raise ProviderFault(f"{place} points to {folder}; as root it may only point into {SYSTEM_FOLDER}.")
    _check_home(home, folder)
    return folder


def _check_home(home: Path, folder: Path) -> None:
    """A moved home keeps its engine; a copied one must not share it, for the files beside it differ."""
    recorded = recorded_home(folder)
    if recorded == home:
        return
    if recorded is not None and links_to(recorded, folder) and not recorded.samefile(home):
        raise ProviderFault(
            f"{home} is a copy of {recorded}, whose database it would share. Remove {home / 'postgres'} to "
            "begin with an empty database there."
        )
    write_private(folder / HOME_RECORD, str(home))


def recorded_home(folder: Path) -> Path | None:
    """The home an engine under the system folder belongs to."""
    try:
        return Path((folder / HOME_RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None


def links_to(home: Path, folder: Path) -> bool:
    """Whether this home's engine is in that folder."""
    try:
        return (home / "postgres").readlink() == folder
    except OSError:
        return False


def _user_for(folder: Path) -> tuple[int, int]:
    """Who Postgres runs as when root starts it: the database's owner, else a user without power."""
    for owned in (folder / "data", *kept_clusters(folder), folder):
        with contextlib.suppress(FileNotFoundError):
            found = owned.lstat()
            if found.st_uid != 0:
                return found.st_uid, found.st_gid
    for name in _USERS_FOR_ROOT:
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            return user.pw_uid, user.pw_gid
    raise ProviderFault(
        "PostgreSQL refuses to run as root, and this machine has no user `pinakes` or `nobody` to run it as. "
        "Add one, run Pinakes as an ordinary user, or name a PostgreSQL server in PINAKES_DATABASE_URL."
    )


def _require_reach(folder: Path, run_as: tuple[int, int]) -> None:
    for passed in (folder, *folder.parents):
        found = passed.stat()
        own, group = found.st_uid == run_as[0], found.st_gid == run_as[1]
        needed = stat.S_IXUSR if own else stat.S_IXGRP if group else stat.S_IXOTH
        if not found.st_mode & needed:
            raise ProviderFault(
                f"PostgreSQL would run as user id {run_as[0]}, which may not pass through {passed}. "
                "Run Pinakes as the user that owns it, or use another home."
            )
