"""Strings of Excel 5–2003 workbooks, whose shared table runs over the ends of records."""

import struct
from collections.abc import Sequence

_WIDE, _EXTENDED, _RICH = 0x01, 0x04, 0x08


def read_short_string(content: bytes, encoding: str, *, unicode: bool) -> str:
    """A string whose length is one byte, as in the names of sheets."""
    return _read_string(content, 1, encoding, unicode=unicode)


def read_long_string(content: bytes, encoding: str, *, unicode: bool) -> str:
    """A string whose length is two bytes, as in cells."""
    return _read_string(content, 2, encoding, unicode=unicode)


def _read_string(content: bytes, size: int, encoding: str, *, unicode: bool) -> str:
    count = int.from_bytes(content[:size], "little")
    if not unicode:
        return content[size : size + count].decode(encoding, "replace")
    return _Segments([content[size:]]).read_chars(count)


def read_shared_strings(segments: Sequence[bytes]) -> list[str]:
    """The table of strings; its first record and those that continue it. What is cut off at the end is left out."""
    reader = _Segments([segments[0][8:], *segments[1:]])
    (total,) = struct.unpack_from("<I", segments[0], 4)
    strings: list[str] = []
    while len(strings) < total and not reader.at_end:
        strings.append(reader.read_chars(struct.unpack("<H", reader.read(2))[0]))
    return strings


class _Segments:
    """Reads on from one record to the next."""

    def __init__(self, segments: Sequence[bytes]) -> None:
        self._segments = segments
        self._index = 0
        self._offset = 0

    @property
    def at_end(self) -> bool:
        self._advance()
        return self._index >= len(self._segments)

    def read(self, count: int) -> bytes:
        """So many bytes; ValueError if there are not so many."""
        parts: list[bytes] = []
        while count:
            if self.at_end:
                raise ValueError("the strings end too early")
            part = self._take(count)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def read_chars(self, count: int) -> str:
        """A string of so many characters, and what says how it looks, which is passed over."""
        (flags,) = self.read(1)
        runs = struct.unpack("<H", self.read(2))[0] if flags & _RICH else 0
        extra = struct.unpack("<I", self.read(4))[0] if flags & _EXTENDED else 0
        parts: list[str] = []
        while True:
            wide = bool(flags & _WIDE)
            part = self._take(count * 2 if wide else count) if count else b""
            parts.append(part.decode("utf-16-le" if wide else "latin-1", "replace"))
            count -= len(part) // 2 if wide else len(part)
            if count <= 0:
                break
            if self.at_end:
                raise ValueError("a string ends too early")
            # Where a record ends within a string, the next one says anew how wide the characters are.
            (flags,) = self.read(1)
        self.read(runs * 4 + extra)
        return "".join(parts)

    def _take(self, count: int) -> bytes:
        if self._index >= len(self._segments):
            return b""
        part = self._segments[self._index][self._offset : self._offset + count]
        self._offset += len(part)
        return part

    def _advance(self) -> None:
        while self._index < len(self._segments) and self._offset >= len(self._segments[self._index]):
            self._index += 1
            self._offset = 0
