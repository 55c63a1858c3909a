"""RTF as a sequence of blocks: paragraphs with their level, style and mark, and tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pinakes.providers.parsers.word.links import write_link
from pinakes.providers.parsers.word.numerals import write_item, write_number
from pinakes.providers.parsers.word.rtf_blocks import Block, Contents
from pinakes.providers.parsers.word.rtf_words import (
    CHARACTERS,
    DEFAULT_ENCODING,
    SEEN,
    SYMBOLS,
    UNSEEN,
    Token,
    find_charset,
    find_encoding,
    join_surrogates,
    read_tokens,
    read_unicode,
)

_BODY_LEVEL = 9
_PARAGRAPH_ENDS = frozenset({"par", "sect", "page", "column"})
_LINK = re.compile(r'HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"')
_PAGE_NUMBERS = re.compile(r"\b(?:PAGE|NUMPAGES|SECTIONPAGES)\b")
_Into = Literal[
    "", "text", "fonts", "styles", "mark", "field", "title", "note", "comment", "author", "furniture", "box"
]
_DESTINATIONS: Mapping[str, _Into] = {
    "fonttbl": "fonts",
    "stylesheet": "styles",
    "listtext": "mark",
    "pntext": "mark",
    "fldinst": "field",
    "title": "title",
    "footnote": "note",
    "annotation": "comment",
    "atnauthor": "author",
    "shptxt": "box",
    **{f"{name}{which}": "furniture" for name in ("header", "footer") for which in ("", "l", "r", "f")},
}


@dataclass(frozen=True, slots=True)
class _Group:
    """What a group takes over from the one around it; the last three are its own."""

    into: _Into = "text"
    encoding: str | None = None
    hidden: bool = False
    fallback: int = 1
    opens: bool = False
    link: str = ""
    link_from: tuple[int, int] | None = None


@dataclass(slots=True)
class _Paragraph:
    level: int | None = None
    style: int = 0
    in_table: bool = False
    depth: int = 0


@dataclass(slots=True)
class _Style:
    name: str = ""
    level: int | None = None


def read_rtf(content: bytes) -> Contents:
    """The blocks of an RTF file; what is damaged in it is passed over."""
    reader = _Reader()
    for token in read_tokens(content):
        if not reader.take(token):
            break
    return reader.finish()


class _Reader:
    """Follows the groups of a file and collects its text."""

    def __init__(self) -> None:
        self._found = Contents()
        self._group = _Group()
        self._stack: list[_Group] = []
        # The text of the document, and above it that of each destination that is open.
        self._buffers: list[list[str]] = [[]]
        self._homes: list[_Into] = ["text"]
        self._pending = bytearray()
        self._is_raw = False
        self._skip = 0
        self._ignorable = False
        self._encoding = DEFAULT_ENCODING
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._default_font = 0
        self._styles: dict[int, _Style] = {}
        self._style = 0
        self._paragraph = _Paragraph()
        self._ended = 0
        self._lines: list[str] = []
        self._cells: list[str] = []
        self._rows: list[tuple[str, ...]] = []
        self._boxes: list[str] = []
        self._mark = ""
        self._instruction = ""
        self._author = ""
        self._has_page_number = False
        self._is_endnote = False

    def take(self, token: Token) -> bool:
        """Follow one token; False once the document's own group is closed."""
        if token.kind in ("text", "code"):
            self._take_bytes(token)
            return True
        self._skip = 0
        self._flush()
        if token.kind == "word":
            self._take_word(token.text, token.number)
        elif token.kind == "symbol":
            self._take_symbol(token.text)
        elif token.text == "{":
            self._open_group()
        else:
            return self._close_group()
        return True

    def finish(self) -> Contents:
        """All that was found."""
        self._found.open_groups = len(self._stack)
        self._flush()
        while self._stack:
            self._close_group()
        if self._cells:
            self._end_cell()
            self._end_row()
        self._paragraph.in_table = False
        self._end_paragraph()
        self._end_table()
        return self._found

    def _take_bytes(self, token: Token) -> None:
        content = token.content[self._skip :]
        self._skip -= len(token.content) - len(content)
        if self._group.into and not self._group.hidden:
            self._pending += content
            self._is_raw |= token.kind == "text"

    def _flush(self) -> None:
        if not self._pending:
            return
        content, self._pending = bytes(self._pending), bytearray()
        is_raw, self._is_raw = self._is_raw, False
        if is_raw and not content.isascii():
            # Bytes above ASCII have no place in RTF; who writes them writes UTF-8 or the document's code page.
            try:
                self._buffers[-1].append(content.decode())
            except UnicodeDecodeError:
                pass
            else:
                return
        self._buffers[-1].append(content.decode(self._group.encoding or self._encoding, "replace"))

    def _emit(self, text: str) -> None:
        if self._group.into and not self._group.hidden:
            self._buffers[-1].append(text)

    def _open_group(self) -> None:
        self._stack.append(self._group)
        if self._group.opens or self._group.link_from:
            self._group = replace(self._group, opens=False, link="", link_from=None)
        if self._group.into == "styles":
            self._style = 0

    def _close_group(self) -> bool:
        group = self._group
        if group.into == "styles":
            self._name_style()
        if group.link_from and group.link_from[0] == self._ended:
            start = group.link_from[1]
            buffer = self._buffers[-1]
            buffer[start:] = [write_link("".join(buffer[start:]), group.link)]
        self._group = self._stack.pop() if self._stack else _Group()
        if group.opens:
            text = join_surrogates("".join(self._buffers.pop()))
            self._homes.pop()
            self._keep(group.into, text.strip())
        return bool(self._stack)

    def _take_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self._ignorable = True
        elif symbol in "\r\n":
            self._end("par")
        elif symbol in SYMBOLS:
            self._emit(SYMBOLS[symbol])

    def _take_word(self, word: str, number: int | None) -> None:
        ignorable, self._ignorable = self._ignorable, False
        if word in _DESTINATIONS and (self._group.into or word == "title"):
            self._open_destination(_DESTINATIONS[word])
        elif word in SEEN:
            self._group = replace(self._group, into=self._homes[-1])
        elif ignorable or word in UNSEEN:
            self._group = replace(self._group, into="")
        elif self._group.into == "fonts":
            self._define_font(word, number or 0)
        elif self._group.into == "styles":
            self._define_style(word, number or 0)
        elif self._group.into and not self._format(word, number):
            self._write(word, number)

    def _open_destination(self, into: _Into) -> None:
        self._group = replace(self._group, into=into, opens=True)
        self._buffers.append([])
        self._homes.append(into)
        if into == "note":
            self._is_endnote = False
        elif into == "furniture":
            self._has_page_number = False

    def _define_font(self, word: str, number: int) -> None:
        if word == "f":
            self._font = number
        elif word == "fcharset":
            self._fonts[self._font] = find_charset(number, "")
        elif word == "cpg":
            self._fonts[self._font] = find_encoding(number)

    def _define_style(self, word: str, number: int) -> None:
        if word == "s":
            self._style = number
        elif word == "outlinelevel":
            self._styles.setdefault(self._style, _Style()).level = number

    def _name_style(self) -> None:
        name = "".join(self._buffers[-1]).partition(";")[0].strip()
        self._buffers[-1].clear()
        if name:
            self._styles.setdefault(self._style, _Style()).name = name

    def _format(self, word: str, number: int | None) -> bool:
        if word == "f":
            self._set_font(number or 0, hidden=self._group.hidden)
        elif word == "plain":
            self._set_font(self._default_font, hidden=False)
        elif word in ("v", "deleted"):
            self._group = replace(self._group, hidden=number != 0)
        elif word == "uc":
            self._group = replace(self._group, fallback=max(0, number or 0))
        elif word in ("ansicpg", "deff", "mac", "pc", "pca"):
            self._set_default(word, number)
        else:
            return self._format_paragraph(word, number)
        return True

    def _format_paragraph(self, word: str, number: int | None) -> bool:
        if word == "pard":
            self._paragraph = _Paragraph()
        elif word == "s":
            self._paragraph.style = number or 0
        elif word == "outlinelevel":
            self._paragraph.level = number
        elif word == "intbl":
            self._paragraph.in_table = True
        elif word == "ilvl":
            self._paragraph.depth = number or 0
        else:
            return False
        return True

    def _set_font(self, font: int, *, hidden: bool) -> None:
        encoding = self._fonts.get(font) or None
        if (encoding, hidden) != (self._group.encoding, self._group.hidden):
            self._group = replace(self._group, encoding=encoding, hidden=hidden)

    def _set_default(self, word: str, number: int | None) -> None:
        if word == "deff":
            self._default_font = number or 0
        else:
            pages = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
            self._encoding = pages.get(word) or find_encoding(number)

    def _write(self, word: str, number: int | None) -> None:
        if word == "u":
            self._emit(read_unicode(number))
            self._skip = self._group.fallback
        elif word in CHARACTERS:
            self._emit(CHARACTERS[word])
        elif word in ("cell", "row") or word in _PARAGRAPH_ENDS:
            self._end(word)
        elif word == "fldrslt":
            link = _LINK.search(self._instruction)
            start = (self._ended, len(self._buffers[-1]))
            self._group = replace(self._group, link=link[1] if link else "", link_from=start)
        elif word in ("chpgn", "sectnum"):
            self._has_page_number = True
        elif word == "ftnalt":
            self._is_endnote = True

    def _end(self, word: str) -> None:
        if len(self._buffers) > 1:
            self._emit("\n")
        elif word == "cell":
            self._end_cell()
        elif word == "row":
            self._end_row()
        else:
            self._end_paragraph()

    def _take_text(self) -> str:
        text = join_surrogates("".join(self._buffers[0])).strip()
        self._buffers[0].clear()
        self._ended += 1
        return text

    def _end_paragraph(self) -> None:
        text = self._take_text()
        mark, self._mark = self._mark, ""
        if self._paragraph.in_table:
            self._lines.append(write_item(mark, text) if mark and text else text)
            return
        if text:
            self._end_table()
            self._add_block(text, mark)
        for box in self._boxes:
            self._found.blocks.append(Block(box))
        self._boxes.clear()

    def _add_block(self, text: str, mark: str) -> None:
        style = self._styles.get(self._paragraph.style, _Style())
        level = style.level if self._paragraph.level is None else self._paragraph.level
        if level is not None:
            level = level + 1 if 0 <= level < _BODY_LEVEL else None
        self._found.blocks.append(Block(text, level, style.name, mark or None, self._paragraph.depth))

    def _end_cell(self) -> None:
        self._paragraph.in_table = True
        self._end_paragraph()
        self._cells.append(" ".join(filter(None, self._lines)))
        self._lines.clear()

    def _end_row(self) -> None:
        if any(self._cells):
            self._rows.append(tuple(self._cells))
        self._cells.clear()

    def _end_table(self) -> None:
        if self._rows:
            self._found.blocks.append(Block(rows=tuple(self._rows)))
            self._rows.clear()

    def _keep(self, into: _Into, text: str) -> None:
        one_line = " ".join(text.split())
        if into == "mark":
            self._mark = one_line if any(map(str.isalnum, one_line)) and one_line != "o" else "-"
        elif into == "field":
            self._instruction = one_line
            self._has_page_number |= _PAGE_NUMBERS.search(one_line) is not None
        elif into == "title":
            self._found.title = one_line
        elif into == "author":
            self._author = one_line
        elif into == "comment":
            self._found.comments.append(f"{self._author}: {one_line}" if self._author else one_line)
        elif into == "furniture":
            self._found.furniture.extend((line, self._has_page_number) for line in text.split("\n"))
        elif into == "box":
            self._boxes.extend(filter(str.strip, text.split("\n")))
        elif into == "note" and one_line:
            self._keep_note(one_line)

    def _keep_note(self, text: str) -> None:
        notes = self._found.endnotes if self._is_endnote else self._found.footnotes
        mark = f"[{write_number(len(notes) + 1, 'lowerRoman' if self._is_endnote else 'decimal')}]"
        notes.append(f"{mark} {text}")
        self._emit(mark)
