"""A PDF page as it was drawn: lines of text in pdfium's order with their places and sizes, and ruled lines."""

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import hypot, isfinite
from typing import Any, cast

import pypdfium2.raw as raw_pdfium  # pyright: ignore[reportMissingTypeStubs]
from pypdfium2 import PdfiumError  # pyright: ignore[reportMissingTypeStubs]

_pdfium_c = cast("Any", raw_pdfium)

_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
# pdfium puts U+FFFE or U+0002 in place of a hyphen that divides a word at a line's end, and joins the lines.
_DIVISIONS = "\ufffe\x02"
_DIVISION_MARKS = {0xFFFE: None, 0xFFFF: None, 0x00AD: None}
_CONTROLS = {code: None for code in range(0x20) if chr(code) not in "\t\n\f"}
_CLEANING = str.maketrans({**_CONTROLS, **_DIVISION_MARKS, **_LIGATURES, "\f": "\n"})
_BOLD = re.compile(rb"bold|black|heavy|demi|cmbx|cmssbx|sfbx|sfsx", re.IGNORECASE)
_BOLD_WEIGHT = 600
_FONT_NAME_BYTES = 128
_WORD = re.compile(r"\S+")
# Gaps in which there is no blank: in type sizes, and in gaps between the letters beside it.
_LEAST_GAP = -0.2
_TEAR = 0.1
_WIDEST_TEAR = 0.4
_SPACED_TEAR = 1.3
_MOST_OBJECTS = 5_000  # drawings of more parts than this are pictures, and no tables
_MOST_SEGMENTS = 2_000
_RECTANGLE_SEGMENTS = 5
_THIN = 3.0
_SHORTEST_RULE = 6.0
_PICTURE_SHARE = 0.05  # of the page's area; less is a logo
_FORM_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in points, counted from the lower left."""

    left: float
    bottom: float
    right: float
    top: float

    @property
    def height(self) -> float:
        """From bottom to top."""
        return self.top - self.bottom


@dataclass(frozen=True, slots=True)
class Word:
    """A run of characters without a blank."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text; `size` is its type's in points, `divided` tells that it runs on over a hyphen."""

    text: str
    words: tuple[Word, ...]
    box: Box
    size: float
    bold: bool
    divided: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A drawn line or the edge of a drawn rectangle; as thin as `Box` allows."""

    box: Box
    upright: bool


@dataclass(frozen=True, slots=True)
class PageDrawing:
    """What is on a page, turned so that its lines run from left to right."""

    lines: tuple[Line, ...]
    rules: tuple[Rule, ...]
    area: Box
    has_picture: bool


def clean(text: str) -> str:
    """The text without control characters, soft hyphens and ligatures, its lines ended by line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEANING).strip()


def read_drawing(page: Any) -> PageDrawing:
    """Everything on the page that its structure can be told by; a PdfiumError where it cannot be read."""
    area = Box(*page.get_bbox())
    text_page = page.get_textpage()
    try:
        lines = list(_read_lines(text_page))
    finally:
        text_page.close()
    visible = tuple(line for line in (_crop(line, area) for line in lines) if line is not None)
    try:
        rules, has_picture = _read_objects(page, area)
    except PdfiumError:  # a broken drawing loses no text
        rules, has_picture = (), False
    if turn := _find_turn(visible, page.get_rotation()):
        visible = tuple(_turn_line(line, turn, area) for line in visible)
        rules = tuple(Rule(_turn(rule.box, turn, area), rule.upright ^ (turn != 180)) for rule in rules)
        area = _turn(area, turn, area)
    return PageDrawing(visible, rules, area, has_picture)


def _crop(line: Line, area: Box) -> Line | None:
    """What of the line is on the page: a page cut from a larger sheet may still hold the others' text."""
    words = tuple(word for word in line.words if _meets(word.box, area))
    if len(words) == len(line.words):
        return line
    if not words:
        return None
    text = " ".join(word.text for word in words)
    return replace(line, text=text, words=words, box=surround([word.box for word in words]))


def _meets(box: Box, area: Box) -> bool:
    across = box.left <= area.right and box.right >= area.left
    return across and box.bottom <= area.top and box.top >= area.bottom


def surround(boxes: Sequence[Box]) -> Box:
    """The smallest box around all of these."""
    return Box(
        min(box.left for box in boxes),
        min(box.bottom for box in boxes),
        max(box.right for box in boxes),
        max(box.top for box in boxes),
    )


class _Characters:
    """The characters of a text page: where they stand and what they are set in."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        # Made once, because they are filled for every word.
        self._sides = tuple(ctypes.c_double() for _ in range(4))
        self._matrix = _pdfium_c.FS_MATRIX()
        self._rectangle = _pdfium_c.FS_RECTF()
        self._font = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        self._flags = ctypes.c_int()

    def find(self, place: int) -> int:
        """The index of the character at a place of the page's text."""
        return _pdfium_c.FPDFText_GetCharIndexFromTextIndex(self._raw, place)

    def box(self, index: int) -> Box:
        """Where a character stands."""
        left, right, bottom, top = self._sides
        _pdfium_c.FPDFText_GetCharBox(self._raw, index, left, right, bottom, top)
        return Box(left.value, bottom.value, right.value, top.value)

    def gap(self, index: int, following: int) -> float:
        """How far apart two characters are set, by the widths that their fonts give them."""
        _pdfium_c.FPDFText_GetLooseCharBox(self._raw, index, self._rectangle)
        right = cast("float", self._rectangle.right)
        _pdfium_c.FPDFText_GetLooseCharBox(self._raw, following, self._rectangle)
        return cast("float", self._rectangle.left) - right

    def size(self, index: int) -> float:
        """The size of its type in half points."""
        size = cast("float", _pdfium_c.FPDFText_GetFontSize(self._raw, index))
        if _pdfium_c.FPDFText_GetMatrix(self._raw, index, self._matrix):
            size *= hypot(self._matrix.c, self._matrix.d)
        return round(size * 2) / 2 if isfinite(size) else 0.0

    def is_generated(self, index: int) -> bool:
        """Whether the character is not in the file, but was put between two others that stand apart."""
        return _pdfium_c.FPDFText_IsGenerated(self._raw, index) == 1

    def is_bold(self, index: int) -> bool:
        """Whether its type is bold, by the font's weight or its name."""
        if _pdfium_c.FPDFText_GetFontWeight(self._raw, index) >= _BOLD_WEIGHT:
            return True
        _pdfium_c.FPDFText_GetFontInfo(self._raw, index, self._font, _FONT_NAME_BYTES, self._flags)
        return _BOLD.search(self._font.value) is not None


@dataclass(frozen=True, slots=True)
class _Run:
    """A word before it is read: where it stands in the page's text, and its first and last character."""

    start: int
    end: int
    first: int
    last: int


def _read_lines(text_page: Any) -> Iterator[Line]:
    text = cast("str", text_page.get_text_range())
    characters = _Characters(text_page.raw)
    start = 0
    for end in (*(match.start() for match in re.finditer(r"\r\n?|\n", text)), len(text)):
        if (line := _read_line(characters, text, start, end)) is not None:
            yield line
        start = end


def _read_line(characters: _Characters, text: str, start: int, end: int) -> Line | None:
    words: list[Word] = []
    places: list[int] = []
    shown: list[str] = []
    before: _Run | None = None
    for match in _WORD.finditer(text, start, end):
        if word := clean(match.group()):
            run = _Run(match.start(), match.end(), characters.find(match.start()), characters.find(match.end() - 1))
            box = _join(characters.box(run.first), characters.box(run.last))
            if before is not None and _is_torn(characters, text, before, run):
                words[-1] = Word(words[-1].text + word, _join(words[-1].box, box))
            else:
                words.append(Word(word, box))
                places.append(run.first)
                shown.append(text[before.end if before else start : run.start])
            shown.append(match.group())
            before = run
    if before is None:
        return None
    # A line's ends and middle tell its type; a word in another type in between does not matter.
    samples = [places[0], places[len(places) // 2], places[-1]]
    return Line(
        text=clean("".join(shown) + text[before.end : end]),
        words=tuple(words),
        box=surround([word.box for word in words]),
        size=sorted(map(characters.size, samples))[1],
        bold=all(map(characters.is_bold, samples)),
        divided=any(mark in text[start:end] for mark in _DIVISIONS),
    )


def _is_torn(characters: _Characters, text: str, before: _Run, run: _Run) -> bool:
    """Whether a word was only torn by pdfium, which sees a blank wherever type is kerned or set letter by letter."""
    # Longer pieces are words as well; and only a blank that is not in the file may be none.
    if 1 not in (before.end - before.start, run.end - run.start) or not characters.is_generated(before.last + 1):
        return False
    if not text[before.end - 1].isalnum() and not text[run.start].isalnum():  # dots that lead to a page number
        return False
    gap = characters.gap(before.last, run.first)
    size = characters.size(run.first)
    inner = [characters.gap(word.last - 1, word.last) for word in (before, run) if word.last > word.first]
    return _LEAST_GAP * size < gap <= max(_TEAR * size, min(_WIDEST_TEAR * size, _SPACED_TEAR * max(inner, default=0)))


def _join(one: Box, other: Box) -> Box:
    return Box(
        min(one.left, other.left),
        min(one.bottom, other.bottom),
        max(one.right, other.right),
        max(one.top, other.top),
    )


def _find_turn(lines: Sequence[Line], rotation: int) -> int:
    """By how many degrees to turn the page clockwise, so that its lines run from left to right."""
    votes = Counter(_direction(line) for line in lines if len(line.words) > 2)  # fewer words show no direction
    turn = max(votes, key=lambda direction: votes[direction], default=0)
    # Lines from right to left are upside down only where the page is: Arabic runs so by itself.
    return rotation % 360 if turn == 0 and rotation == 180 else turn


def _direction(line: Line) -> int:
    if line.box.height <= line.box.right - line.box.left:
        return 0
    return 90 if line.words[0].box.bottom < line.words[-1].box.bottom else 270


def _turn(box: Box, turn: int, area: Box) -> Box:
    if turn == 90:
        return Box(box.bottom, area.right - box.right, box.top, area.right - box.left)
    if turn == 180:
        return Box(area.right - box.right, area.top - box.top, area.right - box.left, area.top - box.bottom)
    if turn == 270:
        return Box(area.top - box.top, box.left, area.top - box.bottom, box.right)
    return box


def _turn_line(line: Line, turn: int, area: Box) -> Line:
    words = tuple(replace(word, box=_turn(word.box, turn, area)) for word in line.words)
    return replace(line, words=words, box=_turn(line.box, turn, area))


def _read_objects(page: Any, area: Box) -> tuple[tuple[Rule, ...], bool]:
    rules: list[Rule] = []
    has_picture = False
    smallest = _PICTURE_SHARE * (area.right - area.left) * area.height
    for number, item in enumerate(page.get_objects(max_depth=_FORM_DEPTH)):
        if number > _MOST_OBJECTS:
            return (), has_picture
        # What is inside a form has that form's own measure; only whether there is a picture counts there.
        if item.type == _pdfium_c.FPDF_PAGEOBJ_IMAGE:
            box = Box(*item.get_bounds())
            has_picture |= item.level > 0 or (box.right - box.left) * box.height >= smallest
        elif item.type == _pdfium_c.FPDF_PAGEOBJ_PATH and item.level == 0:
            rules.extend(_read_path(item))
    return tuple(rules), has_picture


def _read_path(item: Any) -> Iterator[Rule]:
    count = _pdfium_c.FPDFPath_CountSegments(item.raw)
    box = Box(*item.get_bounds())
    width, height = box.right - box.left, box.height
    if not isfinite(width + height):
        return
    if min(width, height) <= _THIN:
        if max(width, height) >= _SHORTEST_RULE:
            yield Rule(box, upright=height > width)
    elif count <= _RECTANGLE_SEGMENTS:
        yield from _edges(box)
    elif count <= _MOST_SEGMENTS:
        yield from _read_segments(item, count)


def _edges(box: Box) -> Iterator[Rule]:
    yield Rule(Box(box.left, box.bottom, box.left, box.top), upright=True)
    yield Rule(Box(box.right, box.bottom, box.right, box.top), upright=True)
    yield Rule(Box(box.left, box.bottom, box.right, box.bottom), upright=False)
    yield Rule(Box(box.left, box.top, box.right, box.top), upright=False)


def _read_segments(item: Any, count: int) -> Iterator[Rule]:
    matrix = item.get_matrix()
    x, y = ctypes.c_float(), ctypes.c_float()
    before: tuple[float, float] | None = None
    for index in range(count):
        segment = _pdfium_c.FPDFPath_GetPathSegment(item.raw, index)
        _pdfium_c.FPDFPathSegment_GetPoint(segment, x, y)
        point = matrix.on_point(x.value, y.value)
        kind = _pdfium_c.FPDFPathSegment_GetType(segment)
        if kind == _pdfium_c.FPDF_SEGMENT_LINETO and before is not None:
            box = _join(Box(*before, *before), Box(*point, *point))
            width, height = box.right - box.left, box.height
            if min(width, height) <= 1 and max(width, height) >= _SHORTEST_RULE:
                yield Rule(box, upright=height > width)
        before = point
