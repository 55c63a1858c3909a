"""PDF: the text of each page under its headings, with tables, form fields, and OCR where it was asked for."""

import ctypes
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
import pypdfium2.raw as raw_pdfium  # pyright: ignore[reportMissingTypeStubs]

from pinakes.domain.errors import DocumentFault, RetryableFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.pdf.lines import clean, read_drawing
from pinakes.providers.parsers.pdf.ocr import recognise_page
from pinakes.providers.parsers.pdf.structure import (
    Heading,
    Item,
    Page,
    arrange,
    carry_headers,
    drop_furniture,
    find_body_size,
    find_items,
    find_levels,
    normalise,
    write_page,
)
from pinakes.providers.parsers.titles import choose_title

_pdfium_c = cast("Any", raw_pdfium)

_LISTED = 10
_TAIL_BYTES = 2_048
_TITLE_LINES = 4
_MOST_BOOKMARKS = 10_000
_MOST_KEPT_WORDS = 400_000  # of rows that may be tables: some 160 MB of the memory that a file may take
_MOST_FIELDS = 2_000  # on a page
_BROKEN = (pypdfium2.PdfiumError, UnicodeDecodeError)  # in what a document can be read without
_UNCHECKED = {"off", "0"}
_NO_TEXT = (
    "The PDF has no text layer: it looks scanned and needs OCR. Install tesseract, set PINAKES_OCR_LANGUAGES "
    "(to eng, for example) and try again."
)


def parse_pdf(content: bytes, *, ocr_languages: str | None = None) -> ParsedDocument:
    """The pages in order; a fault where one is lost, so that no document is indexed in part."""
    document = _open(content)
    try:
        reading = _Reading(document, ocr_languages)
        bookmarks = _read_bookmarks(document)
        title = _metadata_title(document)
        remarks = [*reading.remarks(), *_name_attachments(document)]
    finally:
        document.close()
    body = find_body_size(reading.pages)
    pages = drop_furniture(reading.pages, body)
    items = [find_items(page, body, bookmarks.get(index, {})) for index, page in enumerate(pages)]
    carry_headers(items)
    known = {name: level for titles in bookmarks.values() for name, level in titles.items()}
    headings = [item for page in items for item in page if isinstance(item, Heading)]
    levels = find_levels(headings, known)
    outline = Outline()
    for index, page in enumerate(items):
        outline.begin_place(Place("page", index + 1))
        write_page(outline, page, levels)
        for paragraph in reading.extras.get(index, ()):
            outline.add_paragraph(paragraph)
    return outline.finish(title=choose_title(title, _find_title(items[0], headings)), remarks=remarks)


class _Reading:
    """All that is read off the pages, one after the other."""

    def __init__(self, document: Any, ocr_languages: str | None) -> None:
        self.pages: list[Page] = []
        self.extras: dict[int, list[str]] = {}  # by page: what its text layer does not hold
        self._scanned: list[int] = []
        self._recognised: list[int] = []
        self._kept_words = 0
        self._ocr_languages = ocr_languages
        unreadable: list[int] = []
        for index in range(len(document)):
            try:
                self._read_page(document, index)
            except pypdfium2.PdfiumError:
                unreadable.append(index + 1)
        if unreadable:
            raise DocumentFault(
                f"The PDF is damaged: {len(unreadable)} of {len(document)} pages cannot be read "
                f"(page {_list(unreadable)})."
            )
        if not any(page.lines for page in self.pages) and not self.extras:
            if ocr_languages is None:
                raise RetryableFault(_NO_TEXT)
            raise DocumentFault("OCR found no text on the pages of this PDF.")

    def remarks(self) -> Iterator[str]:
        """What a person should know of pages that are pictures."""
        if self._recognised:
            yield f"Recognised by OCR: {_name_pages(self._recognised)}."
        if self._scanned:
            advice = " PINAKES_OCR_LANGUAGES switches OCR on." if self._ocr_languages is None else ""
            yield f"Pictures without text, which were left out: {_name_pages(self._scanned)}.{advice}"

    def _read_page(self, document: Any, index: int) -> None:
        page = document[index]
        try:
            drawing = read_drawing(page)
            extras = ["\n".join(fields)] if (fields := list(_read_fields(document, page))) else []
            if not drawing.lines and (drawing.has_picture or not extras):
                extras = [*self._recognise(page, index, drawing.has_picture), *extras]
        finally:
            page.close()
        arranged = arrange(drawing, tables=self._kept_words < _MOST_KEPT_WORDS)
        self._kept_words += sum(len(line.words) for line in arranged.lines)
        self.pages.append(arranged)
        if extras:
            self.extras[index] = extras

    def _recognise(self, page: Any, index: int, has_picture: bool) -> Sequence[str]:
        paragraphs = recognise_page(page, self._ocr_languages) if self._ocr_languages is not None else []
        if paragraphs:
            self._recognised.append(index + 1)
        elif has_picture:
            self._scanned.append(index + 1)
        return paragraphs


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
    if document.get_formtype() != _pdfium_c.FORMTYPE_NONE:
        with suppress(pypdfium2.PdfiumError):
            document.init_forms()
    return document


def _read_bookmarks(document: Any) -> dict[int, dict[str, int]]:
    """By page, the titles that the document's own outline has there, and their levels."""
    found: dict[int, dict[str, int]] = {}
    for number, bookmark in enumerate(document.get_toc(max_depth=6)):
        if number >= _MOST_BOOKMARKS:
            break
        with suppress(*_BROKEN):
            target = bookmark.get_dest()
            page = target.get_index() if target else None
            title = normalise(cast("str", bookmark.get_title()))
            if page is not None and title:
                found.setdefault(page, {})[title] = bookmark.level + 1
    return found


def _metadata_title(document: Any) -> str | None:
    try:
        return clean(cast("str", document.get_metadata_value("Title")))
    except UnicodeDecodeError:
        return None


def _find_title(items: Sequence[Item], headings: Sequence[Heading]) -> str | None:
    """The heading at the top of the first page, if none is set larger and none there without a number as large."""
    largest = max((heading.size for heading in headings), default=0.0)
    found = [item for item in items if isinstance(item, Heading) and item.size == largest and not item.depth]
    return found[0].text if len(found) == 1 and found[0] in items[:_TITLE_LINES] else None


def _read_fields(document: Any, page: Any) -> Iterator[str]:
    """What was filled into the form on a page, and what was typed onto it."""
    for number in range(min(_pdfium_c.FPDFPage_GetAnnotCount(page.raw), _MOST_FIELDS)):
        annotation = _pdfium_c.FPDFPage_GetAnnot(page.raw, number)
        kind = _pdfium_c.FPDFAnnot_GetSubtype(annotation)
        if kind == _pdfium_c.FPDF_ANNOT_FREETEXT:
            text = _read_text(_pdfium_c.FPDFAnnot_GetStringValue, annotation, b"Contents")
            if text:
                yield text
        elif kind == _pdfium_c.FPDF_ANNOT_WIDGET:
            value, label = _read_field(document, annotation)
            if value and value.casefold() not in _UNCHECKED:
                yield f"- {label}: {value}" if label else f"- {value}"
        _pdfium_c.FPDFPage_CloseAnnot(annotation)


def _read_field(document: Any, annotation: Any) -> tuple[str, str]:
    if document.formenv:
        form = document.formenv.raw
        return (
            _read_text(_pdfium_c.FPDFAnnot_GetFormFieldValue, form, annotation),
            _read_text(_pdfium_c.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
            or _read_text(_pdfium_c.FPDFAnnot_GetFormFieldName, form, annotation),
        )
    # A page taken out of a form has lost the form, and its fields still say what was filled in.
    value, hint, name = (_read_text(_pdfium_c.FPDFAnnot_GetStringValue, annotation, key) for key in (b"V", b"TU", b"T"))
    return value, hint or name


def _read_text(function: Any, *arguments: Any) -> str:
    length = function(*arguments, None, 0)
    buffer = (ctypes.c_ushort * (length // 2 + 1))()
    function(*arguments, buffer, length)
    return clean(bytes(buffer).decode("utf-16-le", errors="ignore").partition("\x00")[0])


def _name_attachments(document: Any) -> Iterator[str]:
    count = document.count_attachments()
    if count > 0:
        names: list[str] = []
        for number in range(min(count, _LISTED)):
            with suppress(*_BROKEN):
                names.append(clean(document.get_attachment(number).get_name()))
        listed = ", ".join(filter(None, names)) + (", …" if count > _LISTED else "")
        yield f"Attachments of the PDF are not read: {listed or count}."


def _name_pages(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {_list(pages)}"


def _list(pages: Iterable[int]) -> str:
    listed = list(map(str, pages))
    return ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
