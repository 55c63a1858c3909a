"""Word files of before 2007 and Hangul files, built byte by byte as those programs write them."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from office_files import make_ole

_TEXT_AT = 0x800
_PAGE = 512
_RUNS_A_PAGE = 8
_COUNTS = ("text", "footnotes", "furniture", "macros", "comments", "endnotes", "boxes", "furniture boxes")
HEADING_1, HEADING_2, TITLE, CONTENTS, OWN, LOOP = 1, 2, 3, 4, 5, 6
IN_TABLE, ROW_END = b"\x16\x24\x01", b"\x17\x24\x01"
NESTED = IN_TABLE + b"\x49\x66\x02\x00\x00\x00"
INNER_CELL, INNER_ROW_END = b"\x4b\x24\x01", b"\x4c\x24\x01"
HIDDEN, DELETED, SYMBOL = b"\x3c\x08\x01", b"\x00\x08\x01", b"\x09\x6a\x00\x00\xb7\xf0"


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph with the mark that ends it, its style, and what changes that."""

    text: str
    style: int = 0
    changes: bytes = b""
    end: str = "\r"


def cell(text: str, changes: bytes = b"") -> Para:
    """The last paragraph of a cell."""
    return Para(text, changes=IN_TABLE + changes, end="\x07")


def row_end(*edges: int) -> Para:
    """The mark that ends a row whose cells have these edges."""
    definition = bytes([max(0, len(edges) - 1)]) + struct.pack(f"<{len(edges)}h", *edges)
    defined = b"\x08\xd6" + struct.pack("<H", len(definition) + 1) + definition if edges else b""
    return Para("", changes=IN_TABLE + ROW_END + defined, end="\x07")


def item(text: str, number: int, depth: int = 0) -> Para:
    """An item of a list."""
    return Para(text, changes=b"\x0a\x26" + bytes([depth]) + b"\x0b\x46" + struct.pack("<H", number))


def make_word(
    paragraphs: Sequence[Para],
    *,
    counts: Mapping[str, int] | None = None,
    tables: Mapping[int, bytes] | None = None,
    narrow_from: int | None = None,
    formats: Sequence[tuple[int, int, bytes]] = (),
) -> bytes:
    """A Word 97 file of a piece of wide and a piece of narrow characters; `formats` are of stretches of the text."""
    text = "".join(paragraph.text + paragraph.end for paragraph in paragraphs)
    units = len(text.encode("utf-16-le")) // 2
    split = units if narrow_from is None else narrow_from
    wide = text[:split].encode("utf-16-le")
    body = wide + text[split:].encode("cp1252")

    def find(position: int) -> int:
        return _TEXT_AT + (2 * position if position <= split else len(wide) + position - split)

    ends = [0]
    for paragraph in paragraphs:
        ends.append(ends[-1] + len((paragraph.text + paragraph.end).encode("utf-16-le")) // 2)
    papx = [_pack_paragraph(paragraph) for paragraph in paragraphs]
    first = -(-(_TEXT_AT + len(body)) // _PAGE)
    pages, paragraph_runs = _make_pages([find(end) for end in ends], papx, 13, first)
    bounds = sorted({0, units, *(edge for start, end, _ in formats for edge in (start, end))})
    chpx = [next((bytes([len(c)]) + c for s, e, c in formats if s <= start < e), b"") for start in bounds[:-1]]
    others, character_runs = _make_pages([find(bound) for bound in bounds], chpx, 1, first + len(pages) // _PAGE)
    pieces = struct.pack("<III", 0, split, units) if split < units else struct.pack("<II", 0, units)
    pieces += struct.pack("<HIH", 0, _TEXT_AT, 0)
    if split < units:
        pieces += struct.pack("<HIH", 0, (_TEXT_AT + len(wide)) * 2 | 0x40000000, 0)
    clx = b"\x01\x02\x00xx\x02" + struct.pack("<I", len(pieces)) + pieces
    kept = {1: _make_styles(), 12: character_runs, 13: paragraph_runs, 33: clx} | dict(tables or {})
    stream = _make_head(units, counts or {}, kept) + body
    stream = stream.ljust(first * _PAGE, b"\0") + pages + others
    return make_ole({"1Table": b"".join(kept.values()), "WordDocument": stream})


def _make_head(units: int, counts: Mapping[str, int], tables: Mapping[int, bytes]) -> bytes:
    head = bytearray(_TEXT_AT)
    struct.pack_into("<HH", head, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", head, 0x0A, 0x0200)
    numbers = [counts.get(name, 0) for name in _COUNTS]
    numbers[0] = units - sum(numbers)
    struct.pack_into("<8I", head, 0x4C, *numbers)
    at = 0
    for number, table in tables.items():
        struct.pack_into("<II", head, 0x9A + 8 * number, at, len(table))
        at += len(table)
    return bytes(head)


def _pack_paragraph(paragraph: Para) -> bytes:
    content = struct.pack("<H", paragraph.style) + paragraph.changes
    return bytes([(len(content) + 1) // 2]) + content if len(content) % 2 else bytes([0, len(content) // 2]) + content


def _make_pages(
    starts: Sequence[int], properties: Sequence[bytes], entry_bytes: int, first: int
) -> tuple[bytes, bytes]:
    """Pages of a few runs each, and the table that lists them."""
    cuts = range(0, len(properties), _RUNS_A_PAGE)
    pages = [
        _make_page(starts[cut : cut + _RUNS_A_PAGE + 1], properties[cut : cut + _RUNS_A_PAGE], entry_bytes)
        for cut in cuts
    ]
    bounds = [*(starts[cut] for cut in cuts), starts[-1]]
    numbers = range(first, first + len(pages))
    return b"".join(pages), struct.pack(f"<{len(bounds) + len(numbers)}I", *bounds, *numbers)


def _make_page(starts: Sequence[int], properties: Sequence[bytes], entry_bytes: int) -> bytes:
    page = bytearray(_PAGE)
    page[-1] = len(properties)
    struct.pack_into(f"<{len(starts)}I", page, 0, *starts)
    free = _PAGE - 2
    for index, content in enumerate(properties):
        if not content:
            continue
        free = (free - len(content)) // 2 * 2
        assert free > 4 * len(starts) + entry_bytes * len(properties)
        page[free : free + len(content)] = content
        page[4 * len(starts) + entry_bytes * index] = free // 2
    return bytes(page)


def _make_styles() -> bytes:
    styles = [
        _make_style(0, 0xFFF, "Standard"),
        _make_style(1, 0, "Überschrift 1"),
        _make_style(2, 0, "Überschrift 2"),
        _make_style(62, 0, "Titel"),
        _make_style(19, 0, "Verzeichnis 1"),
        _make_style(0xFFE, 2, "Eigene"),
        _make_style(0xFFE, 6, "Schleife", b"\x40\x26\x02"),
    ]
    head = struct.pack("<HHHHHHHHH", len(styles), 10, 1, 91, 15, 0, 0, 0, 0)
    return struct.pack("<H", len(head)) + head + b"".join(styles)


def _make_style(kind: int, base: int, name: str, properties: bytes = b"") -> bytes:
    fixed = struct.pack("<HHHHH", kind, base << 4 | 1, 1, 0, 0)
    written = struct.pack("<H", len(name)) + name.encode("utf-16-le") + b"\0\0"
    content = fixed + written + struct.pack("<HH", 2 + len(properties), 0) + properties
    return struct.pack("<H", len(content)) + content + bytes(len(content) % 2)


def make_lists(*lists: Sequence[tuple[int, int, str]], restarts: Mapping[int, int] | None = None) -> dict[int, bytes]:
    """Lists of levels (form, start, text with digits for numbers), each used once, one again with a new start."""
    heads, levels = b"", b""
    for number, found in enumerate(lists, start=100):
        heads += struct.pack("<ii18xBB", number, 0, int(len(found) == 1), 0)
        levels += b"".join(_make_level(*level) for level in [*found, *[found[-1]] * (8 if len(found) > 1 else 0)][:9])
    uses = list(range(100, 100 + len(lists))) + [100 + use for use in restarts or {}]
    again = [0] * len(lists) + [1] * len(restarts or {})
    use_heads = b"".join(struct.pack("<i8xB3x", use, count) for use, count in zip(uses, again, strict=True))
    overrides = b"\xff" * 4 * len(lists)
    overrides += b"".join(b"\xff" * 4 + struct.pack("<iI", start, 0x10) for start in (restarts or {}).values())
    return {
        73: struct.pack("<H", len(lists)) + heads + levels,
        74: struct.pack("<I", len(uses)) + use_heads + overrides,
    }


def _make_level(form: int, start: int, text: str) -> bytes:
    places = bytes(index for index, sign in enumerate(text, start=1) if sign.isdigit())
    written = "".join(chr(int(sign) - 1) if sign.isdigit() else sign for sign in text)
    head = struct.pack("<iBB9sB8xBBBB", start, form, 0, places, 0, 2, 3, 0, 0)
    return head + b"papch" + struct.pack("<H", len(written)) + written.encode("utf-16-le")


def make_old_word(text: bytes, *, language: int = 0x0407, pieces: Sequence[tuple[int, int]] = ()) -> bytes:
    """A Word 95 file; its pieces are stretches of the text in another order."""
    head = bytearray(0x300)
    struct.pack_into("<HHHHH", head, 0, 0xA5DC, 104, 0, language, 0)
    struct.pack_into("<H", head, 0x0A, 0x0004 if pieces else 0)
    struct.pack_into("<II", head, 0x18, 0x300, 0x300 + len(text))
    struct.pack_into("<I", head, 0x34, len(text))
    ends = [sum(end - start for start, end in pieces[:count]) for count in range(len(pieces) + 1)]
    table = struct.pack(f"<{len(ends)}I", *ends)
    table += b"".join(struct.pack("<HIH", 0, 0x300 + start, 0) for start, _ in pieces)
    clx = b"\x02" + struct.pack("<I", len(table)) + table
    struct.pack_into("<II", head, 0x160, 0x300 + len(text), len(clx))
    return make_ole({"WordDocument": bytes(head) + text + clx})


def record(kind: int, level: int, content: bytes = b"") -> bytes:
    """A record of a Hangul file."""
    if len(content) < 0xFFF:
        return struct.pack("<I", kind | level << 10 | len(content) << 20) + content
    return struct.pack("<II", kind | level << 10 | 0xFFF << 20, len(content)) + content


def hangul(text: str, level: int = 0, *, style: int = 0) -> bytes:
    """A paragraph of a Hangul file."""
    head = struct.pack("<IIHB", len(text), 0, 0, style).ljust(22, b"\0")
    return record(66, level, head) + record(67, level + 1, (text + "\r").encode("utf-16-le"))


def control(kind: str, code: int) -> str:
    """What stands in a Hangul text for a control."""
    return f"{chr(code)}{kind[::-1].encode('latin-1').decode('utf-16-le')}\0\0\0\0{chr(code)}"


def make_hangul(section: bytes, *, styles: Sequence[str] = (), flags: int = 1, preview: str = "") -> bytes:
    """A Hangul file of one section; with a preview it has no styles."""
    named = b"".join(record(26, 0, struct.pack("<H", len(name)) + name.encode("utf-16-le")) for name in styles)
    header = (b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, flags)).ljust(256, b"\0")
    other = {"PrvText": preview.encode("utf-16-le")} if preview else {"DocInfo": pack(named)}
    return make_ole({**other, "BodyText/Section0": section, "FileHeader": header})


def pack(content: bytes) -> bytes:
    """The content as Hangul files compress it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()
