"""Word 97–2003 documents (DOC): headings, lists and tables in reading order, with notes and comments at the end."""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ole import read_streams
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.word.doc_file import WHAT, Part, WordFile, damaged, open_word
from pinakes.providers.parsers.word.doc_formats import Format, Formats, find_unseen
from pinakes.providers.parsers.word.doc_lines import Line, read_lines
from pinakes.providers.parsers.word.doc_lists import Lists
from pinakes.providers.parsers.word.end_matter import add_end_matter, pick_furniture
from pinakes.providers.parsers.word.numerals import write_item, write_number

# Numbers of tables: where notes and comments are referred to, and where they stand.
_FOOTNOTES, _COMMENTS, _ENDNOTES, _AUTHORS, _STORIES = (2, 3), (4, 5), (46, 47), 36, 11
_NOTE_BYTES, _COMMENT_BYTES, _AUTHOR_AT = 2, 30, 20
_SEPARATORS = 6  # the lines above footnotes are kept among the headers
_DEEPEST_LIST = 8
_LONGEST_HEADING = 300
# A table that arranges a page rather than data: few rows, and whole stretches of a document in its cells.
_LAYOUT_ROWS = 10
_LAYOUT_CHARS = 1_500
_SAME_EDGE = 20  # a point, in the twentieths that edges are counted in
_PAGE_NUMBERS = re.compile(r"\b(?:PAGE|NUMPAGES|SECTIONPAGES)\b")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    format: Format
    mark: str | None = None

    def flatten(self) -> str:
        """The paragraph as a part of a line."""
        return write_item(self.mark, self.text) if self.mark and self.text else self.text


_Cell = list[_Paragraph]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table; the edges are those of its cells, where the file says so."""

    cells: list[_Cell]
    edges: tuple[int, ...]

    def spread(self, grid: Sequence[int]) -> list[str]:
        """The texts of the cells, each in the column of the grid in which it begins."""
        texts = [" ".join(filter(None, map(_Paragraph.flatten, cell))) for cell in self.cells]
        if not grid:
            return texts
        columns = [_find_column(grid, edge) for edge in self.edges[:-1]]
        spread = [""] * (len(grid) - 1)
        for column, text in zip(columns, texts, strict=True):
            spread[column] = text
        return spread


def parse_doc(content: bytes) -> ParsedDocument:
    """The document's text; tracked insertions count, deletions do not. Of Word 6 and 95 the text without its form."""
    streams, title = read_streams(content, "WordDocument", "0Table", "1Table", "Data", what=WHAT)
    file = open_word(streams)
    try:
        reader = _Reader(file)
        reader.read_body()
        reader.read_end_matter()
    except (struct.error, IndexError) as error:
        raise damaged() from error
    return reader.outline.finish(title=title or choose_title(reader.title, reader.first_heading))


class _Reader:
    """Reads one document into an outline."""

    def __init__(self, file: WordFile) -> None:
        self._file = file
        self._text = file.read_text(find_unseen(file) if file.has_styles else ())
        self._formats = Formats(file)
        self._lists = Lists(file)
        self._notes = _number_notes(file, _FOOTNOTES, "decimal") | _number_notes(file, _ENDNOTES, "lowerRoman")
        self._items: list[str] = []
        self._cell: _Cell = []
        self._row: list[_Cell] = []
        self._rows: list[_Row] = []
        self._inner_cell: list[str] = []
        self._inner_row: list[str] = []
        self._inner_rows: list[str] = []
        self._keeps_contents = False
        self._empty = True
        self.outline = Outline()
        self.title: str | None = None
        self.first_heading: str | None = None

    def read_body(self) -> None:
        """The text of the document itself."""
        lines = [(line, self._formats.find(line.position)) for line in self._read_part("text")]
        # The table of contents says again what the headings say, if there are any.
        self._keeps_contents = not any(found.level for line, found in lines if found and line.text)
        for line, found in lines:
            self._take(line, found)
        self._end_table()
        self._flush_list()

    def read_end_matter(self) -> None:
        """What stands beside the text: notes, comments, boxes, headers and footers."""
        footnotes = self._read_notes("footnotes", _FOOTNOTES[1])
        add_end_matter(self.outline, "Footnotes", _number_lines(footnotes, "decimal"))
        endnotes = self._read_notes("endnotes", _ENDNOTES[1])
        add_end_matter(self.outline, "Endnotes", _number_lines(endnotes, "lowerRoman"))
        add_end_matter(self.outline, "Comments", self._read_comments())
        add_end_matter(self.outline, "Text boxes", map(self._flatten, self._read_part("boxes")))
        part = self._file.find_part("text")
        furniture = pick_furniture(self._read_furniture(), self._text[part.start : part.stop])
        add_end_matter(self.outline, "Headers and footers", furniture)

    def _read_part(self, part: Part) -> Iterator[Line]:
        return read_lines(self._text, self._file.find_part(part), self._notes)

    def _take(self, line: Line, found: Format | None) -> None:
        look = found or Format()
        paragraph = self._make_paragraph(line, look)
        if look.nesting > 1:
            self._take_nested(paragraph)
        elif look.row_end or (found is None and line.mark == "\x07" and not line.text and not self._cell and self._row):
            # Where the file does not say so, the row ends at the mark with nothing before it.
            self._end_row(look.edges)
        elif look.in_table or line.mark == "\x07":
            self._end_inner()
            self._cell.append(paragraph)
            if line.mark == "\x07":
                self._end_cell()
        else:
            self._end_table()
            self._add(paragraph)

    def _make_paragraph(self, line: Line, look: Format) -> _Paragraph:
        numbered = look.list_number and line.text
        return _Paragraph(line.text, look, self._lists.count(look.list_number, look.list_depth) if numbered else None)

    def _flatten(self, line: Line) -> str:
        return self._make_paragraph(line, self._formats.find(line.position) or Format()).flatten()

    def _take_nested(self, paragraph: _Paragraph) -> None:
        """A table inside of a cell becomes a line of it, whatever is nested deeper."""
        if paragraph.format.inner_row_end:
            self._inner_rows.append(", ".join(filter(None, self._inner_row)))
            self._inner_row.clear()
            return
        self._inner_cell.append(paragraph.flatten())
        if paragraph.format.inner_cell:
            self._inner_row.append(" ".join(filter(None, self._inner_cell)))
            self._inner_cell.clear()

    def _end_inner(self) -> None:
        rest = [*self._inner_row, *self._inner_cell]
        rows = [*self._inner_rows, ", ".join(filter(None, rest))]
        text = "; ".join(filter(None, rows))
        for kept in (self._inner_rows, self._inner_row, self._inner_cell):
            kept.clear()
        if text:
            self._cell.append(_Paragraph(text, Format(in_table=True)))

    def _end_cell(self) -> None:
        self._row.append(self._cell)
        self._cell = []

    def _end_row(self, edges: tuple[int, ...] = ()) -> None:
        self._end_inner()
        if self._cell:
            self._end_cell()
        if self._row:
            self._rows.append(_Row(self._row, edges))
        self._row = []

    def _end_table(self) -> None:
        self._end_row()
        rows, self._rows = self._rows, []
        if not rows:
            return
        if _arranges_page(rows):
            for paragraph in (paragraph for row in rows for cell in row.cells for paragraph in cell):
                self._add(paragraph)
            return
        self._flush_list()
        grid = _find_grid(rows)
        texts = [row.spread(grid) for row in rows]
        if any(map(any, texts)):
            self._empty = False
        self.outline.add_table(row for row in texts if any(row))

    def _add(self, paragraph: _Paragraph) -> None:
        text, look, mark = paragraph.text, paragraph.format, paragraph.mark
        if not text or (look.contents and not self._keeps_contents):
            return
        if (look.level or look.title) and len(text) <= _LONGEST_HEADING:
            self._flush_list()
            self._add_heading(text if mark in (None, "-") else f"{mark} {text}", look)
        elif mark:
            self._items.append("  " * min(look.list_depth, _DEEPEST_LIST) + write_item(mark, text))
        else:
            self._flush_list()
            self.outline.add_paragraph(text)
        self._empty = False

    def _add_heading(self, text: str, look: Format) -> None:
        self.outline.add_heading(text, look.level or 1)
        if look.title and self.title is None:
            self.title = text
        if self._empty:
            self.first_heading = text

    def _flush_list(self) -> None:
        self.outline.add_paragraph("\n".join(self._items))
        self._items.clear()

    def _read_stories(self, part: Part, table: int) -> Iterator[list[Line]]:
        """The stretches of a part of the text, as a table of their positions cuts it."""
        whole = self._file.find_part(part)
        for start, end in pairwise(_read_positions(self._file.read_table(table), 0)):
            stretch = range(whole.start + start, min(whole.start + end, whole.stop))
            yield list(read_lines(self._text, stretch, {})) if stretch else []

    def _read_notes(self, part: Part, table: int) -> Iterator[str]:
        stories = self._read_stories(part, table)
        return (" ".join(filter(None, map(self._flatten, story))) for story in stories)

    def _read_comments(self) -> Iterator[str]:
        references = self._file.read_table(_COMMENTS[0])
        authors = _read_strings(self._file.read_table(_AUTHORS))
        first = 4 * len(_read_positions(references, _COMMENT_BYTES))
        for index, text in enumerate(self._read_notes("comments", _COMMENTS[1])):
            at = first + index * _COMMENT_BYTES + _AUTHOR_AT
            number = int.from_bytes(references[at : at + 2], "little")
            author = authors[number] if at + 2 <= len(references) and number < len(authors) else ""
            yield f"{author}: {text}" if author and text else text

    def _read_furniture(self) -> Iterator[tuple[str, bool]]:
        for index, story in enumerate(self._read_stories("furniture", _STORIES)):
            for line in story if index >= _SEPARATORS else ():
                yield line.text, _PAGE_NUMBERS.search(line.instructions) is not None
        for line in self._read_part("furniture boxes"):
            yield line.text, _PAGE_NUMBERS.search(line.instructions) is not None


def _number_notes(file: WordFile, tables: tuple[int, int], form: str) -> dict[int, str]:
    """The marks of notes by the positions that refer to them."""
    references = _read_positions(file.read_table(tables[0]), _NOTE_BYTES)[:-1]
    return {position: f"[{write_number(number, form)}]" for number, position in enumerate(references, start=1)}


def _number_lines(lines: Iterator[str], form: str) -> Iterator[str]:
    return (f"[{write_number(number, form)}] {line}" for number, line in enumerate(lines, start=1) if line)


def _read_positions(table: bytes, entry_bytes: int) -> Sequence[int]:
    """The positions with which a table begins: one more than it has entries of that size."""
    if len(table) < 4:
        return ()
    count = (len(table) - 4) // (4 + entry_bytes) + 1
    return struct.unpack_from(f"<{count}I", table)


def _read_strings(table: bytes) -> list[str]:
    strings: list[str] = []
    at = 0
    while at + 2 <= len(table):
        size = 2 * int.from_bytes(table[at : at + 2], "little")
        strings.append(table[at + 2 : at + 2 + size].decode("utf-16-le", "replace").strip())
        at += 2 + size
    return strings


def _find_grid(rows: Sequence[_Row]) -> Sequence[int]:
    """The edges of the widest row, if all others only join cells of it; else none."""
    grid = max((row.edges for row in rows), key=len)
    for row in rows:
        if len(row.edges) != len(row.cells) + 1:
            return ()
        columns = [_find_column(grid, edge) for edge in row.edges]
        if -1 in columns or len(set(columns)) < len(columns):
            return ()
    return grid


def _find_column(grid: Sequence[int], edge: int) -> int:
    """The edge of the grid that is the same for the eye; -1 if there is none."""
    return next((column for column, other in enumerate(grid) if abs(other - edge) <= _SAME_EDGE), -1)


def _arranges_page(rows: Sequence[_Row]) -> bool:
    if max(len(row.cells) for row in rows) <= 1:
        return True
    lengths = (sum(len(paragraph.text) for paragraph in cell) for row in rows for cell in row.cells)
    return len(rows) <= _LAYOUT_ROWS and any(length > _LAYOUT_CHARS for length in lengths)
