"""The inside of a Word 97–2003 file: its text in order of position, the parts of that text, and its tables."""

import re
import struct
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from pinakes.domain.errors import DocumentFault
from pinakes.providers.parsers.word.rtf_words import find_encoding

WHAT = "a Word document"
_OLDEST_WITH_STYLES = 0x00C1  # Word 97
_MARKS = (0xA5EC, 0xA5DC, 0xA5DB)
_COMPLEX, _SECOND_TABLE, _WIDE = 0x0004, 0x0200, 0x1000
_NARROW = 0x40000000
_MACINTOSH = 1
_TABLES_AT = 0x9A
_PIECES_97, _PIECES_95 = 0x01A2, 0x0160
_COUNTS_97, _COUNTS_95 = 0x4C, 0x34
# Marks that keep their place in text that is not shown.
_SHOWN = re.compile(r"[^\r\x07\x0c\x13-\x15]")
Part = Literal["text", "footnotes", "furniture", "macros", "comments", "endnotes", "boxes", "furniture boxes"]
_PARTS: Sequence[Part] = (
    "text", "footnotes", "furniture", "macros", "comments", "endnotes", "boxes", "furniture boxes",
)  # fmt: skip
# The code pages of the languages in which Word 6 and 95 were sold, by the language's number.
_CODE_PAGES: Mapping[int, int] = {
    **dict.fromkeys((0x05, 0x0E, 0x15, 0x18, 0x1A, 0x1B, 0x1C, 0x24), 1250),
    **dict.fromkeys((0x02, 0x19, 0x22, 0x23, 0x2F), 1251),
    **dict.fromkeys((0x25, 0x26, 0x27), 1257),
    0x01: 1256,
    0x08: 1253,
    0x0D: 1255,
    0x11: 932,
    0x12: 949,
    0x1E: 874,
    0x1F: 1254,
    0x2A: 1258,
}
_SIMPLIFIED_CHINESE, _TRADITIONAL_CHINESE = (0x0804, 0x1004), (0x0404, 0x0C04, 0x1404)


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text: where it begins in the document, and which bytes of the stream hold it."""

    position: int
    length: int
    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class WordFile:
    """A file of which nothing was read but where all is; a position counts characters of 16 bits."""

    stream: bytes
    tables: bytes
    data: bytes
    pieces: Sequence[Piece]
    encoding: str
    counts: Sequence[int]
    has_styles: bool

    def find_table(self, number: int) -> tuple[int, int]:
        """Where in the stream of tables the one of this number begins and how long it is."""
        start, size = struct.unpack_from("<II", self.stream, _TABLES_AT + 8 * number)
        return (start, size) if start + size <= len(self.tables) else (0, 0)

    def read_table(self, number: int) -> bytes:
        """The table of this number, empty where there is none."""
        start, size = self.find_table(number) if self.has_styles else (0, 0)
        return self.tables[start : start + size]

    def find_part(self, part: Part) -> range:
        """The positions of one part of the text."""
        ends = list(accumulate(self.counts, initial=0))
        index = _PARTS.index(part)
        return range(ends[index], ends[index + 1])

    def find_offset(self, position: int) -> int:
        """Where in the stream the character at this position is; -1 if nowhere."""
        index = bisect_right(self.pieces, position, key=lambda piece: piece.position) - 1
        if index < 0:
            return -1
        piece = self.pieces[index]
        return piece.offset + (position - piece.position) * piece.width

    def read_text(self, unseen: Sequence[tuple[int, int]]) -> str:
        """All parts, one character a position; bytes in the unseen stretches of the stream become zeros."""
        parts: list[str] = []
        for piece in self.pieces:
            text = self._decode(piece)
            at = 0
            for start, end in _find_overlaps(piece, unseen):
                parts += [text[at:start], _SHOWN.sub("\0", text[start:end])]
                at = end
            parts.append(text[at:])
        return "".join(parts)

    def _decode(self, piece: Piece) -> str:
        content = self.stream[piece.offset : piece.offset + piece.length * piece.width]
        if piece.width == 1:
            return content.decode(self.encoding, "replace")
        text = content.decode("utf-16-le", "surrogatepass")
        if len(text) == piece.length:
            return text
        # Positions count the two halves of a character beyond the first plane.
        return "".join(map(chr, struct.unpack(f"<{piece.length}H", content)))


def open_word(streams: Mapping[str, bytes]) -> WordFile:
    """The file whose streams these are; a fault where they contradict each other."""
    try:
        stream = streams["WordDocument"]
        mark, version, language = struct.unpack_from("<HH2xH", stream)
        (flags,) = struct.unpack_from("<H", stream, 0x0A)
        if mark not in _MARKS:
            raise damaged()
        if version < _OLDEST_WITH_STYLES:
            return _open_old(stream, flags, language)
        tables = streams["1Table" if flags & _SECOND_TABLE else "0Table"]
        start, size = struct.unpack_from("<II", stream, _PIECES_97)
        counts = struct.unpack_from("<8I", stream, _COUNTS_97)
        pieces = tuple(_read_pieces(tables[start : start + size], stream, is_old=False))
        return WordFile(stream, tables, streams.get("Data", b""), pieces, "cp1252", counts, has_styles=True)
    except (struct.error, KeyError) as error:
        raise damaged() from error


def damaged() -> DocumentFault:
    """What is said of a file that contradicts itself."""
    return DocumentFault(f"The file is damaged and cannot be opened as {WHAT}.")


def _open_old(stream: bytes, flags: int, language: int) -> WordFile:
    """Word 6 and 95: text of a code page in one stretch, unless the file was saved in a hurry."""
    counts = struct.unpack_from("<8I", stream, _COUNTS_95)
    encoding = "mac_roman" if stream[0x12] == _MACINTOSH else _find_code_page(language)
    if flags & _COMPLEX:
        start, size = struct.unpack_from("<II", stream, _PIECES_95)
        pieces = tuple(_read_pieces(stream[start : start + size], stream, is_old=True))
    else:
        start, end = struct.unpack_from("<II", stream, 0x18)
        width = 2 if flags & _WIDE else 1
        length = min(sum(counts), (end - start) // width)
        if not 0 <= start < end <= len(stream):
            raise damaged()
        pieces = (Piece(0, length, start, width),)
    # A code page with characters of two bytes has no positions that could be counted one by one.
    if encoding in ("cp932", "cp949", "gb18030", "cp950"):
        counts = (sum(piece.length for piece in pieces), *[0] * 7)
    return WordFile(stream, b"", b"", pieces, encoding, counts, has_styles=False)


def _find_code_page(language: int) -> str:
    if language in _SIMPLIFIED_CHINESE:
        return find_encoding(936)
    if language in _TRADITIONAL_CHINESE:
        return find_encoding(950)
    return find_encoding(_CODE_PAGES.get(language & 0x3FF, 1252))


def _read_pieces(table: bytes, stream: bytes, *, is_old: bool) -> Iterator[Piece]:
    at = 0
    while table[at : at + 1] == b"\x01":
        at += 3 + struct.unpack_from("<H", table, at + 1)[0]
    if table[at : at + 1] != b"\x02":
        raise damaged()
    (size,) = struct.unpack_from("<I", table, at + 1)
    count = max(0, (size - 4) // 12)
    positions = struct.unpack_from(f"<{count + 1}I", table, at + 5)
    at += 5 + 4 * (count + 1)
    # Pieces never share text in a sound file; a hostile one would name the same stretch again and again.
    if positions[0] != 0 or positions[-1] > len(stream):
        raise damaged()
    for index, (position, end) in enumerate(pairwise(positions)):
        (place,) = struct.unpack_from("<I", table, at + 8 * index + 2)
        narrow = is_old or bool(place & _NARROW)
        offset = place if is_old else (place & ~_NARROW) // 2 if narrow else place
        piece = Piece(position, end - position, offset, 1 if narrow else 2)
        if piece.length < 0 or offset + piece.length * piece.width > len(stream):
            raise damaged()
        yield piece


def _find_overlaps(piece: Piece, unseen: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The unseen stretches of a piece, in characters of it."""
    end = piece.offset + piece.length * piece.width
    for start, stop in unseen[max(0, bisect_right(unseen, (piece.offset, 0)) - 1) :]:
        if start >= end:
            return
        first = (max(start, piece.offset) - piece.offset) // piece.width
        last = (min(stop, end) - piece.offset) // piece.width
        if first < last:
            yield first, last
