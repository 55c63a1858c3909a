"""OLE files, which hold the office formats of before 2007: their streams and their title."""

import io
import struct
from collections.abc import Callable
from typing import Any, cast

import olefile  # pyright: ignore[reportMissingTypeStubs]

from pinakes.domain.errors import DocumentFault
from pinakes.providers.parsers.titles import choose_title

_LOCKED = "The file is protected by a password; remove the protection and upload it again."
_HEAD_BYTES = 4_096
_WORD_ENCRYPTED = 0x0100
# A password, a document for distribution whose text is scrambled, rights management, a certificate.
_HWP_LOCKED = 0x0002 | 0x0004 | 0x0010 | 0x0100 | 0x0400
_EXCEL_STREAMS = ("Workbook", "Book")
_EXCEL_FILE_PASS = 0x002F
_POWERPOINT_ENCRYPTED = 0xF3D1C4DF
_PROPERTIES = ("\x05HwpSummaryInformation", "\x05SummaryInformation")
_PROPERTY_BYTES = 1_000_000
_MOST_PROPERTIES = 1_000
_CODE_PAGE, _TITLE = 1, 2  # of the properties
_TEXT, _WIDE_TEXT = 30, 31
_UTF8_PAGE = 65_001


def explain_ole(content: bytes) -> str | None:
    """Words for a person where this is an OLE file that a password protects; None for all else."""
    if not content.startswith(olefile.MAGIC):
        return None
    try:
        with cast("Any", olefile.OleFileIO(io.BytesIO(content))) as container:
            return _LOCKED if _is_locked(container) else None
    except (OSError, ValueError, IndexError, struct.error):
        # What is damaged is for its reader to say.
        return None


def read_streams(content: bytes, *names: str, what: str) -> tuple[dict[str, bytes], str | None]:
    """Those of the named streams that are there, and the document's title; a fault if it is locked or damaged."""
    if fault := explain_ole(content):
        raise DocumentFault(fault)
    try:
        with cast("Any", olefile.OleFileIO(io.BytesIO(content))) as container:
            streams = {name: container.openstream(name).read() for name in names if container.exists(name)}
            return streams, _read_title(container)
    except (OSError, ValueError, IndexError, struct.error) as error:
        raise DocumentFault(f"The file is damaged and cannot be opened as {what}.") from error


def _read_title(container: Any) -> str | None:
    # The library's own reader of properties believes a damaged count of them, and goes on for minutes.
    name = next(filter(container.exists, _PROPERTIES), None)
    content = container.openstream(name).read(_PROPERTY_BYTES) if name else b""
    try:
        return choose_title(_find_title(content).partition("\0")[0])
    except (struct.error, LookupError):
        return None


def _find_title(content: bytes) -> str:
    (start,) = struct.unpack_from("<I", content, 44)
    (count,) = struct.unpack_from("<I", content, start + 4)
    entries = (
        struct.unpack_from("<II", content, start + 8 + 8 * index) for index in range(min(count, _MOST_PROPERTIES))
    )
    places = {number: start + place for number, place in entries if number in (_CODE_PAGE, _TITLE)}
    kind, size = struct.unpack_from("<II", content, places[_TITLE])
    first = places[_TITLE] + 8
    if kind == _WIDE_TEXT:
        return content[first : first + 2 * size].decode("utf-16-le", "replace")
    page = struct.unpack_from("<H", content, places[_CODE_PAGE] + 4)[0] if _CODE_PAGE in places else 1252
    encoding = "utf-8" if page == _UTF8_PAGE else f"cp{page}"
    return content[first : first + size].decode(encoding, "replace") if kind == _TEXT else ""


def _is_locked(container: Any) -> bool:
    if container.exists("EncryptedPackage"):
        return True
    checks: tuple[tuple[str, Callable[[bytes], bool]], ...] = (
        ("WordDocument", lambda head: bool(_number("<H", head, 10) & _WORD_ENCRYPTED)),
        ("FileHeader", lambda head: head.startswith(b"HWP") and bool(_number("<I", head, 36) & _HWP_LOCKED)),
        ("Current User", lambda head: _number("<I", head, 12) == _POWERPOINT_ENCRYPTED),
        *((name, _is_locked_workbook) for name in _EXCEL_STREAMS),
    )
    return any(container.exists(name) and locked(_read_head(container, name)) for name, locked in checks)


def _read_head(container: Any, name: str) -> bytes:
    return cast("bytes", container.openstream(name).read(_HEAD_BYTES))


def _is_locked_workbook(head: bytes) -> bool:
    # Before the record that asks for a password stand only the workbook's first and a few short ones.
    offset = 0
    while offset + 4 <= len(head):
        kind, length = struct.unpack_from("<HH", head, offset)
        if kind == _EXCEL_FILE_PASS:
            return True
        offset += 4 + length
    return False


def _number(layout: str, head: bytes, offset: int) -> int:
    return struct.unpack_from(layout, head, offset)[0] if len(head) >= offset + struct.calcsize(layout) else 0
