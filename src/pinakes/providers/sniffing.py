"""What kind of file it is, told from its content and checked against its name."""

import io
import re
import struct
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, cast

import filetype  # pyright: ignore[reportMissingTypeStubs]
import olefile  # pyright: ignore[reportMissingTypeStubs]

from pinakes.domain.errors import DocumentFault, InvalidInput, UnsupportedFile
from pinakes.domain.parsing import MediaType
from pinakes.providers.parsers.archive import Package, looks_like_bomb, open_package
from pinakes.providers.parsers.text.languages import PLAIN, STRUCTURED
from pinakes.providers.parsers.text.plain import find_mark, guess_encoding

_PDF_HEADER = b"%PDF-"
_PDF_HEADER_WITHIN = 1_024  # readers accept some bytes before it
_ZIP_HEADERS = (b"PK\x03\x04", b"PK\x05\x06")
_OLE_HEADER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RTF_HEADER = b"{\\rtf"
_STRANGE_SHARE = 0.01
_SAMPLE_BYTES = 8_192
_HEAD_BYTES = 65_536
_NAMED_PART_BYTES = 4_000_000
_SHOWN_EXTENSIONS = 6
# What text may hold below U+0020: tab, line ends, form feed, backspace, DOS end of file, escape.
_STRANGE = bytes(code for code in range(0x20) if code not in b"\t\n\v\f\r\x08\x1a\x1b") + b"\x7f"
# Printable, and yet not what a reader of plain text expects.
_POSTSCRIPT_HEADER = b"%!PS"
_PRINTABLE_HEADERS = (_PDF_HEADER, _RTF_HEADER, _POSTSCRIPT_HEADER)
# Kinds of content that are no format of their own.
_ARCHIVE = "application/zip"
_BROKEN_ZIP = "damaged zip"
_BROKEN_OLE = "damaged ole"
_OTHER_OFFICE = "other office"
_LOCKED_OFFICE = "locked office"
_DESCRIPTIONS = {
    _ARCHIVE: "a ZIP archive",
    _BROKEN_ZIP: "a ZIP file that cannot be opened",
    _BROKEN_OLE: "an Office file that cannot be opened",
    _OTHER_OFFICE: "an Office file of another kind",
    _LOCKED_OFFICE: "an Office file protected by a password",
}
_OFFICE = "application/vnd.openxmlformats-officedocument."
_DOCX = f"{_OFFICE}wordprocessingml.document"
_PPTX = f"{_OFFICE}presentationml.presentation"
_XLSX = f"{_OFFICE}spreadsheetml.sheet"
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_MAIN_PART = re.compile(
    rb"application/vnd\.(?:openxmlformats-officedocument\.)?"
    rb"(wordprocessingml|presentationml|spreadsheetml|ms-word|ms-powerpoint|ms-excel)\.[\w.]*main\+xml"
)
_OTHER_MAIN_PART = re.compile(rb"application/vnd\.ms-[\w.-]+\.main\b")  # of binary workbooks and drawings
_OFFICE_TYPES = {
    **dict.fromkeys((b"wordprocessingml", b"ms-word"), _DOCX),
    **dict.fromkeys((b"presentationml", b"ms-powerpoint"), _PPTX),
    **dict.fromkeys((b"spreadsheetml", b"ms-excel"), _XLSX),
}
_OPEN_DOCUMENT_TYPE = re.compile(rb"application/vnd\.oasis\.opendocument\.(text|presentation|spreadsheet)\b")
# The stream in the root of an OLE file that only one program writes; the order matters for none of them.
_OLE_TYPES = {
    "EncryptedPackage": _LOCKED_OFFICE,
    "WordDocument": "application/msword",
    "PowerPoint Document": "application/vnd.ms-powerpoint",
    "Workbook": "application/vnd.ms-excel",
    "Book": "application/vnd.ms-excel",
    "__properties_version1.0": "application/vnd.ms-outlook",
    "BodyText": "application/x-hwp",
}
_MAIL_HEADER = re.compile(
    rb"^(?:from|to|subject|date|received|message-id|mime-version|return-path|content-type)[ \t]*:",
    re.IGNORECASE | re.MULTILINE,
)
_HEADER_LINE = re.compile(rb"\s*(?:>?From [^\n]*\n)?[!-9;-~]+[ \t]*:")
# Names that everybody gives to plain text without an extension.
_PLAIN_NAMES = (
    *("authors", "changelog", "contributing", "copying", "dockerfile", "install", "licence", "license", "makefile"),
    *("notice", "readme", "todo"),
)


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
    if content.startswith(_ZIP_HEADERS) and (bomb := looks_like_bomb(content)):
        raise UnsupportedFile(f"{name!r} is refused. {bomb}")
    claimed = _find_claimed(name)
    if claimed is None:
        return _sniff_unclaimed(name, content)
    if not claimed.matches(content):
        raise UnsupportedFile(
            f"{name!r} is named as {claimed.label} but its content is {_describe(content)}. "
            f"Check the file, or name it by what it is. {list_formats()}"
        )
    return claimed.media_type


def is_archive(name: str, content: bytes) -> bool:
    """Whether this is a ZIP archive by name and content, whose files are documents of their own."""
    return PurePath(name).suffix.lower() == ".zip" and _identify(content) in (_ARCHIVE, _BROKEN_ZIP)


def list_formats() -> str:
    """A sentence that names the supported formats."""
    groups: dict[str, list[str]] = {}
    for kind in FORMATS:
        groups.setdefault(kind.label, []).append(kind.extensions[0])
    return f"Supported: {', '.join(f'{label} ({_shorten(names)})' for label, names in groups.items())}."


def _shorten(extensions: list[str]) -> str:
    more = ", …" if len(extensions) > _SHOWN_EXTENSIONS else ""
    return ", ".join(extensions[:_SHOWN_EXTENSIONS]) + more


def _find_claimed(name: str) -> FileFormat | None:
    path = PurePath(name)
    extension = path.suffix.lower() or (".txt" if path.name.lower() in _PLAIN_NAMES else "")
    return next((kind for kind in FORMATS if extension in kind.extensions), None)


def _sniff_unclaimed(name: str, content: bytes) -> MediaType:
    # The name says nothing about the format, so content that can be nothing else is taken for what it is.
    found = _identify(content)
    extension = PurePath(name).suffix.lower()
    if found == _ARCHIVE or is_archive(name, content):
        raise UnsupportedFile(
            f"{name!r} is a ZIP archive, not a document: upload it as an archive, so that each file in it "
            "becomes a document, or unpack it first."
        )
    if _find_format(found) and extension != ".zip":
        return cast("str", found)
    what = f"has the unsupported extension {extension!r}" if extension else "has no extension"
    raise UnsupportedFile(
        f"{name!r} {what}, and its content is {_describe(content)}. Name it by what it is, "
        f"or convert it. {list_formats()}"
    )


def _find_format(media_type: str | None) -> FileFormat | None:
    return next((kind for kind in FORMATS if kind.media_type == media_type), None)


def _identify(content: bytes) -> str | None:
    """What content is that can be nothing else: a media type, or one of the kinds above."""
    if content.startswith(_ZIP_HEADERS):
        return _identify_zip(content)
    if content.startswith(_OLE_HEADER):
        return _identify_ole(content)
    beginning = content[:_PDF_HEADER_WITHIN].lstrip()
    if beginning.startswith(_PDF_HEADER):
        return "application/pdf"
    return "application/rtf" if beginning.startswith(_RTF_HEADER) else None


def _identify_zip(content: bytes) -> str:
    try:
        package = open_package(content, what="a ZIP file")
        return _identify_package(package) or _ARCHIVE
    except DocumentFault:
        return _BROKEN_ZIP


def _identify_package(package: Package) -> str | None:
    types = package.find("[Content_Types].xml", _NAMED_PART_BYTES)
    if types is not None:
        main = _MAIN_PART.search(types)
        if main:
            return _OFFICE_TYPES[main[1]]
        return _OTHER_OFFICE if _OTHER_MAIN_PART.search(types) else None
    named = package.find("mimetype", _NAMED_PART_BYTES)
    if (named or b"").strip() == b"application/epub+zip" or "META-INF/container.xml" in package.names:
        return "application/epub+zip"
    found = _OPEN_DOCUMENT_TYPE.search(named or package.find("META-INF/manifest.xml", _NAMED_PART_BYTES) or b"")
    if found:
        return _OPEN_DOCUMENT + found[1].decode()
    return _OTHER_OFFICE if (named or b"").startswith(_OPEN_DOCUMENT.encode()) else None


def _identify_ole(content: bytes) -> str:
    try:
        with cast("Any", olefile).OleFileIO(io.BytesIO(content)) as file:
            streams = {str(entry.name) for entry in file.root.kids}
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError, struct.error):
        # Whatever a damaged directory leads the library to: reading the file will say more.
        return _BROKEN_OLE
    return next((kind for stream, kind in _OLE_TYPES.items() if stream in streams), _OTHER_OFFICE)


def _is_one_of(*kinds: str) -> Callable[[bytes], bool]:
    return lambda content: _identify(content) in kinds


def _is_pdf(content: bytes) -> bool:
    return _PDF_HEADER in content[:_PDF_HEADER_WITHIN]


def _is_text(content: bytes) -> bool:
    mark, encoding = find_mark(content)
    body = content[len(mark) :]
    if encoding is None and (b"\x00" in body or _is_strange(body)):
        encoding = guess_encoding(body) or ""
        if not encoding.lower().startswith(("utf-16", "utf-32")) or not _is_meaningful(body, encoding):
            return False
    if encoding and encoding != "utf-8":
        body = body.decode(encoding, "replace").encode("utf-8", "replace")
    if body.startswith(_PRINTABLE_HEADERS) or b"\x00" in body:
        return False
    return not _is_strange(body)


def _is_strange(body: bytes) -> bool:
    return len(body) - len(body.translate(None, _STRANGE)) > len(body) * _STRANGE_SHARE


def _is_meaningful(body: bytes, encoding: str) -> bool:
    # Any bytes are sixteen-bit characters, but only text keeps to those that Unicode has assigned.
    sample = body[:_SAMPLE_BYTES].decode(encoding, "replace")
    return not any(unicodedata.category(sign) in ("Cn", "Co") or sign == "\ufffd" for sign in sample)


def _begins_with(sign: str) -> Callable[[bytes], bool]:
    return lambda content: _is_text(content) and _read_beginning(content).startswith(sign)


def _read_beginning(content: bytes) -> str:
    mark, encoding = find_mark(content)
    body = content[len(mark) : _HEAD_BYTES]
    encoding = encoding or (guess_encoding(body) if b"\x00" in body else None) or "latin-1"
    return body.decode(encoding, "replace").lstrip()


def _is_mail(content: bytes) -> bool:
    # Not asked to be text: a body in eight bits may hold anything.
    head = content[len(find_mark(content)[0]) : _HEAD_BYTES]
    return _HEADER_LINE.match(head) is not None and _MAIL_HEADER.search(head) is not None


def _is_mailbox(content: bytes) -> bool:
    return content[:_HEAD_BYTES].lstrip().startswith(b"From ") and _is_mail(content)


def _describe(content: bytes) -> str:
    found = _identify(content)
    if kind := _find_format(found):
        article = "an" if kind.label.lower().startswith(("e", "o", "rtf", "hwp")) else "a"
        return f"{article} {kind.label} file ({kind.extensions[0]})"
    if found:
        return _DESCRIPTIONS[found]
    if content.startswith(_POSTSCRIPT_HEADER):
        return "PostScript"
    # Asked only about what is no text: "BM25 …" begins like a bitmap.
    if _is_text(content):
        return "plain text"
    guessed = cast("Any", filetype).guess(content[:_SAMPLE_BYTES])
    return f"of type {guessed.mime}" if guessed else "binary data of an unknown type"


def _make_office(media_type: MediaType, label: str, *extensions: str) -> FileFormat:
    return FileFormat(media_type, label, extensions, _is_one_of(media_type, _LOCKED_OFFICE, _BROKEN_ZIP))


def _make_old_office(media_type: MediaType, label: str, *extensions: str) -> FileFormat:
    return FileFormat(media_type, label, extensions, _is_one_of(media_type, _BROKEN_OLE))


def _make_open_document(kind: str, extension: str) -> FileFormat:
    media_type = _OPEN_DOCUMENT + kind
    return FileFormat(media_type, "OpenDocument", (extension,), _is_one_of(media_type, _BROKEN_ZIP))


FORMATS = (
    FileFormat("application/pdf", "PDF", (".pdf",), _is_pdf),
    _make_office(_DOCX, "Word", ".docx", ".docm"),
    _make_old_office("application/msword", "Word", ".doc"),
    _make_office(_PPTX, "PowerPoint", ".pptx", ".pptm", ".ppsx"),
    _make_old_office("application/vnd.ms-powerpoint", "PowerPoint", ".ppt", ".pps"),
    _make_office(_XLSX, "Excel", ".xlsx", ".xlsm"),
    _make_old_office("application/vnd.ms-excel", "Excel", ".xls"),
    _make_open_document("text", ".odt"),
    _make_open_document("presentation", ".odp"),
    _make_open_document("spreadsheet", ".ods"),
    FileFormat("application/rtf", "RTF", (".rtf",), _is_one_of("application/rtf")),
    _make_old_office("application/x-hwp", "HWP", ".hwp"),
    FileFormat("application/epub+zip", "EPUB", (".epub",), _is_one_of("application/epub+zip", _BROKEN_ZIP)),
    FileFormat("text/html", "HTML", (".html", ".htm", ".xhtml"), _is_text),
    FileFormat("text/markdown", "Markdown", (".md", ".markdown"), _is_text),
    FileFormat("text/plain", "plain text", (".txt", ".text", ".log"), _is_text),
    FileFormat("text/csv", "CSV", (".csv",), _is_text),
    FileFormat("text/tab-separated-values", "TSV", (".tsv", ".tab"), _is_text),
    FileFormat("application/json", "JSON", (".json",), _is_text),
    FileFormat("application/jsonl", "JSON", (".jsonl", ".ndjson"), _is_text),
    FileFormat("application/x-ipynb+json", "Jupyter notebook", (".ipynb",), _begins_with("{")),
    FileFormat("application/xml", "XML", (".xml", ".rss", ".atom"), _begins_with("<")),
    FileFormat("message/rfc822", "e-mail", (".eml",), _is_mail),
    FileFormat("application/mbox", "e-mail", (".mbox",), _is_mailbox),
    _make_old_office("application/vnd.ms-outlook", "e-mail", ".msg"),
    FileFormat("text/x-rst", "reStructuredText", (".rst",), _is_text),
    FileFormat("text/x-org", "Org", (".org",), _is_text),
    *(
        FileFormat(media_type, "source code", extensions, _is_text)
        for media_type, extensions in {**STRUCTURED, **PLAIN}.items()
    ),
)
