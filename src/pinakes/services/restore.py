"""Bringing a back-up back, into an empty installation only: all of it is checked before any of it is stored."""

import asyncio
import hashlib
import json
import tarfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from psycopg import AsyncConnection, OperationalError, conninfo
from psycopg.rows import DictRow, dict_row

from pinakes.domain.errors import Conflict, InvalidInput, NotFound, ProviderFault
from pinakes.providers.blobs import BlobStore
from pinakes.providers.postgres.dump import restore_database
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.services.backup import DATABASE, FORMAT, FORMAT_VERSION, MANIFEST, ORIGINALS, RIGHTS, Report
from pinakes.services.originals import STORE_MARK
from pinakes.store import backup
from pinakes.store.migrate import known_migrations

_PIECE = 1 << 20
_MANIFEST_BYTES = 1 << 30
_RIGHTS_BYTES = 16 << 20


class _Archive:
    """A back-up opened for reading, its entries found by name."""

    def __init__(self, file: tarfile.TarFile) -> None:
        self._file = file
        self._entries = {entry.name: entry for entry in file.getmembers() if entry.isreg()}

    def open(self, name: str, limit: int | None = None) -> IO[bytes]:
        """The content of an entry."""
        entry = self._entries.get(name)
        found = self._file.extractfile(entry) if entry else None
        if entry is None or found is None or (limit is not None and entry.size > limit):
            raise _damaged(f"{name} is missing or far too large")
        return found

    def digest(self, name: str) -> tuple[int, str]:
        """Size and SHA-256 of an entry."""
        digest, size = hashlib.sha256(), 0
        with self.open(name) as content:
            while piece := content.read(_PIECE):
                digest.update(piece)
                size += len(piece)
        return size, digest.hexdigest()


async def check_backup(source: Path) -> None:
    """InvalidInput unless this file is a back-up that can be restored here, as far as its list of contents tells."""
    with _reading(source) as file:
        await asyncio.to_thread(lambda: _read_manifest(_Archive(file)))


async def restore_backup(urls: EngineUrls, blobs: BlobStore, source: Path, report: Report) -> dict[str, Any]:
    """Put a back-up into an empty database and its originals into the store; returns its manifest.

    The database comes last and in one transaction: what is interrupted can simply be repeated.
    """
    with _reading(source) as file:
        archive = await asyncio.to_thread(_Archive, file)
        manifest = await asyncio.to_thread(_read_manifest, archive)
        keys = [key for part in manifest["parts"] if (key := _key_of(part["name"])) is not None]
        version = await _require_empty(urls, blobs, keys)
        await _verify(archive, manifest["parts"], report)
        await _put_originals(archive, blobs, keys, report)
        await _restore_database(archive, urls, version, report)
    return manifest


@contextmanager
def _reading(source: Path) -> Generator[tarfile.TarFile]:
    try:
        with tarfile.open(source, "r:") as file:
            yield file
    except (tarfile.TarError, EOFError) as error:
        raise _damaged(str(error)) from error
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror or error}.") from error


def _read_manifest(archive: _Archive) -> dict[str, Any]:
    with archive.open(MANIFEST, _MANIFEST_BYTES) as content:
        try:
            manifest: Any = json.load(content)
            ours = manifest["format"] == FORMAT
            version, migrations = int(manifest["formatVersion"]), set(manifest["migrations"])
            named = {str(part["name"]) for part in manifest["parts"]}
        except (ValueError, KeyError, TypeError) as error:
            raise _damaged("its list of contents cannot be read") from error
    if not ours or not {DATABASE, RIGHTS} <= named:
        raise _damaged("it is none of Pinakes")
    unknown = sorted(migrations - known_migrations())
    if version > FORMAT_VERSION or unknown:
        raise InvalidInput(
            f"This back-up was made by a newer Pinakes ({manifest.get('programVersion')}). Install that version or a "
            "later one, then restore."
        )
    return cast("dict[str, Any]", manifest)


def _key_of(name: str) -> str | None:
    """The object an entry belongs to; the names in a file are anybody's, so a key must lead nowhere else."""
    if not name.startswith(ORIGINALS):
        return None
    key = name.removeprefix(ORIGINALS)
    path = PurePosixPath(key)
    if path.is_absolute() or ".." in path.parts or len(path.parts) < 2 or "\\" in key or str(path) != key:
        raise _damaged(f"{name!r} is no name of an original")
    return key


async def _require_empty(urls: EngineUrls, blobs: BlobStore, keys: list[str]) -> int:
    """The server's version, unless something would be overwritten or mixed up."""
    try:
        connecting = AsyncConnection[DictRow].connect(urls.migrate_url, row_factory=dict_row)
        async with await connecting as connection:
            empty, version = await backup.is_empty(connection), await backup.server_version(connection)
    except OperationalError as error:
        raise ProviderFault(f"The database does not answer: {error}") from error
    if not empty:
        raise Conflict(
            "There is a database here already, and nothing is overwritten. Set PINAKES_HOME to a new folder, or "
            "PINAKES_DATABASE_URL and PINAKES_MIGRATE_URL to an empty database."
        )
    if await _is_claimed(blobs):
        raise Conflict(
            "The store of originals belongs to an installation already, and two on one store would delete each "
            "other's files. Set PINAKES_ORIGINALS to another place; or, if that one is gone for good, remove the "
            f"object '{STORE_MARK}' from the store, then restore."
        )
    if foreign := set(await blobs.list_workspaces()) - {key.partition("/")[0] for key in keys}:
        raise Conflict(
            f"The store for originals holds those of {len(foreign)} other workspaces, which would be taken for "
            "leftovers. Restore into an empty one."
        )
    return version


async def _is_claimed(blobs: BlobStore) -> bool:
    try:
        await blobs.get(STORE_MARK)
    except NotFound:
        return False
    return True


async def _verify(archive: _Archive, parts: list[dict[str, Any]], report: Report) -> None:
    for done, part in enumerate(parts):
        report("Checking", done, len(parts))
        if await asyncio.to_thread(archive.digest, part["name"]) != (part["size"], part["sha256"]):
            raise _damaged(f"{part['name']} is not what was written")
    report("Checking", len(parts), len(parts))


async def _put_originals(archive: _Archive, blobs: BlobStore, keys: list[str], report: Report) -> None:
    for done, key in enumerate(keys):
        report("Originals", done, len(keys))
        with archive.open(ORIGINALS + key) as content:
            await blobs.put(key, await asyncio.to_thread(content.read))
    report("Originals", len(keys), len(keys))


async def _restore_database(archive: _Archive, urls: EngineUrls, version: int, report: Report) -> None:
    app_role = str(conninfo.conninfo_to_dict(urls.app_url).get("user") or "")
    with archive.open(RIGHTS, _RIGHTS_BYTES) as content:
        before, after = backup.rights_statements(json.load(content), app_role)
    report("Database", 0, 0)
    with archive.open(DATABASE) as dump:
        await restore_database(urls.migrate_url, dump, before=before, after=after, server_version=version)


def _damaged(what: str) -> InvalidInput:
    return InvalidInput(f"This is no back-up, or it is damaged: {what}. Nothing was restored.", code="BACKUP_DAMAGED")
