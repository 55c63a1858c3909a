"""Citations of every format: the original is downloaded, opened with another library, and the passage is there."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from typing import Any, cast

import docx
import httpx
import openpyxl
import pptx
import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
import pytest

from harness import Server, data_of
from parsers.office_files import make_odf, replace_part
from parsers.pdf_files import make_pdf
from parsers.test_books import make_book

FACTS = {n: f"Lighthouse number {n} was lit by keeper Quillon{n} in the year {1800 + n}." for n in range(1, 41)}
FILLER = "The sea was calm and the gulls were loud all morning long. " * 12


@dataclass(frozen=True)
class Case:
    """A file, the citation its 27th fact must have, and how to open that place."""

    content: bytes
    citation: str
    open_place: Callable[[bytes, dict[str, Any]], str]


def saved(document: Any) -> bytes:
    """What a library's `save` writes."""
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def word() -> Case:
    document = docx.Document()
    document.add_heading("Lights", 1)
    for n, fact in FACTS.items():
        document.add_heading(f"Light {n}", 2)
        document.add_paragraph(FILLER + fact)

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        opened = docx.Document(io.BytesIO(content)).paragraphs
        texts = [paragraph.text for paragraph in opened]
        return texts[texts.index(hit["section"].rpartition(" > ")[2]) + 1]

    return Case(saved(document), "(section Lights > Light 27)", open_place)


def slides() -> Case:
    deck = pptx.Presentation()
    for n, fact in FACTS.items():
        slide: Any = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Light {n}"
        slide.placeholders[1].text = "See the notes."
        slide.notes_slide.notes_text_frame.text = fact

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        slide: Any = pptx.Presentation(io.BytesIO(content)).slides[hit["place"]["number"] - 1]
        return slide.notes_slide.notes_text_frame.text

    return Case(saved(deck), "(slide 27: Light 27)", open_place)


def sheet() -> Case:
    book = openpyxl.Workbook()
    cast("Any", book.active).append(["nothing", "here"])
    lights: Any = book.create_sheet("Lights")
    lights.append([])
    lights.append(["number", "story"])
    for n, fact in FACTS.items():
        lights.append([n, fact])

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        opened = openpyxl.load_workbook(io.BytesIO(content))[hit["place"]["name"]]
        rows = opened.iter_rows(min_row=hit["place"]["firstRow"], max_row=hit["place"]["lastRow"], values_only=True)
        return " ".join(str(cell) for row in rows for cell in row)

    return Case(saved(book), r"(sheet Lights, rows \d+–\d+)", open_place)


def records() -> Case:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([["number", "story"], *([n, f"first line\n{fact}"] for n, fact in FACTS.items())])

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        rows = list(csv.reader(io.StringIO(content.decode(), newline="")))
        return " ".join(cell for row in rows[hit["place"]["firstRow"] - 1 : hit["place"]["lastRow"]] for cell in row)

    return Case(buffer.getvalue().encode(), r"(rows \d+–\d+)", open_place)


def pages() -> Case:
    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        document = cast("Any", pypdfium2.PdfDocument(content))
        return document[hit["page"] - 1].get_textpage().get_text_range()

    return Case(make_pdf(*FACTS.values()), "(page 27)", open_place)


def web_page() -> Case:
    parts = "".join(f"<h2>Light {n}</h2><p>{FILLER}{fact}</p>" for n, fact in FACTS.items())

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        return content.decode().partition(f"<h2>{hit['section'].rpartition(' > ')[2]}</h2>")[2].partition("<h2>")[0]

    return Case(f"<main><h1>Lights</h1>{parts}</main>".encode(), "(section Lights > Light 27)", open_place)


def book() -> Case:
    chapter = "<html><body><h1>{}</h1><p>{}</p></body></html>"
    parts = {"one 1.xhtml": chapter.format("Calm", FILLER), "two.xhtml": chapter.format("Storm", FACTS[27])}
    content = make_book({f"OEBPS/text/{name}": text for name, text in parts.items()}, spine="one two")

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return archive.read(f"OEBPS/text/{('one 1', 'two')[hit['place']['number'] - 1]}.xhtml").decode()

    return Case(content, r"(chapter 2: [^)]+)", open_place)


def mail() -> Case:
    letter = EmailMessage()
    letter["Subject"], letter["From"], letter["To"] = "The lights", "ana@example.org", "bo@example.org"
    letter.set_content("The report is attached.")
    letter.add_attachment(make_pdf(*FACTS.values()), maintype="application", subtype="pdf", filename="report.pdf")

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        parts = {part.get_filename(): part for part in message_from_bytes(content).walk()}
        attached = cast("bytes", parts[hit["attachment"]].get_payload(decode=True))
        return pages().open_place(attached, hit)

    return Case(letter.as_bytes(), "(report.pdf, page 27)", open_place)


def open_text() -> Case:
    body = "".join(
        f'<text:h text:outline-level="2">Light {n}</text:h><text:p>{fact}</text:p>' for n, fact in FACTS.items()
    )

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            text = archive.read("content.xml").decode()
        return text.partition(f">{hit['section'].rpartition(' > ')[2]}</text:h>")[2].partition("<text:h")[0]

    packed = make_odf(f"<office:text>{body}</office:text>")
    packed = replace_part(packed, "mimetype", "application/vnd.oasis.opendocument.text")
    return Case(packed, "(section Light 27)", open_place)


def rich_text() -> Case:
    parts = "".join(f"{{\\pard\\outlinelevel0 Light {n}\\par}}{{\\pard {fact}\\par}}" for n, fact in FACTS.items())

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        return content.decode().partition(f"{hit['section']}\\par")[2].partition("outlinelevel")[0]

    return Case(f"{{\\rtf1\\ansi {parts}}}".encode(), "(section Light 27)", open_place)


def lines_of_json() -> Case:
    text = "".join(json.dumps({"number": n, "story": fact}) + "\n" for n, fact in FACTS.items())

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        return "\n".join(content.decode().splitlines()[hit["place"]["firstRow"] - 1 : hit["place"]["lastRow"]])

    return Case(text.encode(), r"(rows? [\d–]+)", open_place)


def program() -> Case:
    parts = "".join(f'def light_{n}():\n    """{fact}"""\n    return {n}\n\n\n' for n, fact in FACTS.items())

    def open_place(content: bytes, hit: dict[str, Any]) -> str:
        return "\n".join(content.decode().splitlines()[hit["startLine"] - 1 : hit["endLine"]])

    return Case(parts.encode(), "(section light_27)", open_place)


CASES: dict[str, Callable[[], Case]] = {
    "lights.docx": word,
    "lights.pptx": slides,
    "lights.xlsx": sheet,
    "lights.csv": records,
    "lights.pdf": pages,
    "lights.html": web_page,
    "lights.epub": book,
    "lights.eml": mail,
    "lights.odt": open_text,
    "lights.rtf": rich_text,
    "lights.jsonl": lines_of_json,
    "lights.py": program,
}


@pytest.mark.parametrize("name", CASES)
def test_a_citation_leads_to_the_place_in_the_original(server: Server, name: str) -> None:  # K5
    workspace = server.new_workspace()
    case = CASES[name]()
    document = workspace.add(workspace.make_kb(), name, case.content)
    assert document["status"] == "indexed", document["error"]
    hit = workspace.search("Who lit lighthouse number 27? Quillon27", topK=1)[0]
    assert "Quillon27" in hit["content"]
    wanted = case.citation if "\\" in case.citation or "[" in case.citation else re.escape(case.citation)[2:-2]
    assert re.fullmatch(rf"{re.escape(name)} \({wanted.strip('()')}\)", hit["citation"]), hit["citation"]
    link = data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))["url"]
    original = httpx.get(link).content
    assert original == case.content
    assert "Quillon27" in case.open_place(original, hit)
