"""Sheets of a workbook: rows of cells go in, tables whose rows can be cited come out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pinakes.domain.errors import DocumentFault
from pinakes.domain.place import Place
from pinakes.providers.parsers.outline import Outline

Cell = tuple[int, str]  # the column, counted from 0, and what it shows
_MOST_CELLS = 3_000_000
# Every cell of a table takes room in the text, filled or not.
_LARGEST_TABLE = 6_000_000
_BATCH_CELLS = 200_000
_LONGEST_TITLE = 80
_TITLE_ROWS = 2
_LONGEST_HEADER = 240  # characters that surely can stand above every passage of a table

_NUMBER = re.compile(r"\D{0,4}\d[\d.,:/ -]*\D{0,4}")
_YEAR = re.compile(r"(?:19|20)\d\d")


@dataclass(frozen=True, slots=True)
class Row:
    """The filled cells of a row by column; rows count from 1."""

    number: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet by its place in the workbook, what stands over its cells, and comments that begin with their cell."""

    number: int
    name: str
    rows: Sequence[Row]
    texts: Sequence[str] = ()
    comments: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Table:
    columns: Sequence[int]
    header: Row


@dataclass(slots=True)
class CellBudget:
    """How many more filled cells a workbook may have."""

    left: int = _MOST_CELLS

    def spend(self, cells: int) -> None:
        """Count cells; a fault once there are too many."""
        self.left -= cells
        if self.left < 0:
            raise DocumentFault(
                f"The workbook has more than {_MOST_CELLS:,} filled cells; split it into smaller files."
            )


def add_sheet(outline: Outline, sheet: Sheet) -> None:
    """Put a sheet under its name: each block of filled rows is a table that begins with its header."""
    blocks = list(_find_blocks(sheet.rows))
    if not (blocks or sheet.texts or sheet.comments):
        return
    outline.begin_place(Place("sheet", sheet.number, sheet.name))
    outline.forget_headings()
    outline.add_heading(sheet.name, 1)
    above = (sheet.name, 1)
    if len(blocks) > 1 and len(blocks[0]) <= _TITLE_ROWS and all(map(_is_title_row, blocks[0])):
        above = (_join_title(blocks.pop(0)), 2)
        outline.add_heading(*above)
    below_title = False
    table: _Table | None = None
    for block in blocks:
        titles = _count_titles(block)
        if titles:
            outline.add_heading(_join_title(block[:titles]), above[1] + 1)
        elif below_title:
            # The title of the table before is not this one's.
            outline.add_heading(*above)
        below_title = titles > 0
        table = _add_block(outline, block[titles:], None if titles else table)
    _add_rest(outline, sheet, above if below_title else None)


def _add_rest(outline: Outline, sheet: Sheet, above: tuple[str, int] | None) -> None:
    if sheet.texts:
        if above:
            outline.add_heading(*above)
        outline.add_paragraph("\n\n".join(sheet.texts))
    if sheet.comments:
        outline.add_heading("Comments", 2)
        outline.add_paragraph("\n".join(f"- {comment}" for comment in sheet.comments))


def add_header(outline: Outline, header: Sequence[str], row: int) -> None:
    """A header too long to be repeated above every passage of its table is a row that can be found by itself."""
    if sum(map(len, header)) + 3 * len(header) > _LONGEST_HEADER:
        outline.add_table([header], first_row=row)


def add_rows(outline: Outline, header: Sequence[str], rows: Iterable[Sequence[str]], first_row: int) -> None:
    """A table of any length in parts of bounded size, each under the header; `first_row` is the first row's number."""
    rest = iter(rows)
    pending = next(rest, None)
    while pending is not None:
        batch: list[Sequence[str]] = []
        width = len(header)
        while pending is not None:
            width = max(width, len(pending))
            if batch and (len(batch) + 1) * width > _BATCH_CELLS:
                break
            batch.append(pending)
            pending = next(rest, None)
        # The outline counts from the header, which here stands right above the first row of each part.
        outline.add_table([header, *batch], first_row=first_row - 1)
        first_row += len(batch)


def _find_blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    block: list[Row] = []
    for row in sorted((row for row in rows if row.cells), key=lambda row: row.number):
        if block and row.number != block[-1].number + 1:
            yield block
            block = []
        block.append(row)
    if block:
        yield block


def _count_titles(block: Sequence[Row]) -> int:
    """How many rows of a block are its title: short texts, each alone in its row above a table of several columns."""
    titles = next((index for index, row in enumerate(block) if not _is_title_row(row)), len(block))
    is_above_table = titles <= _TITLE_ROWS and titles + 1 < len(block) and len(block[titles].cells) > 1
    return titles if is_above_table else 0


def _join_title(rows: Iterable[Row]) -> str:
    return " – ".join(row.cells[0][1] for row in rows)


def _is_title_row(row: Row) -> bool:
    text = row.cells[0][1]
    return len(row.cells) == 1 and len(text) <= _LONGEST_TITLE and any(map(str.isalpha, text))


def _add_block(outline: Outline, rows: Sequence[Row], above: _Table | None) -> _Table:
    """Add rows that follow one another, and return the table they make; they may go on with the one above."""
    columns = sorted({column for row in rows for column, _ in row.cells})
    if above and _goes_on(rows, columns, above):
        columns = above.columns
        add_rows(outline, _align(above.header, columns), (_align(row, columns) for row in rows), rows[0].number)
        return above
    lines = (_align(row, columns) for row in rows)
    if len(rows) * len(columns) > _LARGEST_TABLE:
        if len(rows) * max(len(row.cells) for row in rows) > _LARGEST_TABLE:
            raise DocumentFault("A sheet is too large to be read as a table; split it into smaller files.")
        # Cells scattered far and wide: what stands in a row matters, the empty cells between do not.
        lines = ([text for _, text in row.cells] for row in rows)
    header = next(lines)
    if len(rows) == 1:
        outline.add_table([header], first_row=rows[0].number)
    else:
        add_header(outline, header, rows[0].number)
        add_rows(outline, header, lines, rows[1].number)
    return _Table(columns, rows[0])


def _goes_on(rows: Sequence[Row], columns: Sequence[int], above: _Table) -> bool:
    fits = set(columns) <= set(above.columns) and len(rows) * len(above.columns) <= _LARGEST_TABLE
    return fits and _is_data(rows[0]) and not _is_data(above.header)


def _is_data(row: Row) -> bool:
    """Whether a row holds numbers, as one that names columns seldom does; years do name columns."""
    return any(_NUMBER.fullmatch(text) and not _YEAR.fullmatch(text) for _, text in row.cells)


def _align(row: Row, columns: Sequence[int]) -> list[str]:
    filled = dict(row.cells)
    return [filled.get(column, "") for column in columns]


def name_column(column: int) -> str:
    """The letters of a column that is counted from 0: A, Z, AA."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
