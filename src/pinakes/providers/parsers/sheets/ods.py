"""OpenDocument spreadsheets (ODS): every sheet with its cells as they are shown, read row by row."""

from collections.abc import Iterator
from typing import Any

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.odf import (
    count_repeats,
    open_opendocument,
    read_lines,
    read_opendocument_title,
)
from pinakes.providers.parsers.office.ooxml import XmlError, find_all, forget, get_attribute, name_of, walk_xml
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.sheets.blocks import Cell, CellBudget, Row, Sheet, add_sheet, name_column

_WHAT = "an OpenDocument spreadsheet"
_LARGEST_PART = 200_000_000


def parse_ods(content: bytes) -> ParsedDocument:
    """One table for each block of filled rows, by sheet."""
    package = open_opendocument(content, what=_WHAT)
    outline = Outline()
    try:
        for sheet in _read_sheets(package.read("content.xml", _LARGEST_PART)):
            add_sheet(outline, sheet)
    except XmlError as error:
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.") from error
    return outline.finish(title=read_opendocument_title(package))


def _read_sheets(content: bytes) -> Iterator[Sheet]:
    budget = CellBudget()
    rows: list[Row] = []
    comments: list[str] = []
    sheets = number = depth = 0
    for event, element in walk_xml(content, "table", "table-row"):
        # A table inside a cell is part of that cell, and begins inside of its row.
        depth += 1 if event == "start" else -1
        if event == "start":
            continue
        if name_of(element) == "table-row" and depth == 1:
            repeats = count_repeats(element, "number-rows-repeated")
            cells = list(_read_cells(element, budget))
            comments.extend(_read_comments(element, number + 1))
            if cells:
                budget.spend(len(cells) * (repeats - 1))
                rows.extend(Row(number + index, cells) for index in range(1, repeats + 1))
            number += repeats
        elif name_of(element) == "table" and depth == 0:
            sheets += 1
            name = get_attribute(element, "name") or f"Sheet {sheets}"
            yield Sheet(sheets, name, rows, comments=comments)
            rows, comments, number = [], [], 0
        if depth <= 1:
            forget(element)


def _read_cells(row: Any, budget: CellBudget) -> Iterator[Cell]:
    column = 0
    for cell in row:
        if name_of(cell) not in ("table-cell", "covered-table-cell"):
            continue
        repeats = count_repeats(cell, "number-columns-repeated")
        # A covered cell may still hold what was there before the cells were merged; nobody sees it.
        text = _show_cell(cell) if name_of(cell) == "table-cell" else ""
        if text:
            budget.spend(repeats)
            for index in range(repeats):
                yield column + index, text
        column += repeats


def _show_cell(cell: Any) -> str:
    if get_attribute(cell, "value-type") == "date" and (written := get_attribute(cell, "date-value")):
        return written.removesuffix("T00:00:00").replace("T", " ")
    return read_lines(cell) if len(cell) else (get_attribute(cell, "value") or "")


def _read_comments(row: Any, number: int) -> Iterator[str]:
    column = 0
    for cell in row:
        for note in find_all(cell, "annotation"):
            if text := read_lines(note):
                yield f"{name_column(column)}{number}: {text}"
        column += count_repeats(cell, "number-columns-repeated")
