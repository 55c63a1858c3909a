"""JSON: keys and values as lines for a reader, larger parts under headings, arrays of flat objects as tables."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import Place
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.text.plain import decode, parse_text
from pinakes.providers.parsers.titles import choose_title

Value = Any  # what JSON can hold; every number is the text that stands in the file

_DEEPEST_NESTING = 100
_DEEPEST_HEADING = 6
_INLINE_CHARS = 400  # what is shorter stays with the text around it
_INLINE_LIST_CHARS = 120
_PARAGRAPH_CHARS = 300
_LONG_RECORD_CHARS = 1_500
_TABLE_ROWS = 3
_TABLE_COLUMNS = 20
_CELL_CHARS = 200
_FILLED_SHARE = 0.6
_LABEL_CHARS = 120
_LABELS = ("title", "name", "label", "heading", "subject", "question", "id", "key")
_BINARY = re.compile(r"(?:data:[^,\s]{1,100};base64,)?[A-Za-z0-9+/_-]{1000,}={0,2}")
_TOO_DEEP = f"The JSON is nested more than {_DEEPEST_NESTING} levels deep and cannot be laid out as text."


def parse_json(content: bytes) -> ParsedDocument:
    """The values in reading order; what is no valid JSON is kept as plain text, with a remark."""
    text = decode(content)
    try:
        value = load_json(text)
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
            return parse_jsonl(content)
        remark = "The file is not valid JSON, so it was read as plain text."
        return replace(parse_text(content), remarks=(remark,))
    outline = Outline()
    _write(outline, value, key="item", level=1)
    labels = cast("dict[str, Value]", value) if isinstance(value, dict) else {}
    return outline.finish(title=choose_title(_as_label(labels.get("title")), _as_label(labels.get("name"))))


def parse_jsonl(content: bytes) -> ParsedDocument:
    """One record a line, cited by its line; records of long texts stand under headings instead."""
    lines = decode(content).split("\n")
    while not lines[-1].strip():
        lines.pop()
    records = [_load_line(line) for line in lines]
    strays = sum(isinstance(record, _Stray) and bool(record.strip()) for record in records)
    remarks = (f"Lines that are not valid JSON ({strays:,}) were kept as they are.",) if strays else ()
    if strays == sum(bool(line.strip()) for line in lines):
        return replace(parse_text(content), remarks=("The file is not valid JSON, so it was read as plain text.",))
    outline = Outline()
    if any(map(_is_long, records)):
        for number, record in enumerate(records, start=1):
            _write_record(outline, record, number)
        return outline.finish(remarks=remarks)
    if table := _make_rows(records):
        outline.begin_place(Place("sheet", 1))
        # The header stands in no line of the file, so that the first record is row 1.
        outline.add_table(table, first_row=0)
        return outline.finish(remarks=remarks)
    text = "\n".join(map(_one_line, records))
    return ParsedDocument(text, (Section(0, len(text), Place("sheet", 1, first_row=1)),), remarks=remarks)


def load_json(text: str) -> Value:
    """The value that the text holds, numbers as they are written; ValueError for what is no JSON."""
    try:
        value = json.loads(
            text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_keep_all, strict=False
        )
    except RecursionError as error:
        raise DocumentFault(_TOO_DEEP) from error
    _check_depth(value)
    return value


class _Stray(str):
    """A line that is no JSON."""

    __slots__ = ()


def _load_line(line: str) -> Value:
    try:
        return load_json(line)
    except ValueError:
        return _Stray(line.rstrip("\r"))


def _keep_all(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
    # A repeated key is legal: both values are text that somebody may look for.
    members: dict[str, Value] = {}
    for key, value in pairs:
        while key in members:
            key += "'"
        members[key] = value
    return members


def _check_depth(value: Value) -> None:
    level = [value]
    for _ in range(_DEEPEST_NESTING + 1):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return
    raise DocumentFault(_TOO_DEEP)


def _children(value: Value) -> Iterable[Value]:
    if isinstance(value, dict):
        return cast("dict[str, Value]", value).values()
    return cast("list[Value]", value) if isinstance(value, list) else ()


def _write(outline: Outline, value: Value, *, key: str, level: int) -> None:
    if isinstance(value, dict):
        _write_object(outline, cast("dict[str, Value]", value), level)
    elif isinstance(value, list):
        _write_array(outline, cast("list[Value]", value), key, level)
    else:
        outline.add_paragraph(_scalar(value))


def _write_object(outline: Outline, members: Mapping[str, Value], level: int) -> None:
    # Small members come first: below a larger one they would stand under its heading.
    small: list[str] = []
    large: dict[str, Value] = {}
    for key, value in members.items():
        if _is_scalar(value) and len(_scalar(value)) > _PARAGRAPH_CHARS:
            outline.add_paragraph("\n".join(small))
            small.clear()
            outline.add_paragraph(f"{key}: {_scalar(value)}")
        elif level <= _DEEPEST_HEADING and _is_large(value):
            large[key] = value
        else:
            small.extend(_member_lines(key, value))
    outline.add_paragraph("\n".join(small))
    for key, value in large.items():
        outline.add_heading(key, level)
        _write(outline, value, key=key, level=level + 1)


def _write_array(outline: Outline, items: Sequence[Value], key: str, level: int) -> None:
    if table := _make_rows(items):
        outline.add_table(table)
        return
    if level > _DEEPEST_HEADING or not any(map(_is_large, items)):
        # Each item is a paragraph where it has lines of its own, so that passages end between items.
        gap = "\n" if all(map(_is_scalar, items)) else "\n\n"
        outline.add_paragraph(gap.join("\n".join(_lines([item])) for item in items))
        return
    for number, item in enumerate(items, start=1):
        outline.add_heading(_find_label(item) or f"{key} {number}", level)
        _write(outline, item, key=f"{key} {number}", level=level + 1)


def _write_record(outline: Outline, record: Value, number: int) -> None:
    if isinstance(record, _Stray) and not record.strip():
        return
    label = _find_label(record)
    outline.add_heading(f"record {number}: {label}" if label else f"record {number}", 1)
    _write(outline, record, key="item", level=2)


def _find_label(item: Value) -> str | None:
    if not isinstance(item, dict):
        return None
    members = {key.lower(): value for key, value in cast("dict[str, Value]", item).items()}
    return next((label for name in _LABELS if (label := _as_label(members.get(name)))), None)


def _as_label(value: Value) -> str | None:
    return value.strip() if isinstance(value, str) and value.strip() and len(value) <= _LABEL_CHARS else None


def _make_rows(items: Sequence[Value]) -> list[list[str]]:
    """Flat objects of about the same keys as rows below a header; nothing for anything else."""
    if len(items) < _TABLE_ROWS or not all(isinstance(item, dict) for item in items):
        return []
    objects = [cast("dict[str, Value]", item) for item in items]
    columns = list(dict.fromkeys(key for members in objects for key in members))
    cells = sum(map(len, objects))
    if len(columns) > _TABLE_COLUMNS or cells < len(columns) * len(objects) * _FILLED_SHARE:
        return []
    if not all(_is_cell(value) for members in objects for value in members.values()):
        return []
    return [columns, *([_scalar(members[key]) if key in members else "" for key in columns] for members in objects)]


def _is_cell(value: Value) -> bool:
    return _is_scalar(value) and len(_scalar(value)) <= _CELL_CHARS and "\n" not in _scalar(value)


def _is_scalar(value: Value) -> bool:
    return not isinstance(value, dict | list)


def _is_large(value: Value) -> bool:
    if _is_scalar(value):
        return False
    length = 0
    for line in _lines(value):
        length += len(line)
        if length > _INLINE_CHARS:
            return True
    return False


def _is_long(record: Value) -> bool:
    if isinstance(record, _Stray):
        return False
    lines = list(_lines(record))
    return sum(map(len, lines)) > _LONG_RECORD_CHARS or any("\n" in line for line in lines)


def _scalar(value: Value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value).replace("\r\n", "\n").strip()
    return f"({len(text):,} characters of encoded data)" if _BINARY.fullmatch(text) else text


def _lines(value: Value) -> Iterator[str]:
    if isinstance(value, dict):
        for key, member in cast("dict[str, Value]", value).items():
            yield from _member_lines(key, member)
    elif isinstance(value, list):
        for item in cast("list[Value]", value):
            bullet = "- "
            for line in _lines(item):
                yield bullet + line
                bullet = "  "
    else:
        yield _scalar(value)


def _member_lines(key: str, value: Value) -> Iterator[str]:
    if _is_scalar(value):
        yield f"{key}: {_scalar(value)}"
        return
    short = _short_list(value)
    if short is not None:
        yield f"{key}: {short}"
        return
    yield f"{key}:"
    for line in _lines(value):
        yield f"  {line}"


def _short_list(value: Value) -> str | None:
    if not isinstance(value, list):
        return None
    items = cast("list[Value]", value)
    if len(items) > _INLINE_LIST_CHARS or not all(map(_is_scalar, items)):
        return None
    line = ", ".join(map(_scalar, items))
    return line if len(line) <= _INLINE_LIST_CHARS and "\n" not in line else None


def _one_line(value: Value) -> str:
    if isinstance(value, dict):
        members = cast("dict[str, Value]", value).items()
        return "; ".join(f"{key}: {_nested(member)}" for key, member in members)
    if isinstance(value, list):
        return ", ".join(map(_nested, cast("list[Value]", value)))
    return " ".join(_scalar(value).split())


def _nested(value: Value) -> str:
    if isinstance(value, dict):
        return f"{{{_one_line(value)}}}"
    return f"[{_one_line(value)}]" if isinstance(value, list) else _one_line(value)
