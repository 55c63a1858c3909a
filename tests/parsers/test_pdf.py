"""PDF: what a person sees on the pages comes out as text under its headings, with its tables and places."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import psutil
import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
import pytest
from pdf_files import Draw, Set, make_pdf, make_with_attachment, make_with_extra, paragraph, picture, typeset
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth

from pinakes.cli.examination import examine
from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.pdf import ocr
from pinakes.providers.parsers.pdf.reader import parse_pdf
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.settings import Settings

needs_tesseract = pytest.mark.skipif(
    ocr.find_tesseract() is None or ocr.find_ocr_problem("eng") is not None,
    reason="tesseract with English data is not installed",
)
_BODY = (
    "The harbour was built in the year of the great flood and has been",
    "mended ever since by the people of the town, who know its stones.",
)


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one child that reads English off pictures."""
    pool = ParserPool(size=1, limits=ParserLimits(), ocr_languages="eng")
    yield pool
    await pool.close()


def outline_of(parsed: ParsedDocument) -> list[tuple[int, tuple[str, ...]]]:
    """The page and the headings of each section."""
    return [(section.place.number if section.place else 0, section.headings) for section in parsed.sections]


def text_of(parsed: ParsedDocument, page: int) -> str:
    """What stands on a page."""
    parts = [part for part in parsed.sections if part.place is not None and part.place.number == page]
    return "".join(parsed.text[part.start : part.end] for part in parts).strip()


def running_programs() -> set[str]:
    """The names of all processes; one may vanish while it is looked at."""
    return {cast("str", cast("Any", process).info["name"]) for process in psutil.process_iter(["name"])}


def scan(pdf: bytes) -> Image.Image:
    """The first page of a PDF as a picture."""
    return cast("Any", pypdfium2.PdfDocument(pdf)[0]).render(scale=3, grayscale=True).to_pil()


def grid(left: float, bottom: float, columns: list[float], rows: list[float]) -> Draw:
    """Drawn lines around cells of these widths and heights."""

    def draw(canvas: Any) -> None:
        edges = [left + sum(columns[:count]) for count in range(len(columns) + 1)]
        canvas.grid(edges, [bottom + sum(rows[:count]) for count in range(len(rows) + 1)])

    return draw


def table_rows(first: int, last: int, y: float) -> list[Draw]:
    """Rows of a table without lines around its cells."""
    return [
        Set(cell, y - 14 * (number - first), x)
        for number in range(first, last)
        for cell, x in ((f"SKU-{number}", 72), (f"Valve no {number}", 200), (f"{number}.50", 400))
    ]


async def test_headings_are_told_by_their_size_and_last_over_pages(pool: ParserPool) -> None:
    # K5
    content = typeset(
        [
            Set("The Harbour of Ellery", 780, size=22),
            Set("1 Its walls", 730, size=15, bold=True),
            *paragraph(700, *_BODY),
            Set("1.1 The north", 650, size=12.5, bold=True),
            *paragraph(630, *_BODY),
        ],
        [*paragraph(780, *_BODY), Set("2 Its people", 700, size=15, bold=True), *paragraph(680, *_BODY)],
    )
    parsed = await pool.parse("application/pdf", content)
    top = "The Harbour of Ellery"
    assert outline_of(parsed) == [
        (1, (top, "1 Its walls")),
        (1, (top, "1 Its walls", "1.1 The north")),
        (2, (top, "1 Its walls", "1.1 The north")),
        (2, (top, "2 Its people")),
    ]
    assert "### 1.1 The north\n\nThe harbour was built" in parsed.text
    assert parsed.title == top
    assert parsed.markdown


def test_a_bold_line_above_text_is_a_heading_and_a_bold_sentence_is_not() -> None:
    # K5
    parsed = parse_pdf(
        typeset(
            [
                *paragraph(780, *_BODY),
                Set("Opening hours", 730, bold=True),
                *paragraph(714, *_BODY),
                Set("Nobody may enter at night.", 660, bold=True),
                *paragraph(640, *_BODY),
            ]
        )
    )
    assert outline_of(parsed) == [(1, ()), (1, ("Opening hours",))]


def test_a_heading_over_two_lines_is_one_and_a_long_text_in_large_type_is_none() -> None:
    # K5
    large = [
        Set(f"A quotation in large type goes on, line {number}", 500 - 19 * number, size=16) for number in range(5)
    ]
    parsed = parse_pdf(
        typeset(
            [
                Set("What the Flood of the Year", 780, size=16),
                Set("Did to the Walls", 761, size=16),
                *paragraph(720, *_BODY * 8),
                *large,
            ]
        )
    )
    assert outline_of(parsed) == [(1, ("What the Flood of the Year Did to the Walls",))]


def test_the_bookmarks_of_a_document_decide_its_levels() -> None:
    # K5
    def mark(title: str, level: int) -> Draw:
        def draw(canvas: Any) -> None:
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level=level)

        return draw

    parsed = parse_pdf(
        typeset(
            [mark("Walls", 0), mark("The north", 1), Set("Walls", 780), *paragraph(760, *_BODY), Set("The north", 700)],
            paragraph(780, *_BODY),
        )
    )
    assert outline_of(parsed) == [(1, ("Walls",)), (1, ("Walls", "The north")), (2, ("Walls", "The north"))]


def test_a_ruled_table_keeps_cells_of_several_lines_and_empty_ones() -> None:
    # K5
    parsed = parse_pdf(
        typeset(
            [
                *paragraph(780, *_BODY),
                grid(72, 600, [100, 200, 80], [20, 34, 20]),
                *(Set(text, 660, x) for text, x in (("Code", 76), ("Name", 176), ("Price", 376))),
                Set("A-1", 640, 76),
                Set("a valve of brass", 640, 176),
                Set("for the pump", 628, 176),
                Set("4.20", 640, 376),
                Set("A-2", 606, 76),
                Set("5.00 | net", 606, 376),
                *paragraph(560, "After the table."),
            ]
        )
    )
    table = (
        "| Code | Name | Price |\n| --- | --- | --- |\n"
        "| A-1 | a valve of brass for the pump | 4.20 |\n| A-2 |  | 5.00 \\| net |\n"
    )
    assert f"know its stones.\n\n{table}\nAfter the table." in parsed.text


def test_columns_without_lines_are_a_table_whose_header_goes_over_to_the_next_page() -> None:
    # K5
    header = [Set(text, 760, x, bold=True) for text, x in (("Code", 72), ("Name", 200), ("Price", 400))]
    parsed = parse_pdf(typeset([*header, *table_rows(1, 40, 744)], table_rows(40, 70, 760)))
    assert [(section.place and section.place.number, section.header) for section in parsed.sections] == [
        (1, "| Code | Name | Price |\n| --- | --- | --- |\n"),
        (2, "| Code | Name | Price |\n| --- | --- | --- |\n"),
    ]
    assert text_of(parsed, 2).startswith("| SKU-40 | Valve no 40 | 40.50 |\n| SKU-41 |")
    assert parsed.text.count("SKU-") == 69


@pytest.mark.parametrize("declared", [False, True], ids=["drawn sideways", "turned page"])
def test_a_table_on_a_page_that_lies_on_its_side_is_read(declared: bool) -> None:
    # K5
    def turn(canvas: Any) -> None:
        if declared:
            canvas.setPageRotation(90)
        canvas.rotate(90)
        canvas.translate(0, -595)

    parsed = parse_pdf(typeset([turn, *paragraph(560, *_BODY), *table_rows(1, 6, 500), Set("Stock", 580, size=16)]))
    assert outline_of(parsed) == [(1, ("Stock",))]
    assert "know its stones.\n\n| SKU-1 | Valve no 1 | 1.50 |\n| --- | --- | --- |\n| SKU-2 |" in parsed.text


def test_a_page_that_stands_on_its_head_is_read_from_its_top() -> None:
    # K5
    def turn(canvas: Any) -> None:
        canvas.setPageRotation(180)
        canvas.rotate(180)
        canvas.translate(-595, -842)

    parsed = parse_pdf(typeset([turn, *paragraph(700, *_BODY), Set("Stock", 780, size=16)]))
    assert outline_of(parsed) == [(1, ("Stock",))]


def test_two_columns_of_prose_are_read_one_after_the_other() -> None:
    # K5
    left = [f"left column line {number} of the prose" for number in range(8)]
    right = [f"right column line {number} of the prose" for number in range(8)]
    parsed = parse_pdf(typeset([*paragraph(780, *left), *paragraph(780, *right, x=320)]))
    assert parsed.text.strip().splitlines() == [*left, *right]


def test_what_was_drawn_late_but_stands_above_all_is_read_first() -> None:
    # K5
    parsed = parse_pdf(typeset([*paragraph(700, *_BODY), Set("The Walls", 780, size=18)]))
    assert outline_of(parsed) == [(1, ("The Walls",))]


def test_running_titles_and_page_numbers_are_left_out_but_numbered_text_is_not() -> None:
    # K5
    pages = [
        [
            Set("Annual report of the town", 815),
            Set(f"Definition {number * number}", 790),
            *paragraph(700, f"Passage {number}."),
            Set(f"Page {number} of 5", 20),
        ]
        for number in range(1, 6)
    ]
    parsed = parse_pdf(typeset(*pages))
    assert parsed.text.count("Annual report") == 1
    assert "Page" not in parsed.text
    assert [f"Definition {number * number}" in text_of(parsed, number) for number in range(1, 6)] == [True] * 5


def test_pages_that_say_the_same_and_nothing_else_are_all_kept() -> None:
    # K5
    parsed = parse_pdf(typeset(*[[Set("Notes", 800), Set(f"{number}", 20)] for number in range(1, 5)]))
    assert [text_of(parsed, number) for number in range(1, 5)] == ["Notes"] * 4


def test_text_beyond_the_edge_of_the_page_is_left_out() -> None:
    # K5
    def cut(canvas: Any) -> None:
        canvas.setCropBox((0, 0, 300, 842))

    parsed = parse_pdf(typeset([cut, Set("the left page", 700), Set("the right page", 700, x=320)]))
    assert parsed.text.strip() == "the left page"


def test_a_raised_number_stays_in_its_line_and_paragraphs_are_parted() -> None:
    # K1
    parsed = parse_pdf(
        typeset(
            [
                Set("Ellery has 400", 780),
                Set("2", 784, 72 + stringWidth("Ellery has 400", "Helvetica", 10), size=6),
                Set("boats for Größe und Maß.", 780, 150),
                *paragraph(740, "A new paragraph.", "• one", "• two"),
            ]
        )
    )
    assert parsed.text == "Ellery has 4002 boats for Größe und Maß.\n\nA new paragraph.\n- one\n- two\n\n"


def test_values_of_form_fields_belong_to_their_page() -> None:
    # K1
    def fill(canvas: Any) -> None:
        canvas.acroForm.textfield(name="school", tooltip="School name", value="Ellery Grammar", x=72, y=600)
        canvas.acroForm.textfield(name="empty", value="", x=72, y=500)
        canvas.acroForm.checkbox(name="agreed", checked=True, x=72, y=400)
        canvas.acroForm.checkbox(name="refused", checked=False, x=72, y=300)

    parsed = parse_pdf(typeset([Set("Application", 700)], [fill, Set("Form", 700)]))
    assert text_of(parsed, 2) == "Form\n\n- School name: Ellery Grammar\n- agreed: Yes"


async def test_attachments_are_named_in_a_remark(pool: ParserPool) -> None:
    # K1
    parsed = await pool.parse("application/pdf", make_with_attachment("See the sheet", "figures.xlsx"))
    assert parsed.text.strip() == "See the sheet"
    assert parsed.remarks == ("Attachments of the PDF are not read: figures.xlsx.",)


@pytest.mark.parametrize(
    "extra",
    [
        (b"/Outlines 6 0 R", b"<</First 7 0 R>>", b"<</Title<FEFFD800>/Dest[3 0 R/Fit]/Next 7 0 R/First 7 0 R>>"),
        (b"/Names<</EmbeddedFiles<</Names[<FEFFD800> 6 0 R(b) 77 0 R(c) null]>>>>", b"<</UF<FEFFD800>>>"),
        (b"/AcroForm<</Fields[6 0 R]>>", b"<</Subtype/Widget/FT/Tx/T<FEFFD800>/Parent 6 0 R>>"),
    ],
    ids=["bookmarks", "attachments", "fields"],
)
def test_what_is_broken_beside_the_pages_loses_no_text(extra: tuple[bytes, ...]) -> None:
    # K3
    assert parse_pdf(make_with_extra("Words", *extra)).text.strip() == "Words"


def test_pages_that_are_pictures_are_named_in_a_remark() -> None:
    # K1
    image = Image.new("L", (100, 140), 200)
    parsed = parse_pdf(typeset([Set("Words", 700)], [picture(image)], [], [picture(image)]))
    (remark,) = parsed.remarks
    assert "pages 2, 4" in remark
    assert "PINAKES_OCR_LANGUAGES" in remark


def test_a_scanned_pdf_fails_and_says_how_to_switch_ocr_on() -> None:
    # K1, K3
    with pytest.raises(DocumentFault, match=r"looks scanned and needs OCR.*tesseract.*PINAKES_OCR_LANGUAGES"):
        parse_pdf(typeset([picture(Image.new("L", (100, 140), 200))]))


def test_ocr_that_is_asked_for_but_not_installed_fails_in_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # K1, K3
    monkeypatch.setattr(ocr, "_FOLDERS", str(tmp_path))
    with pytest.raises(DocumentFault, match="tesseract is not installed"):
        parse_pdf(typeset([picture(Image.new("L", (100, 140), 200))]), ocr_languages="eng")
    assert parse_pdf(make_pdf("Words"), ocr_languages="eng").text.strip() == "Words"


async def test_the_doctor_says_why_ocr_cannot_work(tmp_path: Path) -> None:
    # K1
    (tmp_path / "file").touch()
    settings = Settings(home=tmp_path / "file", ocr_languages="qqq")
    (finding,) = [finding async for finding in examine(settings) if finding.check == "OCR"]
    assert finding.state == "warning"
    assert "Install it" in finding.detail


@needs_tesseract
async def test_scanned_pages_are_recognised_by_ocr_beside_pages_with_text(pool: ParserPool) -> None:
    # K1
    image = scan(make_pdf("Boats longer than twelve metres pay a fee.\nThe mini-\nmum is two crowns."))
    parsed = await pool.parse("application/pdf", typeset([Set("Words", 700)], [picture(image)]))
    assert text_of(parsed, 1) == "Words"
    assert "Boats longer than twelve metres pay a fee." in text_of(parsed, 2)
    assert "minimum" in text_of(parsed, 2)
    assert parsed.remarks == ("Recognised by OCR: page 2.",)


@needs_tesseract
def test_a_language_that_tesseract_lacks_fails_in_words() -> None:
    # K1, K3
    with pytest.raises(DocumentFault, match=r"no data for qqq.*tesseract-ocr-qqq"):
        parse_pdf(typeset([picture(Image.new("L", (100, 140), 200))]), ocr_languages="eng+qqq")


@needs_tesseract
async def test_ocr_that_takes_too_long_is_killed_and_names_the_setting() -> None:
    # K3
    image = scan(
        make_pdf("\n".join(f"Line {number} of much text on this page, all of it small" for number in range(48)))
    )
    pool = ParserPool(size=1, limits=ParserLimits(wall_seconds=1), ocr_languages="eng")
    try:
        with pytest.raises(DocumentFault, match=r"longer than 1 s to read.*PINAKES_PARSER_SECONDS"):
            await pool.parse("application/pdf", typeset(*[[picture(image)]] * 20))
    finally:
        await pool.close()
    async with asyncio.timeout(5):
        while "tesseract" in running_programs():  # noqa: ASYNC110 - what another process does sets no event here
            await asyncio.sleep(0.05)
