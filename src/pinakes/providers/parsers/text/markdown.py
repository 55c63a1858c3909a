"""Markdown: sections between headings, each with its heading path."""

import re
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.providers.parsers.text.plain import decode

# YAML between two rules at the very top; the first line must name a key, or a document that opens with a rule
# would lose its first headings.
_FRONT_MATTER = re.compile(
    r"\A---[ \t]*(?:\r\n?|\n)(?=[\w\"'-][^\r\n]*:).*?(?:\r\n?|\n)(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)",
    re.DOTALL,
)
_LINE_END = re.compile(r"\r\n?|\n")
# Headings are blocks: reading the inline markup of everything else would take ten times as long for nothing.
_BLOCKS = MarkdownIt("commonmark").disable("inline")
_INLINE = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    end: int
    level: int
    title: str


def parse_markdown(content: bytes) -> ParsedDocument:
    """The text as it is, cut before each heading; the title is the first top heading."""
    text = decode(content)
    headings = _find_headings(text)
    return ParsedDocument(
        text=text,
        sections=_cut_sections(text, headings),
        markdown=True,
        title=next((heading.title for heading in headings if heading.level == 1 and heading.title), None),
    )


def _find_headings(text: str) -> list[_Heading]:
    front_matter = _FRONT_MATTER.match(text)
    offset = front_matter.end() if front_matter else 0
    lines = [offset, *(end.end() for end in _LINE_END.finditer(text, offset)), len(text)]
    tokens = _BLOCKS.parse(text[offset:])
    return [
        _Heading(lines[token.map[0]], lines[token.map[1]], int(token.tag[1:]), _plain(inline.content))
        for token, inline in pairwise(tokens)
        # A heading inside a quote or a list item divides that item, not the document.
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


def _plain(markup: str) -> str:
    return " ".join("".join(_words(_INLINE.parseInline(markup))).split())


def _words(tokens: list[Token]) -> list[str]:
    words: list[str] = []
    for token in tokens:
        if token.children:
            words.extend(_words(token.children))
        elif token.type in ("text", "code_inline", "text_special"):
            words.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            words.append(" ")
    return words


def _cut_sections(text: str, headings: list[_Heading]) -> tuple[Section, ...]:
    sections: list[Section] = []
    path: list[_Heading] = []
    start = 0
    if headings and text[: headings[0].start].strip():
        sections.append(Section(start=0, end=headings[0].start))
        start = headings[0].start
    for index, heading in enumerate(headings):
        path = [above for above in path if above.level < heading.level] + [heading]
        last = index + 1 == len(headings)
        end = len(text) if last else headings[index + 1].start
        # A heading with nothing below it is no passage of its own: it opens the next section.
        if last or text[heading.end : end].strip():
            titles = tuple(above.title for above in path if above.title)
            sections.append(Section(start=start, end=end, headings=titles))
            start = end
    return tuple(sections) or (Section(start=0, end=len(text)),)
