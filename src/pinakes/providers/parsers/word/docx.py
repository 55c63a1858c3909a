"""Word documents (DOCX): headings, lists and tables in reading order, with notes and comments at the end."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.archive import Package
from pinakes.providers.parsers.office.drawing import add_drawing
from pinakes.providers.parsers.office.ooxml import (
    XmlError,
    find_main_part,
    find_part,
    open_office,
    parse_xml,
    read_relations,
    read_title,
)
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.word.docx_runs import Line, choose_alternative, read_line, shows_placeholder
from pinakes.providers.parsers.word.docx_styles import (
    Look,
    Numbering,
    Styles,
    W,
    child_value,
    read_level,
    read_number,
    value,
)
from pinakes.providers.parsers.word.end_matter import add_end_matter, pick_furniture
from pinakes.providers.parsers.word.numerals import write_item, write_number

_WHAT = "a Word document"
_STRICT = b"http://purl.oclc.org/ooxml/"
# The strict variant of the format differs in the names of its namespaces, and in nothing that is read here.
_NAMESPACES = (
    (_STRICT + b"wordprocessingml/main", b"http://schemas.openxmlformats.org/wordprocessingml/2006/main"),
    (
        _STRICT + b"officeDocument/relationships",
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
    ),
    (_STRICT + b"officeDocument/math", b"http://schemas.openxmlformats.org/officeDocument/2006/math"),
)
_FOREIGN = "A part embedded in another format was left out."
_NO_LINKS: Mapping[str, str] = {}
_ALTERNATIVES = "{http://schemas.openxmlformats.org/markup-compatibility/2006}AlternateContent"
_WRAPPERS = frozenset(f"{W}{name}" for name in ("ins", "moveTo", "customXml", "smartTag", "sdtContent"))
_DEEPEST_LIST = 8
_MOST_COLUMNS = 63  # Word's own limit
# A table that arranges a page rather than data: few rows, and whole stretches of a document in its cells.
_LAYOUT_ROWS = 10
_LAYOUT_CHARS = 1_500
_PAGE_NUMBERS = re.compile(r"\b(?:PAGE|NUMPAGES|SECTIONPAGES)\b")
_LONGEST_HEADING = 300  # what is longer was only styled as one


@dataclass(slots=True)
class _Notes:
    """The notes of one kind, numbered as the text comes to them."""

    heading: str
    form: str
    elements: dict[str, Any]
    numbers: dict[str, str] = field(default_factory=dict[str, str])

    def mark(self, note: str) -> str:
        if note not in self.elements:
            return ""
        self.numbers.setdefault(note, write_number(len(self.numbers) + 1, self.form))
        return f"[{self.numbers[note]}]"


def parse_docx(content: bytes) -> ParsedDocument:
    """The document's text; tracked insertions count, deletions do not."""
    package = open_office(content, what=_WHAT)
    part = find_main_part(package, "word/document.xml")
    root = _read_part(package, part)
    body = root.find(f"{W}body") if root is not None and root.tag == f"{W}document" else None
    if body is None:
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.")
    reader = _Reader(package, part)
    reader.read_body(body)
    title = read_title(package) or choose_title(reader.title, reader.first_heading)
    return reader.outline.finish(title=title, remarks=reader.remarks)


def _read_part(package: Package, part: str) -> Any | None:
    content = package.find(part)
    if content is None:
        return None
    if _STRICT in content:
        for strict, usual in _NAMESPACES:
            content = content.replace(strict, usual)
    try:
        return parse_xml(content)
    except XmlError as error:
        deep = "depth" in str(error)
        words = "is nested too deeply to be read." if deep else f"is damaged and cannot be opened as {_WHAT}."
        raise DocumentFault(f"The file {words}") from error


class _Reader:
    """Reads one document into an outline."""

    def __init__(self, package: Package, part: str) -> None:
        self._package = package
        self._part = part
        self._relations = read_relations(package, part)
        self._styles = Styles(self._read_related("styles"))
        self._numbering = Numbering(self._read_related("numbering"))
        self._links = _read_links(package, part)
        self._notes = {
            "footnote": _Notes("Footnotes", "decimal", _read_notes(self._read_related("footnotes"), "footnote")),
            "endnote": _Notes("Endnotes", "lowerRoman", _read_notes(self._read_related("endnotes"), "endnote")),
        }
        self._items: list[str] = []
        self._empty = True
        self._initial = ""
        # The table of contents says again what the headings say, if there are any.
        self._keeps_contents = False
        self.outline = Outline()
        self.title: str | None = None
        self.first_heading: str | None = None
        self.remarks: list[str] = []

    def read_body(self, body: Any) -> None:
        """The whole document: the body, then what stands beside it."""
        self._keeps_contents = not any(map(self._level_of, body.iter(f"{W}p")))
        self._read_blocks(body)
        self._flush_list()
        for notes in self._notes.values():
            # Notes may refer to further notes.
            marks = list(notes.numbers.items())
            lines = [f"[{number}] {self._flatten(notes.elements[note])}" for note, number in marks]
            add_end_matter(self.outline, notes.heading, lines)
        comments = self._read_related("comments")
        found: Iterable[Any] = () if comments is None else comments.iter(f"{W}comment")
        add_end_matter(self.outline, "Comments", map(self._read_comment, found))
        furniture = pick_furniture(self._read_furniture(), "".join(body.itertext(f"{W}t")))
        add_end_matter(self.outline, "Headers and footers", furniture)

    def _read_related(self, kind: str) -> Any | None:
        target = next((link.target for link in self._relations.values() if link.kind == kind), None)
        return _read_part(self._package, target or posixpath.join(posixpath.dirname(self._part), f"{kind}.xml"))

    def _read_blocks(self, container: Any) -> None:
        for child in container:
            tag = child.tag
            if tag == f"{W}p":
                self._read_paragraph(child)
            elif tag == f"{W}tbl":
                self._read_table(child)
            elif tag in _WRAPPERS:
                self._read_blocks(child)
            elif tag == f"{W}sdt":
                if not shows_placeholder(child) and (self._keeps_contents or not _holds_contents(child)):
                    self._read_blocks(child)
            elif tag == _ALTERNATIVES:
                alternative = choose_alternative(child)
                if alternative is not None:
                    self._read_blocks(alternative)
            elif tag == f"{W}altChunk" and _FOREIGN not in self.remarks:
                self.remarks.append(_FOREIGN)

    def _read_paragraph(self, paragraph: Any) -> None:
        look = self._look_of(paragraph)
        if look.hidden or (look.contents and not self._keeps_contents):
            return
        line = self._read_line(paragraph, self._links)
        if _is_initial(paragraph):
            self._initial += line.text
            return
        line.text, self._initial = self._initial + line.text, ""
        mark = self._mark_of(paragraph, look)
        level = self._level_of(paragraph)
        text = line.text
        if text and (level or look.title) and len(text) <= _LONGEST_HEADING:
            self._add_heading(text if mark in (None, "-") else f"{mark} {text}", level or 1, title=look.title)
        elif text and mark:
            self._empty = False
            self._items.append("  " * self._depth_of(paragraph, look) + write_item(mark, text))
        elif text:
            self._flush_list()
            self._empty = False
            self.outline.add_paragraph(text)
        for box in line.boxes:
            self._read_blocks(box)
        for drawing in line.drawings:
            self._flush_list()
            add_drawing(self.outline, self._package, self._relations.get(drawing))

    def _add_heading(self, text: str, level: int, *, title: bool) -> None:
        self._flush_list()
        self.outline.add_heading(text, level)
        if title and self.title is None:
            self.title = text
        if self._empty:
            self.first_heading = text
            self._empty = False

    def _flush_list(self) -> None:
        self.outline.add_paragraph("\n".join(self._items))
        self._items.clear()

    def _read_line(self, paragraph: Any, links: Mapping[str, str]) -> Line:
        return read_line(paragraph, links, lambda kind, note: self._notes[kind].mark(note))

    def _look_of(self, paragraph: Any) -> Look:
        return self._styles.look(self._style_of(paragraph))

    def _style_of(self, paragraph: Any) -> str:
        return child_value(paragraph, "pPr", "pStyle") or self._styles.default

    def _level_of(self, paragraph: Any) -> int | None:
        own = child_value(paragraph, "pPr", "outlineLvl")
        return self._look_of(paragraph).level if own is None else read_level(own)

    def _mark_of(self, paragraph: Any, look: Look) -> str | None:
        own = child_value(paragraph, "pPr", "numPr", "numId")
        number = look.number if own is None else own
        return self._numbering.count(number, self._depth_of(paragraph, look)) if number else None

    def _depth_of(self, paragraph: Any, look: Look) -> int:
        own = read_number(child_value(paragraph, "pPr", "numPr", "ilvl"))
        if own is not None:
            return min(own, _DEEPEST_LIST)
        if look.depth is not None:
            return min(look.depth, _DEEPEST_LIST)
        return self._numbering.depth_of(look.number or "", self._style_of(paragraph))

    def _read_table(self, table: Any) -> None:
        rows = [row for row in _find_through(table, f"{W}tr") if row.find(f"{W}trPr/{W}del") is None]
        cells = [list(_find_through(row, f"{W}tc")) for row in rows]
        if _arranges_page(cells):
            for cell in (cell for row in cells for cell in row if not _continues_above(cell)):
                self._read_blocks(cell)
            return
        self._flush_list()
        self._empty = False
        texts = [self._read_row(row, found) for row, found in zip(rows, cells, strict=True)]
        self.outline.add_table(row for row in texts if any(row))

    def _read_row(self, row: Any, cells: list[Any]) -> list[str]:
        texts = [""] * min(read_number(child_value(row, "trPr", "gridBefore")) or 0, _MOST_COLUMNS)
        for cell in cells:
            texts.append("" if _continues_above(cell) else self._flatten(cell, self._links))
            span = read_number(child_value(cell, "tcPr", "gridSpan")) or 1
            texts.extend([""] * (min(span, _MOST_COLUMNS) - 1))
        return texts[:_MOST_COLUMNS]

    def _flatten(self, container: Any, links: Mapping[str, str] = _NO_LINKS) -> str:
        """All that stands in a cell, a note or a box on one line."""
        return " ".join(filter(None, self._flatten_blocks(container, links)))

    def _flatten_blocks(self, container: Any, links: Mapping[str, str]) -> Iterator[str]:
        for block in _find_through(container, f"{W}p", f"{W}tbl"):
            if block.tag == f"{W}p":
                line = self._read_line(block, links)
                mark = self._mark_of(block, self._look_of(block))
                yield write_item(mark, line.text) if mark and line.text else line.text
                for box in line.boxes:
                    yield self._flatten(box, links)
            else:
                rows = _find_through(block, f"{W}tr")
                yield "; ".join(filter(None, (self._flatten_row(row, links) for row in rows)))

    def _flatten_row(self, row: Any, links: Mapping[str, str]) -> str:
        return ", ".join(filter(None, (self._flatten(cell, links) for cell in _find_through(row, f"{W}tc"))))

    def _read_comment(self, comment: Any) -> str:
        text = self._flatten(comment)
        author = value(comment, "author").strip()
        return f"{author}: {text}" if author and text else text

    def _read_furniture(self) -> Iterator[tuple[str, bool]]:
        for link in self._relations.values():
            root = _read_part(self._package, link.target) if link.kind in ("header", "footer") else None
            for paragraph in () if root is None else root.iter(f"{W}p"):
                line = self._read_line(paragraph, _NO_LINKS)
                yield line.text, _PAGE_NUMBERS.search(line.instructions) is not None


def _read_notes(root: Any | None, kind: str) -> dict[str, Any]:
    notes = () if root is None else root.iter(f"{W}{kind}")
    return {value(note, "id"): note for note in notes if value(note, "type") in ("", "normal")}


def _read_links(package: Package, part: str) -> dict[str, str]:
    folder, name = posixpath.split(part)
    root = find_part(package, posixpath.join(folder, "_rels", f"{name}.rels"))
    links = () if root is None else root.iter("{*}Relationship")
    return {link.get("Id", ""): link.get("Target", "") for link in links if link.get("TargetMode") == "External"}


def _find_through(element: Any, *tags: str) -> Iterator[Any]:
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS or (child.tag == f"{W}sdt" and not shows_placeholder(child)):
            yield from _find_through(child, *tags)


def _is_initial(paragraph: Any) -> bool:
    # A large first letter is a paragraph of its own beside the one it belongs to.
    frame = paragraph.find(f"{W}pPr/{W}framePr")
    return frame is not None and value(frame, "dropCap") in ("drop", "margin")


def _continues_above(cell: Any) -> bool:
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    return merge is not None and value(merge) != "restart"


def _arranges_page(rows: list[list[Any]]) -> bool:
    if max(map(len, rows), default=0) <= 1:
        return True
    cells = [cell for row in rows for cell in row]
    if len(rows) == 1 and any(cell.find(f".//{W}tbl") is not None for cell in cells):
        return True
    lengths = (sum(map(len, cell.itertext(f"{W}t"))) for cell in cells)
    return len(rows) <= _LAYOUT_ROWS and any(length > _LAYOUT_CHARS for length in lengths)


def _holds_contents(control: Any) -> bool:
    gallery = child_value(control, "sdtPr", "docPartObj", "docPartGallery") or ""
    return gallery == "Table of Contents"
