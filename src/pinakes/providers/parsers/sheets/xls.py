"""Excel 5–2003 workbooks (XLS): every sheet with its cells as they are shown."""

import codecs
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ole import read_streams
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.sheets.blocks import CellBudget, Row, Sheet, add_sheet
from pinakes.providers.parsers.sheets.number_format import get_built_in_format, show_number
from pinakes.providers.parsers.sheets.xls_strings import read_long_string, read_shared_strings, read_short_string

_WHAT = "an Excel workbook"
_BOF, _EOF, _CONTINUE, _CODE_PAGE, _DATE_MODE = 0x0809, 0x000A, 0x003C, 0x0042, 0x0022
_FORMAT, _STYLE, _STRINGS, _SHEET = 0x041E, 0x00E0, 0x00FC, 0x0085
_LABEL, _RICH_LABEL, _SHARED_LABEL, _STRING = 0x0204, 0x00D6, 0x00FD, 0x0207
_NUMBER, _RK, _MANY_RK, _FORMULA, _TRUTH = 0x0203, 0x027E, 0x00BD, 0x0006, 0x0205
_BIFF8 = 0x0600
_ERRORS = {0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A"}
_STREAMS = ("Workbook", "Book")
_CELLS = frozenset({_LABEL, _RICH_LABEL, _SHARED_LABEL, _NUMBER, _RK, _MANY_RK, _FORMULA, _TRUTH})


@dataclass(frozen=True, slots=True)
class _Record:
    kind: int
    content: bytes


@dataclass(slots=True)
class _Book:
    """What the cells of all sheets refer to."""

    stream: bytes
    unicode: bool = True
    encoding: str = "cp1252"
    since_1904: bool = False
    formats: dict[int, str] = field(default_factory=dict[int, str])
    styles: list[int] = field(default_factory=list[int])
    strings: list[str] = field(default_factory=list[str])
    sheets: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])
    budget: CellBudget = field(default_factory=CellBudget)

    def show(self, value: float, style: int) -> str:
        """A number as its cell's style shows it."""
        number = self.styles[style] if style < len(self.styles) else 0
        code = self.formats.get(number) or get_built_in_format(number)
        return show_number(repr(value), code, since_1904=self.since_1904)


def parse_xls(content: bytes) -> ParsedDocument:
    """One table for each block of filled rows, by sheet."""
    streams, title = read_streams(content, *_STREAMS, what=_WHAT)
    stream = next((streams[name] for name in _STREAMS if name in streams), b"")
    outline = Outline()
    try:
        book = _read_book(stream)
        for number, (offset, kind, name) in enumerate(book.sheets, start=1):
            if kind == 0:
                add_sheet(outline, Sheet(number, name or f"Sheet {number}", _read_rows(book, offset)))
    except (ValueError, IndexError, struct.error) as error:
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.") from error
    return outline.finish(title=title)


def _list_records(stream: bytes, offset: int) -> Iterator[_Record]:
    """The records of one part of the stream, without those of the charts inside it."""
    depth = 0
    while offset + 4 <= len(stream):
        kind, length = struct.unpack_from("<HH", stream, offset)
        record = _Record(kind, stream[offset + 4 : offset + 4 + length])
        depth += (kind == _BOF) - (kind == _EOF)
        if depth == 0:
            return
        if depth == 1:
            yield record
        offset += 4 + length
    raise ValueError("the stream ends too early")


def _read_book(stream: bytes) -> _Book:
    book = _Book(stream)
    strings: list[bytes] = []
    previous = 0
    for record in _list_records(stream, 0):
        kind, content = record.kind, record.content
        if kind == _BOF:
            book.unicode = struct.unpack_from("<H", content)[0] >= _BIFF8
        elif kind == _CODE_PAGE:
            book.encoding = _name_encoding(struct.unpack_from("<H", content)[0])
        elif kind == _DATE_MODE:
            book.since_1904 = content[:1] == b"\x01"
        elif kind == _STYLE:
            book.styles.append(struct.unpack_from("<2xH", content)[0])
        elif kind == _STRINGS or (kind == _CONTINUE and previous == _STRINGS):
            strings.append(content)
            kind = _STRINGS
        else:
            _take_name(book, record)
        previous = kind
    if strings:
        book.strings = read_shared_strings(strings)
    return book


def _take_name(book: _Book, record: _Record) -> None:
    content = record.content
    if record.kind == _FORMAT:
        (number,) = struct.unpack_from("<H", content)
        read = read_long_string if book.unicode else read_short_string
        book.formats[number] = read(content[2:], book.encoding, unicode=book.unicode)
    elif record.kind == _SHEET:
        offset, kind = struct.unpack_from("<IxB", content)
        book.sheets.append((offset, kind, read_short_string(content[6:], book.encoding, unicode=book.unicode)))


def _name_encoding(page: int) -> str:
    name = {1200: "utf-16-le", 32_768: "mac-roman", 32_769: "cp1252"}.get(page, f"cp{page}")
    try:
        codecs.lookup(name)
    except LookupError:
        return "cp1252"
    return name


def _read_rows(book: _Book, offset: int) -> list[Row]:
    rows: dict[int, dict[int, str]] = {}
    formula: tuple[int, int] | None = None
    for record in _list_records(book.stream, offset):
        content = record.content
        if record.kind == _STRING and formula:
            text = read_long_string(content, book.encoding, unicode=book.unicode)
            rows.setdefault(formula[0], {})[formula[1]] = text
        if record.kind not in _CELLS:
            continue
        row, column = struct.unpack_from("<HH", content)
        formula = (row, column) if record.kind == _FORMULA else None
        for index, text in enumerate(_show_cells(book, record)):
            if text.strip():
                book.budget.spend(1)
                rows.setdefault(row, {})[column + index] = text.strip()
    return [Row(number + 1, sorted(cells.items())) for number, cells in rows.items()]


def _show_cells(book: _Book, record: _Record) -> Iterator[str]:
    """What the cell of a record shows, or the cells: some records hold several in a row."""
    kind, content = record.kind, record.content
    (style,) = struct.unpack_from("<4xH", content)
    if kind == _SHARED_LABEL:
        (index,) = struct.unpack_from("<6xI", content)
        yield book.strings[index] if index < len(book.strings) else ""
    elif kind in (_LABEL, _RICH_LABEL):
        yield read_long_string(content[6:], book.encoding, unicode=book.unicode)
    elif kind == _NUMBER:
        yield book.show(struct.unpack_from("<6xd", content)[0], style)
    elif kind == _RK:
        yield book.show(_read_rk(content, 6), style)
    elif kind == _MANY_RK:
        for start in range(4, len(content) - 7, 6):
            (style,) = struct.unpack_from("<H", content, start)
            yield book.show(_read_rk(content, start + 2), style)
    elif kind == _TRUTH:
        value, is_error = content[6:8]
        yield _show_truth(value, is_error=bool(is_error))
    else:
        yield _show_result(book, content[6:14], style)


def _read_rk(content: bytes, start: int) -> float:
    """A number in four bytes: a whole one, or the upper half of a fraction; maybe a hundred times too large."""
    (written,) = struct.unpack_from("<i", content, start)
    value = written >> 2 if written & 2 else struct.unpack("<d", struct.pack("<ii", 0, written & ~3))[0]
    return value / 100 if written & 1 else value


def _show_truth(value: int, *, is_error: bool) -> str:
    return _ERRORS.get(value, "#N/A") if is_error else ("TRUE" if value else "FALSE")


def _show_result(book: _Book, result: bytes, style: int) -> str:
    if result[6:] != b"\xff\xff":
        return book.show(struct.unpack("<d", result)[0], style)
    # A text stands in a record of its own behind the formula.
    return _show_truth(result[2], is_error=result[0] == 2) if result[0] in (1, 2) else ""
