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
_HANGUL_PROPERTIES = "\x05HwpSummaryInformation"
_TITLE = 2  # of the properties
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
    if container.exists(_HANGUL_PROPERTIES):
        title = container.getproperties(_HANGUL_PROPERTIES).get(_TITLE)
        return choose_title(title.partition("\0")[0]) if isinstance(title, str) else None
    properties = container.get_metadata()
    title, page = properties.title, properties.codepage or 1252
    if not isinstance(title, bytes):
        return None
    # The page is stored as a signed number.
    encoding = "utf-8" if page & 0xFFFF == _UTF8_PAGE else f"cp{page & 0xFFFF}"
    try:
        return choose_title(title.decode(encoding, "replace").replace("\x00", ""))
    except LookupError:
        return None


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
