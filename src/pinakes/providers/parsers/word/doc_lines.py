"""The text of a Word 97–2003 file as lines: fields show their results, signs that only mark a place are gone."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pinakes.providers.parsers.word.links import write_link
from pinakes.providers.parsers.word.rtf_words import join_surrogates
from pinakes.providers.parsers.word.tabs import join_tabs

_BEGIN, _SEPARATOR, _END = "\x13", "\x14", "\x15"
_ENDS = "\r\x07\x0c"  # of a paragraph, of a cell or row, of a page or section
_FIELD_MARKS = re.compile(r"[\x13-\x15]")
# Characters of the private area are signs of a symbol font, which mean nothing outside of it.
_SIGNS = re.compile(r"[\x00-\x1f\x7f\uf000-\uf0ff]")
_WRITTEN = {"\t": "\t", "\n": "\n", "\x0b": "\n", "\x0e": "\n", "\x1e": "-"}
# A reading above or below a word is kept as a formula; the word is the last of its two parts.
_READING = re.compile(r"\s*EQ\b.*\\s\s*\\(?:up|do)\s*\d+\([^()]*\)\s*[,;](.+)\)\s*", re.DOTALL)
_LINK = re.compile(r'HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph, or what of it stands in a cell; `position` is that of the mark that ends it."""

    text: str
    position: int
    mark: str
    instructions: str


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list[str])
    in_code: bool = True
    start: tuple[int, int] = (0, 0)


def read_lines(text: str, stretch: range, notes: Mapping[int, str]) -> Iterator[Line]:
    """The lines of a stretch of the text; `notes` are put in at their positions."""
    return _Reader(text, stretch, notes).read()


class _Reader:
    """Follows the fields of a text, which may begin in one line and end in another."""

    def __init__(self, text: str, stretch: range, notes: Mapping[int, str]) -> None:
        self._text = text
        self._end = min(stretch.stop, len(text))
        self._at = stretch.start
        self._notes = notes
        self._fields: list[_Field] = []
        self._in_code = 0
        self._line: list[str] = []
        self._instructions: list[str] = []
        self._lines = 0

    def read(self) -> Iterator[Line]:
        """Every line, in order."""
        matched = _match_fields(self._text, self._at, self._end)
        for sign in _SIGNS.finditer(self._text, self._at, self._end):
            position, character = sign.start(), sign[0]
            self._write(self._text[self._at : position])
            self._at = position + 1
            if character in _ENDS and not self._in_code:
                yield self._finish(position, character)
            elif position in matched:
                self._follow(character)
            elif character not in _ENDS:
                self._write(self._notes.get(position, "") if character == "\x02" else _WRITTEN.get(character, ""))
        self._write(self._text[self._at : self._end])
        if self._line:
            yield self._finish(self._end - 1, "\r")

    def _write(self, text: str) -> None:
        if not self._in_code:
            self._line.append(text)
        elif self._fields[-1].in_code:
            self._fields[-1].code.append(text)

    def _follow(self, mark: str) -> None:
        if mark == _BEGIN:
            self._fields.append(_Field())
            self._in_code += 1
        elif mark == _SEPARATOR:
            self._leave_code(self._fields[-1])
        else:
            self._close(self._fields.pop())

    def _leave_code(self, entry: _Field) -> None:
        if entry.in_code:
            entry.in_code = False
            entry.start = (self._lines, len(self._line))
            self._in_code -= 1

    def _close(self, entry: _Field) -> None:
        has_result = not entry.in_code
        self._leave_code(entry)
        code = "".join(entry.code)
        self._instructions.append(code)
        link = _LINK.search(code) if has_result and entry.start[0] == self._lines and not self._in_code else None
        reading = None if has_result or self._in_code else _READING.fullmatch(code)
        if reading:
            self._line.append(reading[1])
        if link:
            start = entry.start[1]
            self._line[start:] = [write_link("".join(self._line[start:]), link[1])]

    def _finish(self, position: int, mark: str) -> Line:
        text = join_tabs(join_surrogates("".join(self._line))).strip()
        line = Line(text, position, mark, " ".join(self._instructions))
        self._line.clear()
        self._instructions.clear()
        self._lines += 1
        return line


def _match_fields(text: str, start: int, end: int) -> set[int]:
    """Where the marks of the fields are that both begin and end; a lone mark must not swallow the text after it."""
    matched: set[int] = set()
    open_fields: list[list[int]] = []
    for mark in _FIELD_MARKS.finditer(text, start, end):
        if mark[0] == _BEGIN:
            open_fields.append([mark.start()])
        elif open_fields:
            open_fields[-1].append(mark.start())
            if mark[0] == _END:
                matched.update(open_fields.pop())
    return matched
