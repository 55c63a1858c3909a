"""The marks of numbered paragraphs, counted as Word counts them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pinakes.providers.parsers.word.numerals import write_number

DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list: the text of its marks has %1 for the number of the first level, and so on."""

    form: str
    text: str
    start: int = 1
    style: str = ""
    legal: bool = False


class ListCounter:
    """Counts the paragraphs of each list, when they are asked for in reading order."""

    def __init__(self) -> None:
        self._counts: dict[str, dict[int, int]] = {}

    def restart(self, name: str, starts: Mapping[int, int]) -> None:
        """Let the next paragraphs of this list begin with these numbers."""
        self._counts.setdefault(name, {}).update({depth: start - 1 for depth, start in starts.items()})

    def count(self, name: str, levels: Mapping[int, Level], depth: int) -> str | None:
        """The mark of the next paragraph at this level: "-" for a bullet, "2.1" for a number, None for no mark."""
        counts = self._counts.setdefault(name, {})
        counts[depth] = counts.get(depth, levels[depth].start - 1) + 1
        for deeper in [level for level in counts if level > depth]:
            del counts[deeper]
        return _write_mark(levels, counts, depth)


def _write_mark(levels: Mapping[int, Level], counts: Mapping[int, int], depth: int) -> str | None:
    level = levels[depth]
    if level.form == "bullet":
        return "-"

    def write(match: re.Match[str]) -> str:
        index = int(match[1]) - 1
        other = levels.get(index, level)
        form = "decimal" if level.legal else other.form
        return "" if form in ("none", "bullet") else write_number(counts.get(index, other.start), form)

    return re.sub(r"%([1-9])", write, level.text).strip() or None
