"""Small office files as other programs write them, sound and hostile."""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

from openpyxl import Workbook

_SECTOR = 512
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "table": "table",
        "text": "text",
        "draw": "drawing",
        "presentation": "presentation",
        "manifest": "manifest",
        "meta": "meta",
        "chart": "chart",
    }.items()
)
_ODF_NAMESPACES = f'{_ODF} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def make_zip(parts: Mapping[str, str | bytes]) -> bytes:
    """A ZIP file of these parts."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return target.getvalue()


def replace_part(package: bytes, name: str, content: str | bytes) -> bytes:
    """The same package with another content of one part."""
    with zipfile.ZipFile(io.BytesIO(package)) as archive:
        parts = {entry: archive.read(entry) for entry in archive.namelist()}
    return make_zip({**parts, name: content})


def make_relations(links: Mapping[str, tuple[str, str]]) -> str:
    """The links of a part: ids to kinds and targets."""
    rows = "".join(
        f'<Relationship Id="{key}" Type="{_KINDS}/{kind}" Target="{target}"/>' for key, (kind, target) in links.items()
    )
    return f'<Relationships xmlns="{_RELATIONS}">{rows}</Relationships>'


def save_workbook(workbook: Workbook) -> bytes:
    """The workbook as a file."""
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()


def make_bare_xlsx(*sheets: str, workbook: str = "", **parts: str) -> bytes:
    """A workbook of nothing but these sheets' XML, named S1, S2 …; other parts are named after their file."""
    names = range(1, len(sheets) + 1)
    listed = "".join(f'<sheet name="S{number}" sheetId="{number}" r:id="r{number}"/>' for number in names)
    links = {f"r{number}": ("worksheet", f"worksheets/sheet{number}.xml") for number in names}
    main = '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    return make_zip(
        {
            "xl/workbook.xml": f'{main} xmlns:r="{_KINDS}">{workbook}<sheets>{listed}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": make_relations(links),
            **{f"xl/worksheets/sheet{number}.xml": make_sheet(sheet) for number, sheet in enumerate(sheets, start=1)},
            **{f"xl/{name}.xml": content for name, content in parts.items()},
        }
    )


def make_sheet(rows: str) -> str:
    """The XML of a sheet around its rows."""
    namespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    return f'<worksheet xmlns="{namespace}"><sheetData>{rows}</sheetData></worksheet>'


def make_odf(body: str, **parts: str) -> bytes:
    """An OpenDocument file around the body of its content; other parts are named after their file."""
    content = f"<office:document-content {_ODF_NAMESPACES}><office:body>{body}</office:body></office:document-content>"
    others = {name.replace("__", "/") + ".xml": wrap_odf(part) for name, part in parts.items()}
    return make_zip({"content.xml": content, **others})


def wrap_odf(part: str) -> str:
    """A part of an OpenDocument file: its root has no meaning of its own here."""
    return f"<office:document {_ODF_NAMESPACES}>{part}</office:document>"


def make_ole(streams: Mapping[str, bytes]) -> bytes:
    """An OLE file of up to three streams, shorter names first; "a/b" is a stream of its own folder."""
    fat = [_FAT, 2, _END]
    data = b""
    entries = [_make_entry("Root Entry", 5, child=1, start=_END, size=0)]
    inner: list[bytes] = []
    for index, (path, stream) in enumerate(streams.items(), start=1):
        # Shorter ones would belong into a stream of streams.
        content = stream.ljust(4_096, b"\0")
        content = content.ljust(-(-len(content) // _SECTOR) * _SECTOR, b"\0")
        right = index + 1 if index < len(streams) else _FREE
        folder, _, name = path.rpartition("/")
        if folder:
            child = len(streams) + 1 + len(inner)
            entries.append(_make_entry(folder, 1, start=0, size=0, right=right, child=child))
            inner.append(_make_entry(name, 2, start=len(fat), size=len(content)))
        else:
            entries.append(_make_entry(name, 2, start=len(fat), size=len(content), right=right))
        count = len(content) // _SECTOR
        fat.extend([*range(len(fat) + 1, len(fat) + count), _END])
        data += content
    assert len(fat) <= _SECTOR // 4
    table = struct.pack("<128I", *fat, *[_FREE] * (128 - len(fat)))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4_096, _END, 0, _END, 0, 0)
    header += struct.pack("<108I", *[_FREE] * 108)
    return header + table + b"".join(entries + inner).ljust(2 * _SECTOR, b"\0") + data


def _make_entry(name: str, kind: int, *, start: int, size: int, child: int = _FREE, right: int = _FREE) -> bytes:
    encoded = (name + "\0").encode("utf-16-le")
    head = encoded.ljust(64, b"\0") + struct.pack("<HBBIII", len(encoded), kind, 1, _FREE, right, child)
    return head + bytes(36) + struct.pack("<IQ", start, size)


def make_xls(cells: Sequence[bytes], *, settings: Sequence[bytes] = (), version: int = 0x0600) -> bytes:
    """An Excel workbook of before 2007 with one sheet, Données, that holds these records."""
    name = "Données".encode("latin-1")
    label = bytes([len(name), 0]) + name if version == 0x0600 else bytes([len(name)]) + name
    begin = make_record(0x0809, struct.pack("<HHI", version, 5, 0))
    end = make_record(0x000A, b"")
    size = len(begin) + sum(map(len, settings)) + 4 + 6 + len(label) + len(end)
    listed = make_record(0x0085, struct.pack("<IBB", size, 0, 0) + label)
    sheet = make_record(0x0809, struct.pack("<HHI", version, 16, 0)) + b"".join(cells) + end
    stream = begin + b"".join(settings) + listed + end + sheet
    return make_ole({"Workbook" if version == 0x0600 else "Book": stream})


def make_record(kind: int, content: bytes) -> bytes:
    """A record of such a workbook."""
    return struct.pack("<HH", kind, len(content)) + content


def make_ppt(*slides: Sequence[tuple[int, str]], notes: str = "") -> bytes:
    """A PowerPoint presentation of before 2007: slides of texts and their kinds; the first has the notes."""
    parts: list[bytes] = []
    for number, texts in enumerate(slides):
        slide = _make_atom(0x03EF, bytes(16) + struct.pack("<I", 900 if notes and not number else 0) + bytes(4))
        shapes = b"".join(_wrap(0xF004, _wrap(0xF00D, _make_text(kind, words))) for kind, words in texts)
        parts.append(_wrap(0x03EE, slide + _wrap(0x040C, shapes)))
    parts.append(_wrap(0x03F0, _wrap(0xF004, _wrap(0xF00D, _make_text(2, notes)))))
    listed = b"".join(_make_atom(0x03F3, struct.pack("<IIIII", 2 + n, 0, 0, 256 + n, 0)) for n in range(len(slides)))
    noted = _make_atom(0x03F3, struct.pack("<IIIII", 2 + len(slides), 0, 0, 900, 0))
    document = _wrap(0x03E8, _wrap(0x0FF0, listed) + _wrap(0x0FF0, noted, instance=2))
    stream, offsets = b"", list[int]()
    for part in (document, *parts):
        offsets.append(len(stream))
        stream += part
    directory = len(stream)
    stream += _make_atom(0x1772, struct.pack(f"<I{len(offsets)}I", len(offsets) << 20 | 1, *offsets))
    edit = len(stream)
    stream += _make_atom(0x0FF5, struct.pack("<IIIIIII", 0, 0, 0, directory, 1, 0, 0))
    return make_ole({"Current User": bytes(16) + struct.pack("<I", edit), "PowerPoint Document": stream})


def _make_text(kind: int, words: str) -> bytes:
    return _make_atom(0x0F9F, struct.pack("<I", kind)) + _make_atom(0x0FA0, words.encode("utf-16-le"))


def _make_atom(kind: int, content: bytes) -> bytes:
    return struct.pack("<HHI", 0, kind, len(content)) + content


def _wrap(kind: int, content: bytes, *, instance: int = 0) -> bytes:
    return struct.pack("<HHI", instance << 4 | 0xF, kind, len(content)) + content
