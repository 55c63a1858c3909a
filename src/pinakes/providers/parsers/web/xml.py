"""XML: its text in order, titles as headings and values under their names; nothing it refers to is ever read."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, cast

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ooxml import XmlError, name_of
from pinakes.providers.parsers.office.ooxml import parse_xml as parse_part
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.web.html import outline_html, parse_html

_etree = cast("Any", etree)

_TITLES = frozenset(("title", "head", "heading", "headline"))
_PROSE = frozenset(
    {
        *(
            "p",
            "para",
            "simpara",
            "paragraph",
            "text",
            "body",
            "content",
            "line",
            "l",
            "li",
            "item",
            "listitem",
            "note",
        ),
        *("quote", "verse", "entry", "td", "th", "caption", "abstract", "summary"),
    }
)
_SECTIONS = frozenset(("sec", "section", "div", "chapter", "part", "article", "list", "table", "ul", "ol"))
_NAMES = frozenset(("name", "title", "label"))
_RECORD_CHARS = 1_000
_LISTED = 5
_MARKUP = re.compile(r"</[a-zA-Z][^<>]*>|<(?:br|p|img)\b[^<>]*>")
_WORD_JOINTS = re.compile(r"[_.-]+|(?<=[a-z])(?=[A-Z])")


def parse_xml(content: bytes) -> ParsedDocument:
    """The text of any XML file; a fault where it is malformed or holds none."""
    root = _open(content)
    kind = name_of(root)
    if kind == "html":
        return parse_html(content)
    remarks = _drop_entities(root)
    outline = Outline()
    if kind == "svg":
        _add_drawing(outline, root)
    else:
        _add_tree(outline, root)
    return outline.finish(title=choose_title(_find_title(root)), remarks=remarks)


def _open(content: bytes) -> Any:
    try:
        return parse_part(content)
    except XmlError as error:
        words = str(error)
        if "amplification" in words or "entity reference loop" in words:
            reason = "its entities grow without end, as only in a hostile file"
        elif "depth" in words:
            reason = "it is nested too deeply"
        else:
            reason = f"it is not well-formed, see line {getattr(error, 'lineno', 1)}"
        raise DocumentFault(f"The file cannot be read as XML: {reason}.") from error


def _drop_entities(root: Any) -> list[str]:
    names = sorted({str(node.text) for node in root.iter(_etree.Entity)})
    if not names:
        return []
    _etree.strip_elements(root, _etree.Entity, with_tail=False)
    return [f"References to entities were left out: {' '.join(names[:_LISTED])}."]


def _add_drawing(outline: Outline, root: Any) -> None:
    for node in root.iter():
        if name_of(node) in ("text", "title", "desc"):
            outline.add_paragraph(_text_of(node))


def _add_tree(outline: Outline, root: Any) -> None:
    titled = any(name_of(child) in _TITLES for child in root)
    tags = Counter(child.tag for child in root)
    alone = {tag for tag, count in tags.items() if count == 1 < len(root)}
    stack: list[tuple[Any, int]] = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, str):
            outline.add_paragraph(_one_line(node))
        elif not name_of(node):
            continue
        elif (lines := _read_lines(node)) is not None:
            for line in lines:
                _add_value(outline, line)
        else:
            unique = depth == 1 and node.tag in alone
            children = _open_container(outline, node, depth + titled, unique=unique)
            stack.extend((child, depth + 1) for child in reversed(children))


def _read_lines(node: Any) -> list[str] | None:
    """What the element says, if it needs no heading; None for one whose parts are taken one by one."""
    children = [child for child in node if name_of(child)]
    if not children:
        return [_name_value(node)]
    if any(text.strip() for text in _own_texts(node)):
        blocks = any(name_of(child) in _PROSE | _TITLES | _SECTIONS for child in children)
        return None if blocks else [_one_line(_text_of(node))]
    if any(name_of(child) for each in children for child in each):
        return None
    # A record: its values stay together in one paragraph, unless they are long or prose.
    values = [value for value in (*_names_of(node), *map(_name_value, children)) if value]
    plain = any(name_of(child) in _PROSE or _MARKUP.search(child.text or "") for child in children)
    return None if plain or sum(map(len, values)) > _RECORD_CHARS else ["\n".join(values)]


def _open_container(outline: Outline, node: Any, level: int, *, unique: bool) -> list[Any]:
    children = [child for child in node if name_of(child)]
    heading = next((child for child in children if name_of(child) in _TITLES and _text_of(child).strip()), None)
    if heading is not None:
        outline.add_heading(_text_of(heading), level)
    elif unique:
        outline.add_heading(_WORD_JOINTS.sub(" ", name_of(node)), level)
    for name in _names_of(node):
        outline.add_paragraph(name)
    parts: list[Any] = [node.text or ""]
    for child in node:
        parts += [None if child is heading else child, child.tail or ""]
    return [part for part in parts if part is not None]


def _add_value(outline: Outline, text: str) -> None:
    if _MARKUP.search(text):
        # Feeds carry pages inside of values.
        outline_html(outline, text, deeper=2)
    else:
        outline.add_paragraph(text)


def _name_value(node: Any) -> str:
    text = _one_line(node.text or "") if not len(node) else _one_line(_text_of(node))
    name = name_of(node)
    if not text:
        values = [f"{key} {value}" for key, value in node.attrib.items() if "}" not in key and value.strip()]
        return f"{name}: {', '.join(values)}" if values else ""
    plain = name in _PROSE or node.getparent() is None or _MARKUP.search(text)
    return text if plain else f"{name}: {text}"


def _names_of(node: Any) -> Iterator[str]:
    return (f"{key}: {_one_line(value)}" for key, value in node.attrib.items() if key in _NAMES and value.strip())


def _find_title(root: Any) -> str | None:
    # The title of one record among many is not the file's.
    while len(root) == 1 and name_of(root[0]):
        root = root[0]
    return next((_text_of(child) for child in root if name_of(child) in _TITLES), None)


def _own_texts(node: Any) -> Iterator[str]:
    yield node.text or ""
    yield from (child.tail or "" for child in node)


def _text_of(node: Any) -> str:
    return "".join(node.itertext())


def _one_line(text: str) -> str:
    return " ".join(text.split())
