"""The structure of a PDF, told from how its pages are drawn: reading order, furniture, headings, paragraphs."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, groupby, islice, pairwise
from operator import not_
from statistics import median

from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.pdf.lines import Box, Line, PageDrawing, surround
from pinakes.providers.parsers.pdf.tables import Grid, Table, find_grids, find_tables, has_leader, is_inside, is_row

_MARGIN = 0.1  # of the page's height, above and below
_FURNITURE_PAGES = 3
_SAME = 1.15  # up to this, one type size looks like another
_ALIKE = 1.04  # nobody sees a smaller difference between sizes
_PIECE_GAP = 1.5  # in type sizes; pieces of one line stand no further apart
_RAISED_GAP = 0.5  # in type sizes
_BLANK = 0.15  # in type sizes; from here on a gap is a blank
_MOST_LINES = 1_500
_BETWEEN_PAGES = 2  # a footer or a page number may stand between the parts of a table
_SAME_COLUMN = 5.0
_LONGEST_HEADING = 200
_HEADING_LINES = 3
_HEADING_GAP = 0.7
_NUMBER = re.compile(r"(?:\d{1,3}|[A-Z](?=\.))((?:\.\d{1,3})*)\.?\s+\S")
_PAGE_NUMBER = re.compile(r"(?:[\W\d]|\b(?:page|seite|p|s|of|von|sur|de|[ivxlc]+)\b)*", re.IGNORECASE)
_BULLET = re.compile(r"^[•▪‣●○◦■□▸►\uf0b7\uf0a7\uf076]\s*(?=\S)")
_ADDRESS = re.compile(r"@|://|www\.")
_DIGITS = re.compile(r"[0-9]{1,6}")
_MOST_NUMBERS = 12
_SENTENCE_END = ".!?:;。！？"


@dataclass(frozen=True, slots=True)
class Page:
    """A page's lines in reading order; those that no table can be made of have lost their words."""

    lines: tuple[Line, ...]
    grids: tuple[Grid, ...]
    area: Box
    extent: Box  # what of the area is printed on


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading before its level is known; `depth` is that of its number, 0 without one."""

    text: str
    size: float
    depth: int


Item = Line | Table | Heading


def arrange(drawing: PageDrawing, *, tables: bool = True) -> Page:
    """A page's lines put in reading order, and what is needed of it to find its tables."""
    extent = surround([line.box for line in drawing.lines] or [drawing.area])
    grids = tuple(find_grids(drawing.rules)) if tables else ()
    lines = (_slim(line, grids, tables=tables) for line in _order(_join_pieces(drawing.lines)))
    return Page(tuple(lines), grids, drawing.area, extent)


def find_body_size(pages: Sequence[Page]) -> float:
    """The size of type that most of the text is set in."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def drop_furniture(pages: Sequence[Page], body: float) -> list[Page]:
    """The pages without what stands in their margins again and again: running titles and page numbers."""
    counts: Counter[str] = Counter()
    spoken: set[str] = set()
    for number, page in enumerate(pages):
        marginal = [_is_marginal(page, line) for line in page.lines]
        outer = compress(page.lines, marginal)
        counts.update({spelling for line in outer for spelling in _spell(line, number)})
        spoken.update(normalise(line.text) for line in compress(page.lines, map(not_, marginal)))
    kept: list[Page] = []
    for number, page in enumerate(pages):
        lines: list[Line] = []
        for line in page.lines:
            # Slides may share a title; what is set large has to be on many pages to be furniture.
            fewest = _FURNITURE_PAGES if line.size <= body * _SAME else max(_FURNITURE_PAGES, len(pages) / 5)
            if not _is_marginal(page, line) or max(counts[key] for key in _spell(line, number)) < fewest:
                lines.append(line)
                spoken.add(normalise(line.text))
            elif not _PAGE_NUMBER.fullmatch(line.text) and normalise(line.text) not in spoken:
                # A running title that stands nowhere else is kept once.
                spoken.add(normalise(line.text))
                lines.append(replace(line, size=body, bold=False))
        # On a page of nothing else it is the text.
        lines = lines or [line for line in page.lines if not _PAGE_NUMBER.fullmatch(line.text)]
        kept.append(replace(page, lines=tuple(lines)))
    return kept


def find_items(page: Page, body: float, bookmarks: Mapping[str, int]) -> list[Item]:
    """What a page is made of, in order: tables, headings, and the lines of its paragraphs."""
    items: list[Item] = []
    for is_line, group in groupby(find_tables(page.lines, page.grids), key=lambda part: isinstance(part, Line)):
        if is_line:
            items.extend(_find_headings([part for part in group if isinstance(part, Line)], body, bookmarks))
        else:
            items.extend(group)
    return items


def find_levels(headings: Sequence[Heading], bookmarks: Mapping[str, int]) -> dict[Heading, int]:
    """The level of each heading: its bookmark's, else by its size among the others and by its number."""
    ranks: dict[float, int] = {}
    above = float("inf")
    for size in sorted({heading.size for heading in headings}, reverse=True):
        if above > size * _ALIKE:
            ranks[size] = ranks.get(above, 0) + 1
            above = size
        else:
            ranks[size] = ranks[above]
    levels = {heading: ranks[heading.size] for heading in headings}
    chapters = [level for heading, level in levels.items() if heading.depth == 1]
    for heading, level in levels.items():
        known = bookmarks.get(normalise(heading.text))
        if known is not None:
            levels[heading] = known
        elif heading.depth > 1 and chapters:
            levels[heading] = max(level, min(chapters) + heading.depth - 1)
    return levels


def write_page(outline: Outline, items: Sequence[Item], levels: Mapping[Heading, int]) -> None:
    """Put a page's items into the outline."""
    for kind, group in groupby(items, key=type):
        if kind is Line:
            for paragraph in _make_paragraphs([item for item in group if isinstance(item, Line)]):
                outline.add_paragraph(paragraph)
            continue
        for item in group:
            if isinstance(item, Heading):
                outline.add_heading(item.text, levels[item])
            elif isinstance(item, Table):
                outline.add_table(item.rows)


def carry_headers(pages: list[list[Item]]) -> None:
    """Give a table that goes on from the page before that table's header, unless it was printed again."""
    for before, page in pairwise(pages):
        above = next((item for item in reversed(before[-_BETWEEN_PAGES:]) if isinstance(item, Table)), None)
        for index, item in enumerate(page[:_BETWEEN_PAGES]):
            if above is not None and isinstance(item, Table) and _goes_on(above, item):
                page[index] = replace(item, rows=(above.rows[0], *item.rows))
                break


def _goes_on(above: Table, table: Table) -> bool:
    alike = len(above.columns) == len(table.columns) and above.rows[0] != table.rows[0]
    return alike and all(
        abs(one - other) < _SAME_COLUMN for one, other in zip(above.columns, table.columns, strict=True)
    )


def normalise(text: str) -> str:
    """What two spellings of a heading have in common: its letters, without its number."""
    return "".join(filter(str.isalpha, text.casefold()))


def _join_pieces(lines: Sequence[Line]) -> list[Line]:
    # pdfium begins a new line at a raised number and where the type changes.
    joined: list[Line] = []
    for line in lines[:_MOST_LINES]:
        before = joined[-1] if joined else None
        if before is not None and _runs_on(before, line):
            gap = line.words[0].box.left - before.words[-1].box.right
            blank = " " if gap > _BLANK * max(before.size, line.size) and line.text[0] not in ",.;:)]" else ""
            joined[-1] = replace(
                before if len(before.text) >= len(line.text) else line,
                text=before.text + blank + line.text,
                words=(*before.words, *line.words),
                box=surround((before.box, line.box)),
                bold=before.bold and line.bold,
                divided=before.divided or line.divided,
            )
        else:
            joined.append(line)
    return [*joined, *lines[_MOST_LINES:]]


def _runs_on(before: Line, line: Line) -> bool:
    last, first = before.words[-1].box, line.words[0].box
    size = max(before.size, line.size)
    gap = first.left - last.right
    level = _is_level(last, first) or line.words[0].text in {".", ",", ";"}
    # A raised number, or a comma before one, may miss its neighbour and still stand in the other's line.
    level = level or (gap < _RAISED_GAP * size and _is_level(before.box, line.box))
    return level and abs(last.bottom - first.bottom) < size and -_BLANK * size < gap < _PIECE_GAP * size


def _is_level(one: Box, other: Box) -> bool:
    overlap = min(one.top, other.top) - max(one.bottom, other.bottom)
    return overlap > 0.5 * min(one.height, other.height)


def _order(lines: list[Line]) -> list[Line]:
    """The lines as drawn, but what was drawn late and stands above all before it comes first."""
    if not 1 < len(lines) <= _MOST_LINES:
        return lines
    ordered: list[Line] = []
    waiting = [lines]
    while waiting:
        part = waiting.pop()
        cut = _find_swap(part)
        if cut is None:
            ordered.extend(part)
        else:
            waiting.extend((part[:cut], part[cut:]))
    return ordered


def _find_swap(lines: Sequence[Line]) -> int | None:
    lowest: list[float] = []
    bottom = float("inf")
    for line in reversed(lines):
        bottom = min(bottom, line.box.bottom)
        lowest.append(bottom)
    top = float("-inf")
    for index in range(1, len(lines)):
        top = max(top, lines[index - 1].box.top)
        if lowest[-index - 1] >= top:
            return index
    return None


def _slim(line: Line, grids: Sequence[Grid], *, tables: bool) -> Line:
    if tables and (is_row(line) or any(is_inside(word, grid.box) for grid in grids for word in line.words)):
        return line
    return replace(line, words=())


def _spell(line: Line, page: int) -> Iterator[str]:
    """The line in its size, and the same with each of its numbers in turn counted from the page's own."""
    text = f"{line.size} {line.text}"
    yield text
    for number in islice(_DIGITS.finditer(text), _MOST_NUMBERS):
        yield f"{text[: number.start()]}\x00{int(number.group()) - page}\x00{text[number.end() :]}"


def _is_marginal(page: Page, line: Line) -> bool:
    for area in (page.area, page.extent):
        margin = _MARGIN * area.height
        if line.box.bottom > area.top - margin or line.box.top < area.bottom + margin:
            return True
    return False


def _find_headings(lines: Sequence[Line], body: float, bookmarks: Mapping[str, int]) -> Iterator[Item]:
    index = 0
    while index < len(lines):
        end = _find_block(lines, index, body)
        marked = next((count for count in (2, 1) if _is_marked(lines[index : index + count], bookmarks)), 0)
        if marked:
            end = index + marked
        block = lines[index:end]
        if marked or _is_heading(lines, index, end, body):
            text = " ".join(line.text for line in block)
            number = _NUMBER.match(text)
            depth = number.group(1).count(".") + 1 if number else 0
            yield Heading(text, max(line.size for line in block), depth)
        else:
            yield from block
        index = end


def _find_block(lines: Sequence[Line], start: int, body: float) -> int:
    """Where the lines end that are set as large as the first, if that is large."""
    end = start + 1
    if lines[start].size > body * _SAME:
        while end < len(lines) and _continues_heading(lines[end - 1], lines[end]):
            end += 1
    return end


def _continues_heading(above: Line, line: Line) -> bool:
    gap = above.box.bottom - line.box.top
    alike = abs(line.size - above.size) <= max(0.5, 0.05 * above.size)
    # Where the next line goes on in the middle of a sentence, it may stand further away.
    widest = 2 * _HEADING_GAP if line.text[0].islower() else _HEADING_GAP
    return alike and -line.size < gap < widest * line.size and not _NUMBER.match(line.text)


def _is_marked(lines: Sequence[Line], bookmarks: Mapping[str, int]) -> bool:
    text = " ".join(line.text for line in lines)
    return bool(bookmarks) and normalise(text) in bookmarks and _reads_as_heading(text)


def _is_heading(lines: Sequence[Line], start: int, end: int, body: float) -> bool:
    text = " ".join(line.text for line in lines[start:end])
    if not _reads_as_heading(text):
        return False
    if lines[start].size <= body * _SAME:
        return _stands_out(lines, start, body)
    sentence = text.endswith(".") and len(text) > _LONGEST_HEADING // 2
    return end - start <= _HEADING_LINES and len(text) <= _LONGEST_HEADING and not sentence


def _stands_out(lines: Sequence[Line], index: int, body: float) -> bool:
    """Whether a line in the size of the text is a heading: bold, alone, and above text that is not."""
    line = lines[index]
    if not line.bold or line.size < body or len(line.text) > _LONGEST_HEADING // 2 or line.text[-1] in ".,;":
        return False
    below = lines[index + 1] if index + 1 < len(lines) else None
    if below is None or below.bold or below.box.top >= line.box.bottom + line.size or has_leader(below):
        return False
    above = lines[index - 1] if index else None
    apart = above is None or above.box.bottom - line.box.top > 0.6 * line.size or above.box.top < line.box.top
    return apart and below.box.left - line.box.left < 4 * line.size


def _reads_as_heading(text: str) -> bool:
    visible = [char for char in text if not char.isspace()]
    letters = sum(map(str.isalpha, visible))
    ideographs = sum(char > "\u2e80" for char in visible)
    starts = text[0].isdigit() or not text[0].islower()
    wordy = letters > 2 or ideographs > 1  # shorter is a label or an initial
    return starts and wordy and letters * 2 >= len(visible) and text[-1] not in ",;" and not _ADDRESS.search(text)


def _make_paragraphs(lines: Sequence[Line]) -> Iterator[str]:
    gaps = [above.box.bottom - line.box.top for above, line in pairwise(lines)]
    usual = median([gap for gap in gaps if gap > 0] or [0.0])
    paragraph: list[str] = []
    for index, line in enumerate(lines):
        if paragraph and _begins_paragraph(lines[index - 1], line, gaps[index - 1], usual):
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(_BULLET.sub("- ", line.text))
    if paragraph:
        yield "\n".join(paragraph)


def _begins_paragraph(above: Line, line: Line, gap: float, usual: float) -> bool:
    ended = above.text[-1] in _SENTENCE_END
    if gap < -line.size:  # the next column
        return ended
    if gap > max(0.8 * line.size, 1.5 * usual + 1):
        return True
    return ended and line.box.left - above.box.left > 0.8 * line.size
