"""What a Word 97–2003 file says of its paragraphs and characters: styles, and changes to them."""

import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pinakes.providers.parsers.word.doc_file import WordFile
from pinakes.providers.parsers.word.style_names import is_contents, is_title, read_heading_level

_STYLES, _CHARACTER_RUNS, _PARAGRAPH_RUNS = 1, 12, 13  # numbers of tables
_PAGE = 512
_PAGES_KEPT = 64
_NO_STYLE = 0x0FFF
_PARAGRAPH_STYLE = 1
_TITLE, _SUBTITLE, _FIRST_CONTENTS, _LAST_CONTENTS = 62, 74, 19, 27  # of the styles that Word itself knows
_BODY_LEVEL = 9
_LAST_LIST = 0x07FE
_STYLE_CHAIN = 32
# Names of the properties that matter here.
_STYLE, _LEVEL, _LIST, _ELSEWHERE = 0x4600, 0x2640, 0x460B, (0x6645, 0x6646)
_SWITCHES = {0x2416: "in_table", 0x2417: "row_end", 0x244B: "inner_cell", 0x244C: "inner_row_end"}
_NUMBERS = {0x260A: "list_depth", 0x6649: "nesting"}
_DELETED, _HIDDEN, _SYMBOL = 0x0800, 0x083C, 0x6A09
_OLD_ROW_DEFINITION, _ROW_DEFINITION, _TABS = 0xD606, 0xD608, 0xC615
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_SHORT_TABS = 255


@dataclass(frozen=True, slots=True)
class Format:
    """How a paragraph is meant: a heading of a level, an item of a list, a part of a table."""

    level: int | None = None
    title: bool = False
    contents: bool = False
    list_number: int = 0
    list_depth: int = 0
    in_table: bool = False
    nesting: int = 0
    row_end: bool = False
    inner_cell: bool = False
    inner_row_end: bool = False
    edges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Style:
    kind: int
    based_on: int
    name: str
    properties: bytes
    is_paragraph: bool


class Formats:
    """The formats of a file's paragraphs."""

    def __init__(self, file: WordFile) -> None:
        self._file = file
        self._styles = list(_read_styles(file.read_table(_STYLES)))
        self._formats: dict[int, Format] = {}
        self._known: dict[bytes, Format] = {}
        self._runs = _Runs(file.stream, file.read_table(_PARAGRAPH_RUNS), entry_bytes=13)

    def find(self, position: int) -> Format | None:
        """The format of the paragraph that has this position; None if the file does not say."""
        content = self._runs.find(self._file.find_offset(position))
        if content is None:
            return None
        if content not in self._known:
            (style,) = struct.unpack_from("<H", content) if len(content) > 1 else (0,)
            self._known[content] = self._apply(self._format_of(style), content[2:])
        return self._known[content]

    def _format_of(self, number: int) -> Format:
        if number not in self._formats:
            self._formats[number] = self._resolve(number)
        return self._formats[number]

    def _resolve(self, number: int) -> Format:
        chain: list[_Style] = []
        while number < len(self._styles) and self._styles[number].is_paragraph and len(chain) < _STYLE_CHAIN:
            chain.append(self._styles[number])
            number = chain[-1].based_on
        found = Format()
        for style in reversed(chain):
            level = style.kind if 1 <= style.kind <= _BODY_LEVEL else read_heading_level(style.name)
            contents = _FIRST_CONTENTS <= style.kind <= _LAST_CONTENTS or is_contents(style.name)
            title = (found.title or style.kind == _TITLE or is_title(style.name)) and style.kind != _SUBTITLE
            found = replace(found, level=level or found.level, title=title, contents=contents)
            found = _apply_all(found, style.properties)
        return replace(found, level=None) if found.contents else found

    def _apply(self, found: Format, properties: bytes) -> Format:
        for name, operand in _read_properties(properties):
            if name == _STYLE:
                found = self._format_of(_read_number(operand))
            elif name in _ELSEWHERE:
                return _apply_all(found, self._read_elsewhere(_read_number(operand)))
            else:
                found = _apply_one(found, name, operand)
        return found

    def _read_elsewhere(self, offset: int) -> bytes:
        data = self._file.data
        if offset + 2 > len(data):
            return b""
        (size,) = struct.unpack_from("<H", data, offset)
        return data[offset + 2 : offset + 2 + size]


def find_unseen(file: WordFile) -> list[tuple[int, int]]:
    """The stretches of the stream whose characters are hidden, deleted, or stand for a sign of a symbol font."""
    unseen: list[tuple[int, int]] = []
    known: dict[bytes, bool] = {}
    for start, end, properties in _Runs(file.stream, file.read_table(_CHARACTER_RUNS), entry_bytes=1).read_all():
        if properties not in known:
            known[properties] = any(
                name == _SYMBOL or (name in (_DELETED, _HIDDEN) and operand[:1] in (b"\x01", b"\x81"))
                for name, operand in _read_properties(properties)
            )
        if known[properties] and start < end:
            unseen.append((start, end))
    return sorted(unseen)


class _Runs:
    """Properties of stretches of the stream, kept in pages of it that a table lists."""

    def __init__(self, stream: bytes, table: bytes, *, entry_bytes: int) -> None:
        self._stream = stream
        self._entry_bytes = entry_bytes
        # A page is listed once; a hostile table would list one again and again.
        count = max(0, min((len(table) - 4) // 8, len(stream) // _PAGE))
        whole = max(0, (len(table) - 4) // 8)
        self._starts = struct.unpack_from(f"<{count}I", table) if count else ()
        self._pages = struct.unpack_from(f"<{count}I", table, 4 * (whole + 1)) if count else ()
        self._read: dict[int, tuple[Sequence[int], Sequence[bytes]]] = {}

    def find(self, offset: int) -> bytes | None:
        """The properties at this place of the stream; None where there are none."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        starts, properties = self._read_page(self._pages[index] & 0x3FFFFF)
        run = bisect_right(starts, offset) - 1
        return properties[run] if 0 <= run < len(properties) else None

    def read_all(self) -> Iterator[tuple[int, int, bytes]]:
        """Every run: its start, its end, its properties."""
        for page in self._pages:
            starts, properties = self._read_page(page & 0x3FFFFF)
            yield from zip(starts, starts[1:], properties, strict=False)

    def _read_page(self, number: int) -> tuple[Sequence[int], Sequence[bytes]]:
        if number not in self._read:
            if len(self._read) >= _PAGES_KEPT:
                self._read.clear()
            self._read[number] = self._cut_page(self._stream[number * _PAGE : (number + 1) * _PAGE])
        return self._read[number]

    def _cut_page(self, page: bytes) -> tuple[Sequence[int], Sequence[bytes]]:
        count = page[-1] if len(page) == _PAGE else 0
        entries = 4 * (count + 1)
        if count == 0 or entries + count * self._entry_bytes >= _PAGE:
            return (), ()
        starts = struct.unpack_from(f"<{count + 1}I", page)
        places = [2 * page[entries + index * self._entry_bytes] for index in range(count)]
        return starts, [self._cut_properties(page, place) if place else b"" for place in places]

    def _cut_properties(self, page: bytes, place: int) -> bytes:
        size = page[place]
        if self._entry_bytes == 1:
            return page[place + 1 : place + 1 + size]
        # Of a paragraph the size is counted in pairs of bytes, one less than so if it is odd.
        if size:
            return page[place + 1 : place + 2 * size]
        return page[place + 2 : place + 2 + 2 * page[place + 1]] if place + 1 < len(page) else b""


def _apply_all(found: Format, properties: bytes) -> Format:
    for name, operand in _read_properties(properties):
        found = _apply_one(found, name, operand)
    return found


def _apply_one(found: Format, name: int, operand: bytes) -> Format:
    number = _read_number(operand)
    if name in _SWITCHES:
        return replace(found, **{_SWITCHES[name]: number != 0})
    if name == _LEVEL:
        return replace(found, level=number + 1 if number < _BODY_LEVEL else None)
    if name == _LIST:
        return replace(found, list_number=number if number <= _LAST_LIST else 0)
    if name in _NUMBERS:
        return replace(found, **{_NUMBERS[name]: number})
    return replace(found, edges=_read_edges(operand)) if name == _ROW_DEFINITION else found


def _read_edges(operand: bytes) -> tuple[int, ...]:
    """Where the cells of a row begin, and where the last one ends."""
    count = operand[2] + 1 if len(operand) > 2 else 0
    return struct.unpack_from(f"<{count}h", operand, 3) if len(operand) >= 3 + 2 * count else ()


def _read_number(operand: bytes) -> int:
    return int.from_bytes(operand, "little")


def _read_properties(content: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 2 < len(content):
        (name,) = struct.unpack_from("<H", content, at)
        at += 2
        size = _OPERAND_BYTES[name >> 13] or _measure(name, content, at)
        yield name, content[at : at + size]
        at += size


def _measure(name: int, content: bytes, at: int) -> int:
    """The size of an operand that tells its own."""
    if name in (_OLD_ROW_DEFINITION, _ROW_DEFINITION):
        return _read_number(content[at : at + 2]) + 1
    if name == _TABS and content[at] == _SHORT_TABS:
        removed = _read_number(content[at + 1 : at + 2])
        return 3 + 4 * removed + 3 * _read_number(content[at + 2 + 4 * removed : at + 3 + 4 * removed])
    return content[at] + 1


def _read_styles(table: bytes) -> Iterator[_Style]:
    if len(table) < 6:
        return
    size, count, fixed = struct.unpack_from("<HHH", table)
    at = 2 + size
    for _ in range(count):
        if at + 2 > len(table):
            return
        (length,) = struct.unpack_from("<H", table, at)
        yield _read_style(table[at + 2 : at + 2 + length], fixed)
        at += 2 + length + length % 2


def _read_style(content: bytes, fixed: int) -> _Style:
    if len(content) < max(fixed, 4) + 2:
        return _Style(_NO_STYLE, _NO_STYLE, "", b"", is_paragraph=False)
    kind, base = struct.unpack_from("<HH", content)
    (length,) = struct.unpack_from("<H", content, fixed)
    at = fixed + 2 + 2 * length
    name = content[fixed + 2 : at].decode("utf-16-le", "replace")
    at += 2
    at += at % 2
    size = _read_number(content[at : at + 2])
    properties = content[at + 4 : at + 2 + size]
    is_paragraph = base & 0xF == _PARAGRAPH_STYLE
    # Further names of a style stand after a comma.
    return _Style(kind & 0x0FFF, base >> 4, name.partition(",")[0], properties, is_paragraph)
