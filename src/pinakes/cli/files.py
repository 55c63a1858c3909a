"""Which files a command means, and the names they get."""

import os
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pinakes.domain.document import join_folders
from pinakes.domain.errors import InvalidInput

FileStatus = Literal["found", "skipped", "refused"]


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to add and the name its document gets; or one that is not added, and why."""

    path: Path
    name: str
    status: FileStatus = "found"
    reason: str | None = None


def find_files(paths: Iterable[Path], *, allow_none: bool = False) -> list[FoundFile]:
    """Every file named, and every visible file below every folder named, each once."""
    found: dict[str, FoundFile] = {}
    for path in paths:
        for file in _look_at(path):
            found.setdefault(str(file.path.absolute()), file)
    if not found and not allow_none:
        raise InvalidInput("There is no file in the given folders.")
    return _without_clashes(list(found.values()))


def _look_at(path: Path) -> list[FoundFile]:
    try:
        if path.is_dir():
            return sorted(_walk(path), key=lambda file: file.path)
        if path.is_file():
            return [_named(path, path.name)]
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.") from error
    raise InvalidInput(f"{path} does not exist or is no file. Check the path.")


def _walk(folder: Path) -> Iterator[FoundFile]:
    unread: list[OSError] = []
    root = folder.resolve()
    for place, below, names in os.walk(folder, onerror=unread.append):
        links = [name for name in below if _is_link(Path(place) / name)]
        below[:] = [name for name in below if not name.startswith(".")]
        for name in (*names, *links):
            path = Path(place) / name
            if not name.startswith("."):
                yield from _judge(path, _named(path, join_folders(path.relative_to(folder).parts)), root)
    for error in unread:
        path = Path(error.filename)
        yield FoundFile(path, path.name, "refused", f"The folder cannot be read: {error.strerror}.")


def _judge(path: Path, file: FoundFile, root: Path) -> Iterator[FoundFile]:
    """A link counts only where it leads to a file below the same folder; other things are no files."""
    try:
        if not _is_link(path):
            if path.is_file():
                yield file
            return
        target = path.resolve(strict=True)
        if not target.is_relative_to(root):
            reason = f"It is a link to {target}, outside the folder. Name that itself to add it."
            yield replace(file, status="skipped", reason=reason)
        elif target.is_file():
            yield file
    except PermissionError as error:
        yield replace(file, status="refused", reason=f"It cannot be read: {error.strerror}.")
    except (OSError, RuntimeError):
        yield replace(file, status="skipped", reason="It is a link that leads nowhere.")


def _is_link(path: Path) -> bool:
    try:
        return path.is_symlink()
    except PermissionError:
        return False


def _named(path: Path, name: str) -> FoundFile:
    return FoundFile(path, unicodedata.normalize("NFC", name))


def _without_clashes(files: list[FoundFile]) -> list[FoundFile]:
    times = Counter(file.name for file in files if file.status == "found")
    return [
        replace(
            file,
            status="refused",
            reason=f"{times[file.name]} of these files would be called '{file.name}'. Add the folder that holds "
            "them all, rename them, or use several knowledge bases.",
        )
        if file.status == "found" and times[file.name] > 1
        else file
        for file in files
    ]
