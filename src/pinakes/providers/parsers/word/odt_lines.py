"""Paragraphs and lists of OpenDocument texts: words as they stand on the page, and the marks before items."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pinakes.providers.parsers.office.odf import count_repeats
from pinakes.providers.parsers.office.ooxml import find_all, get_attribute, name_of
from pinakes.providers.parsers.word.links import write_link
from pinakes.providers.parsers.word.numerals import write_number

_MOST_SPACES = 100
_DEEPEST = 10
_OUTLINE = "outline of headings"
_NUMBERED = frozenset({"list-level-style-number", "outline-level-style"})
_BLANKS = re.compile(r"[ \t\r\n]+")
_FORMS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
# Shapes can hold paragraphs; pictures cannot, but frames hold both.
SHAPES = frozenset({"frame", "text-box", "custom-shape", "rect", "ellipse", "circle", "polygon", "path", "g", "line"})
_UNSEEN = frozenset({"ruby-text", "tracked-changes", "hidden-text", "hidden-paragraph", "forms", "title", "desc"})


@dataclass(slots=True)
class Line:
    """What a paragraph says, and what is anchored in it."""

    text: str = ""
    boxes: list[Any] = field(default_factory=list[Any])
    comments: list[Any] = field(default_factory=list[Any])
    has_page_number: bool = False


def read_line(paragraph: Any, mark_note: Callable[[Any], str]) -> Line:
    """The words of a paragraph or heading; `mark_note` takes each note and says how it is marked in the text."""
    line = Line()
    pieces: list[str] = []
    _read_runs(paragraph, line, pieces, mark_note)
    line.text = "".join(pieces).strip()
    return line


def _read_runs(element: Any, line: Line, pieces: list[str], mark_note: Callable[[Any], str]) -> None:
    pieces.append(_collapse(element.text))
    for child in element:
        name = name_of(child)
        if name == "s":
            pieces.append(" " * min(count_repeats(child, "c"), _MOST_SPACES))
        elif name in ("tab", "line-break"):
            pieces.append("\t" if name == "tab" else "\n")
        elif name == "note":
            pieces.append(mark_note(child))
        elif name == "annotation":
            line.comments.append(child)
        elif name in SHAPES:
            line.boxes.append(child)
        elif name == "a":
            _read_link(child, line, pieces, mark_note)
        elif name and name not in _UNSEEN:
            line.has_page_number |= name in ("page-number", "page-count")
            _read_runs(child, line, pieces, mark_note)
        pieces.append(_collapse(child.tail))


def _read_link(element: Any, line: Line, pieces: list[str], mark_note: Callable[[Any], str]) -> None:
    inner: list[str] = []
    _read_runs(element, line, inner, mark_note)
    text = "".join(inner)
    target = get_attribute(element, "href") or ""
    pieces.append(write_link(text, target))


def _collapse(text: str | None) -> str:
    return _BLANKS.sub(" ", text or "")


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    prefix: str
    suffix: str
    shown: int
    start: int


class Lists:
    """Counts the items of a document's lists, when they are asked for in reading order."""

    def __init__(self, parts: list[Any]) -> None:
        self._styles: dict[str, dict[int, _Level]] = {}
        self._last: dict[str, list[int]] = {}
        self._headings: list[int] = []
        for style in (style for part in parts for style in find_all(part, "list-style", "outline-style")):
            name = _OUTLINE if name_of(style) == "outline-style" else get_attribute(style, "name") or ""
            levels = (level for level in style if name_of(level) in _NUMBERED)
            shown = {
                count_repeats(level, "level"): _read_level(level)
                for level in levels
                if get_attribute(level, "num-format")
            }
            self._styles.setdefault(name, shown)

    def begin(self, element: Any, style: str) -> list[int]:
        """The counts with which a list begins: from its start, or where the last one of its style ended."""
        goes_on = get_attribute(element, "continue-numbering") == "true" or get_attribute(element, "continue-list")
        return self._last.get(style, [])[:1] if goes_on else []

    def count(self, style: str, counts: list[int], depth: int, item: Any) -> str:
        """The mark of the next item at a depth counted from 1, "-" for a bullet; `counts` is brought up to date."""
        level = self._styles.get(style, {}).get(depth)
        start = get_attribute(item, "start-value") or ""
        del counts[depth:]
        counts.extend([0] * (depth - len(counts)))
        if start.isdigit() and len(start) < _DEEPEST:
            counts[depth - 1] = int(start)
        else:
            counts[depth - 1] = counts[depth - 1] + 1 or 1
            if counts[depth - 1] == 1 and level:
                counts[depth - 1] = level.start
        self._last[style] = counts
        return self._write(style, counts, depth) if level else "-"

    def count_heading(self, level: int, heading: Any) -> str:
        """The number of the next heading of a level; empty where the document does not number them."""
        if get_attribute(heading, "is-list-header") == "true":
            return ""
        mark = self.count(_OUTLINE, self._headings, min(level, _DEEPEST), heading)
        return "" if mark == "-" else mark

    def _write(self, style: str, counts: list[int], depth: int) -> str:
        levels = self._styles[style]
        level = levels[depth]
        shown = range(max(1, depth - level.shown + 1), depth + 1)
        numbers = [write_number(counts[at - 1], levels[at].form) for at in shown if at in levels]
        return level.prefix + ".".join(numbers) + level.suffix


def _read_level(element: Any) -> _Level:
    return _Level(
        form=_FORMS.get(get_attribute(element, "num-format") or "", "decimal"),
        prefix=get_attribute(element, "num-prefix") or "",
        suffix=get_attribute(element, "num-suffix") or "",
        shown=count_repeats(element, "display-levels"),
        start=count_repeats(element, "start-value"),
    )
