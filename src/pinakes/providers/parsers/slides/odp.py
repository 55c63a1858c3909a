"""OpenDocument presentations (ODP): every slide with its title, text, tables, charts, notes and comments."""

import posixpath
from collections.abc import Iterator
from typing import Any

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.archive import Package
from pinakes.providers.parsers.office.odf import (
    open_opendocument,
    read_line,
    read_lines,
    read_opendocument_title,
    read_table,
    write_list,
)
from pinakes.providers.parsers.office.ooxml import find_all, find_first, find_part, get_attribute, name_of
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.slides.pptx import make_slide_place
from pinakes.providers.parsers.titles import choose_title

_WHAT = "an OpenDocument presentation"
_FURNITURE = frozenset({"header", "footer", "date-time", "page-number", "page"})
_ASIDES = frozenset({"notes", "annotation", "forms"})


def parse_odp(content: bytes) -> ParsedDocument:
    """One place a slide, hidden ones too."""
    package = open_opendocument(content, what=_WHAT)
    root = find_part(package, "content.xml")
    body = None if root is None else find_first(root, "presentation")
    if body is None:
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.")
    outline, titles = Outline(), list[str]()
    for number, page in enumerate(find_all(body, "page"), start=1):
        titles.append(_add_page(outline, package, page, number))
    return outline.finish(title=read_opendocument_title(package) or choose_title(*titles[:1]))


def _add_page(outline: Outline, package: Package, page: Any, number: int) -> str:
    shapes = list(_list_shapes(page))
    title = " ".join(read_lines(shape) for shape in shapes if get_attribute(shape, "class") == "title")
    outline.begin_place(make_slide_place(number, title))
    outline.forget_headings()
    outline.add_heading(title, 1)
    for shape in shapes:
        if get_attribute(shape, "class") != "title":
            _add_shape(outline, package, shape)
    notes = find_first(page, "notes")
    if notes is not None and any(map(read_lines, _list_shapes(notes))):
        outline.add_heading("Notes", 2)
        for shape in _list_shapes(notes):
            _add_shape(outline, package, shape)
    comments = [text for note in find_all(page, "annotation") if (text := read_lines(note))]
    if comments:
        outline.add_heading("Comments", 2)
        outline.add_paragraph("\n".join(f"- {text}" for text in comments))
    return title


def _list_shapes(page: Any) -> Iterator[Any]:
    """The shapes of a page in reading order; those of a group stand where the group does."""
    for shape in page:
        if name_of(shape) in ("g", "a"):
            yield from _list_shapes(shape)
        elif name_of(shape) not in _ASIDES and get_attribute(shape, "class") not in _FURNITURE:
            yield shape


def _add_shape(outline: Outline, package: Package, shape: Any) -> None:
    for table in find_all(shape, "table"):
        outline.add_table(read_table(table))
        return
    for part in find_all(shape, "object"):
        _add_chart(outline, package, get_attribute(part, "href") or "")
        return
    box = find_first(shape, "text-box")
    for part in shape if box is None else box:
        if name_of(part) == "list":
            outline.add_paragraph("\n".join(write_list(part)))
        elif name_of(part) in ("p", "h"):
            outline.add_paragraph(read_line(part))


def _add_chart(outline: Outline, package: Package, folder: str) -> None:
    root = find_part(package, posixpath.normpath(f"{folder}/content.xml"))
    chart = None if root is None else find_first(root, "chart")
    if chart is None:
        return
    title, table = find_first(chart, "title"), find_first(chart, "table")
    if title is not None and (words := read_lines(title)):
        outline.add_paragraph(f"Chart: {words}")
    if table is not None:
        outline.add_table(read_table(table))
