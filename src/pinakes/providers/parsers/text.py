"""Plain text: which encoding it is in, and its characters exactly as decoded."""

import codecs
import re

import chardet

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument, Section

# UTF-32 stands before UTF-16: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 200_000
_DAMAGED_SHARE = 0.05


def parse_text(content: bytes) -> ParsedDocument:
    """The whole text as one section; a fault where there is none."""
    text = decode(content)
    return ParsedDocument(text=text, sections=(Section(start=0, end=len(text)),))


def decode(content: bytes) -> str:
    """The characters of a text file without its byte order mark; a fault if there are none to be seen."""
    mark, encoding = find_mark(content)
    body = content[len(mark) :]
    text = body.decode(encoding, "replace") if encoding else _decode_unmarked(body)
    if not text.strip():
        raise DocumentFault("The file has no text.")
    return text


def find_mark(content: bytes) -> tuple[bytes, str | None]:
    """The byte order mark that the content begins with and the encoding it stands for, if any."""
    return next(((mark, name) for mark, name in _MARKS if content.startswith(mark)), (b"", None))


def guess_encoding(content: bytes) -> str | None:
    """The most likely encoding of text that carries no mark, or None for what is no text."""
    # Much of a long file may be plain ASCII: look where it is not. Whole UTF-32 units keep their alignment.
    first = re.search(rb"[^\x01-\x7f]", content)
    start = max(0, first.start() - 1_000) // 4 * 4 if first else 0
    return chardet.detect(content[start : start + _SAMPLE_BYTES])["encoding"]


def _decode_unmarked(body: bytes) -> str:
    # Encodings that switch by escape sequences (ISO-2022-JP) would pass for UTF-8, and so would UTF-16.
    if b"\x1b" not in body and b"\x00" not in body:
        text = body.decode("utf-8", "replace")
        if _is_utf8(body, text):
            return text
    encoding = guess_encoding(body)
    if encoding is None:
        raise DocumentFault("The file's text encoding could not be recognised; save it as UTF-8 and try again.")
    return body.decode(encoding, "replace")


def _is_utf8(body: bytes, decoded: str) -> bool:
    # A few broken bytes in UTF-8 must not turn the rest into another encoding's letters; in a legacy encoding
    # nearly every byte above ASCII is broken as UTF-8.
    damaged = decoded.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    beyond_ascii = len(decoded) - len(decoded.encode("ascii", "ignore"))
    return damaged <= beyond_ascii * _DAMAGED_SHARE
