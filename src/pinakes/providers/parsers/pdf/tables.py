"""Tables on a PDF page: found by the lines that were drawn around their cells, else by columns that stand out."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pinakes.providers.parsers.pdf.lines import Box, Line, Rule, Word, surround

_NEAR = 3.0  # points within which drawn lines meet
_MOST_RULES = 800  # more are a drawing
_FEWEST_EDGES = 3  # of two rows or two columns
_FILLED = 0.3  # a chart's grid has fewer cells with text
_FILLED_COLUMNS = 0.4
_CELL_GAP = 1.1  # blanks wider than this, in type sizes, part the cells of a row
_ROW_GAP = 2.5  # in type sizes; further apart are no rows of one table
_FEWEST_ROWS = 4
_WIDE_LINES = 2
_LONGEST_PAIR_CELL = 30
_LEADER = re.compile(r"(?:[.·…_] ?){4,}")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells as wide as each other; `columns` are the left edges of its columns."""

    rows: tuple[tuple[str, ...], ...]
    columns: tuple[float, ...]


Spans = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the edges of a ruled table's cells are, and from where to where each of them was drawn."""

    edges: tuple[float, ...]  # from left to right
    levels: tuple[float, ...]  # from top to bottom
    drawn_edges: tuple[Spans, ...]
    drawn_levels: tuple[Spans, ...]

    @property
    def box(self) -> Box:
        """All of the table."""
        return Box(self.edges[0], self.levels[-1], self.edges[-1], self.levels[0])

    def find_cell(self, word: Word) -> tuple[int, int]:
        """The row and column of a word; of cells that are merged, the first."""
        x, y = _centre(word.box)
        row = bisect_right(self.levels, -y, key=lambda level: -level) - 1
        column = bisect_right(self.edges, x) - 1
        while column > 0 and not _covers(self.drawn_edges[column], y):
            column -= 1
        while row > 0 and not _covers(self.drawn_levels[row], x):
            row -= 1
        return row, column


def find_tables(lines: Sequence[Line], grids: Sequence[Grid]) -> list[Line | Table]:
    """The lines of a page, those that make up a table replaced by it, where its first line stood."""
    items: list[Line | Table] = list(lines)
    for grid in grids:
        items = _take_grid(items, grid)
    return list(_take_columns(items))


def find_grids(rules: Sequence[Rule]) -> Iterator[Grid]:
    """Drawn lines that cross each other like those of a table."""
    distinct = {(rule.upright, *(round(side) for side in _sides(rule.box))): rule for rule in rules}
    if len(distinct) > _MOST_RULES:
        return
    for group in _group_meeting(list(distinct.values())):
        edges = _merge(rule.box.left for rule in group if rule.upright)
        levels = _merge(rule.box.bottom for rule in group if not rule.upright)
        if min(len(edges), len(levels)) >= _FEWEST_EDGES:
            levels.reverse()
            drawn_edges = tuple(_find_spans(group, edge, upright=True) for edge in edges)
            drawn_levels = tuple(_find_spans(group, level, upright=False) for level in levels)
            yield Grid(tuple(edges), tuple(levels), drawn_edges, drawn_levels)


def is_row(line: Line) -> bool:
    """Whether a line stands in columns, as a table's row does."""
    return not line.divided and not has_leader(line) and len(_split_cells(line)) > 1


def has_leader(line: Line) -> bool:
    """Whether dots lead the eye over the line, as in a table of contents."""
    return _LEADER.search(line.text) is not None


def is_inside(word: Word, box: Box) -> bool:
    """Whether a word's middle is in the box."""
    x, y = _centre(word.box)
    return box.left <= x <= box.right and box.bottom <= y <= box.top


def _find_spans(rules: Sequence[Rule], place: float, *, upright: bool) -> Spans:
    boxes = [rule.box for rule in rules if rule.upright == upright]
    if upright:
        return tuple((box.bottom, box.top) for box in boxes if abs(box.left - place) <= _NEAR)
    return tuple((box.left, box.right) for box in boxes if abs(box.bottom - place) <= _NEAR)


def _covers(spans: Spans, place: float) -> bool:
    return any(low - _NEAR <= place <= high + _NEAR for low, high in spans)


def _centre(box: Box) -> tuple[float, float]:
    return (box.left + box.right) / 2, (box.bottom + box.top) / 2


def _sides(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.bottom, box.right, box.top


def _group_meeting(rules: Sequence[Rule]) -> Iterator[list[Rule]]:
    remaining = list(rules)
    while remaining:
        group = [remaining.pop()]
        for rule in group:  # grows while it is gone through
            apart: list[Rule] = []
            for other in remaining:
                (group if _meet(rule.box, other.box) else apart).append(other)
            remaining = apart
        yield group


def _meet(one: Box, other: Box) -> bool:
    return (
        one.left <= other.right + _NEAR
        and other.left <= one.right + _NEAR
        and one.bottom <= other.top + _NEAR
        and other.bottom <= one.top + _NEAR
    )


def _merge(places: Iterable[float]) -> list[float]:
    merged: list[float] = []
    for place in sorted(places):
        if not merged or place - merged[-1] > _NEAR:
            merged.append(place)
    return merged


def _take_grid(items: list[Line | Table], grid: Grid) -> list[Line | Table]:
    cells: dict[tuple[int, int], list[str]] = {}
    wide: Counter[tuple[int, int]] = Counter()
    kept: list[Line | Table] = []
    place: int | None = None
    for item in items:
        if isinstance(item, Table) or not any(is_inside(word, grid.box) for word in item.words):
            kept.append(item)
            continue
        place = len(kept) if place is None else place
        inside = [(grid.find_cell(word), word) for word in item.words if is_inside(word, grid.box)]
        for cell, word in inside:
            cells.setdefault(cell, []).append(word.text)
        wide.update(_find_wide_cells(inside, item.size))
        kept.extend(_keep_outside(item, grid.box))
    # A frame around rows and columns that were not ruled is not the grid of a table.
    if place is None or any(lines >= _WIDE_LINES for lines in wide.values()):
        return items
    if (trimmed := _trim(grid, cells)) is not None:
        return _take_grid(items, trimmed)
    table = _make_table(cells, grid)
    return items if table is None else [*kept[:place], table, *kept[place:]]


def _find_wide_cells(words: Sequence[tuple[tuple[int, int], Word]], size: float) -> set[tuple[int, int]]:
    return {
        cell
        for (cell, before), (other, word) in pairwise(words)
        if cell == other and word.box.left - before.box.right > _CELL_GAP * size
    }


def _trim(grid: Grid, cells: dict[tuple[int, int], list[str]]) -> Grid | None:
    """The grid without the captions and notes that it frames above and below; None where there are none."""
    filled = Counter(row for row, _ in cells)
    full = [row for row, count in filled.items() if count > 1]
    if not full or len(full) == len(filled):
        return None
    first, last = min(full), max(full)
    if (first, last) == (min(filled), max(filled)):
        return None
    kept = slice(first, last + 2)
    return replace(grid, levels=grid.levels[kept], drawn_levels=grid.drawn_levels[kept])


def _keep_outside(line: Line, box: Box) -> Iterator[Line]:
    words = tuple(word for word in line.words if not is_inside(word, box))
    if words:
        text = " ".join(word.text for word in words)
        yield replace(line, text=text, words=words, box=surround([word.box for word in words]))


def _make_table(cells: dict[tuple[int, int], list[str]], grid: Grid) -> Table | None:
    rows = sorted({row for row, _ in cells})
    columns = sorted({column for _, column in cells})
    full_rows = sum(sum((row, column) in cells for column in columns) > 1 for row in rows)
    if len(columns) < 2 or full_rows < 2 or len(cells) < _FILLED * len(rows) * len(columns):
        return None
    texts = tuple(tuple(" ".join(cells.get((row, column), ())) for column in columns) for row in rows)
    return Table(texts, tuple(grid.edges[column] for column in columns)) if _is_telling(texts) else None


def _is_telling(rows: Iterable[Sequence[str]]) -> bool:
    # The labels of a drawing are letters that stand alone.
    filled = [cell for row in rows for cell in row if cell]
    return 2 * sum(sum(map(str.isalnum, cell)) > 1 for cell in filled) >= len(filled)


def _take_columns(items: Iterable[Line | Table]) -> Iterator[Line | Table]:
    run: list[Line] = []
    for item in items:
        if isinstance(item, Line) and _continues(run, item):
            run.append(item)
            continue
        yield from _read_run(run)
        run = [item] if isinstance(item, Line) and is_row(item) else []
        if not run:
            yield item
    yield from _read_run(run)


def _continues(run: Sequence[Line], line: Line) -> bool:
    if not run or not is_row(line):
        return False
    above = run[-1]
    gap = above.box.bottom - line.box.top
    return -0.5 * line.size < gap < _ROW_GAP * line.size


def _split_cells(line: Line) -> list[list[Word]]:
    words = sorted(line.words, key=lambda word: word.box.left)
    if not words:
        return []
    cells = [[words[0]]]
    for before, word in pairwise(words):
        if word.box.left - before.box.right > _CELL_GAP * line.size:
            cells.append([])
        cells[-1].append(word)
    return cells


def _read_run(run: Sequence[Line]) -> Iterator[Line | Table]:
    if len(run) < _FEWEST_ROWS:
        yield from run
        return
    split = [_split_cells(line) for line in run]
    columns = _find_columns(cell for cells in split for cell in cells)
    rows = [_place_cells(cells, columns) for cells in split]
    table = Table(tuple(rows), tuple(columns))
    if _looks_like_table(table):
        yield table
    else:
        yield from run


def _find_columns(cells: Iterable[Sequence[Word]]) -> list[float]:
    columns: list[float] = []
    end = float("-inf")
    for left, right in sorted((cell[0].box.left, cell[-1].box.right) for cell in cells):
        if left > end:
            columns.append(left)
        end = max(end, right)
    return columns


def _place_cells(cells: Sequence[Sequence[Word]], columns: Sequence[float]) -> tuple[str, ...]:
    row = [""] * len(columns)
    for cell in cells:
        column = bisect_right(columns, cell[0].box.left) - 1
        row[column] = f"{row[column]} {' '.join(word.text for word in cell)}".strip()
    return tuple(row)


def _looks_like_table(table: Table) -> bool:
    filled = [cell for row in table.rows for cell in row if cell]
    width = len(table.columns)
    if width < 2 or not _is_telling(table.rows) or len(filled) < _FILLED_COLUMNS * width * len(table.rows):
        return False
    # Two columns of prose look like a table, but for their long lines; so does a table of contents.
    short = sum(map(len, filled)) <= _LONGEST_PAIR_CELL * len(filled)
    return width > 2 or (short and not any(map(_is_numbering, zip(*table.rows, strict=True))))


def _is_numbering(column: Sequence[str]) -> bool:
    numbers = [int(cell) for cell in column if cell.isdecimal()]
    return len(numbers) == len(column) and numbers == sorted(numbers)
