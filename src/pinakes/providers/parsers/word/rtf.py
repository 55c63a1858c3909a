"""Rich Text Format: headings, lists and tables in reading order, with notes and comments at the end."""

from collections.abc import Sequence

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.word.end_matter import add_end_matter, pick_furniture
from pinakes.providers.parsers.word.numerals import write_item
from pinakes.providers.parsers.word.rtf_blocks import Block, Contents
from pinakes.providers.parsers.word.rtf_reader import read_rtf
from pinakes.providers.parsers.word.style_names import is_contents, is_title, read_heading_level

_MARK = b"{\\rtf"
_LEADING_BYTES = 64  # some programs put a byte order mark or blanks before the mark
_LONGEST_HEADING = 300
_DEEPEST_LIST = 8
_CUT_OFF = "The file ends too early, as after a broken download; text may be missing at its end."


def parse_rtf(content: bytes) -> ParsedDocument:
    """The document's text; a damaged file is read as far as it can be."""
    start = content.find(_MARK, 0, _LEADING_BYTES)
    if start < 0:
        raise DocumentFault("The file is damaged and cannot be opened as Rich Text.")
    found = read_rtf(content[start:])
    outline = Outline()
    headings = _add_blocks(outline, found.blocks)
    add_end_matter(outline, "Footnotes", found.footnotes)
    add_end_matter(outline, "Endnotes", found.endnotes)
    add_end_matter(outline, "Comments", found.comments)
    add_end_matter(outline, "Headers and footers", pick_furniture(found.furniture, _join_words(found)))
    # Many programs forget the last brace; only what is open inside of it was cut off.
    remarks = [_CUT_OFF] if found.open_groups > 1 else []
    return outline.finish(title=choose_title(found.title, *headings), remarks=remarks)


def _add_blocks(outline: Outline, blocks: Sequence[Block]) -> list[str]:
    """Put the blocks into the outline; what may be the document's title comes back, the likeliest first."""
    levels = [_find_level(block) for block in blocks]
    keeps_contents = not any(levels)
    titles = [block.text for block in blocks if is_title(block.style)]
    items: list[str] = []
    for block, level in zip(blocks, levels, strict=True):
        if block.mark and not level:
            indent = "  " * max(0, min(block.depth, _DEEPEST_LIST))
            items.append(indent + write_item(block.mark, block.text))
            continue
        outline.add_paragraph("\n".join(items))
        items.clear()
        if block.rows:
            outline.add_table(block.rows)
        elif level:
            outline.add_heading(block.text if block.mark in (None, "-") else f"{block.mark} {block.text}", level)
        elif keeps_contents or not is_contents(block.style):
            outline.add_paragraph(block.text)
    outline.add_paragraph("\n".join(items))
    return titles + [block.text for block, level in zip(blocks[:1], levels[:1], strict=True) if level]


def _find_level(block: Block) -> int | None:
    if not block.text or len(block.text) > _LONGEST_HEADING:
        return None
    if is_contents(block.style):
        return None
    return block.level or read_heading_level(block.style) or (1 if is_title(block.style) else None)


def _join_words(found: Contents) -> str:
    cells = (cell for block in found.blocks for row in block.rows for cell in row)
    return " ".join([*(block.text for block in found.blocks), *cells])
