"""The blocks of a web page: its tree is walked once, without recursion, and every visible word goes into one block."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from selectolax.lexbor import LexborNode

from pinakes.providers.parsers.web.html_table import Block, BlockKind, Cell, Table, Zone, finish_table
from pinakes.providers.parsers.web.html_tree import (
    BLOCKS,
    DROPPED,
    HEADINGS,
    Attributes,
    heading_level,
    is_bold,
    is_furniture,
    is_hidden,
    parse_tree,
    read_number,
)

_BLANKS: Final = re.compile(r"\s+")
_SPACES: Final = re.compile(" {2,}")
_LINE_ENDS: Final = re.compile(r" *\n *")
_GAPS: Final = re.compile(r"\n{3,}")
_INVISIBLE: Final = str.maketrans(dict.fromkeys(map(ord, "\u00ad\u200b\u200e\u200f\u2060\ufeff")))
_RAISED: Final = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_RAISABLE: Final = re.compile(r"[0-9+−-]{1,4}")
_FILE_NAME: Final = re.compile(r"\S*\.(?:png|jpe?g|gif|svg|webp|bmp|tiff?)", re.IGNORECASE)
_HEAD_CHARS = 200_000
_LONGEST_ALT = 300
_LIST_DEPTH = 6
_QUOTE_DEPTH = 3
_AFTER_TERM = ": "


@dataclass(frozen=True, slots=True)
class _Context:
    """What holds inside an element, and ends with it."""

    zone: Zone
    sectioned: bool = False
    indent: int = 0
    quotes: int = 0
    heading: int = 0
    verbatim: bool = False
    raised: bool = False
    bold: bool = False
    linked: bool = False
    in_cell: bool = False


_Open = tuple[LexborNode, str, _Context]


def read_blocks(markup: str, *, zones: bool = False, hidden: bool = False) -> list[Block]:
    """The page's text in reading order; with `zones` each block knows whether it is page furniture."""
    tree = parse_tree(markup)
    root = tree.body or tree.root
    if root is None:
        return []
    has_main = zones and tree.css_first("main, [role=main]") is not None
    reader = _Reader(zones=zones, main="main" if has_main else "article", hidden=hidden)
    reader.walk(root)
    return reader.blocks


def read_title(markup: str) -> str:
    """What the page calls itself; empty where it does not."""
    node = parse_tree(markup[:_HEAD_CHARS]).css_first("head title")
    return node.text() if node else ""


class _Reader:
    """Where the walk stands: the words of the open block, the open lists and tables."""

    def __init__(self, *, zones: bool, main: str, hidden: bool) -> None:
        self.blocks: list[Block] = []
        self._sink = self.blocks
        self._zones = zones
        self._main = main
        self._hidden = hidden
        self._words: list[str] = []
        self._all_bold = self._all_linked = True
        self._emphasis = (False, False)
        self._marker = ""
        self._terms: list[str] = []
        self._numbers: list[int | None] = []
        self._list_number = 0
        self._tables: list[tuple[Table, list[Block]]] = []
        self._context: _Context = _Context("rest" if zones else "main")

    def walk(self, root: LexborNode) -> None:
        """Visit every node below the root in order."""
        stack: list[_Open] = []
        node = root
        while True:
            child = self._visit(node, stack)
            while child is None:
                child = node.next if stack else None
                if child is None:
                    if not stack:
                        self._flush()
                        return
                    node, tag, outer = stack.pop()
                    self._leave(tag, outer)
            node = child

    def _visit(self, node: LexborNode, stack: list[_Open]) -> LexborNode | None:
        if node.is_text_node:
            self._add_text(node.text_content or "")
            return None
        tag = node.tag or ""
        if not node.is_element_node or tag in DROPPED:
            return None
        attributes = node.attributes
        if (attributes or tag == "dialog") and is_hidden(tag, attributes, shown=self._hidden):
            return None
        outer = self._context
        self._enter(tag, attributes)
        child = node.child
        if child is None:
            self._leave(tag, outer)
        else:
            stack.append((node, tag, outer))
        return child

    def _enter(self, tag: str, attributes: Attributes) -> None:
        if tag in BLOCKS or tag in HEADINGS:
            self._break()
        if self._zones:
            self._change_zone(tag, attributes)
        if attributes and (bold := is_bold(attributes)) is not None:
            self._context = replace(self._context, bold=bold)
        level = heading_level(tag, attributes)
        if level and not self._context.verbatim:
            self._break()
            self._context = replace(self._context, heading=level)
        elif tag in _OPENINGS and not self._context.verbatim:
            _OPENINGS[tag](self, attributes)
        elif tag == "br":
            self._words.append("\n")
        elif tag == "img":
            self._add_alternative((attributes.get("alt") or "").strip())

    def _change_zone(self, tag: str, attributes: Attributes) -> None:
        context = self._context
        if context.zone == "furniture":
            return
        role = attributes.get("role")
        if self._main in (tag, role):
            self._context = replace(context, zone="main", sectioned=True)
        elif is_furniture(tag, role, beside=context.zone == "rest", sectioned=context.sectioned):
            self._context = replace(context, zone="furniture")
        elif tag in ("section", "article"):
            self._context = replace(context, sectioned=True)

    def _leave(self, tag: str, outer: _Context) -> None:
        context = self._context
        if (context.heading and not outer.heading) or (context.verbatim and not outer.verbatim):
            self._flush()
        elif tag in BLOCKS:
            self._break()
        elif tag == "a" and context.zone == "furniture":
            self._words.append(" ")
        if tag in _CLOSINGS and not context.verbatim:
            _CLOSINGS[tag](self)
        self._context = outer

    def _add_text(self, text: str) -> None:
        text = text.translate(_INVISIBLE)
        if not self._context.verbatim:
            text = _BLANKS.sub(" ", text)
        if self._context.raised and self._words and _RAISABLE.fullmatch(text):
            text = text.translate(_RAISED)
        if text:
            self._words.append(text)
        if text.strip():
            self._all_bold &= self._context.bold
            self._all_linked &= self._context.linked

    def _add_alternative(self, text: str) -> None:
        if len(text) <= _LONGEST_ALT and not _FILE_NAME.fullmatch(text):
            self._add_text(f" {text} ")

    def _break(self) -> None:
        if self._context.verbatim:
            if self._words and not self._words[-1].endswith("\n"):
                self._words.append("\n")
        elif self._context.heading:
            self._words.append(" ")
        else:
            self._flush()

    def _flush(self) -> None:
        if not self._words:
            return
        context = self._context
        text = "".join(self._words)
        self._words.clear()
        self._emphasis = (self._all_bold, self._all_linked)
        self._all_bold = self._all_linked = True
        if context.verbatim:
            self._put("paragraph", _fence(text, plain=context.in_cell))
            return
        text = _SPACES.sub(" ", text).strip()
        if "\n" in text:
            text = _GAPS.sub("\n\n", _LINE_ENDS.sub("\n", text))
        if not text or context.heading:
            self._put("heading", text.replace("\n", " "), context.heading)
            return
        if context.indent:
            margin = "  " * (min(context.indent, _LIST_DEPTH) - 1)
            text = margin + (self._marker or "  ") + text.replace("\n", f"\n{margin}  ")
            self._marker = ""
        if context.quotes:
            mark = "> " * min(context.quotes, _QUOTE_DEPTH)
            text = mark + text.replace("\n", f"\n{mark}")
        self._put("quote" if context.quotes else "item" if context.indent else "paragraph", text, self._list_number)

    def _put(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if text.strip():
            bold, linked = self._emphasis
            self._sink.append(Block(self._context.zone, kind, text, level, bold=bold, linked=linked))

    def open_list(self, attributes: Attributes) -> None:
        """ul, dl: items with dashes."""
        self.release_terms()
        self._list_number += not self._context.indent
        self._numbers.append(None)
        self._context = replace(self._context, indent=self._context.indent + 1)

    def open_numbered_list(self, attributes: Attributes) -> None:
        """ol: items with numbers."""
        self.open_list(attributes)
        self._numbers[-1] = read_number(attributes, "start")

    def close_list(self) -> None:
        """The end of a list; a term without a definition is an item of its own."""
        self._numbers.pop()
        for term in self._terms:
            self._put("item", f"- {term}", self._list_number)
        self._terms.clear()

    def open_item(self, attributes: Attributes) -> None:
        """li: a number or a dash comes before its first words."""
        self.release_terms()
        if not self._context.indent:
            self._context = replace(self._context, indent=1)
        number = self._numbers[-1] if self._numbers else None
        self._marker = "- " if number is None else f"{number}. "
        if number is not None:
            self._numbers[-1] = number + 1

    def open_term(self, attributes: Attributes) -> None:
        """dt: not a part of the definition around it."""
        self.release_terms()

    def close_term(self) -> None:
        """dt: its words wait for the definition."""
        if self._context.indent and self._sink and self._sink[-1].kind == "item":
            self._terms.append(self._sink.pop().text.strip())

    def open_definition(self, attributes: Attributes) -> None:
        """dd: the terms come before its first words."""
        self.release_terms()
        self._marker = f"- {', '.join(self._terms).rstrip(':')}{_AFTER_TERM}" if self._terms else "- "
        self._terms.clear()

    def release_terms(self) -> None:
        """Terms whose definition begins with no words of its own are an item of their own."""
        if self._marker.endswith(_AFTER_TERM):
            margin = "  " * (min(self._context.indent, _LIST_DEPTH) - 1)
            self._put("item", margin + self._marker.removesuffix(_AFTER_TERM), self._list_number)
            self._marker = ""

    def open_quote(self, attributes: Attributes) -> None:
        """blockquote: every line is marked."""
        self._context = replace(self._context, quotes=self._context.quotes + 1)

    def open_verbatim(self, attributes: Attributes) -> None:
        """pre: white space counts."""
        self.release_terms()
        self._break()
        self._context = replace(self._context, verbatim=True)

    def embolden(self, attributes: Attributes) -> None:
        """b, strong: a line all bold may be meant as a heading."""
        self._context = replace(self._context, bold=True)

    def link(self, attributes: Attributes) -> None:
        """a: a list of nothing but links may be a menu."""
        self._context = replace(self._context, linked=True)

    def raise_text(self, attributes: Attributes) -> None:
        """sup: or 10 to the 6th would read 106."""
        self._context = replace(self._context, raised=True)

    def open_table(self, attributes: Attributes) -> None:
        """table: its cells are kept apart until its end shows what it is."""
        self.release_terms()
        self._tables.append((Table(presentation=attributes.get("role") in ("presentation", "none")), self._sink))

    def open_caption(self, attributes: Attributes) -> None:
        """caption: stands above the table."""
        if self._tables:
            self._sink = self._tables[-1][0].caption

    def open_row(self, attributes: Attributes) -> None:
        """tr."""
        if self._tables:
            self._tables[-1][0].rows.append([])

    def open_cell(self, attributes: Attributes) -> None:
        """td: its blocks are its own."""
        self._open_cell(attributes, heading=False)

    def open_heading_cell(self, attributes: Attributes) -> None:
        """th: the same, and a sign that the table holds data."""
        self._open_cell(attributes, heading=True)

    def _open_cell(self, attributes: Attributes, *, heading: bool) -> None:
        if not self._tables or not self._tables[-1][0].rows:
            return
        cell = Cell(heading, across=read_number(attributes, "colspan"), down=read_number(attributes, "rowspan"))
        self._tables[-1][0].rows[-1].append(cell)
        self._sink = cell.blocks
        self._context = replace(self._context, indent=0, quotes=0, heading=0, in_cell=True)

    def close_cell(self) -> None:
        """What follows a cell stands outside of it."""
        if self._tables:
            self._sink = self._tables[-1][1]

    def close_table_head(self) -> None:
        """thead: the rows so far are the header."""
        if self._tables:
            self._tables[-1][0].header_rows = len(self._tables[-1][0].rows)

    def close_table(self) -> None:
        """The end of a table: its blocks go where it stands."""
        table, self._sink = self._tables.pop()
        self._sink.extend(finish_table(table, self._context.zone))


_OPENINGS: Mapping[str, Callable[[_Reader, Attributes], None]] = {
    **dict.fromkeys(("ul", "dl", "menu", "dir"), _Reader.open_list),
    "ol": _Reader.open_numbered_list,
    "li": _Reader.open_item,
    "dt": _Reader.open_term,
    "dd": _Reader.open_definition,
    "blockquote": _Reader.open_quote,
    "pre": _Reader.open_verbatim,
    "sup": _Reader.raise_text,
    "b": _Reader.embolden,
    "strong": _Reader.embolden,
    "a": _Reader.link,
    "table": _Reader.open_table,
    "caption": _Reader.open_caption,
    "tr": _Reader.open_row,
    "td": _Reader.open_cell,
    "th": _Reader.open_heading_cell,
}
_CLOSINGS: Mapping[str, Callable[[_Reader], None]] = {
    **dict.fromkeys(("ul", "ol", "dl", "menu", "dir"), _Reader.close_list),
    **dict.fromkeys(("td", "th", "caption"), _Reader.close_cell),
    "dt": _Reader.close_term,
    "dd": _Reader.release_terms,
    "thead": _Reader.close_table_head,
    "table": _Reader.close_table,
}


def _fence(text: str, *, plain: bool) -> str:
    text = text.strip("\n").rstrip()
    if plain or not text.strip():
        return text
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`{3,}", text))])
    return f"{fence}\n{text}\n{fence}"
