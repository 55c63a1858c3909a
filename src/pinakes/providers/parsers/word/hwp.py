"""Hangul documents (HWP 5): paragraphs and tables in reading order, with notes and comments at the end."""

import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ole import read_streams
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.word.end_matter import add_end_matter, pick_furniture
from pinakes.providers.parsers.word.numerals import write_number
from pinakes.providers.parsers.word.rtf_words import join_surrogates

_WHAT = "a Hangul document"
_SIGNATURE = b"HWP Document File"
_COMPRESSED = 0x01
_MOST_SECTIONS = 1_000
_UNPACKED_BYTES = 64_000_000
_BOMB = f"The text of the file unpacks to more than the {_UNPACKED_BYTES // 1_000_000} MB allowed."
_PREVIEW = "Only the preview that the file keeps of its text could be read; the text itself is damaged or missing."
_CUT_OFF = "The text of the file ends too early, as after a broken download; some may be missing at its end."
_FIRST_KIND = 16
_STYLE, _PARAGRAPH, _TEXT, _CONTROL, _LIST, _TABLE, _FORMULA = 26, 66, 67, 71, 72, 77, 88  # kinds of records
_LONG = 0xFFF
_OUTLINE = re.compile(r"(?:개요|outline)\s*(\d)", re.IGNORECASE)
_LONGEST_HEADING = 120  # numbered paragraphs of contracts and laws are in the same styles
_DEEPEST = 64
# Codes below 32 stand for something; most of these take eight places in the text.
_SHORT = frozenset({0, 10, 13, *range(24, 32)})
_WRITTEN = {9: "\t", 10: "\n", 24: "-", 30: " ", 31: " "}
_NOTE = 17
_NOTE_FORMS = {"fn  ": "decimal", "en  ": "lowerRoman"}
_CODES = re.compile(r"[\x00-\x1f]")


@dataclass(slots=True)
class _Part:
    """What a control holds: a table with its cells, a note, a box, a header; the whole text is one as well.

    Of a table the blocks are its caption's until its cells begin.
    """

    level: int
    kind: str
    has_cells: bool = False
    blocks: "list[_Block]" = field(default_factory=lambda: list[_Block]())
    cells: "dict[tuple[int, int], list[_Block]]" = field(default_factory=lambda: dict[tuple[int, int], list[_Block]]())

    @property
    def open_blocks(self) -> "list[_Block]":
        """Where the next block goes: into the cell that was begun last."""
        return next(reversed(self.cells.values())) if self.cells else self.blocks


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph, or a table where it has rows."""

    text: str = ""
    level: int | None = None
    rows: tuple[tuple[str, ...], ...] = ()

    def flatten(self) -> str:
        """The block as a part of a line."""
        rows = (", ".join(filter(None, row)) for row in self.rows)
        return " ".join((self.text or "; ".join(filter(None, rows))).split())


def parse_hwp(content: bytes) -> ParsedDocument:
    """The document's text; where that is lost, the preview of it that the file keeps."""
    sections = [f"BodyText/Section{number}" for number in range(_MOST_SECTIONS)]
    streams, title = read_streams(content, "FileHeader", "DocInfo", "PrvText", *sections, what=_WHAT)
    header = streams.get("FileHeader", b"")
    if not header.startswith(_SIGNATURE) or len(header) < 40:
        raise _damaged()
    is_packed = bool(struct.unpack_from("<I", header, 36)[0] & _COMPRESSED)
    try:
        return _read(streams, title, is_packed=is_packed)
    except (zlib.error, struct.error) as error:
        preview = streams.get("PrvText", b"").decode("utf-16-le", "replace").replace("\0", "")
        if not preview.strip():
            raise _damaged() from error
        outline = Outline()
        outline.add_paragraph(preview.replace("\r\n", "\n"))
        return outline.finish(title=title, remarks=[_PREVIEW])


def _read(streams: Mapping[str, bytes], title: str | None, *, is_packed: bool) -> ParsedDocument:
    reader = _Reader(_read_levels(streams.get("DocInfo", b""), is_packed=is_packed))
    left = _UNPACKED_BYTES
    remarks: list[str] = []
    sections = [stream for name, stream in streams.items() if name.startswith("BodyText/")]
    if not sections:
        raise zlib.error("there is no text to unpack")
    for packed in sections:
        section, is_whole = _unpack(packed, left, is_packed=is_packed)
        left -= len(section)
        if not is_whole:
            remarks = [_CUT_OFF]
        reader.read_section(section)
    outline = Outline()
    first = reader.write(outline)
    return outline.finish(title=title or choose_title(first), remarks=remarks)


class _Reader:
    """Follows the records of the sections, each of which stands inside of an earlier one of a lower level."""

    def __init__(self, levels: Mapping[int, int]) -> None:
        self._levels = levels
        self._parts: list[_Part] = []
        self._style = 0
        self._body: list[_Block] = []
        self._lines: dict[str, list[str]] = {}
        self._numbers = dict.fromkeys(_NOTE_FORMS, 0)

    def read_section(self, section: bytes) -> None:
        """One section's text, after that of those before it."""
        self._parts = [_Part(-1, "")]
        for kind, level, content in _read_records(section):
            if kind == _TEXT:
                self._add_text(content)
                continue
            while len(self._parts) > 1 and level <= self._parts[-1].level:
                self._close_part()
            if kind == _CONTROL and len(self._parts) < _DEEPEST:
                self._parts.append(_Part(level, content[3::-1].decode("latin-1")))
            elif kind == _PARAGRAPH:
                self._style = content[10] if len(content) > 10 else 0
            else:
                self._fill_part(self._parts[-1], kind, content)
        while len(self._parts) > 1:
            self._close_part()
        self._body += self._parts[0].blocks

    def write(self, outline: Outline) -> str | None:
        """Put all that was read into the outline; the heading it begins with comes back."""
        for block in self._body:
            if block.rows:
                outline.add_table(block.rows)
            elif block.level:
                outline.add_heading(block.text, block.level)
            else:
                outline.add_paragraph(block.text)
        add_end_matter(outline, "Footnotes", self._lines.get("fn  ", ()))
        add_end_matter(outline, "Endnotes", self._lines.get("en  ", ()))
        add_end_matter(outline, "Comments", self._lines.get("tcmt", ()))
        body = " ".join(block.flatten() for block in self._body)
        furniture = [*self._lines.get("head", ()), *self._lines.get("foot", ())]
        add_end_matter(outline, "Headers and footers", pick_furniture(((line, False) for line in furniture), body))
        return next((block.text for block in self._body[:1] if block.level), None)

    def _add_text(self, content: bytes) -> None:
        text = self._decode(content).strip()
        level = self._levels.get(self._style) if len(self._parts) == 1 and len(text) <= _LONGEST_HEADING else None
        if text:
            self._parts[-1].open_blocks.append(_Block(text, level))

    def _fill_part(self, part: _Part, kind: int, content: bytes) -> None:
        if kind == _TABLE:
            part.has_cells = True
        elif kind == _LIST and part.has_cells and len(content) >= 12:
            column, row = struct.unpack_from("<HH", content, 8)
            part.cells.setdefault((row, column), [])
        elif kind == _FORMULA:
            size = int.from_bytes(content[4:6], "little")
            part.open_blocks.append(_Block(content[6 : 6 + 2 * size].decode("utf-16-le", "replace").strip()))

    def _decode(self, content: bytes) -> str:
        units = content[: len(content) // 2 * 2]
        text = units.decode("utf-16-le", "surrogatepass")
        if 2 * len(text) != len(units):
            text = "".join(map(chr, struct.unpack(f"<{len(units) // 2}H", units)))
        written: list[str] = []
        at = 0
        while code := _CODES.search(text, at):
            written.append(text[at : code.start()])
            number = ord(code[0])
            at = code.start() + (1 if number in _SHORT else 8)
            control = text[code.start() + 1 : at]
            written.append(self._mark_note(control) if number == _NOTE else _WRITTEN.get(number, ""))
        return join_surrogates("".join([*written, text[at:]]))

    def _mark_note(self, control: str) -> str:
        kind = control[:2].encode("utf-16-le", "surrogatepass")[::-1].decode("latin-1")
        if kind not in _NOTE_FORMS:
            return ""
        self._numbers[kind] += 1
        return f"[{write_number(self._numbers[kind], _NOTE_FORMS[kind])}]"

    def _close_part(self) -> None:
        part = self._parts.pop()
        if part.cells:
            self._parts[-1].open_blocks.extend([*part.blocks, *_make_table(part)])
        elif part.kind in (*_NOTE_FORMS, "tcmt", "head", "foot"):
            self._keep_line(part)
        else:
            self._parts[-1].open_blocks.extend(part.blocks)

    def _keep_line(self, part: _Part) -> None:
        lines = self._lines.setdefault(part.kind, [])
        text = " ".join(block.flatten() for block in part.blocks)
        form = _NOTE_FORMS.get(part.kind)
        lines.append(f"[{write_number(len(lines) + 1, form)}] {text}" if form else text)


def _make_table(part: _Part) -> Iterator[_Block]:
    rows: dict[int, dict[int, str]] = {}
    for (row, column), blocks in part.cells.items():
        rows.setdefault(row, {})[column] = " ".join(block.flatten() for block in blocks)
    # Columns that only merged cells reach into would stay empty in every row.
    columns = sorted({column for cells in rows.values() for column, text in cells.items() if text})
    if len(columns) == 1 or len(rows) == 1:
        # A frame around text, as it is drawn in this program.
        yield from (block for key in sorted(part.cells) for block in part.cells[key])
    elif columns:
        yield _Block(rows=tuple(tuple(rows[row].get(column, "") for column in columns) for row in sorted(rows)))


def _read_records(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Every record: its kind, its level, its content; a cut one or what is none ends them."""
    at = 0
    while at + 4 <= len(content):
        (head,) = struct.unpack_from("<I", content, at)
        at += 4
        if head & 0x3FF < _FIRST_KIND:
            return
        size = head >> 20
        if size == _LONG:
            if at + 4 > len(content):
                return
            (size,) = struct.unpack_from("<I", content, at)
            at += 4
        yield head & 0x3FF, head >> 10 & 0x3FF, content[at : at + size]
        at += size


def _read_levels(packed: bytes, *, is_packed: bool) -> dict[int, int]:
    """Which styles are of headings, and of which level."""
    levels: dict[int, int] = {}
    try:
        information, _ = _unpack(packed, _UNPACKED_BYTES, is_packed=is_packed)
    except zlib.error:
        # Damage here costs the headings, not the text.
        return levels
    styles = (content for kind, _, content in _read_records(information) if kind == _STYLE)
    for number, content in enumerate(styles):
        size = int.from_bytes(content[:2], "little")
        name = content[2 : 2 + 2 * size].decode("utf-16-le", "replace")
        outline = _OUTLINE.fullmatch(name.strip())
        if outline:
            levels[number] = int(outline[1])
    return levels


def _unpack(content: bytes, limit: int, *, is_packed: bool) -> tuple[bytes, bool]:
    """What a stream holds, and whether that is all of it."""
    is_whole = True
    if is_packed and content.strip(b"\0"):
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        content = unpacker.decompress(content, limit + 1)
        is_whole = unpacker.eof
    if len(content) > limit:
        raise DocumentFault(_BOMB)
    return content, is_whole


def _damaged() -> DocumentFault:
    return DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.")
