"""Where originals are kept."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Generator, Sequence
from pathlib import Path
from typing import Protocol, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from pinakes.domain.errors import NotFound, ProviderFault

log = logging.getLogger("pinakes.blobs")


class BlobStore(Protocol):
    """Keeps bytes under keys; writing is atomic, deleting what is not there is fine."""

    async def put(self, key: str, content: bytes) -> None:
        """Store an object."""
        ...

    async def get(self, key: str) -> bytes:
        """The whole object, or NotFound."""
        ...

    async def stream(self, key: str) -> tuple[int, AsyncIterator[bytes]]:
        """Size and content, piece by piece, or NotFound."""
        ...

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove objects."""
        ...

    async def list_keys(self, prefix: str = "") -> list[str]:
        """Every key under a prefix."""
        ...

    async def list_workspaces(self) -> list[str]:
        """The first part of every key: the workspaces that have objects here."""
        ...


def local_blobs(folder: Path) -> BlobStore:
    """A store in a folder of this machine, made if need be and readable by its owner alone."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return _LocalBlobs(folder)


@contextlib.contextmanager
def _faults(what: str) -> Generator[None]:
    """Say in our words what the store could not do; its own name keys and folders, and go to the log alone."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFound("The original is not in the store any more.") from error
    except (BaseError, OSError) as error:
        log.warning("The object store could not %s: %s", what, error)
        raise ProviderFault(
            f"The object store could not {what}. Its disk may be full or read-only; `pinakes doctor` tells more."
        ) from error


class _ObstoreBlobs:
    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    async def put(self, key: str, content: bytes) -> None:
        with _faults("take the file"):
            await obstore.put_async(self._store, key, content)

    async def get(self, key: str) -> bytes:
        with _faults("hand the file out"):
            result = await obstore.get_async(self._store, key)
            return bytes(await result.bytes_async())

    async def stream(self, key: str) -> tuple[int, AsyncIterator[bytes]]:
        with _faults("hand the file out"):
            result = await obstore.get_async(self._store, key)

        async def pieces() -> AsyncIterator[bytes]:
            async for piece in result.stream():
                yield bytes(piece)

        return result.meta["size"], pieces()

    async def delete(self, keys: Sequence[str]) -> None:
        for key in keys:
            with contextlib.suppress(NotFound), _faults("remove a file"):
                await obstore.delete_async(self._store, key)

    async def list_keys(self, prefix: str = "") -> list[str]:
        found: list[str] = []
        batches = cast("AsyncIterator[list[dict[str, str]]]", obstore.list(self._store, prefix or None))  # pyright: ignore[reportUnknownMemberType]
        with _faults("list its files"):
            async for batch in batches:
                found += [entry["path"] for entry in batch]
        return found

    async def list_workspaces(self) -> list[str]:
        with _faults("list its files"):
            listed = await obstore.list_with_delimiter_async(self._store)  # pyright: ignore[reportUnknownMemberType]
        return [prefix.rstrip("/") for prefix in listed["common_prefixes"]]


class _LocalBlobs(_ObstoreBlobs):
    """Files in a folder; a killed process leaves what it was writing as `<key>#<number>` beside its place."""

    def __init__(self, folder: Path) -> None:
        super().__init__(LocalStore(prefix=folder, automatic_cleanup=True))
        self._folder = folder

    async def delete(self, keys: Sequence[str]) -> None:
        await super().delete(keys)
        await asyncio.to_thread(self._delete_drafts, keys)

    def _delete_drafts(self, keys: Sequence[str]) -> None:
        for key in keys:
            place = self._folder / key
            for draft in place.parent.glob(f"{place.name}#*"):
                draft.unlink(missing_ok=True)
