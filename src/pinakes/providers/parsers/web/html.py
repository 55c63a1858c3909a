"""Web pages: what a reader came for first, then the rest of the page, its menus and footers last."""

import codecs
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.text.plain import decode, find_mark
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.web.html_blocks import read_blocks, read_title
from pinakes.providers.parsers.web.html_table import Block

_DECLARED_WITHIN = 100_000
_DECLARATION = re.compile(
    rb"""<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w.:-]+)|<meta[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]+)""",
    re.IGNORECASE,
)
# Browsers read the larger encoding where a page names the smaller one.
_LARGER = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_DAMAGED_SHARE = 0.05
_SURE_BYTES = 12
_ASCII = bytes(range(0x80))
_REAL_PARAGRAPH = 200
_MENU_ITEMS = 20
_MENU_SHARE = 0.3
_HEADING_LINE = re.compile(r"(?=.*[^\W\d_]{2}).{2,120}(?<![,;:])")
_LIST_MARK = re.compile(r"^(?:- |> )+")


def parse_html(content: bytes) -> ParsedDocument:
    """The page's text with its headings, lists and tables; a fault where nothing is to be seen."""
    markup = decode_html(content)
    blocks = read_blocks(markup, zones=True) or read_blocks(markup, zones=True, hidden=True)
    if not blocks:
        raise DocumentFault("There is no text in this page; it may fill itself by scripts when it is opened.")
    outline = Outline()
    main, rest, furniture = _arrange(_promote_bold_lines(_demote_menus(blocks)))
    add_blocks(outline, main)
    outline.forget_headings()
    add_blocks(outline, rest)
    outline.forget_headings()
    for paragraph in _compact(furniture, known=main + rest):
        outline.add_paragraph(paragraph)
    return outline.finish(title=choose_title(read_title(markup), first_heading(blocks)))


def outline_html(outline: Outline, markup: str, *, deeper: int = 0) -> None:
    """Add all visible text of a page as it stands, its headings so many levels deeper."""
    add_blocks(outline, read_blocks(markup), deeper=deeper)


def add_blocks(outline: Outline, blocks: Sequence[Block], *, deeper: int = 0) -> None:
    """Add these blocks; items of a list stay together, and so do lines of a quotation."""
    for (kind, _), run in groupby(blocks, key=lambda block: (block.kind, block.kind == "item" and block.level)):
        if kind == "item":
            outline.add_paragraph("\n".join(block.text for block in run))
        elif kind == "quote":
            outline.add_paragraph("\n>\n".join(block.text for block in run))
        else:
            for block in run:
                _add_block(outline, block, deeper)


def first_heading(blocks: Sequence[Block]) -> str | None:
    """The first of the highest headings."""
    headings = [block for block in blocks if block.kind == "heading"]
    return min(headings, key=lambda block: block.level).text if headings else None


def decode_html(content: bytes, declared: str | None = None) -> str:
    """The page's characters: by its mark, by what it or its carrier declares, else by their look."""
    mark, encoding = find_mark(content)
    if encoding:
        return content[len(mark) :].decode(encoding, "replace")
    if _is_utf8(content, least=_SURE_BYTES):
        return content.decode("utf-8", "replace")
    found = _DECLARATION.search(content[:_DECLARED_WITHIN])
    for name in (declared, found and (found[1] or found[2]).decode("ascii", "ignore")):
        text = decode_as(content, name) if name else None
        if text is not None:
            return text
    return decode(content)


def decode_as(content: bytes, name: str) -> str | None:
    """The text in the encoding of that name; None where there is no such, or the bytes are not in it."""
    try:
        known = codecs.lookup(name).name
        # Whoever could read this declaration has read one byte a letter.
        known = "utf-8" if known.startswith(("utf-16", "utf-32")) else _LARGER.get(known, known)
        if _is_utf8(content, least=1 if known == "cp1252" else _SURE_BYTES):
            known = "utf-8"
        text = content.decode(known, "replace")
    except (LookupError, ValueError):
        return None
    beyond_ascii = len(content.translate(None, _ASCII)) or len(content)
    return text if text.count("\ufffd") <= beyond_ascii * _DAMAGED_SHARE else None


def _is_utf8(content: bytes, *, least: int) -> bool:
    # Texts that name another encoding than theirs are common; UTF-8 by chance is not, beyond a few letters.
    if len(content.translate(None, _ASCII)) < least:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _add_block(outline: Outline, block: Block, deeper: int) -> None:
    if block.kind == "heading":
        outline.add_heading(block.text, block.level + deeper)
    elif block.kind == "table":
        outline.add_table(block.rows)
    else:
        outline.add_paragraph(block.text)


def _demote_menus(blocks: Sequence[Block]) -> Sequence[Block]:
    # A long list of nothing but links above the first real paragraph is a menu, unless it is what the page is for.
    start = next((index for index, block in enumerate(blocks) if len(block.text) >= _REAL_PARAGRAPH), 0)
    menu = {
        id(block)
        for linked, run in groupby(blocks[:start], key=lambda block: block.linked and block.kind == "item")
        if linked and len(items := list(run)) >= _MENU_ITEMS
        for block in items
    }
    listed = [block for block in blocks if id(block) in menu]
    if _measure(listed) > _measure(blocks) * _MENU_SHARE:
        return blocks
    return [replace(block, zone="furniture") if id(block) in menu else block for block in blocks]


def _promote_bold_lines(blocks: Sequence[Block]) -> Sequence[Block]:
    # Filings and exports from word processors know no headings, only bold lines.
    if any(block.kind == "heading" for block in blocks):
        return blocks
    return [
        replace(block, kind="heading", level=2 if block.text.isupper() else 3)
        if block.kind == "paragraph" and block.bold and _HEADING_LINE.fullmatch(block.text)
        else block
        for block in blocks
    ]


def _arrange(blocks: Sequence[Block]) -> tuple[list[Block], list[Block], list[Block]]:
    main = _pick(blocks, lambda block: block.zone == "main")
    rest = _pick(blocks, lambda block: block.zone == "rest")
    furniture = _pick(blocks, lambda block: block.zone == "furniture")
    if _measure(main) < _measure(rest):
        # What the page marks as its main part is not: keep the order it has.
        main, rest = _pick(blocks, lambda block: block.zone != "furniture"), []
    if not any(map(_is_name, main)):
        # The name of the page may stand above what is marked as its main part.
        name = next(filter(_is_name, (*rest, *furniture)), None)
        if name:
            main = [name, *main]
            rest, furniture = (
                _pick(rest, lambda block: block is not name),
                _pick(furniture, lambda block: block is not name),
            )
    return main, rest, furniture


def _is_name(block: Block) -> bool:
    return block.kind == "heading" and block.level == 1


def _pick(blocks: Sequence[Block], wanted: Callable[[Block], bool]) -> list[Block]:
    return [block for block in blocks if wanted(block)]


def _measure(blocks: Sequence[Block]) -> int:
    return sum(len(block.text) + sum(len(cell) for row in block.rows for cell in row) for block in blocks)


def _compact(furniture: Sequence[Block], *, known: Sequence[Block]) -> Iterator[str]:
    # Menus say the same thing again and again, and none of it is worth a heading.
    seen = {_bare(block.text) for block in known}
    words: list[str] = []
    for block in furniture:
        texts = [" ".join(filter(None, row)) for row in block.rows] or [_bare(block.text)]
        words += [text for text in texts if text and text not in seen]
        seen.update(texts)
    if words:
        yield " · ".join(words)


def _bare(text: str) -> str:
    return _LIST_MARK.sub("", " ".join(text.split()))
