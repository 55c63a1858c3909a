"""Putting a parsed document together: headings, paragraphs and tables go in, Markdown with its sections comes out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import Place

# A table up to this size stays with the text around it; a longer one gets sections of its own under its header.
_INLINE_CHARS = 800
_DEEPEST = 6
_PAGES = frozenset({"page", "slide"})
_BLANKS = re.compile(r"\s+")


class Outline:
    """Takes a document's parts in reading order."""

    def __init__(self, *, inside: str | None = None, above: Sequence[str] = ()) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._sections: list[Section] = []
        self._above = tuple(above)
        self._path: list[tuple[int, str]] = []
        self._place: Place | None = None
        self._pages: int | None = None
        self._inside = inside
        self._start = 0
        self._only_headings = True

    def begin_place(self, place: Place | None) -> None:
        """What follows stands on another page, slide or sheet, or in another chapter."""
        self._close()
        self._place = place
        if place is not None and place.kind in _PAGES:
            self._pages = max(self._pages or 0, place.number)

    def forget_headings(self) -> None:
        """What follows stands under none of the headings so far."""
        self._close()
        self._path.clear()

    def add_heading(self, text: str, level: int) -> None:
        """A heading, 1 being the highest; it opens a section that lasts until the next heading."""
        text = _one_line(text)
        if not text:
            return
        # A heading with nothing below it is no passage of its own: it opens the next section.
        if not self._only_headings:
            self._close()
        level = max(1, min(level, _DEEPEST))
        self._path = [entry for entry in self._path if entry[0] < level]
        self._path.append((level, text))
        self._append(f"{'#' * level} {text}\n\n", heading=True)

    def add_paragraph(self, text: str) -> None:
        """A stretch of text; Markdown in it is kept."""
        text = text.strip()
        if text:
            self._append(f"{text}\n\n")

    def add_table(self, rows: Iterable[Sequence[str]], *, first_row: int | None = None) -> None:
        """A table whose first row is its header; `first_row` is that row's own number, where rows can be cited."""
        header, body = make_table(rows)
        if not header:
            return
        if first_row is None and len(header) + sum(map(len, body)) <= _INLINE_CHARS:
            self._append(header + "".join(body) + "\n")
            return
        if self._only_headings:
            # Headings with only a table below them stand above every one of its rows: they are no passage.
            self._start = self._length
        self._close()
        if not body:
            # A header alone is a row like any other.
            self._append(header.partition("\n")[0] + "\n")
            self._close(first_row=first_row)
        else:
            self._append(header)
            self._start = self._length
            self._append("".join(body))
            self._close(header=header, first_row=None if first_row is None else first_row + 1)
        self._append("\n")
        self._start = self._length
        self._only_headings = True

    def finish(self, *, title: str | None = None, remarks: Iterable[str] = ()) -> ParsedDocument:
        """The document; a fault where there was no text at all."""
        self._close()
        if not self._sections:
            raise DocumentFault("There is no text in this document.")
        text = "".join(self._parts)
        return ParsedDocument(
            text, tuple(self._sections), markdown=True, title=title, remarks=tuple(remarks), pages=self._pages
        )

    def _append(self, text: str, *, heading: bool = False) -> None:
        self._only_headings &= heading
        self._parts.append(text)
        self._length += len(text)

    def _close(self, *, header: str = "", first_row: int | None = None) -> None:
        if self._length > self._start:
            place = self._place
            if place is not None and first_row is not None:
                place = replace(place, first_row=first_row)
            headings = (*self._above, *(text for _, text in self._path))
            self._sections.append(Section(self._start, self._length, place, headings, header, self._inside))
        self._start = self._length
        self._only_headings = True


def make_table(rows: Iterable[Sequence[str]]) -> tuple[str, list[str]]:
    """A Markdown table: the header with its rule, and each row; every line ends with a line end."""
    lines = [[_cell(cell) for cell in row] for row in rows]
    width = max((len(line) for line in lines), default=0)
    if width == 0:
        return "", []
    padded = [_line([*line, *[""] * (width - len(line))]) for line in lines]
    return padded[0] + _line(["---"] * width), padded[1:]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(text: str) -> str:
    return _one_line(text).replace("\\", "\\\\").replace("|", "\\|")


def _one_line(text: str) -> str:
    return _BLANKS.sub(" ", text).strip()
