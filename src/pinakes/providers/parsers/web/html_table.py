"""Tables of a web page: which hold data and which only arrange the page, and the grid of those that hold data."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

Zone = Literal["main", "rest", "furniture"]
BlockKind = Literal["heading", "paragraph", "item", "quote", "table"]

_COLUMNS = 200
_ROWS_BELOW = 1_000
_SHORT = 80  # characters of a data table's average cell
_LONGEST = 600
_JOINED = 200
_REPEATED = 60  # a cell over several rows is repeated in each, if so short
_BULLET = re.compile(r"[•·▪◦‣●○■□–—*-]|o")
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]")
_BEFORE = re.compile(r"[$€£¥(]+|[A-Z]{2,3}\$")
_AFTER = re.compile(r"[)%]+")
_HEADER_ROWS = 4


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a page in reading order; `level` is a heading's, and tells one list from the next."""

    zone: Zone
    kind: BlockKind
    text: str = ""
    level: int = 0
    rows: Sequence[Sequence[str]] = ()
    bold: bool = False
    linked: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as it stands in the markup."""

    heading: bool
    across: int = 1
    down: int = 1
    blocks: list[Block] = field(default_factory=list[Block])

    @property
    def text(self) -> str:
        """All of the cell on one line."""
        separator = "; " if any(block.kind == "item" for block in self.blocks) else " "
        parts = (block.text.strip().removeprefix("- ") for block in self.blocks)
        return " ".join(separator.join(parts).split())


@dataclass(slots=True)
class Table:
    """The rows of a table, its caption apart."""

    presentation: bool = False
    rows: list[list[Cell]] = field(default_factory=list[list[Cell]])
    header_rows: int = 0
    caption: list[Block] = field(default_factory=list[Block])


def finish_table(table: Table, zone: Zone) -> Iterator[Block]:
    """What the page shows: the caption, then a table, lines of names and values, or the cells one by one."""
    yield from table.caption
    rows = [row for row in table.rows if any(cell.blocks for cell in row)]
    if not _holds_data(table, rows):
        for row in rows:
            yield from _flatten(row, zone)
        return
    wide = [index for index, row in enumerate(rows) if sum(1 for cell in row if cell.blocks) > 1]
    for row in rows[: wide[0]]:
        yield from _flatten(row, zone)
    body = rows[wide[0] : wide[-1] + 1]
    if _names_and_values(body):
        for name, value in body:
            yield Block(zone, "item", f"- {name.text.rstrip(':')}: {value.text}")
    else:
        yield Block(zone, "table", rows=_make_grid(body, _count_header_rows(body, table.header_rows - wide[0])))
    for row in rows[wide[-1] + 1 :]:
        yield from _flatten(row, zone)


def _holds_data(table: Table, rows: Sequence[Sequence[Cell]]) -> bool:
    cells = [cell for row in rows for cell in row if cell.blocks]
    wide = sum(1 for row in rows if sum(1 for cell in row if cell.blocks) > 1)
    if table.presentation or len(rows) < 2 or not wide:
        return False
    if any(block.kind in ("table", "heading") for cell in cells for block in cell.blocks):
        return False
    if table.caption or any(cell.heading for cell in cells):
        return True
    lengths = [len(cell.text) for cell in cells]
    return wide > 1 and sum(lengths) <= _SHORT * len(lengths) and max(lengths) <= _LONGEST


def _names_and_values(rows: Sequence[Sequence[Cell]]) -> bool:
    pairs = [row for row in rows if len(row) == 2 and row[0].heading and not row[1].heading]
    return len(pairs) == len(rows) and all(cell.blocks and cell.down == 1 for row in rows for cell in row)


def _flatten(row: Sequence[Cell], zone: Zone) -> Iterator[Block]:
    filled = [cell for cell in row if cell.blocks]
    texts = [cell.text for cell in filled]
    plain = all(len(cell.blocks) == 1 and cell.blocks[0].kind == "paragraph" for cell in filled)
    if plain and len(filled) == 2 and _BULLET.fullmatch(texts[0]):
        yield Block(zone, "item", f"- {texts[1]}")
    elif plain and len(filled) == 2 and _NUMBER.fullmatch(texts[0]):
        yield Block(zone, "item", f"{texts[0]} {texts[1]}")
    elif plain and len(filled) > 1 and max(map(len, texts)) <= _JOINED:
        yield Block(zone, "paragraph", " ".join(texts))
    else:
        for cell in filled:
            yield from cell.blocks


def _make_grid(rows: Sequence[Sequence[Cell]], header: int) -> list[list[str]]:
    grid = _expand(rows, header)
    columns = _merge_columns(grid, spanned=any(cell.across > 1 for row in rows for cell in row))
    lines = [[_join(row[start:end]) for start, end in columns] for row in grid]
    head = [" ".join(dict.fromkeys(line[index] for line in lines[:header])).strip() for index in range(len(columns))]
    return [head, *lines[header:]]


def _count_header_rows(rows: Sequence[Sequence[Cell]], marked: int) -> int:
    count = 0
    for row in rows:
        if count >= marked and not (len(row) > 1 and all(cell.heading for cell in row)):
            break
        count += 1
    # More rows than that are a table which is marked as header throughout.
    return count if 0 < count <= _HEADER_ROWS and count < len(rows) else 1


def _expand(rows: Sequence[Sequence[Cell]], header: int) -> list[list[str]]:
    grid: list[list[str]] = []
    below: dict[int, tuple[str, int]] = {}
    for index, row in enumerate(rows):
        line: list[str] = []
        for cell in row:
            _fill_from_above(line, below)
            if len(line) >= _COLUMNS:
                break
            text = cell.text
            across = max(1, min(cell.across, _COLUMNS - len(line)))
            if cell.down > 1:
                repeated = text if len(text) <= _REPEATED else ""
                for offset in range(across):
                    below[len(line) + offset] = ("" if offset else repeated, min(cell.down, _ROWS_BELOW) - 1)
            # What stands above several columns of the header belongs to each of them.
            line += [text, *[text if index < header - 1 else ""] * (across - 1)]
        _fill_from_above(line, below)
        grid.append(line)
    width = max(map(len, grid), default=0)
    return [line + [""] * (width - len(line)) for line in grid]


def _fill_from_above(line: list[str], below: dict[int, tuple[str, int]]) -> None:
    while len(line) in below:
        text, left = below.pop(len(line))
        if left > 1:
            below[len(line)] = (text, left - 1)
        line.append(text)


def _merge_columns(rows: Sequence[Sequence[str]], *, spanned: bool) -> list[tuple[int, int]]:
    """Columns to join: empty ones go, and a currency sign or bracket in a column of its own joins its number."""
    width = len(rows[0]) if rows else 0
    columns: list[tuple[int, int]] = []
    for index in range(width):
        if not any(row[index] for row in rows):
            continue
        if columns and spanned and all(_belong_together(_join(row[slice(*columns[-1])]), row[index]) for row in rows):
            columns[-1] = (columns[-1][0], index + 1)
        else:
            columns.append((index, index + 1))
    return columns


def _belong_together(left: str, right: str) -> bool:
    return not left or not right or left == right or bool(_BEFORE.fullmatch(left) or _AFTER.fullmatch(right))


def _join(cells: Sequence[str]) -> str:
    joined = ""
    for cell in filter(None, cells):
        tight = not joined or _BEFORE.fullmatch(joined) or _AFTER.fullmatch(cell)
        joined += cell if tight else "" if cell == joined else f" {cell}"
    return joined
