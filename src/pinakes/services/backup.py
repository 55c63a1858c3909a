"""A back-up: one file with the database as it was at one moment and every original it needs, server running or not."""

import asyncio
import hashlib
import json
import os
import secrets
import tarfile
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from psycopg import OperationalError, conninfo

from pinakes import __version__
from pinakes.domain.errors import Conflict, InvalidInput, NotFound, ProviderFault
from pinakes.providers.blobs import BlobStore
from pinakes.providers.postgres.dump import dump_database
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.store import backup
from pinakes.store.backup import Original

FORMAT = "pinakes-backup"
FORMAT_VERSION = 1
DATABASE, RIGHTS, MANIFEST, ORIGINALS = "database.dump", "rights.json", "manifest.json", "originals/"
# What is being done, how far, and out of how much (0: nobody knows).
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Part:
    """One entry of a back-up."""

    name: str
    size: int
    sha256: str


@dataclass(slots=True)
class _Written:
    """What has gone into a back-up so far."""

    parts: list[Part] = field(default_factory=list[Part])
    missing: list[str] = field(default_factory=list[str])
    damaged: list[str] = field(default_factory=list[str])


async def write_backup(
    urls: EngineUrls, blobs: BlobStore, target: Path, report: Report, *, overwrite: bool = False
) -> dict[str, Any]:
    """Write the whole installation to one file, which appears under its name only when it is complete."""
    _require_free(target, overwrite=overwrite)
    draft = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600), "w+b") as file:
            manifest = await _write(urls, blobs, file, report)
            await asyncio.to_thread(_flush, file)
        draft.replace(target)
    except OSError as error:
        reason = f"{target} cannot be written: {error.strerror}. Free some space, or choose another place."
        raise InvalidInput(reason) from error
    except OperationalError as error:
        raise ProviderFault(f"The database went away during the back-up: {error}. Try again.") from error
    finally:
        draft.unlink(missing_ok=True)
    return manifest


def _require_free(target: Path, *, overwrite: bool) -> None:
    if not target.parent.is_dir():
        raise InvalidInput(f"The folder {target.parent} does not exist. Make it, or choose another.")
    if target.exists() and not overwrite:
        raise Conflict(f"{target} exists already. Choose another name, or use --force to overwrite it.")


async def _write(urls: EngineUrls, blobs: BlobStore, file: IO[bytes], report: Report) -> dict[str, Any]:
    app_role = str(conninfo.conninfo_to_dict(urls.app_url).get("user") or "")
    written = _Written()
    async with backup.keep_objects(urls.migrate_url) as connection:
        async with backup.hold_snapshot(connection) as snapshot:
            migrations = await backup.list_migrations(connection)
            if not migrations:
                raise InvalidInput("There is nothing to back up: this database is empty.")
            counts = await backup.count_everything(connection)
            originals = await backup.list_live_originals(connection)
            rights = json.dumps(await backup.read_rights(connection, app_role)).encode()
            version = await backup.server_version(connection)
            dump = _reported(dump_database(urls.migrate_url, snapshot), report)
            written.parts.append(await _add(file, DATABASE, dump))
        written.parts.append(await _add(file, RIGHTS, _once(rights)))
        for done, original in enumerate(originals):
            report("Originals", done, len(originals))
            await _add_original(file, blobs, original, written)
        report("Originals", len(originals), len(originals))
        # Had this connection been lost, something could have been removed unseen.
        await connection.execute("SELECT 1")
    manifest = {
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "programVersion": __version__,
        "createdAt": datetime.now(UTC).isoformat(),
        "postgresVersion": version // 10_000,
        "migrations": migrations,
        "counts": counts | {"originals": len(originals) - len(written.missing)},
        "missing": written.missing,
        "damaged": written.damaged,
        "parts": [asdict(part) for part in written.parts],
    }
    await _add(file, MANIFEST, _once(json.dumps(manifest, indent=1).encode()))
    file.write(bytes(2 * tarfile.BLOCKSIZE))
    return manifest


async def _add_original(file: IO[bytes], blobs: BlobStore, original: Original, written: _Written) -> None:
    """One lost original must not keep all the others from being saved, but it is told."""
    try:
        _, pieces = await blobs.stream(original.key)
    except NotFound:
        written.missing.append(original.key)
        return
    part = await _add(file, ORIGINALS + original.key, pieces)
    written.parts.append(part)
    if original.sha256 is not None and part.sha256 != original.sha256.hex():
        written.damaged.append(original.key)


async def _add(file: IO[bytes], name: str, pieces: AsyncIterator[bytes]) -> Part:
    """Append an entry to a tar file; its size is known, and its header right, only at its end."""
    start, digest, size = file.tell(), hashlib.sha256(), 0
    file.write(_header(name, 0))
    async for piece in pieces:
        await asyncio.to_thread(_take, file, digest, piece)
        size += len(piece)
    file.write(bytes(-size % tarfile.BLOCKSIZE))
    end = file.tell()
    file.seek(start)
    file.write(_header(name, size))
    file.seek(end)
    return Part(name, size, digest.hexdigest())


def _take(file: IO[bytes], digest: Any, piece: bytes) -> None:
    digest.update(piece)
    file.write(piece)


def _header(name: str, size: int) -> bytes:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode, entry.mtime = size, 0o600, int(time.time())
    header = entry.tobuf(tarfile.GNU_FORMAT)
    assert len(header) == tarfile.BLOCKSIZE, f"{name} is too long"
    return header


def _flush(file: IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _reported(pieces: AsyncIterator[bytes], report: Report) -> AsyncIterator[bytes]:
    size = 0
    async for piece in pieces:
        yield piece
        size += len(piece)
        report("Database", size, 0)
