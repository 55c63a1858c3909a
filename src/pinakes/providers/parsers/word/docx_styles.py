"""What Word's styles and numbering make of a paragraph: a heading, an item of a list, a line of the contents."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pinakes.providers.parsers.word.list_marks import DEEPEST, Level, ListCounter
from pinakes.providers.parsers.word.style_names import is_contents, is_title, read_heading_level

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BODY_LEVEL = 9  # the outline level that says "no heading"


@dataclass(frozen=True, slots=True)
class Look:
    """What a style says of its paragraphs."""

    level: int | None = None
    title: bool = False
    contents: bool = False
    number: str | None = None
    depth: int | None = None
    hidden: bool = False


class Styles:
    """The paragraph styles of a document, each with what it takes over from those it is based on."""

    def __init__(self, root: Any | None) -> None:
        elements: list[Any] = [] if root is None else root.findall(f"{W}style")
        self._elements = {value(element, "styleId"): element for element in elements}
        self._looks: dict[str, Look] = {}
        self.default = next(
            (value(item, "styleId") for item in elements if value(item, "default") == "1" and _is_paragraph(item)),
            "",
        )

    def look(self, style: str) -> Look:
        """What this style says; one that is not defined is judged by its name."""
        if style not in self._looks:
            self._looks[style] = self._resolve(style)
        return self._looks[style]

    def _resolve(self, style: str) -> Look:
        chain = list(self._chain(style))
        names = [child_value(element, "name") or "" for element in chain] or [style]
        levels = [child_value(element, "pPr", "outlineLvl") for element in chain]
        level = read_level(next((found for found in levels if found is not None), None))
        if level is None and not any(levels):
            level = next(filter(None, map(read_heading_level, names)), None)
        contents = is_contents(names[0])
        numbers = [child_value(element, "pPr", "numPr", "numId") for element in chain]
        depths = [child_value(element, "pPr", "numPr", "ilvl") for element in chain]
        return Look(
            level=None if contents else level,
            title=any(map(is_title, names)) and names[0].casefold() != "subtitle",
            contents=contents,
            number=next((number for number in numbers if number is not None), None),
            depth=next((read_number(depth) for depth in depths if depth is not None), None),
            hidden=any(is_on(element.find(f"{W}rPr/{W}vanish")) for element in chain),
        )

    def _chain(self, style: str) -> Iterator[Any]:
        seen: set[str] = set()
        while style in self._elements and style not in seen:
            seen.add(style)
            yield self._elements[style]
            style = child_value(self._elements[style], "basedOn") or ""


class Numbering:
    """Counts the numbered paragraphs of a document as Word does, when they are asked for in reading order."""

    def __init__(self, root: Any | None) -> None:
        self._lists: dict[str, str] = {}
        self._levels: dict[str, dict[int, Level]] = {}
        self._restarts: dict[str, dict[int, int]] = {}
        self._counter = ListCounter()
        if root is None:
            return
        abstract: list[Any] = root.findall(f"{W}abstractNum")
        for element in abstract:
            levels = {_depth(level): _read_level(level) for level in element.findall(f"{W}lvl")}
            self._levels[value(element, "abstractNumId")] = levels
        # A list may only name the style that another one defines.
        named = {child_value(element, "styleLink"): value(element, "abstractNumId") for element in abstract}
        for element in abstract:
            source = named.get(child_value(element, "numStyleLink") or "")
            if source is not None:
                self._levels[value(element, "abstractNumId")] = self._levels[source]
        for element in root.findall(f"{W}num"):
            number = value(element, "numId")
            self._lists[number] = child_value(element, "abstractNumId") or ""
            starts = {
                _depth(item): read_number(child_value(item, "startOverride"))
                for item in element.findall(f"{W}lvlOverride")
            }
            self._restarts[number] = {depth: start for depth, start in starts.items() if start is not None}

    def depth_of(self, number: str, style: str) -> int:
        """The level of a list that belongs to a style; the first if none does."""
        levels = self._levels.get(self._lists.get(number, ""), {})
        return next((depth for depth, level in levels.items() if level.style == style), 0)

    def count(self, number: str, depth: int) -> str | None:
        """The mark of the next paragraph at this level: "-" for a bullet, "2.1" for a number, None for no mark."""
        depth = max(0, min(depth, DEEPEST))
        name = self._lists.get(number, "")
        levels = self._levels.get(name, {})
        if depth not in levels:
            return None if number == "0" else "-"
        self._counter.restart(name, self._restarts.pop(number, {}))
        return self._counter.count(name, levels, depth)


def value(element: Any, name: str = "val") -> str:
    """An attribute of Word's own; empty where it is missing."""
    return element.get(f"{W}{name}") or ""


def child_value(element: Any, *path: str) -> str | None:
    """The value of a property, given by its path; None where it is missing."""
    found = element.find("/".join(f"{W}{name}" for name in path))
    return None if found is None else value(found)


def is_on(toggle: Any | None) -> bool:
    """Whether a property that can be switched off is there and on."""
    return toggle is not None and value(toggle) not in ("0", "false", "off")


def read_number(text: str | None) -> int | None:
    """A whole number of a sensible size, or None."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else None


def read_level(text: str | None) -> int | None:
    """The level of a heading, 1 being the highest, from Word's outline level."""
    number = read_number(text)
    return None if number is None or number >= _BODY_LEVEL else number + 1


def _read_level(element: Any) -> Level:
    start = read_number(child_value(element, "start"))
    return Level(
        form=child_value(element, "numFmt") or "decimal",
        text=child_value(element, "lvlText") or "",
        start=1 if start is None else start,
        style=child_value(element, "pStyle") or "",
        legal=is_on(element.find(f"{W}isLgl")),
    )


def _depth(element: Any) -> int:
    return read_number(value(element, "ilvl")) or 0


def _is_paragraph(element: Any) -> bool:
    return value(element, "type") in ("", "paragraph")
