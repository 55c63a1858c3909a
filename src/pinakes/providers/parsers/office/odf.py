"""OpenDocument files: their packages, and text as its paragraphs, lists and tables hold it."""

from collections.abc import Iterator
from typing import Any

from pinakes.domain.errors import DocumentFault
from pinakes.providers.parsers.archive import Package, open_package
from pinakes.providers.parsers.office.ooxml import find_all, find_first, find_part, get_attribute, name_of
from pinakes.providers.parsers.titles import choose_title

_LONGEST_REPEAT = 7  # digits: sheets have about a million rows
_MOST_SPACES = 1_000
_MOST_TABLE_CELLS = 200_000
# What hangs on a paragraph without being part of it.
_ASIDES = frozenset({"annotation", "note", "tracked-changes", "forms", "ruby-text"})


def open_opendocument(content: bytes, *, what: str) -> Package:
    """The package of a document called `what`; a fault where its parts are encrypted."""
    package = open_package(content, what=what)
    manifest = find_part(package, "META-INF/manifest.xml")
    if manifest is not None and find_first(manifest, "encryption-data") is not None:
        raise DocumentFault("The file is protected by a password; remove the protection and upload it again.")
    return package


def read_opendocument_title(package: Package) -> str | None:
    """The title in the document's properties, if somebody chose one."""
    meta = find_part(package, "meta.xml")
    title = None if meta is None else find_first(meta, "title")
    if meta is None or title is None:
        return None
    template = find_first(meta, "template")
    # A new document takes over its template's title.
    inherited = None if template is None else get_attribute(template, "title")
    return None if title.text == inherited else choose_title(title.text)


def read_line(paragraph: Any) -> str:
    """The text of a paragraph or heading on one line, without its notes and annotations."""
    return " ".join("".join(_read_runs(paragraph)).split())


def read_lines(element: Any) -> str:
    """The text of all paragraphs below an element, on one line."""
    return " ".join(filter(None, map(read_line, _find_paragraphs(element))))


def read_table(table: Any) -> list[list[str]]:
    """The rows of a table; a cell that another covers is empty."""
    rows: list[list[str]] = []
    left = _MOST_TABLE_CELLS
    for row in find_all(table, "table-row"):
        cells: list[str] = []
        for cell in row:
            if name_of(cell) in ("table-cell", "covered-table-cell"):
                text = read_lines(cell) if name_of(cell) == "table-cell" else ""
                cells.extend([text] * min(count_repeats(cell, "number-columns-repeated"), left - len(cells)))
        repeats = min(count_repeats(row, "number-rows-repeated"), left // max(1, len(cells)))
        if any(cells):
            rows.extend([cells] * repeats)
            left -= len(cells) * repeats
    return rows


def count_repeats(element: Any, name: str) -> int:
    """How many times a cell or a row stands for itself."""
    written = get_attribute(element, name) or "1"
    return int(written) if written.isdigit() and len(written) <= _LONGEST_REPEAT else 1


def write_list(element: Any, level: int = 0) -> list[str]:
    """The items of a list as lines, those of inner lists further to the right."""
    lines: list[str] = []
    for item in element:
        marked = False
        for part in item:
            if name_of(part) == "list":
                lines.extend(write_list(part, level + 1))
            elif text := read_line(part) if name_of(part) in ("p", "h") else "":
                lines.append("  " * level + (f"  {text}" if marked else f"- {text}"))
                marked = True
    return lines


def _find_paragraphs(element: Any) -> Iterator[Any]:
    # The XML parser allows no more than 256 levels, so this cannot go deeper either.
    for part in element:
        if name_of(part) in ("p", "h"):
            yield part
        elif name_of(part) not in _ASIDES:
            yield from _find_paragraphs(part)


def _read_runs(element: Any) -> Iterator[str]:
    yield element.text or ""
    for part in element:
        name = name_of(part)
        if name == "s":
            count = get_attribute(part, "c") or "1"
            yield " " * min(int(count) if count.isdigit() else 1, _MOST_SPACES)
        elif name in ("tab", "line-break"):
            yield " "
        elif name and name not in _ASIDES:
            yield from _read_runs(part)
        yield part.tail or ""
