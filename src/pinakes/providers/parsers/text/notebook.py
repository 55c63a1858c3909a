"""Jupyter notebooks: Markdown as it is, code in fences, and the text of its outputs."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.text.markdown import parse_markdown
from pinakes.providers.parsers.text.plain import decode
from pinakes.providers.parsers.titles import choose_title

Cell = Mapping[str, Any]

_OUTPUT_CHARS = 4_000
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_FENCES = re.compile(r"`{3,}")


def parse_notebook(content: bytes) -> ParsedDocument:
    """The cells in order, cut at the headings of the Markdown ones; a fault for what is no notebook."""
    try:
        notebook = json.loads(decode(content))
    except ValueError as error:
        raise DocumentFault("The file is damaged and cannot be opened as a Jupyter notebook.") from error
    cells = _find_cells(notebook)
    if cells is None:
        raise DocumentFault("The file is no Jupyter notebook: it holds no list of cells.")
    metadata = _mapping(notebook.get("metadata"))
    language = str(_mapping(metadata.get("language_info")).get("name") or "")
    shortened: list[int] = []
    parts = [part for number, cell in enumerate(cells) for part in _read_cell(cell, number, language, shortened)]
    if not parts:
        raise DocumentFault("There is no text in this notebook.")
    parsed = parse_markdown("\n\n".join(parts).encode("utf-8", "replace"))
    remarks = (f"Long outputs of cells ({len(shortened)}) were shortened.",) if shortened else ()
    title = metadata.get("title")
    return replace(parsed, title=choose_title(title if isinstance(title, str) else None, parsed.title), remarks=remarks)


def _find_cells(notebook: Any) -> list[Cell] | None:
    if not isinstance(notebook, dict):
        return None
    fields = cast("dict[str, Any]", notebook)
    cells = fields.get("cells")
    if cells is None and isinstance(fields.get("worksheets"), list):
        # Notebooks before 2015 had sheets of cells.
        sheets = [_mapping(sheet).get("cells") for sheet in cast("list[Any]", fields["worksheets"])]
        cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in cast("list[Any]", sheet)]
    return [_mapping(cell) for cell in cast("list[Any]", cells)] if isinstance(cells, list) else None


def _read_cell(cell: Cell, number: int, language: str, shortened: list[int]) -> Iterator[str]:
    source = _join(cell.get("source", cell.get("input"))).strip("\n")
    kind = cell.get("cell_type")
    if kind == "code":
        if source.strip():
            yield _fence(source, language)
        output = "\n".join(filter(str.strip, map(_read_output, cell.get("outputs") or []))).strip("\n")
        if len(output) > _OUTPUT_CHARS:
            shortened.append(number)
            output = output[:_OUTPUT_CHARS] + " …"
        if output.strip():
            yield "Output:\n\n" + _fence(output, "")
    elif source.strip():
        level = cell.get("level")
        yield f"{'#' * min(level, 6)} {source}" if kind == "heading" and isinstance(level, int) else source


def _read_output(output: Any) -> str:
    fields = _mapping(output)
    if fields.get("output_type") in ("error", "pyerr"):
        return f"{fields.get('ename')}: {_TERMINAL_CODES.sub('', _join(fields.get('evalue')))}"
    data = _mapping(fields.get("data"))
    text = fields.get("text") or data.get("text/markdown") or data.get("text/plain")
    return _TERMINAL_CODES.sub("", _join(text)).rstrip("\n")


def _fence(text: str, language: str) -> str:
    longest = max(map(len, _FENCES.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _join(text: Any) -> str:
    if isinstance(text, list):
        return "".join(map(str, cast("list[Any]", text)))
    return text if isinstance(text, str) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
