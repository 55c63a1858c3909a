"""Excel workbooks (XLSX): every sheet with its cells as they are shown, read row by row."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.archive import Package
from pinakes.providers.parsers.office.chart import read_chart, read_paragraphs
from pinakes.providers.parsers.office.ooxml import (
    Relation,
    XmlError,
    find_all,
    find_first,
    find_main_part,
    find_part,
    forget,
    get_attribute,
    name_of,
    open_office,
    read_relations,
    read_title,
    walk_xml,
)
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.sheets.blocks import Cell, CellBudget, Row, Sheet, add_sheet
from pinakes.providers.parsers.sheets.number_format import GENERAL, get_built_in_format, show_number

_WHAT = "an Excel workbook"
_LARGEST_PART = 200_000_000
_LAST_ROW, _LAST_COLUMN = 1_048_576, 16_384
_REFERENCE = re.compile(r"([A-Z]{1,3})(\d{1,7})")
# Excel puts these words into an old-style comment beside every comment of the new style.
_COMMENT_NOTICE = "[Threaded comment]"


@dataclass(frozen=True, slots=True)
class _Book:
    """What the cells of all sheets refer to."""

    package: Package
    strings: Sequence[str]
    formats: Sequence[str]
    since_1904: bool
    budget: CellBudget


def parse_xlsx(content: bytes) -> ParsedDocument:
    """One table for each block of filled rows, by sheet; sheets that cannot be read are named in the remarks."""
    package = open_office(content, what=_WHAT)
    main = find_main_part(package, "xl/workbook.xml")
    workbook = find_part(package, main)
    if workbook is None:
        raise _damaged()
    relations = read_relations(package, main)
    book = _read_book(package, relations, workbook)
    outline, remarks = Outline(), list[str]()
    for number, sheet in enumerate(find_all(workbook, "sheet"), start=1):
        name = sheet.get("name") or f"Sheet {number}"
        link = relations.get(get_attribute(sheet, "id") or "")
        if link is None or link.kind in ("chartsheet", "dialogsheet"):
            continue
        if not _add_worksheet(outline, book, number, name, link.target):
            remarks.append(f"Sheet {name} is damaged; what follows the damage was left out.")
    try:
        return outline.finish(title=read_title(package), remarks=remarks)
    except DocumentFault as fault:
        # Nothing was found, but not because nothing was there.
        raise _damaged() if remarks else fault from fault


def _damaged() -> DocumentFault:
    return DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.")


def _read_book(package: Package, relations: Mapping[str, Relation], workbook: Any) -> _Book:
    targets = {link.kind: link.target for link in relations.values()}
    properties = find_first(workbook, "workbookPr")
    return _Book(
        package,
        strings=_read_strings(package, targets.get("sharedStrings", "xl/sharedStrings.xml")),
        formats=_read_formats(package, targets.get("styles", "xl/styles.xml")),
        since_1904=properties is not None and properties.get("date1904") in ("1", "true"),
        budget=CellBudget(),
    )


def _read_strings(package: Package, part: str) -> list[str]:
    content = package.find(part, _LARGEST_PART)
    try:
        return [] if content is None else list(map(_read_rich_text, _iterate(content, "si")))
    except XmlError as error:
        # Cells in every sheet would be without their text, and nobody could say which.
        raise _damaged() from error


def _iterate(content: bytes, name: str) -> Iterator[Any]:
    """The elements of this name, each forgotten once the next is asked for."""
    for event, element in walk_xml(content, name):
        if event == "end":
            yield element
            forget(element)


def _read_rich_text(item: Any) -> str:
    # What stands under rPh is only how the text is pronounced.
    return "".join(text.text or "" for text in find_all(item, "t") if name_of(text.getparent()) != "rPh")


def _read_formats(package: Package, part: str) -> list[str]:
    styles = find_part(package, part)
    if styles is None:
        return []
    own = {entry.get("numFmtId"): entry.get("formatCode", GENERAL) for entry in find_all(styles, "numFmt")}
    cells = find_first(styles, "cellXfs")
    return [] if cells is None else [_find_format(entry.get("numFmtId", "0"), own) for entry in find_all(cells, "xf")]


def _find_format(number: str, own: Mapping[str, str]) -> str:
    return own.get(number) or (get_built_in_format(int(number)) if number.isdigit() else GENERAL)


def _add_worksheet(outline: Outline, book: _Book, number: int, name: str, part: str) -> bool:
    content = book.package.find(part, _LARGEST_PART)
    rows: list[Row] = []
    whole = content is not None
    try:
        rows.extend(_read_rows(book, content or b""))
    except XmlError:
        whole = False
    texts, comments = _read_drawings(book.package, part), _read_comments(book.package, part)
    add_sheet(outline, Sheet(number, name, rows, list(texts), list(comments)))
    return whole


def _read_rows(book: _Book, content: bytes) -> Iterator[Row]:
    number = 0
    for element in _iterate(content, "row"):
        written = element.get("r", "")
        number = int(written) if written.isdigit() else number + 1
        cells = list(_read_cells(book, element))
        if cells and 0 < number <= _LAST_ROW:
            book.budget.spend(len(cells))
            yield Row(number, cells)


def _read_cells(book: _Book, row: Any) -> Iterator[Cell]:
    column = -1
    for cell in row:
        reference = _REFERENCE.fullmatch(cell.get("r", ""))
        column = _count_column(reference[1]) if reference else column + 1
        if len(cell) and column < _LAST_COLUMN:
            text = _show_cell(book, cell).strip()
            if text:
                yield column, text


def _count_column(letters: str) -> int:
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - 64
    return column - 1


def _show_cell(book: _Book, cell: Any) -> str:
    parts = {name_of(part): part for part in cell}
    kind = cell.get("t", "n")
    if kind == "inlineStr":
        return _read_rich_text(cell)
    value = parts["v"].text if "v" in parts else None
    if value is None:
        # A workbook that no spreadsheet program has calculated yet has formulas alone.
        formula = parts["f"].text if "f" in parts else None
        return f"={formula}" if formula else ""
    if kind == "s":
        return book.strings[int(value)] if value.isdigit() and int(value) < len(book.strings) else ""
    if kind == "b":
        return "TRUE" if value == "1" else "FALSE"
    if kind == "n":
        style = cell.get("s", "")
        known = style.isdigit() and int(style) < len(book.formats)
        return show_number(value, book.formats[int(style)] if known else GENERAL, since_1904=book.since_1904)
    return cast("str", value).removesuffix("T00:00:00") if kind == "d" else value


def _read_drawings(package: Package, sheet: str) -> Iterator[str]:
    """The text boxes over a sheet and the titles of its charts, whose numbers stand in cells."""
    for link in read_relations(package, sheet).values():
        root = find_part(package, link.target) if link.kind == "drawing" else None
        if root is None:
            continue
        for body in find_all(root, "txBody"):
            yield from read_paragraphs(body)
        for chart in read_relations(package, link.target).values():
            part = find_part(package, chart.target) if chart.kind == "chart" else None
            if part is not None and (title := read_chart(part)[0]):
                yield f"Chart: {title}"


def _read_comments(package: Package, sheet: str) -> Iterator[str]:
    for link in read_relations(package, sheet).values():
        root = find_part(package, link.target) if link.kind in ("comments", "threadedComment") else None
        for comment in find_all(root, "comment", "threadedComment") if root is not None else ():
            text = " ".join("".join(part.text or "" for part in find_all(comment, "t", "text")).split())
            if text and not text.startswith(_COMMENT_NOTICE):
                yield f"{comment.get('ref', '')}: {text}"
