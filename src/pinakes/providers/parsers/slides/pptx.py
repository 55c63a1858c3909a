"""PowerPoint presentations (PPTX): every slide with its title, text, tables, charts, notes and comments."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.archive import Package
from pinakes.providers.parsers.office.drawing import add_drawing
from pinakes.providers.parsers.office.ooxml import (
    Relation,
    find_all,
    find_first,
    find_main_part,
    find_part,
    get_attribute,
    name_of,
    open_office,
    read_relations,
    read_title,
)
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title

_WHAT = "a PowerPoint presentation"
_TITLES = frozenset({"title", "ctrTitle"})
_FURNITURE = frozenset({"sldNum", "dt", "ftr", "hdr", "sldImg"})
# The kinds of placeholders whose paragraphs are items unless they say otherwise; "" is the plain one.
_LISTS = frozenset({"", "obj", "body"})
_SLIDE_NUMBER = re.compile(r"(\d+)\.xml$")
_LEVELS = 9
_LONGEST_NAME = 120
_NOTES, _COMMENTS = "Notes", "Comments"
Links = dict[str, Relation]


def parse_pptx(content: bytes) -> ParsedDocument:
    """One place a slide, hidden ones too; slides that cannot be read are named in the remarks."""
    package = open_office(content, what=_WHAT)
    slides = _list_slides(package)
    if not slides:
        raise DocumentFault("The presentation has no slides, or is damaged.")
    outline, remarks, titles = Outline(), list[str](), list[str]()
    for number, part in enumerate(slides, start=1):
        slide = find_part(package, part)
        if slide is None:
            remarks.append(f"Slide {number} is damaged and was left out.")
            continue
        titles.append(_add_slide(outline, package, part, slide, number))
    if len(remarks) == len(slides):
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.")
    return outline.finish(title=read_title(package) or choose_title(*titles[:1]), remarks=remarks)


def make_slide_place(number: int, title: str) -> Place:
    """The place of a slide, named by its title where that is short enough to cite."""
    return Place("slide", number, title if 0 < len(title) <= _LONGEST_NAME else None)


def _list_slides(package: Package) -> list[str]:
    main = find_main_part(package, "ppt/presentation.xml")
    presentation = find_part(package, main)
    links = read_relations(package, main)
    listed = [] if presentation is None else [get_attribute(entry, "id") for entry in _slide_ids(presentation)]
    parts = [links[key].target for key in listed if key in links]
    return parts or sorted(
        (name for name in package.names if re.fullmatch(r"ppt/slides/[^/]+\.xml", name)), key=_number_of
    )


def _slide_ids(presentation: Any) -> Iterator[Any]:
    # Each has a plain id too, which get_attribute would prefer: only the link is kept.
    for entry in find_all(presentation, "sldId"):
        entry.attrib.pop("id", None)
        yield entry


def _number_of(part: str) -> int:
    number = _SLIDE_NUMBER.search(part)
    return int(number[1]) if number else 0


def _add_slide(outline: Outline, package: Package, part: str, slide: Any, number: int) -> str:
    shapes = list(_list_shapes(slide))
    title = " ".join(" ".join(_plain(shape) for shape in shapes if _placeholder(shape) in _TITLES).split())
    outline.begin_place(make_slide_place(number, title))
    outline.forget_headings()
    outline.add_heading(title, 1)
    links = read_relations(package, part)
    for shape in shapes:
        if _placeholder(shape) not in _TITLES:
            _add_shape(outline, package, links, shape)
    _add_notes(outline, package, links)
    _add_comments(outline, package, links)
    return title


def _list_shapes(slide: Any) -> Iterator[Any]:
    """The shapes that hold text, in reading order; those of a group stand where the group does."""
    tree = find_first(slide, "spTree")
    waiting = [] if tree is None else [tree]
    while waiting:
        element = waiting.pop()
        name = name_of(element)
        if name in ("spTree", "grpSp"):
            waiting.extend(reversed(element))
        elif name == "AlternateContent":
            # The first choice is the newest form of the same thing; one of them is enough.
            waiting.extend(reversed(next(iter(element), ())))
        elif name in ("sp", "graphicFrame", "cxnSp", "contentPart") and _placeholder(element) not in _FURNITURE:
            yield element


def _placeholder(shape: Any) -> str | None:
    """The kind of placeholder that a shape fills; None if it is none."""
    mark = find_first(shape, "nvPr", "ph")
    return None if mark is None else mark.get("type", "")


def _add_shape(outline: Outline, package: Package, links: Links, shape: Any) -> None:
    table = find_first(shape, "graphicData", "tbl")
    if table is not None:
        outline.add_table(_read_table(table))
        return
    chart = find_first(shape, "graphicData", "chart")
    if chart is not None:
        add_drawing(outline, package, links.get(get_attribute(chart, "id") or ""))
        return
    diagram = find_first(shape, "graphicData", "relIds")
    if diagram is not None:
        add_drawing(outline, package, links.get(get_attribute(diagram, "dm") or ""))
        return
    body = find_first(shape, "txBody")
    if body is not None:
        outline.add_paragraph(_write_paragraphs(body, as_list=_placeholder(shape) in _LISTS))


def _read_table(table: Any) -> list[list[str]]:
    return [
        ["" if _is_covered(cell) else _plain(cell) for cell in row if name_of(cell) == "tc"]
        for row in find_all(table, "tr")
    ]


def _is_covered(cell: Any) -> bool:
    return any(cell.get(merge) in ("1", "true") for merge in ("hMerge", "vMerge"))


def _write_paragraphs(body: Any, *, as_list: bool) -> str:
    """The paragraphs of a shape, as a list where they are shown with bullets or numbers."""
    texts = [(paragraph, _read_paragraph(paragraph)) for paragraph in body if name_of(paragraph) == "p"]
    filled = [(paragraph, text) for paragraph, text in texts if text]
    # A single paragraph of no depth is a sentence, whatever sign the slide's design puts before it.
    as_list = as_list and (len(filled) > 1 or any(_level(paragraph) for paragraph, _ in filled))
    lines: list[str] = []
    counts = [0] * _LEVELS
    was_item = False
    for paragraph, text in filled:
        level = _level(paragraph)
        sign = _find_sign(paragraph, as_list=as_list)
        counts[level] = counts[level] + 1 if sign == "1." else 0
        counts[level + 1 :] = [0] * (_LEVELS - level - 1)
        mark = f"{counts[level]}. " if sign == "1." else sign
        if lines and not (mark and was_item):
            lines.append("")
        lines.append(f"{'  ' * level if mark else ''}{mark}{text}")
        was_item = bool(mark)
    return "\n".join(lines)


def _level(paragraph: Any) -> int:
    properties = next((part for part in paragraph if name_of(part) == "pPr"), None)
    written = "0" if properties is None else properties.get("lvl", "0")
    return min(int(written), _LEVELS - 1) if written.isdigit() else 0


def _find_sign(paragraph: Any, *, as_list: bool) -> str:
    properties = next((part for part in paragraph if name_of(part) == "pPr"), ())
    names = {name_of(part) for part in properties}
    if "buAutoNum" in names:
        return "1."
    if names & {"buChar", "buBlip"}:
        return "- "
    return "- " if as_list and "buNone" not in names else ""


def _read_paragraph(paragraph: Any) -> str:
    parts: list[str] = []
    for element in paragraph.iter():
        name = name_of(element)
        if name == "t":
            parts.append(element.text or "")
        elif name in ("br", "tab"):
            parts.append(" ")
    return " ".join("".join(parts).split())


def _plain(element: Any) -> str:
    return " ".join(text for paragraph in find_all(element, "p") if (text := _read_paragraph(paragraph)))


def _find_linked(package: Package, links: Links, *kinds: str) -> Sequence[Any]:
    roots = (find_part(package, link.target) for link in links.values() if link.kind in kinds)
    return [root for root in roots if root is not None]


def _add_notes(outline: Outline, package: Package, links: Links) -> None:
    texts: list[str] = []
    for notes in _find_linked(package, links, "notesSlide"):
        for shape in _list_shapes(notes):
            body = find_first(shape, "txBody")
            if body is not None:
                texts.append(_write_paragraphs(body, as_list=False))
    if any(texts):
        outline.add_heading(_NOTES, 2)
        outline.add_paragraph("\n\n".join(filter(None, texts)))


def _add_comments(outline: Outline, package: Package, links: Links) -> None:
    lines: list[str] = []
    for comments in _find_linked(package, links, "comments"):
        for comment in find_all(comments, "cm", "reply"):
            own = next((part for part in comment if name_of(part) in ("text", "txBody")), None)
            text = "" if own is None else (_plain(own) or " ".join((own.text or "").split()))
            if text:
                lines.append(f"- {text}")
    if lines:
        outline.add_heading(_COMMENTS, 2)
        outline.add_paragraph("\n".join(lines))
