"""The tree of a web page and what its elements are to a reader: blocks, headings, hidden, not worth reading."""

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser

Attributes = dict[str, str | None]

DROPPED: Final = frozenset(
    {
        *("head", "script", "style", "template", "noscript", "input", "select", "textarea", "button", "option"),
        *("datalist", "iframe", "object", "embed", "audio", "video", "canvas", "map", "progress", "meter", "title"),
        *("desc", "metadata", "annotation", "annotation-xml", "rt", "rp", "ix:header"),
    }
)
BLOCKS: Final = frozenset(
    {
        *("address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir"),
        *("div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html"),
        *("legend", "li", "main", "menu", "nav", "ol", "p", "section", "search", "summary", "table", "tbody", "td"),
        *("tfoot", "th", "thead", "tr", "ul", "text", "optgroup", "frameset"),
    }
)
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_EDGES: Final = frozenset(("header", "footer"))
_NOT_HIDDEN: Final = frozenset(("html", "body"))
_INLINE_HIDDEN: Final = frozenset(("a", "span", "i", "b", "svg", "em"))
_FURNITURE_ROLES: Final = frozenset(
    ["navigation", "banner", "contentinfo", "search", "menu", "menubar", "dialog", "alertdialog"]
)
# What well-known site programs put beside headings for readers to click on.
_CLICKED: Final = frozenset(
    ("mw-editsection", "headerlink", "anchorjs-link", "hash-link", "doc-anchor", "header-anchor", "anchor-link")
)
_HIDING: Final = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all)", re.IGNORECASE)
_WEIGHT: Final = re.compile(r"font-weight\s*:\s*(\w+)", re.IGNORECASE)
_BOLD_WEIGHTS: Final = frozenset(["bold", "bolder", "600", "700", "800", "900"])
_SHORT_NUMBER: Final = re.compile("[0-9]{1,5}")
_SAME_TAG_DEPTH = 300
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][^\s<>/]*)[^<>]*>")
_XHTML: Final = re.compile(r"<\?xml|http://www\.w3\.org/1999/xhtml")
_XHTML_WITHIN = 4_000
# Their end tags may be left out, so many open ones are no sign of depth.
_LEFT_OPEN: Final = frozenset(
    {
        *("p", "li", "td", "th", "tr", "dt", "dd", "tbody", "thead", "tfoot", "option", "optgroup", "colgroup", "col"),
        *("br", "hr", "img", "input", "meta", "link", "area", "base", "wbr", "source", "track", "embed", "param"),
    }
)


def parse_tree(markup: str) -> LexborHTMLParser:
    """The page as a tree that is never deeper than a reader could see."""
    return LexborHTMLParser(_flatten(markup))


def is_hidden(tag: str, attributes: Attributes, *, shown: bool = False) -> bool:
    """Whether a reader does not see the element; with `shown` what scripts could show counts as seen."""
    if tag in _NOT_HIDDEN:
        return False
    if not _CLICKED.isdisjoint((attributes.get("class") or "").split()):
        return True
    if tag in _INLINE_HIDDEN and attributes.get("aria-hidden") == "true":
        return True
    if shown:
        return False
    closed = tag == "dialog" and "open" not in attributes
    return closed or "hidden" in attributes or bool(_HIDING.search(attributes.get("style") or ""))


def is_furniture(tag: str, role: str | None, *, beside: bool, sectioned: bool) -> bool:
    """Whether the element is a menu or a page's head or foot; `beside` says that it is not in the main part."""
    if tag == "nav" or role in _FURNITURE_ROLES:
        return True
    # Inside the main part these are its own: notes, and the head of an article.
    return beside and (tag == "aside" or role == "complementary" or (tag in _EDGES and not sectioned))


def is_bold(attributes: Attributes) -> bool | None:
    """What the element's style says about that; None for nothing."""
    weight = _WEIGHT.search(attributes.get("style") or "")
    return weight[1].lower() in _BOLD_WEIGHTS if weight else None


def heading_level(tag: str, attributes: Attributes) -> int:
    """1 to 6 for a heading, else 0."""
    if attributes.get("role") != "heading":
        return HEADINGS.get(tag, 0)
    level = attributes.get("aria-level") or ""
    return int(level) if _SHORT_NUMBER.fullmatch(level) else HEADINGS.get(tag, 2)


def read_number(attributes: Attributes, name: str) -> int:
    """The number in this attribute; 1 where there is none."""
    value = (attributes.get(name) or "").strip()
    return int(value) if _SHORT_NUMBER.fullmatch(value) else 1


def _flatten(markup: str) -> str:
    # The tree's builder takes the square of the depth, so tags that only nest deeper and deeper are left out.
    depths: dict[str, int] = {}
    strict = bool(_XHTML.search(markup, 0, _XHTML_WITHIN))

    def keep(tag: re.Match[str]) -> str:
        name = tag[2].lower()
        if tag[0].endswith("/>"):
            # In XHTML the element ends here; the tree's builder would let <title/> swallow the page.
            return f"{tag[0][:-2]}></{name}>" if strict and name not in _LEFT_OPEN else tag[0]
        if name in _LEFT_OPEN:
            return tag[0]
        depth = depths.get(name, 0)
        depths[name] = max(0, depth - 1) if tag[1] else depth + 1
        return " " if max(depth, depths[name]) > _SAME_TAG_DEPTH else tag[0]

    return _TAG.sub(keep, markup)
