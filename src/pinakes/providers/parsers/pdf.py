"""PDF: the text layer of each page, with its page number."""

import re
from typing import Any, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
import pypdfium2.raw as raw_pdfium  # pyright: ignore[reportMissingTypeStubs]

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import Place

_pdfium_c = cast("Any", raw_pdfium)

PAGE_BREAK = "\n\f\n"  # between the pages' texts, outside every section
_LISTED_PAGES = 10
_TAIL_BYTES = 2_048
_LONGEST_TITLE = 200
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
# pdfium puts U+FFFE or U+0002 in place of a hyphen that divides a word at a line's end, and joins the lines.
_DIVISION_MARKS = {0xFFFE: None, 0xFFFF: None, 0x00AD: None}
_CONTROLS = {code: None for code in range(0x20) if chr(code) not in "\t\n\f"}
_CLEANING = str.maketrans({**_CONTROLS, **_DIVISION_MARKS, **_LIGATURES})
# What programs write when nobody chose a title.
_NO_TITLE = re.compile(
    r"untitled.*|unbenannt.*|\(?anonymous\)?|title|document\d*|microsoft \w+ - .*|slide \d+"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex|dvi|odt|rtf|qxp|html?|txt)",
    re.IGNORECASE,
)


def parse_pdf(content: bytes) -> ParsedDocument:
    """One section a page that has text; a fault where a page is lost, so that none is indexed in part."""
    document = _open(content)
    try:
        pages = _read_pages(document)
        title = _find_title(document)
    finally:
        document.close()
    text, sections = _join(pages)
    if not sections:
        raise DocumentFault("The PDF has no text layer: it looks scanned and needs OCR.")
    return ParsedDocument(text=text, sections=sections, title=title)


def _open(content: bytes) -> Any:
    try:
        document = cast("Any", pypdfium2.PdfDocument(content))
    except pypdfium2.PdfiumError as error:
        if cast("Any", error).err_code == _pdfium_c.FPDF_ERR_PASSWORD:
            raise DocumentFault(
                "The PDF is protected by a password; remove the protection and upload it again."
            ) from error
        raise DocumentFault("The PDF is damaged or has no pages and cannot be opened.") from error
    if len(document) == 0:
        raise DocumentFault("The PDF has no pages.")
    tail = content.rstrip(b"\x00")[-_TAIL_BYTES:]
    if b"%%EOF" not in tail and not _pdfium_c.FPDF_DocumentHasValidCrossReferenceTable(document.raw):
        # pdfium rebuilds what is left of such a file without a word about the pages that are gone.
        raise DocumentFault("The PDF is damaged: it ends too early, as after a broken download.")
    return document


def _read_pages(document: Any) -> list[str]:
    pages: list[str] = []
    unreadable: list[int] = []
    for index in range(len(document)):
        try:
            pages.append(_read_page(document, index))
        except pypdfium2.PdfiumError:
            unreadable.append(index + 1)
    if unreadable:
        listed = ", ".join(map(str, unreadable[:_LISTED_PAGES])) + (", …" if len(unreadable) > _LISTED_PAGES else "")
        raise DocumentFault(
            f"The PDF is damaged: {len(unreadable)} of {len(document)} pages cannot be read (page {listed})."
        )
    return pages


def _read_page(document: Any, index: int) -> str:
    page = document[index]
    try:
        text_page = page.get_textpage()
        try:
            return _clean(cast("str", text_page.get_text_range()))
        finally:
            text_page.close()
    finally:
        page.close()


def _clean(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CLEANING).replace("\f", "\n").strip()


def _join(pages: list[str]) -> tuple[str, tuple[Section, ...]]:
    sections: list[Section] = []
    offset = 0
    for number, page in enumerate(pages, start=1):
        if page:
            sections.append(Section(start=offset, end=offset + len(page), place=Place("page", number)))
        offset += len(page) + len(PAGE_BREAK)
    return PAGE_BREAK.join(pages), tuple(sections)


def _find_title(document: Any) -> str | None:
    try:
        title = " ".join(_clean(cast("str", document.get_metadata_value("Title"))).split())
    except UnicodeDecodeError:
        return None
    sensible = 2 < len(title) <= _LONGEST_TITLE and not _NO_TITLE.fullmatch(title)
    return title if sensible and any(map(str.isalpha, title)) else None
