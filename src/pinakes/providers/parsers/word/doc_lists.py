"""The lists of a Word 97–2003 file, and the marks of their items."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

from pinakes.providers.parsers.word.doc_file import WordFile
from pinakes.providers.parsers.word.list_marks import DEEPEST, Level, ListCounter

_LISTS, _USES = 73, 74  # numbers of tables
_LIST_BYTES, _LEVEL_BYTES, _USE_BYTES = 28, 28, 16
_LEVELS = DEEPEST + 1
_SIMPLE, _LEGAL = 0x01, 0x04
_SETS_START, _SETS_LEVEL = 0x10, 0x20
_FORMS = {
    0: "decimal",
    1: "upperRoman",
    2: "lowerRoman",
    3: "upperLetter",
    4: "lowerLetter",
    22: "decimalZero",
    23: "bullet",
    255: "none",
}


@dataclass(slots=True)
class _Use:
    """A list as some paragraphs use it, with what they change of it."""

    name: str
    restarts: dict[int, int] = field(default_factory=dict[int, int])
    levels: dict[int, Level] = field(default_factory=dict[int, Level])


class Lists:
    """Counts the items of a file's lists, when they are asked for in reading order."""

    def __init__(self, file: WordFile) -> None:
        self._counter = ListCounter()
        self._levels: dict[str, dict[int, Level]] = {}
        self._uses: list[_Use] = []
        try:
            self._levels = _read_lists(file)
            _read_uses(file, self._uses)
        except (struct.error, IndexError):
            # Damage here costs marks of lists only; what was read up to there counts.
            return

    def count(self, number: int, depth: int) -> str | None:
        """The mark of the next item of this use of a list; None for no mark."""
        if not 1 <= number <= len(self._uses):
            return "-"
        use = self._uses[number - 1]
        levels: Mapping[int, Level] = self._levels.get(use.name, {}) | use.levels
        depth = min(depth, DEEPEST)
        if depth not in levels:
            return "-"
        self._counter.restart(use.name, use.restarts)
        use.restarts.clear()
        return self._counter.count(use.name, levels, depth)


def _read_lists(file: WordFile) -> dict[str, dict[int, Level]]:
    start, size = file.find_table(_LISTS)
    if size < 2:
        return {}
    (count,) = struct.unpack_from("<H", file.tables, start)
    heads = [start + 2 + index * _LIST_BYTES for index in range(count)]
    at = start + 2 + count * _LIST_BYTES
    lists: dict[str, dict[int, Level]] = {}
    for head in heads:
        (name,) = struct.unpack_from("<i", file.tables, head)
        levels: dict[int, Level] = {}
        for depth in range(1 if file.tables[head + 26] & _SIMPLE else _LEVELS):
            levels[depth], at = _read_level(file.tables, at)
        lists[str(name)] = levels
    return lists


def _read_level(tables: bytes, at: int) -> tuple[Level, int]:
    """A level, and where it ends."""
    start, form, flags = struct.unpack_from("<iBB", tables, at)
    places = frozenset(tables[at + 6 : at + 15])
    at += _LEVEL_BYTES + tables[at + 24] + tables[at + 25]
    (length,) = struct.unpack_from("<H", tables, at)
    text = tables[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace")
    # The numbers of levels stand in the text as characters of that code, at the places that are listed.
    marked = "".join(
        f"%{ord(sign) + 1}" if index in places and ord(sign) <= DEEPEST else sign
        for index, sign in enumerate(text, start=1)
    )
    level = Level(_FORMS.get(form, "decimal"), marked, min(max(start, 0), 0x7FFF), legal=bool(flags & _LEGAL))
    return level, at + 2 + 2 * length


def _read_uses(file: WordFile, uses: list[_Use]) -> None:
    start, size = file.find_table(_USES)
    if size < 4:
        return
    count = min(struct.unpack_from("<I", file.tables, start)[0], size // _USE_BYTES)
    heads = [start + 4 + index * _USE_BYTES for index in range(count)]
    uses += [_Use(str(struct.unpack_from("<i", file.tables, head)[0])) for head in heads]
    at = start + 4 + count * _USE_BYTES
    for use, head in zip(uses, heads, strict=True):
        at += 4
        for _ in range(file.tables[head + 12]):
            first, flags = struct.unpack_from("<iI", file.tables, at)
            at += 8
            depth = flags & 0x0F
            if flags & _SETS_LEVEL:
                use.levels[depth], at = _read_level(file.tables, at)
            if flags & _SETS_START:
                use.restarts[depth] = use.levels[depth].start if flags & _SETS_LEVEL else first
