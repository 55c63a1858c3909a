"""Where originals are kept: what every store promises, and the store in a folder."""

import asyncio
import contextlib
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from pinakes.domain.errors import InvalidInput, NotFound, ProviderFault

if TYPE_CHECKING:
    from obstore import GetOptions

log = logging.getLogger("pinakes.blobs")
# How long a store may say nothing at all, and how slow it may be beyond that.
PATIENCE_SECONDS = 10.0
_SLOWEST_BYTES_A_SECOND = 1024 * 1024
_LISTING_SECONDS = 60.0
_DELETED_AT_ONCE = 16
_PIECE_BYTES = 1024 * 1024


class BlobStore(Protocol):
    """Keeps bytes under keys; writing is atomic, deleting what is not there is fine."""

    async def put(self, key: str, content: bytes) -> None:
        """Store an object."""
        ...

    async def get(self, key: str) -> bytes:
        """The whole object, or NotFound."""
        ...

    async def stream(self, key: str, span: range | None = None) -> tuple[int, AsyncIterator[bytes]]:
        """The whole size, and the content or a span of it piece by piece, or NotFound."""
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

    async def check(self) -> None:
        """Raises ProviderFault, with the setting to look at, where the store cannot be used."""
        ...


def local_blobs(folder: Path) -> BlobStore:
    """A store in a folder of this machine, made if need be and readable by its owner alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise InvalidInput(
            f"The folder for originals {folder} cannot be made: {error.strerror}. Set PINAKES_ORIGINALS to another one."
        ) from error
    return _LocalBlobs(folder)


class ObstoreBlobs:
    """Any store that obstore can reach; each kind knows what its own errors mean."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store

    def is_missing(self, error: Exception) -> bool:
        """Whether an error says for certain that there is no such object."""
        return isinstance(error, FileNotFoundError)

    def reason_of(self, error: Exception) -> str:
        """What may be wrong and what to do, in words for a person."""
        raise NotImplementedError

    async def check(self) -> None:
        """Raises ProviderFault, with the setting to look at, where the store cannot be used."""
        raise NotImplementedError

    async def put(self, key: str, content: bytes) -> None:
        """Store an object."""
        async with self.asking("take the file", _time_for(len(content))):
            # In one piece: the parts of an interrupted upload would stay in the store, unseen.
            await obstore.put_async(self._store, key, content, use_multipart=False)

    async def get(self, key: str) -> bytes:
        """The whole object, or NotFound."""
        async with self.asking("hand the file out", missing=True):
            result = await obstore.get_async(self._store, key)
        async with self.asking("hand the file out", _time_for(result.meta["size"]), missing=True):
            return bytes(await result.bytes_async())

    async def stream(self, key: str, span: range | None = None) -> tuple[int, AsyncIterator[bytes]]:
        """The whole size, and the content or a span of it piece by piece, or NotFound."""
        async with self.asking("hand the file out", missing=True):
            options: GetOptions = {} if span is None else {"range": (span.start, span.stop)}
            result = await obstore.get_async(self._store, key, options=options)

        async def pieces() -> AsyncIterator[bytes]:
            source = aiter(result.stream(_PIECE_BYTES))
            while True:
                async with self.asking("hand the file out", _time_for(_PIECE_BYTES)):
                    piece = await anext(source, None)
                if piece is None:
                    return
                yield bytes(piece)

        return result.meta["size"], pieces()

    async def delete(self, keys: Sequence[str]) -> None:
        """Remove objects."""
        for at in range(0, len(keys), _DELETED_AT_ONCE):
            await asyncio.gather(*(self._delete_one(key) for key in keys[at : at + _DELETED_AT_ONCE]))

    async def _delete_one(self, key: str) -> None:
        with contextlib.suppress(NotFound):
            async with self.asking("remove a file", missing=True):
                await obstore.delete_async(self._store, key)

    async def list_keys(self, prefix: str = "") -> list[str]:
        """Every key under a prefix."""
        found: list[str] = []
        batches = cast("AsyncIterator[list[dict[str, str]]]", obstore.list(self._store, prefix or None))  # pyright: ignore[reportUnknownMemberType]
        while True:
            async with self.asking("list its files"):
                batch = await anext(batches, None)
            if batch is None:
                return found
            found += [entry["path"] for entry in batch]

    async def list_workspaces(self) -> list[str]:
        """The first part of every key: the workspaces that have objects here."""
        async with self.asking("list its files", _LISTING_SECONDS):
            listed = await obstore.list_with_delimiter_async(self._store)  # pyright: ignore[reportUnknownMemberType]
        return [prefix.rstrip("/") for prefix in listed["common_prefixes"]]

    @contextlib.asynccontextmanager
    async def asking(
        self, what: str, seconds: float = PATIENCE_SECONDS, *, missing: bool = False
    ) -> AsyncGenerator[None]:
        """Say in our words what the store could not do; its own name keys and folders, and go to the log alone."""
        try:
            async with asyncio.timeout(seconds):
                yield
        except (BaseError, OSError) as error:
            if missing and self.is_missing(error):
                raise NotFound("The original is not in the store any more.") from error
            log.warning("The object store could not %s: %s", what, str(error).partition("\n\n")[0] or repr(error))
            raise ProviderFault(f"The object store could not {what}. {self.reason_of(error)}") from error


def _time_for(size: int) -> float:
    return PATIENCE_SECONDS + size / _SLOWEST_BYTES_A_SECOND


class _LocalBlobs(ObstoreBlobs):
    """Files in a folder; a killed process leaves what it was writing as `<key>#<number>` beside its place."""

    def __init__(self, folder: Path) -> None:
        super().__init__(LocalStore(prefix=folder, automatic_cleanup=True))
        self._folder = folder

    def reason_of(self, error: Exception) -> str:
        del error
        return "Its disk may be full or read-only; `pinakes doctor` tells more."

    async def check(self) -> None:
        if not await asyncio.to_thread(os.access, self._folder, os.R_OK | os.W_OK | os.X_OK):
            raise ProviderFault(
                "The folder for originals cannot be read and written. Check its rights, and whether its disk is "
                "there (PINAKES_ORIGINALS says where it is)."
            )

    async def delete(self, keys: Sequence[str]) -> None:
        await super().delete(keys)
        await asyncio.to_thread(self._delete_drafts, keys)

    def _delete_drafts(self, keys: Sequence[str]) -> None:
        for key in keys:
            place = self._folder / key
            for draft in place.parent.glob(f"{place.name}#*"):
                draft.unlink(missing_ok=True)
