"""ZIP-based formats: the parts inside, read within bounds that a bomb cannot pass."""

import io
import struct
import zipfile
import zlib
from collections.abc import Sequence
from itertools import pairwise

from pinakes.domain.errors import DocumentFault

_MB = 1_000_000
PART_BYTES = 64 * _MB
TOTAL_BYTES = 256 * _MB
_DECLARED_BYTES = 512 * _MB
_RATIO = 200
_RATIO_FROM_BYTES = 32 * _MB
_MEMBERS = 20_000
_DIRECTORY_ENTRY = b"PK\x01\x02"
_LOCAL_HEADER_BYTES = 30
_ENCRYPTED = 0x1 | 0x40
# Of the other methods the standard library inflates a whole block at once, whatever that block grows to.
_BOUNDED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)


class Package:
    """The parts of a ZIP-based document; every read is bounded, and so is the sum of all reads."""

    def __init__(self, archive: zipfile.ZipFile, *, what: str) -> None:
        self._archive = archive
        self._what = what
        self._left = TOTAL_BYTES
        self._members = {_normalise(info.filename): info for info in archive.infolist() if not info.is_dir()}
        # Names of parts differ in case between the programs that wrote them and those that point to them.
        self._folded = {name.casefold(): info for name, info in self._members.items()}
        self.names = frozenset(self._members)

    def read(self, name: str, limit: int = PART_BYTES) -> bytes:
        """The part of that name; a fault if it is missing, damaged, or larger than the limit."""
        content = self.find(name, limit)
        if content is None:
            raise _damaged(self._what)
        return content

    def find(self, name: str, limit: int = PART_BYTES) -> bytes | None:
        """The same for a part that need not be there."""
        name = _normalise(name)
        info = self._members.get(name) or self._folded.get(name.casefold())
        if info is None:
            return None
        if info.compress_type not in _BOUNDED_METHODS:
            raise _damaged(self._what)
        bound = min(limit, self._left)
        try:
            with self._archive.open(info) as member:
                content = member.read(bound + 1)
        except _DAMAGE as error:
            raise _damaged(self._what) from error
        if len(content) > bound:
            raise DocumentFault(f"A part of the file unpacks to more than the {bound // _MB:,} MB allowed.")
        self._left -= len(content)
        return content


def open_package(content: bytes, *, what: str) -> Package:
    """The parts of a document called `what` ("a Word document"); a fault for what is no ZIP, encrypted or a bomb."""
    if bomb := looks_like_bomb(content):
        raise DocumentFault(bomb)
    archive = _read_directory(content)
    if archive is None:
        raise _damaged(what)
    if any(info.flag_bits & _ENCRYPTED for info in archive.infolist()):
        raise DocumentFault("The file is protected by a password; remove the protection and upload it again.")
    return Package(archive, what=what)


def looks_like_bomb(content: bytes) -> str | None:
    """Words for a person where a ZIP's directory shows that it would unpack to too much; None for all else."""
    # Asked before the directory is read: an entry of 50 bytes becomes an object of a thousand.
    if content.count(_DIRECTORY_ENTRY) > _MEMBERS:
        return f"The file holds more than the {_MEMBERS:,} parts allowed in an archive."
    archive = _read_directory(content)
    if archive is None:
        return None
    members = archive.infolist()
    unpacked = sum(info.file_size for info in members)
    if unpacked > _DECLARED_BYTES:
        return f"The file would unpack to {unpacked // _MB:,} MB, more than the {_DECLARED_BYTES // _MB:,} MB allowed."
    if unpacked > _RATIO_FROM_BYTES and unpacked > _RATIO * len(content):
        return f"The file would unpack to {unpacked // len(content):,} times its size, as only a ZIP bomb does."
    if _overlap(members):
        return "Parts of the file overlap one another, as only in a ZIP bomb."
    return None


def _read_directory(content: bytes) -> zipfile.ZipFile | None:
    try:
        return zipfile.ZipFile(io.BytesIO(content))
    except _DAMAGE:
        return None


def _overlap(members: Sequence[zipfile.ZipInfo]) -> bool:
    stretches = sorted(
        (info.header_offset, info.header_offset + _LOCAL_HEADER_BYTES + info.compress_size) for info in members
    )
    return any(end > start for (_, end), (start, _) in pairwise(stretches))


def _normalise(name: str) -> str:
    return name.replace("\\", "/").lstrip("/")


def _damaged(what: str) -> DocumentFault:
    return DocumentFault(f"The file is damaged and cannot be opened as {what}.")
