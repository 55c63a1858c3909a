"""Blocks: a note as a list of JSON objects, and the Markdown that they stand for."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pinakes.domain.errors import InvalidInput

Block = Mapping[str, Any]
MAX_BLOCKS = 5_000
_LEVELS = range(1, 7)
# What an item of a checklist has.
_ENTRY = ("text", "checked")
_BACKTICKS = re.compile(r"`+")


class _Wrong(Exception):
    """What is wrong with a block, in words."""


def read_blocks(content: str | Sequence[object]) -> tuple[Block, ...]:
    """The blocks of a JSON text or a list; InvalidInput names the one that is wrong."""
    given: object = content
    if isinstance(content, str):
        try:
            given = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise _invalid("The blocks are no JSON. Give a list of objects such as " + _EXAMPLE) from error
    if not isinstance(given, list) or not given:
        raise _invalid("Blocks are a list of at least one object such as " + _EXAMPLE)
    blocks = cast("list[object]", given)
    if len(blocks) > MAX_BLOCKS:
        raise _invalid(f"There are {len(blocks)} blocks; at most {MAX_BLOCKS} are allowed.")
    render_blocks(cast("Sequence[Block]", blocks))
    return tuple(cast("Sequence[Block]", blocks))


def weigh_blocks(given: object, most: int) -> int:
    """About how much there is to read: characters and parts, counted no further than needed to be more than `most`."""
    weight, waiting = 0, [given]
    while waiting and weight <= most:
        part = waiting.pop()
        weight += len(part) if isinstance(part, str) else 1
        if isinstance(part, Mapping):
            waiting += cast("Block", part).values()
        elif isinstance(part, list):
            waiting += cast("list[object]", part)
    return weight


def render_blocks(blocks: Sequence[Block]) -> str:
    """The Markdown that blocks stand for; what stands in their texts is Markdown already."""
    return "\n\n".join(_render(number, block) for number, block in enumerate(blocks, 1)) + "\n"


def _render(number: int, block: object) -> str:
    if not isinstance(block, Mapping):
        raise _invalid(f"Block {number} is no object. Give one such as {_EXAMPLE}")
    fields = cast("Block", block)
    kind = fields.get("type")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise _invalid(f"Block {number} has no known type. Types are: {', '.join(_KINDS)}.")
    known, render = _KINDS[kind]
    unknown = sorted(set(fields) - {"type", *known})
    if unknown:
        allowed = ", ".join(known) or "no further field"
        raise _invalid(f"Block {number} ({kind}): unknown field {', '.join(unknown)}. It has: {allowed}.")
    try:
        return render(fields)
    except _Wrong as wrong:
        raise _invalid(f"Block {number} ({kind}): {wrong}") from wrong


def _heading(block: Block) -> str:
    level = block.get("level", 2)
    if not isinstance(level, int | float) or isinstance(level, bool) or level not in _LEVELS:
        raise _Wrong("level must be 1 to 6.")
    return f"{'#' * int(level)} {_one_line(_text(block, 'text'))}"


def _paragraph(block: Block) -> str:
    return _text(block, "text").strip()


def _list(block: Block) -> str:
    ordered = _flag(block, "ordered")
    items = [_string(item, "items") for item in _sequence(block, "items")]
    marks = [f"{number}." if ordered else "-" for number in range(1, len(items) + 1)]
    return "\n".join(_item(mark, item) for mark, item in zip(marks, items, strict=True))


def _checklist(block: Block) -> str:
    lines: list[str] = []
    for item in _sequence(block, "items"):
        if not isinstance(item, Mapping):
            raise _Wrong('items are objects such as {"text": "Call Ada", "checked": false}.')
        entry = cast("Block", item)
        unknown = sorted(set(entry) - set(_ENTRY))
        if unknown:
            raise _Wrong(f"unknown field {', '.join(unknown)}. An item has: {', '.join(_ENTRY)}.")
        lines.append(_item("- [x]" if _flag(entry, "checked") else "- [ ]", _text(entry, "text")))
    return "\n".join(lines)


def _quote(block: Block) -> str:
    return "\n".join(f"> {line}".rstrip() for line in _text(block, "text").strip().splitlines())


def _code(block: Block) -> str:
    text = _text(block, "text").strip("\n")
    language = _one_line(_string(block.get("language", ""), "language")).replace("`", "")
    # Longer than any run inside, so that the code cannot end its own block.
    fence = "`" * max(3, *(len(run) + 1 for run in _BACKTICKS.findall(text)), 3)
    return f"{fence}{language}\n{text}\n{fence}"


def _table(block: Block) -> str:
    header = _cells(_sequence(block, "header"), "header")
    rows = [_cells(row, "rows") for row in _sequence(block, "rows", empty=True)]
    if any(len(row) != len(header) for row in rows):
        raise _Wrong(f"every row must have {len(header)} cells, as the header has.")
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows))


def _divider(_: Block) -> str:
    return "---"


_KINDS: Mapping[str, tuple[tuple[str, ...], Callable[[Block], str]]] = {
    "heading": (("text", "level"), _heading),
    "paragraph": (("text",), _paragraph),
    "list": (("items", "ordered"), _list),
    "checklist": (("items",), _checklist),
    "quote": (("text",), _quote),
    "code": (("text", "language"), _code),
    "table": (("header", "rows"), _table),
    "divider": ((), _divider),
}
_EXAMPLE = '{"type": "paragraph", "text": "…"}.'


def _text(block: Block, field: str) -> str:
    text = _string(block.get(field), field)
    if not text.strip():
        raise _Wrong(f"{field} is empty.")
    return text


def _string(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise _Wrong(f"{field} must be text.")
    return value


def _flag(block: Block, field: str) -> bool:
    value = block.get(field, False)
    if not isinstance(value, bool):
        raise _Wrong(f"{field} must be true or false.")
    return value


def _sequence(block: Block, field: str, *, empty: bool = False) -> list[object]:
    value = block.get(field, [] if empty else None)
    if not isinstance(value, list) or not (value or empty):
        raise _Wrong(f"{field} must be a list that is not empty.")
    return cast("list[object]", value)


def _cells(row: object, field: str) -> list[str]:
    if not isinstance(row, list) or not row:
        raise _Wrong(f"{field} must be lists of cells.")
    return [_one_line(_string(cell, field)).replace("|", "\\|") for cell in cast("list[object]", row)]


def _item(mark: str, text: str) -> str:
    """A list item; its further lines stand below its first."""
    return f"{mark} " + text.strip().replace("\n", "\n" + " " * (mark.index(" ") + 1 if " " in mark else len(mark) + 1))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _invalid(message: str) -> InvalidInput:
    return InvalidInput(message, code="INVALID_BLOCKS")
