"""Documents of many formats to index, the same ones for the same seed."""

import io
import random
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from html import escape
from typing import Any, cast

import docx
import openpyxl
import pptx
from reportlab.pdfgen.canvas import Canvas  # pyright: ignore[reportMissingTypeStubs]

from bench.writing import Writer


def make_documents(count: int, seed: int) -> dict[str, bytes]:
    """Files by name, of every common format in turn, of one to a few dozen chunks."""
    dice, writer = random.Random(seed), Writer(seed)
    documents: dict[str, bytes] = {}
    suffixes = list(MAKERS)
    for number in range(count):
        suffix = suffixes[number % len(suffixes)]
        # Most are short, a few are long, as in life.
        text = writer.write_document(int(400 * 40 ** dice.random() ** 2))
        documents[f"{number:04}.{suffix}"] = MAKERS[suffix](text)
    return documents


def _pdf(text: str) -> bytes:
    file = io.BytesIO()
    canvas: Any = Canvas(file, invariant=1)
    words = text.split()
    for at in range(0, len(words), 200):
        page = canvas.beginText(50, 800)
        for line in range(at, min(at + 200, len(words)), 10):
            page.textLine(" ".join(words[line : line + 10]))
        canvas.drawText(page)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _paragraphs(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if part.strip()]


def _docx(text: str) -> bytes:
    document = docx.Document()
    for part in _paragraphs(text):
        if part.startswith("#"):
            document.add_heading(part.lstrip("# "), part.count("#", 0, 3))
        else:
            document.add_paragraph(part)
    return _saved(document)


def _pptx(text: str) -> bytes:
    deck = pptx.Presentation()
    for part in _paragraphs(text):
        slide: Any = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = part[:40]
        slide.placeholders[1].text = part
    return _saved(deck)


def _xlsx(text: str) -> bytes:
    book = openpyxl.Workbook()
    sheet = cast("Any", book.active)
    sheet.append(["number", "text"])
    for number, part in enumerate(_paragraphs(text)):
        sheet.append([number, part])
    return _saved(book)


def _csv(text: str) -> bytes:
    rows = ('"' + part.replace('"', '""') + '"' for part in _paragraphs(text))
    return ("number,text\n" + "".join(f"{number},{row}\n" for number, row in enumerate(rows))).encode()


def _html(text: str) -> bytes:
    parts = (
        f"<h2>{escape(p.lstrip('# '))}</h2>" if p.startswith("#") else f"<p>{escape(p)}</p>" for p in _paragraphs(text)
    )
    return f"<html><head><title>Page</title></head><body>{''.join(parts)}</body></html>".encode()


def _eml(text: str) -> bytes:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "About it", "ana@example.org", "bo@example.org"
    mail.set_content(text, cte="8bit")
    return mail.as_bytes()


def _saved(document: Any) -> bytes:
    """As written, but for the time of day that ZIP files carry: the same document has the same bytes."""
    buffer = io.BytesIO()
    document.save(buffer)
    made = io.BytesIO()
    with zipfile.ZipFile(buffer) as archive, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            copy.writestr(zipfile.ZipInfo(name), archive.read(name))
    return made.getvalue()


MAKERS: dict[str, Callable[[str], bytes]] = {
    "txt": str.encode,
    "docx": _docx,
    "md": str.encode,
    "pdf": _pdf,
    "html": _html,
    "xlsx": _xlsx,
    "eml": _eml,
    "csv": _csv,
    "pptx": _pptx,
}
