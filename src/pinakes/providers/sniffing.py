"""What kind of file it is, told from its content and checked against its name."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, cast

import filetype  # pyright: ignore[reportMissingTypeStubs]

from pinakes.domain.errors import InvalidInput, UnsupportedFile
from pinakes.domain.parsing import MediaType
from pinakes.providers.parsers.text import find_mark, guess_encoding

_PDF_HEADER = b"%PDF-"
_PDF_HEADER_WITHIN = 1_024  # readers accept some bytes before it
_STRANGE_SHARE = 0.01
_SAMPLE_BYTES = 8_192
# What text may hold below U+0020: tab, line ends, form feed, backspace, DOS end of file, escape.
_STRANGE = bytes(code for code in range(0x20) if code not in b"\t\n\v\f\r\x08\x1a\x1b") + b"\x7f"
# Printable, and yet not what a reader of plain text expects.
_MARKUP = ((_PDF_HEADER, "a PDF"), (b"{\\rtf", "rich text (RTF)"), (b"%!PS", "PostScript"))


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A supported kind of file: how it is called, named and recognised."""

    media_type: MediaType
    label: str
    extensions: tuple[str, ...]
    matches: Callable[[bytes], bool]


def sniff(name: str, content: bytes) -> MediaType:
    """The media type that content and name agree on; reads all of it, so a large file belongs in a thread."""
    if not content:
        raise InvalidInput(f"{name!r} is empty.")
    extension = PurePath(name).suffix.lower()
    claimed = next((kind for kind in FORMATS if extension in kind.extensions), None)
    if claimed is None:
        what = f"has the unsupported extension {extension!r}" if extension else "has no extension"
        raise UnsupportedFile(f"{name!r} {what}. {list_formats()}")
    if not claimed.matches(content):
        raise UnsupportedFile(
            f"{name!r} is named as {claimed.label} but its content is {_describe(content)}. "
            f"Check the file, or name it by what it is. {list_formats()}"
        )
    return claimed.media_type


def list_formats() -> str:
    """A sentence that names the supported formats."""
    kinds = (f"{kind.label} ({', '.join(kind.extensions)})" for kind in FORMATS)
    return f"Supported: {', '.join(kinds)}."


def _is_pdf(content: bytes) -> bool:
    return _PDF_HEADER in content[:_PDF_HEADER_WITHIN]


def _is_text(content: bytes) -> bool:
    mark, encoding = find_mark(content)
    body = content[len(mark) :]
    if encoding is None and b"\x00" in body:
        encoding = guess_encoding(body) or ""
        if not encoding.lower().startswith(("utf-16", "utf-32")) or not _is_meaningful(body, encoding):
            return False
    if encoding and encoding != "utf-8":
        body = body.decode(encoding, "replace").encode("utf-8", "replace")
    if body.startswith(tuple(header for header, _ in _MARKUP)) or b"\x00" in body:
        return False
    strange = len(body) - len(body.translate(None, _STRANGE))
    return strange <= len(body) * _STRANGE_SHARE


def _is_meaningful(body: bytes, encoding: str) -> bool:
    # Any bytes are sixteen-bit characters, but only text keeps to those that Unicode has assigned.
    sample = body[:_SAMPLE_BYTES].decode(encoding, "replace")
    return not any(unicodedata.category(sign) in ("Cn", "Co") or sign == "\ufffd" for sign in sample)


def _describe(content: bytes) -> str:
    for header, label in _MARKUP:
        if content.startswith(header):
            return label
    # Asked only about what is no text: "BM25 …" begins like a bitmap.
    if _is_text(content):
        return "plain text"
    guessed = cast("Any", filetype).guess(content[:_SAMPLE_BYTES])
    return f"of type {guessed.mime}" if guessed else "binary data of an unknown type"


FORMATS = (
    FileFormat("application/pdf", "PDF", (".pdf",), _is_pdf),
    FileFormat("text/markdown", "Markdown", (".md", ".markdown"), _is_text),
    FileFormat("text/plain", "plain text", (".txt", ".text"), _is_text),
)
