"""Small word-processing files as other programs write them, sound and hostile."""

import struct
from collections.abc import Mapping, Sequence

from office_files import make_ole, make_relations, make_zip

TRANSITIONAL = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"
_OTHERS = " ".join(
    f'xmlns:{prefix}="{name}"'
    for prefix, name in {
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "v": "urn:schemas-microsoft-com:vml",
    }.items()
)
_TEXT_AT = 0x800


def make_docx(
    body: str, *, links: Mapping[str, str] | None = None, namespace: str = TRANSITIONAL, **parts: str
) -> bytes:
    """A Word document around its body; other parts are given by their file's name, links by their ids."""
    relations = make_relations({name: (name.rstrip("0123456789"), f"{name}.xml") for name in parts})
    outside = "".join(
        f'<Relationship Id="{key}" Type="x/hyperlink" Target="{target}" TargetMode="External"/>'
        for key, target in (links or {}).items()
    )
    roots = {"header": "hdr", "footer": "ftr"}
    return make_zip(
        {
            "_rels/.rels": make_relations({"r1": ("officeDocument", "word/document.xml")}),
            "word/document.xml": _wrap("document", f"<w:body>{body}</w:body>", namespace),
            "word/_rels/document.xml.rels": relations.replace("</Relationships>", f"{outside}</Relationships>"),
            **{
                f"word/{name}.xml": _wrap(roots.get(name.rstrip("0123456789"), name), part, namespace)
                for name, part in parts.items()
            },
        }
    )


def _wrap(name: str, content: str, namespace: str) -> str:
    return f'<w:{name} xmlns:w="{namespace}" {_OTHERS}>{content}</w:{name}>'


def p(text: str, style: str = "", properties: str = "") -> str:
    """A paragraph of one run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{r(text)}</w:p>"


def r(text: str) -> str:
    """A run."""
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def item(text: str, depth: int = 0, number: int = 1) -> str:
    """An item of a list."""
    return p(text, properties=f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{number}"/></w:numPr>')


def table(rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are XML."""
    written = ("".join(f"<w:tc>{cell}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in written) + "</w:tbl>"


def make_doc(text: str, *, flags: int = 0x0200) -> bytes:
    """A Word 97 document of unformatted text, its paragraphs ended by returns."""
    content = text.encode("utf-16-le")
    head = bytearray(_TEXT_AT)
    struct.pack_into("<HH", head, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", head, 0x0A, flags)
    struct.pack_into("<II", head, 0x18, _TEXT_AT, _TEXT_AT + len(content))
    struct.pack_into("<H", head, 0x20, 14)
    struct.pack_into("<H", head, 0x3E, 22)
    struct.pack_into("<I", head, 0x4C, len(text))
    struct.pack_into("<H", head, 0x98, 0x5D)
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, _TEXT_AT, 0)
    pieces = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", head, 0x01A2, 0, len(pieces))
    return make_ole({"1Table": pieces, "WordDocument": bytes(head) + content})


def make_rtf(body: str, *, head: str = "\\ansi\\ansicpg1252\\deff0") -> bytes:
    """An RTF file around its body."""
    return f"{{\\rtf1{head} {body}}}".encode("latin-1")


def make_hwp(text: str) -> bytes:
    """A Hangul document of one paragraph."""
    content = text.encode("utf-16-le")
    header = struct.pack("<I", 66 | 22 << 20) + struct.pack("<IIHBBHHHI", len(text), 0, 0, 0, 0, 0, 0, 0, 0)
    section = header.ljust(26, b"\0") + struct.pack("<I", 67 | 1 << 10 | len(content) << 20) + content
    file_header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000300, 0)
    return make_ole({"DocInfo": b"", "BodyText/Section0": section, "FileHeader": file_header.ljust(256, b"\0")})
