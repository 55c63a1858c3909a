"""Putting a document together: what becomes a section, and what each section carries."""

import pytest

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.outline import Outline, make_table

_WIDE = "x" * 200


def texts(parsed: ParsedDocument) -> list[str]:
    """The text of each section."""
    return [parsed.text[part.start : part.end] for part in parsed.sections]


def assert_in_order(parsed: ParsedDocument) -> None:
    """The sections do not overlap and lie inside the text, and only tables' headers and blanks lie outside."""
    end = 0
    for part in parsed.sections:
        between = parsed.text[end : part.start]
        assert end <= part.start < part.end <= len(parsed.text)
        assert not between.strip() or between.strip().endswith(part.header.strip())
        end = part.end
    assert not parsed.text[end:].strip()


def test_a_heading_opens_a_section_that_knows_its_path() -> None:
    # K5
    outline = Outline(above=("Book",), inside="attachment.docx")
    outline.add_paragraph("before")
    outline.add_heading("One", 1)
    outline.add_heading(" Two\nlines ", 3)
    outline.add_paragraph("below")
    outline.add_heading("Beside", 2)
    outline.add_paragraph("after")
    parsed = outline.finish(title="T", remarks=["left out"])
    assert texts(parsed) == ["before\n\n", "# One\n\n### Two lines\n\nbelow\n\n", "## Beside\n\nafter\n\n"]
    assert [part.headings for part in parsed.sections] == [
        ("Book",),
        ("Book", "One", "Two lines"),
        ("Book", "One", "Beside"),
    ]
    assert {part.inside for part in parsed.sections} == {"attachment.docx"}
    assert (parsed.title, parsed.remarks, parsed.markdown) == ("T", ("left out",), True)
    assert_in_order(parsed)


@pytest.mark.parametrize(("level", "written"), [(0, "# h"), (1, "# h"), (6, "###### h"), (9, "###### h")])
def test_a_level_that_markdown_does_not_know_becomes_the_nearest(level: int, written: str) -> None:
    # K5
    outline = Outline()
    outline.add_heading("h", level)
    assert outline.finish().text == f"{written}\n\n"


def test_a_place_ends_a_section_and_headings_can_be_forgotten() -> None:
    # K5
    outline = Outline()
    outline.begin_place(Place("slide", 1))
    outline.add_heading("One", 1)
    outline.add_paragraph("a")
    outline.begin_place(Place("slide", 2))
    outline.add_paragraph("b")
    outline.forget_headings()
    outline.add_paragraph("c")
    parsed = outline.finish()
    assert [(part.place and part.place.number, part.headings) for part in parsed.sections] == [
        (1, ("One",)),
        (2, ("One",)),
        (2, ()),
    ]
    assert_in_order(parsed)


def test_a_short_table_stays_with_the_text_around_it() -> None:
    # K5
    outline = Outline()
    outline.add_paragraph("above")
    outline.add_table([["a", "b"], ["1", "2"]])
    outline.add_paragraph("below")
    parsed = outline.finish()
    assert texts(parsed) == ["above\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nbelow\n\n"]


def test_a_long_table_is_a_section_of_its_rows_below_its_header() -> None:
    # K5
    outline = Outline()
    outline.add_heading("Prices", 2)
    outline.add_paragraph("above")
    outline.add_table([["a", "b"], *([_WIDE, str(number)] for number in range(9))])
    outline.add_paragraph("below")
    parsed = outline.finish()
    above, rows, below = parsed.sections
    assert texts(parsed)[0] == "## Prices\n\nabove\n\n"
    assert rows.header == "| a | b |\n| --- | --- |\n"
    assert parsed.text[: rows.start].endswith(rows.header)
    assert texts(parsed)[1].count("\n") == 9
    assert texts(parsed)[2].strip() == "below"
    assert above.headings == rows.headings == below.headings == ("Prices",)
    assert_in_order(parsed)


def test_a_table_whose_rows_can_be_cited_counts_them_from_the_first_below_the_header() -> None:
    # K5
    outline = Outline()
    outline.begin_place(Place("sheet", 1, name="Budget"))
    outline.add_table([["a"], ["1"], ["2"]], first_row=4)
    parsed = outline.finish()
    (rows,) = parsed.sections
    assert rows.place is not None
    assert (rows.place.name, rows.place.first_row) == ("Budget", 5)
    assert texts(parsed) == ["| 1 |\n| 2 |\n"]


def test_a_table_of_one_row_is_that_row() -> None:
    # K5
    outline = Outline()
    outline.begin_place(Place("sheet", 1))
    outline.add_table([["only"]], first_row=7)
    parsed = outline.finish()
    (row,) = parsed.sections
    assert texts(parsed) == ["| only |\n"]
    assert row.header == ""
    assert row.place is not None
    assert row.place.first_row == 7


def test_cells_are_kept_on_one_line_and_rows_are_made_equally_wide() -> None:
    # K5
    header, rows = make_table([["a|b"], ["1\n2", "c\\d", "e"]])
    assert header == "| a\\|b |  |  |\n| --- | --- | --- |\n"
    assert rows == ["| 1 2 | c\\\\d | e |\n"]
    assert make_table([]) == ("", [])
    assert make_table([[]]) == ("", [])


def test_a_document_without_text_is_a_fault() -> None:
    # K3
    outline = Outline()
    outline.add_heading("  ", 1)
    outline.add_paragraph("\n\t ")
    outline.add_table([])
    with pytest.raises(DocumentFault, match="no text"):
        outline.finish()
