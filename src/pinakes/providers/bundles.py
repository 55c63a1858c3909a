"""The file of a bundle, a ZIP: written piece by piece into a stream, read within bounds that nobody can pass."""

import hashlib
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from pinakes.domain.bundle import (
    DOCUMENTS,
    EMBEDDINGS,
    HASH_BYTES,
    MANIFEST,
    ORIGINALS,
    BundleDocument,
    broken,
    read_document,
    read_manifest,
)
from pinakes.domain.chunk import MAX_CHUNKS
from pinakes.domain.errors import FileTooLarge, LimitExceeded
from pinakes.domain.limits import Limits

_MANIFEST_BYTES = 1 << 20
# A note says everything twice, in blocks as well.
_LINE_BYTES = 16 << 20
_LIST_BYTES = 512 << 20
_DIRECTORY_BYTES = 32 << 20
_MOST_DOCUMENTS = 100_000
_LENGTH_TOLERANCE = 0.05
_TAIL_BYTES = 65_557
_END_BYTES = 22
_END, _LOCATOR_64, _END_64 = b"PK\x05\x06", b"PK\x06\x07", b"PK\x06\x06"
_ENCRYPTED = 0x1 | 0x40
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError)


class _Sink:
    """Takes what a ZIP writer writes and hands it on; without places to go back to, the writer goes forward only."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, piece: bytes) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def flush(self) -> None:
        """There is nothing to wait for."""

    def take(self) -> bytes:
        taken, self._pieces = b"".join(self._pieces), []
        return taken


class BundleWriter:
    """Writes the entries one after the other; `take` gives what has been written since."""

    def __init__(self) -> None:
        self._sink = _Sink()
        self._zip = zipfile.ZipFile(cast("IO[bytes]", self._sink), "w", zipfile.ZIP_DEFLATED, compresslevel=3)
        self._open: IO[bytes] | None = None

    def add(self, name: str, content: bytes) -> bytes:
        """A whole entry."""
        self._zip.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
        return self._sink.take()

    def append(self, name: str, content: bytes) -> bytes:
        """A further piece of an entry, which ends with the next `end`."""
        if self._open is None:
            self._open = self._zip.open(zipfile.ZipInfo(name), "w", force_zip64=True)
        self._open.write(content)
        return self._sink.take()

    def end(self) -> bytes:
        """The end of an entry that was appended to."""
        if self._open is not None:
            self._open.close()
            self._open = None
        return self._sink.take()

    def close(self) -> bytes:
        """The list of all entries, and with it the end."""
        self._zip.close()
        return self._sink.take()


class BundleReader:
    """An opened bundle: its lists are read and hold together; each original is checked as it is read."""

    def __init__(self, file: IO[bytes], limits: Limits) -> None:
        self._limits = limits
        try:
            _check_directory(file)
            self._zip = zipfile.ZipFile(file)
        except (*_DAMAGE, OSError) as error:
            raise broken("it is no ZIP file") from error
        self._entries = self._check_entries()
        self.manifest = read_manifest(self._read(MANIFEST, _MANIFEST_BYTES))
        self.documents = list(self._read_documents())
        self._check_lists()
        self._vectors: IO[bytes] | None = None

    def read_original(self, document: BundleDocument) -> bytes:
        """A document's original, which is what its hash says, or a refusal."""
        if document.size_bytes > self._limits.file_bytes:
            raise FileTooLarge(self._limits.file_too_large(f"'{document.name}'"))
        content = self._read(ORIGINALS + document.sha256, self._limits.file_bytes)
        if len(content) != document.size_bytes or hashlib.sha256(content).hexdigest() != document.sha256:
            raise broken(f"the original of '{document.name}' is not what its hash says")
        return content

    def read_embeddings(self, document: BundleDocument) -> dict[bytes, NDArray[np.float16]]:
        """A document's embeddings by the hash of their text; documents must be asked about in their order."""
        return dict(self._read_records(document))

    def check_embeddings(self, document: BundleDocument) -> None:
        """Refuse embeddings that are none; the same order, and nothing is kept in memory."""
        for _ in self._read_records(document):
            pass

    def _read_records(self, document: BundleDocument) -> Iterator[tuple[bytes, NDArray[np.float16]]]:
        if document.embeddings and self._vectors is None:
            self._vectors = self._zip.open(self._entries[EMBEDDINGS])
        size = self.manifest.record_bytes
        for _ in range(document.embeddings):
            assert self._vectors is not None
            try:
                record = self._vectors.read(size)
            except _DAMAGE as error:
                raise broken("its embeddings cannot be read") from error
            if len(record) != size:
                raise broken("embeddings are missing")
            vector = np.frombuffer(record, "<f2", self.manifest.dims or 0, HASH_BYTES).astype(np.float16)
            # A vector of another length would be nearer to every question than any honest one.
            if not abs(float(np.linalg.norm(vector.astype(np.float32))) - 1) < _LENGTH_TOLERANCE:
                raise broken("an embedding is not of length 1")
            yield record[:HASH_BYTES], vector

    def rewind(self) -> None:
        """Have the embeddings read again from the first document's on."""
        if self._vectors is not None:
            self._vectors.close()
            self._vectors = None

    def _check_entries(self) -> dict[str, zipfile.ZipInfo]:
        """Only what a bundle is made of, each once, none hidden and all together within the limit."""
        entries: dict[str, zipfile.ZipInfo] = {}
        for entry in self._zip.infolist():
            name = entry.filename
            known = name in {MANIFEST, DOCUMENTS, EMBEDDINGS}
            if not known and not (name.startswith(ORIGINALS) and _is_hash(name.removeprefix(ORIGINALS))):
                raise broken(f"{name[:100]!r} does not belong into one")
            if name in entries or entry.flag_bits & _ENCRYPTED or entry.compress_type not in _METHODS:
                raise broken(f"{name} is there twice, encrypted or packed in an unknown way")
            entries[name] = entry
        if sum(entry.file_size for entry in entries.values()) > self._limits.bundle_bytes:
            raise LimitExceeded(self._limits.bundle_too_large("What this bundle unpacks to"), code="BUNDLE_TOO_LARGE")
        return entries

    def _read(self, name: str, limit: int) -> bytes:
        entry = self._entries.get(name)
        if entry is None or entry.file_size > limit:
            raise broken(f"{name} is missing or too large")
        try:
            with self._zip.open(entry) as content:
                return content.read(limit + 1)
        except _DAMAGE as error:
            raise broken(f"{name} cannot be read") from error

    def _read_documents(self) -> Iterator[BundleDocument]:
        entry = self._entries.get(DOCUMENTS)
        if entry is None or entry.file_size > _LIST_BYTES:
            raise broken(f"{DOCUMENTS} is missing or too large")
        found = 0
        try:
            with self._zip.open(entry) as lines:
                while line := lines.readline(_LINE_BYTES + 1):
                    if len(line) > _LINE_BYTES:
                        raise broken(f"{DOCUMENTS} has a line that is too long")
                    found += 1
                    if found > _MOST_DOCUMENTS:
                        raise broken(f"it holds more than {_MOST_DOCUMENTS:,} documents")
                    yield read_document(line, max_tags=self._limits.tags_per_document)
        except _DAMAGE as error:
            raise broken(f"{DOCUMENTS} cannot be read") from error

    def _check_lists(self) -> None:
        manifest, documents = self.manifest, self.documents
        if len(documents) != manifest.documents or len({d.name for d in documents}) != len(documents):
            raise broken("its list of documents is not the one it was written with")
        if sum(document.size_bytes for document in documents) > self._limits.bundle_bytes:
            raise LimitExceeded(self._limits.bundle_too_large("What this bundle unpacks to"), code="BUNDLE_TOO_LARGE")
        at = 0
        for document in documents:
            if document.embeddings > MAX_CHUNKS:
                raise broken(f"'{document.name}' claims more passages than a document may have")
            if document.embeddings and document.first_embedding != at:
                raise broken("its embeddings are out of order")
            at += document.embeddings
        vectors = self._entries.get(EMBEDDINGS)
        size = vectors.file_size if vectors else 0
        if at != manifest.embeddings or size != at * manifest.record_bytes or (at and not manifest.dims):
            raise broken("its embeddings do not fit its list of documents")


def _is_hash(text: str) -> bool:
    return len(text) == 2 * HASH_BYTES and all(sign in "0123456789abcdef" for sign in text)


def _check_directory(file: IO[bytes]) -> None:
    """The list of entries is read into memory as a whole, so it must be small whatever the file claims."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _TAIL_BYTES - 76))
    tail = file.read()
    # As zipfile finds it: at the very end, or the last one before a comment. Its fields may look like another.
    end = len(tail) - _END_BYTES if tail[-_END_BYTES:].startswith(_END) else tail.rfind(_END)
    if end < 0:
        raise zipfile.BadZipFile("no end record")
    sizes = [struct.unpack_from("<I", tail, end + 12)[0]]
    if end >= 76 and tail[end - 20 : end - 16] == _LOCATOR_64:
        if tail[end - 76 : end - 72] != _END_64:
            raise zipfile.BadZipFile("no ZIP64 end record")
        sizes = [struct.unpack_from("<Q", tail, end - 76 + 40)[0]]
    if max(sizes) > _DIRECTORY_BYTES:
        raise broken("it lists far too many files")
    file.seek(0)
