"""OpenDocument texts (ODT): headings, lists and tables in reading order, with notes and comments at the end."""

from collections.abc import Iterator
from typing import Any

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.archive import Package
from pinakes.providers.parsers.office.odf import count_repeats, open_opendocument, read_opendocument_title
from pinakes.providers.parsers.office.ooxml import (
    XmlError,
    find_all,
    find_first,
    find_part,
    get_attribute,
    name_of,
    parse_xml,
)
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.word.end_matter import add_end_matter, pick_furniture
from pinakes.providers.parsers.word.numerals import write_item, write_number
from pinakes.providers.parsers.word.odt_lines import SHAPES, Line, Lists, read_line

_WHAT = "an OpenDocument text"
_WRAPPERS = SHAPES | {"section", "index-body", "numbered-paragraph"}
_ROW_GROUPS = frozenset({"table-header-rows", "table-rows", "table-row-group"})
# Made from the headings and captions of the text, which they repeat.
_INDEXES = frozenset({"table-of-content", "illustration-index", "table-index", "object-index", "alphabetical-index"})
_MOST_COLUMNS = 256
_MOST_REPEATS = 100
_DEEPEST_LIST = 10
# A table that arranges a page rather than data: few rows, and whole stretches of a document in its cells.
_LAYOUT_ROWS = 10
_LAYOUT_CHARS = 1_500
_LONGEST_HEADING = 300
_NOTE_HEADINGS = {"footnote": "Footnotes", "endnote": "Endnotes"}


def parse_odt(content: bytes) -> ParsedDocument:
    """The document's text without what tracked changes deleted."""
    package = open_opendocument(content, what=_WHAT)
    root = _read_content(package)
    body = find_first(root, "body", "text")
    if body is None:
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.")
    styles = find_part(package, "styles.xml")
    reader = _Reader([root] if styles is None else [root, styles])
    reader.read_body(body)
    title = choose_title(read_opendocument_title(package), reader.title, reader.first_heading)
    return reader.outline.finish(title=title)


def _read_content(package: Package) -> Any:
    try:
        return parse_xml(package.read("content.xml"))
    except XmlError as error:
        deep = "depth" in str(error)
        words = "is nested too deeply to be read." if deep else f"is damaged and cannot be opened as {_WHAT}."
        raise DocumentFault(f"The file {words}") from error


class _Reader:
    """Reads one document into an outline."""

    def __init__(self, parts: list[Any]) -> None:
        self._parts = parts
        self._titles = _find_title_styles(parts)
        self._lists = Lists(parts)
        self._notes: dict[str, list[str]] = {kind: [] for kind in _NOTE_HEADINGS}
        self._comments: list[str] = []
        self._seen: list[str] = []
        self._empty = True
        # An index says again what the headings say, if there are any.
        self._keeps_indexes = False
        self.outline = Outline()
        self.title: str | None = None
        self.first_heading: str | None = None

    def read_body(self, body: Any) -> None:
        """The whole document: the body, then what stands beside it."""
        self._keeps_indexes = next(find_all(body, "h"), None) is None
        self._read_blocks(body)
        for kind, heading in _NOTE_HEADINGS.items():
            add_end_matter(self.outline, heading, self._notes[kind])
        add_end_matter(self.outline, "Comments", self._comments)
        furniture = pick_furniture(self._read_furniture(), "".join(self._seen))
        add_end_matter(self.outline, "Headers and footers", furniture)

    def _read_blocks(self, container: Any) -> None:
        for child in container:
            name = name_of(child)
            if name == "h":
                level = count_repeats(child, "outline-level")
                self._read_paragraph(child, level, self._lists.count_heading(level, child))
            elif name == "p":
                title = get_attribute(child, "style-name") in self._titles
                self._read_paragraph(child, 1 if title else None)
            elif name == "list":
                self._read_list(child)
            elif name == "table":
                self._read_table(child)
            elif name in _WRAPPERS or (name in _INDEXES and self._keeps_indexes):
                self._read_blocks(child)

    def _read_paragraph(self, paragraph: Any, level: int | None, number: str = "") -> None:
        line = self._take(paragraph)
        if line.text and level and len(line.text) <= _LONGEST_HEADING:
            self.outline.add_heading(f"{number} {line.text}", level)
            if name_of(paragraph) == "p" and self.title is None:
                self.title = line.text
            if self._empty:
                self.first_heading = line.text
        else:
            self.outline.add_paragraph(line.text)
        self._empty &= not line.text
        for box in line.boxes:
            self._read_blocks(box)

    def _read_list(self, element: Any) -> None:
        boxes: list[Any] = []
        if next(find_all(element, "h"), None) is not None:
            # Numbered headings may stand inside a list that only gives them their numbers.
            for part in (part for item in element for part in item):
                self._read_blocks([part])
            return
        self.outline.add_paragraph("\n".join(self._write_list(element, boxes)))
        self._empty = False
        for box in boxes:
            self._read_blocks(box)

    def _write_list(self, element: Any, boxes: list[Any]) -> Iterator[str]:
        style = get_attribute(element, "style-name") or ""
        yield from self._write_items(element, style, self._lists.begin(element, style), 1, boxes)

    def _write_items(self, element: Any, style: str, counts: list[int], depth: int, boxes: list[Any]) -> Iterator[str]:
        indent = "  " * (min(depth, _DEEPEST_LIST) - 1)
        for item in element:
            marked = name_of(item) != "list-item"
            for part in item:
                if name_of(part) == "list":
                    inner = get_attribute(part, "style-name") or style
                    yield from self._write_items(part, inner, counts, depth + 1, boxes)
                elif name_of(part) in ("p", "h"):
                    line = self._take(part)
                    boxes.extend(line.boxes)
                    text = " ".join(line.text.split())
                    if text and not marked:
                        mark = self._lists.count(style, counts, min(depth, _DEEPEST_LIST), item)
                        text = write_item(mark, text)
                    elif text:
                        text = f"  {text}"
                    marked |= bool(text)
                    if text:
                        yield indent + text

    def _read_table(self, table: Any) -> None:
        rows = list(_find_rows(table))
        cells = [[cell for cell in row if name_of(cell) == "table-cell"] for row in rows]
        if _arranges_page(cells):
            for cell in (cell for row in cells for cell in row):
                self._read_blocks(cell)
            return
        self._empty = False
        self.outline.add_table(row for element in rows for row in self._read_rows(element))

    def _read_rows(self, row: Any) -> Iterator[list[str]]:
        texts: list[str] = []
        for cell in row:
            if name_of(cell) in ("table-cell", "covered-table-cell"):
                text = self._flatten(cell) if name_of(cell) == "table-cell" else ""
                texts.extend([text] * min(count_repeats(cell, "number-columns-repeated"), _MOST_COLUMNS - len(texts)))
        if any(texts):
            while not texts[-1]:
                texts.pop()
            yield from [texts] * min(count_repeats(row, "number-rows-repeated"), _MOST_REPEATS)

    def _flatten(self, container: Any) -> str:
        """All that stands in a cell, a note or a box on one line."""
        return " ".join(filter(None, self._flatten_blocks(container)))

    def _flatten_blocks(self, container: Any) -> Iterator[str]:
        for child in container:
            name = name_of(child)
            if name in ("p", "h"):
                line = self._take(child)
                yield " ".join(line.text.split())
                yield from map(self._flatten, line.boxes)
            elif name == "list":
                boxes: list[Any] = []
                yield from map(str.strip, self._write_list(child, boxes))
                yield from map(self._flatten, boxes)
            elif name == "table":
                rows = (", ".join(filter(None, map(self._flatten, row))) for row in _find_rows(child))
                yield "; ".join(filter(None, rows))
            elif name in _WRAPPERS:
                yield self._flatten(child)

    def _take(self, paragraph: Any) -> Line:
        line = read_line(paragraph, self._take_note)
        self._comments.extend(filter(None, map(self._read_comment, line.comments)))
        self._seen.append(line.text)
        return line

    def _take_note(self, note: Any) -> str:
        kind = "endnote" if get_attribute(note, "note-class") == "endnote" else "footnote"
        notes = self._notes[kind]
        mark = f"[{write_number(len(notes) + 1, 'lowerRoman' if kind == 'endnote' else 'decimal')}]"
        body = find_first(note, "note-body")
        # The place is taken before the note is read, for it may hold notes itself.
        notes.append(mark)
        at = len(notes) - 1
        notes[at] = f"{mark} {'' if body is None else self._flatten(body)}"
        return mark

    def _read_comment(self, comment: Any) -> str:
        author = find_first(comment, "creator")
        name = "" if author is None else (author.text or "").strip()
        text = self._flatten(comment)
        return f"{name}: {text}" if name and text else text

    def _read_furniture(self) -> Iterator[tuple[str, bool]]:
        for master in (master for part in self._parts for master in find_all(part, "master-page")):
            for paragraph in find_all(master, "p", "h"):
                line = read_line(paragraph, lambda _: "")
                yield line.text, line.has_page_number


def _find_title_styles(parts: list[Any]) -> frozenset[str]:
    styles = [style for part in parts for style in find_all(part, "style")]
    parents = {get_attribute(style, "name") or "": get_attribute(style, "parent-style-name") for style in styles}
    # A style that the author changed by hand is made anew, based on the one that was changed.
    return frozenset({"Title", *(name for name, parent in parents.items() if parent == "Title" and name != "Subtitle")})


def _find_rows(table: Any) -> Iterator[Any]:
    for child in table:
        if name_of(child) == "table-row":
            yield child
        elif name_of(child) in _ROW_GROUPS:
            yield from _find_rows(child)


def _arranges_page(rows: list[list[Any]]) -> bool:
    if max((sum(count_repeats(cell, "number-columns-repeated") for cell in row) for row in rows), default=0) <= 1:
        return True
    cells = [cell for row in rows for cell in row]
    if len(rows) == 1 and any(find_first(cell, "table") is not None for cell in cells):
        return True
    lengths = (sum(map(len, cell.itertext())) for cell in cells)
    return len(rows) <= _LAYOUT_ROWS and any(length > _LAYOUT_CHARS for length in lengths)
