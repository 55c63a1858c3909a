"""Workbooks and text tables: what a person sees in the cells, under the numbers of the rows it stands in."""

import datetime
import re
import struct
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, cast

import pytest
from office_files import (
    make_bare_xlsx,
    make_odf,
    make_record,
    make_xls,
    make_zip,
    replace_part,
    save_workbook,
)
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from table_checks import cells_of, chunk, cited_rows, fault_of

from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.sheets.blocks import name_column
from pinakes.providers.parsers.sheets.csv_table import parse_csv
from pinakes.providers.parsers.sheets.ods import parse_ods
from pinakes.providers.parsers.sheets.xls import parse_xls
from pinakes.providers.parsers.sheets.xlsx import parse_xlsx

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
XLS = "application/vnd.ms-excel"


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one confined child."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def make_ods(rows: str) -> bytes:
    """A spreadsheet of one sheet, Blatt."""
    return make_odf(f'<office:spreadsheet><table:table table:name="Blatt">{rows}</table:table></office:spreadsheet>')


def ods_row(*texts: str, repeat: int = 1) -> str:
    """A row of texts."""
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in texts)
    return f'<table:table-row table:number-rows-repeated="{repeat}">{cells}</table:table-row>'


def make_budget() -> Workbook:
    """Two tables on one sheet, away from the corner, and a second sheet that is hidden."""
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.title = "Budget"
    for row, values in {3: ("Item", "Cost"), 4: ("Desk", 120), 5: ("Lamp", 35.5), 9: ("Who", "When")}.items():
        for column, value in enumerate(values, start=2):
            sheet.cell(row, column, value)
    sheet.cell(10, 2, "Ada")
    sheet.cell(10, 3, datetime.date(2024, 3, 1))
    hidden = workbook.create_sheet("Old | prices")
    hidden.append(["Year", "Price"])
    hidden.append([1999, "a\nb | c"])
    hidden.sheet_state = "hidden"
    return workbook


def test_each_block_of_a_sheet_is_a_table_cited_by_its_own_rows() -> None:
    # K5
    parsed = parse_xlsx(save_workbook(make_budget()))
    assert cells_of(parsed)[:5] == [
        ["Item", "Cost"],
        ["Desk", "120"],
        ["Lamp", "35.5"],
        ["Who", "When"],
        ["Ada", "2024-03-01"],
    ]
    places = [section.place.describe() for section in parsed.sections if section.place]
    assert [place.partition(", ")[0] for place in places] == ["sheet Budget", "sheet Budget", "sheet Old | prices"]
    assert cited_rows(parsed, "Lamp") == (4, 5)
    assert cited_rows(parsed, "Ada") == (10, 10)
    assert cited_rows(parsed, "1999") == (2, 2)
    assert parsed.sections[0].header == "| Item | Cost |\n| --- | --- |\n"
    assert parsed.sections[2].headings == ("Old | prices",)
    assert r"| 1999 | a b \| c |" in parsed.text


def test_the_rows_cited_for_a_long_table_hold_its_text() -> None:
    # K5
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    sheet.append(["Number", "Word"])
    for number in range(2, 2_001):
        sheet.append([number, f"word{number}"])
    chunks = chunk(parse_xlsx(save_workbook(workbook)))
    assert len(chunks) > 50
    expected = 2
    for one in chunks:
        rows = [int(number) for number in re.findall(r"word(\d+)", one.content)]
        assert one.place
        assert (one.place.first_row, one.place.last_row) == (rows[0], rows[-1]) == (expected, expected + len(rows) - 1)
        assert one.preface == "| Number | Word |\n| --- | --- |\n"
        expected += len(rows)
    assert expected == 2_001


def test_a_line_alone_above_a_table_is_its_title_and_not_its_header() -> None:
    # K5
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    for row in (
        ["Sales by region"],
        ["Region", "Sum"],
        ["North", 3],
        [],
        ["Costs"],
        ["Kind", "Sum"],
        ["Rent", 9],
        [],
        ["x", "y"],
        ["z", 1],
    ):
        sheet.append(row)
    parsed = parse_xlsx(save_workbook(workbook))
    assert [(section.headings, section.header.partition("\n")[0]) for section in parsed.sections] == [
        (("Sheet", "Sales by region"), "| Region | Sum |"),
        (("Sheet", "Costs"), "| Kind | Sum |"),
        (("Sheet",), "| x | y |"),
    ]
    assert cited_rows(parsed, "Rent") == (7, 7)


def test_a_blank_row_does_not_cut_a_table_off_its_header() -> None:
    # K5
    workbook = Workbook()
    sheet = workbook.active
    assert sheet
    for row in (["Item", "Cost"], ["Desk", 120], [], ["Lamp", 35], ["Bed", 90], [], ["Who", "When"], ["Ada", "now"]):
        sheet.append(row)
    parsed = parse_xlsx(save_workbook(workbook))
    assert [section.header.partition("\n")[0] for section in parsed.sections] == [
        "| Item | Cost |",
        "| Item | Cost |",
        "| Who | When |",
    ]
    assert cited_rows(parsed, "Lamp") == (4, 5)


def test_dates_of_a_workbook_that_counts_from_1904_are_right() -> None:
    # K1
    styles = '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>'
    content = make_bare_xlsx(
        '<row><c s="1"><v>43890</v></c></row>', workbook='<workbookPr date1904="1"/>', styles=styles
    )
    assert cells_of(parse_xlsx(content)) == [["2024-03-01"]]


def test_every_kind_of_cell_is_shown() -> None:
    # K1
    row = (
        '<row r="2"><c r="A2" t="s"><v>0</v></c><c r="B2" t="b"><v>1</v></c><c r="C2" t="e"><v>#DIV/0!</v></c>'
        '<c r="D2" t="str"><f>A1</f><v>cached</v></c><c r="E2"><f>SUM(A1:A2)</f></c>'
        '<c r="F2" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>'
        '<c r="G2" t="d"><v>2024-03-01T00:00:00</v></c>'
        '<c r="H2" t="s"><v>99</v></c><c><v>5</v></c></row>'
    )
    shared = "<sst><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>spoken</t></rPh></si></sst>"
    parsed = parse_xlsx(make_bare_xlsx(row, sharedStrings=shared))
    assert cells_of(parsed) == [["rich", "TRUE", "#DIV/0!", "cached", "=SUM(A1:A2)", "inline", "2024-03-01", "5"]]


def test_merged_cells_stand_once_and_comments_follow_their_sheet() -> None:
    # K1
    workbook = make_budget()
    sheet = workbook["Budget"]
    sheet["B3"].comment = Comment("Ask the bursar", "Ada")
    sheet.merge_cells("B9:C9")
    workbook.properties.title = "The plan for 2024"
    parsed = parse_xlsx(save_workbook(workbook))
    assert parsed.text.count("Who") == 1
    assert "- B3: Ask the bursar" in parsed.text
    assert parsed.title == "The plan for 2024"


def test_charts_and_comments_stay_with_a_sheet_that_has_nothing_else() -> None:
    # K5
    workbook = make_budget()
    sheet = workbook.create_sheet("Figures")
    sheet["A1"].comment = Comment("Not yet", "Ada")
    chart = cast("Any", BarChart())
    chart.title = "Costs by year"
    chart.add_data(Reference(workbook["Budget"], min_col=3, min_row=4, max_row=5))
    sheet.add_chart(chart)
    parsed = parse_xlsx(save_workbook(workbook))
    assert parsed.text.endswith("# Figures\n\nChart: Costs by year\n\n## Comments\n\n- A1: Not yet\n\n")
    assert parsed.sections[-1].place == Place("sheet", 3, "Figures")


def test_cells_at_the_far_corner_cost_nothing() -> None:
    # K3
    corner = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
    began = time.monotonic()
    parsed = parse_xlsx(make_bare_xlsx(corner))
    assert cells_of(parsed) == [["1"], ["2"]]
    assert cited_rows(parsed, "| 2 |") == (1_048_576, 1_048_576)
    parsed = parse_ods(make_ods(f'<table:table-row table:number-rows-repeated="1048575"/>{ods_row("far")}'))
    assert cited_rows(parsed, "far") == (1_048_576, 1_048_576)
    assert time.monotonic() - began < 5


def test_rows_that_are_only_formatted_count_but_are_not_shown() -> None:
    # K3
    empty = "".join(f'<row r="{number}"><c r="A{number}" s="1"/></row>' for number in range(2, 100_000))
    parsed = parse_xlsx(make_bare_xlsx(f'{empty}<row r="100000"><c r="C100000"><v>7</v></c></row>'))
    assert parsed.text == "# S1\n\n| 7 |\n\n"


def test_cells_scattered_over_a_sheet_become_no_table_of_all_between() -> None:
    # K3
    rows = "".join(f'<row><c r="{name_column(number)}1"><v>{number}</v></c></row>' for number in range(3_000))
    parsed = parse_xlsx(make_bare_xlsx(rows))
    assert len(parsed.text) < 100_000
    assert cited_rows(parsed, "| 2999 |")[1] == 3_000


async def test_a_quarter_of_a_million_cells_are_read_in_the_confined_child(pool: ParserPool) -> None:
    # K3
    cells = "".join(f'<c t="str"><v>cell {column}</v></c>' for column in range(50))
    parsed = await pool.parse(XLSX, make_bare_xlsx(f"<row>{cells}</row>" * 5_000))
    assert parsed.sections[-1].place
    assert sum(parsed.text.count("\n", part.start, part.end) for part in parsed.sections) == 5_000
    assert parsed.text.count("cell 49") >= 5_000


async def test_a_spreadsheet_of_every_format_is_read_in_the_confined_child(pool: ParserPool) -> None:
    # K1
    files = {
        XLSX: save_workbook(make_budget()),
        ODS: make_ods(ods_row("Item", "Cost") + ods_row("Desk", "120")),
        XLS: make_xls([make_record(0x0204, struct.pack("<HHHHB", 1, 0, 0, 4, 0) + b"Desk")]),
        "text/csv": b"Item,Cost\nDesk,120\n",
        "text/tab-separated-values": b"Item\tCost\nDesk\t120\n",
    }
    for media_type, content in files.items():
        parsed = await pool.parse(media_type, content)
        assert "| Desk |" in parsed.text, media_type


@pytest.mark.parametrize(
    ("parse", "content", "words"),
    [
        (parse_xlsx, b"PK\x03\x04 nonsense", "damaged and cannot be opened as an Excel workbook"),
        (parse_xlsx, make_zip({"a.txt": "b"}), "damaged and cannot be opened as an Excel workbook"),
        (parse_xlsx, save_workbook(Workbook()), "no text"),
        (parse_xls, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "damaged and cannot be opened as an Excel"),
        (parse_xls, make_xls([])[:1_560], "damaged and cannot be opened as an Excel workbook"),
        (parse_xls, make_xls([], settings=[make_record(0x002F, bytes(54))]), "protected by a password"),
        (parse_ods, make_zip({"content.xml": "<a><b></a>"}), "damaged and cannot be opened as an OpenDocument"),
        (
            parse_ods,
            make_odf("", **{"META-INF__manifest": "<manifest:encryption-data/>"}),
            "protected by a password",
        ),
        (parse_ods, make_ods(ods_row(*"abc", repeat=9_999_999)), "more than 3,000,000 filled cells"),
        (parse_csv, b" \n\n", "no text"),
        (parse_csv, b",,\n,,\n", "no text"),
    ],
)
def test_a_table_that_cannot_be_read_fails_in_words(
    parse: Callable[[bytes], ParsedDocument], content: bytes, words: str
) -> None:
    # K3
    assert words in fault_of(parse, content)


def test_a_workbook_that_asks_for_a_password_says_so() -> None:
    # K3
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    assert "protected by a password" in fault_of(parse_xlsx, content)


def test_entities_in_a_sheet_are_not_expanded() -> None:
    # K3
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    sheet = f'<!DOCTYPE x [<!ENTITY a0 "lol">{bomb}]><worksheet><sheetData>'
    sheet += '<row><c t="str"><v>&a11;</v></c><c><v>1</v></c></row></sheetData></worksheet>'
    began = time.monotonic()
    assert "damaged" in fault_of(parse_xlsx, replace_part(make_bare_xlsx("<row/>"), "xl/worksheets/sheet1.xml", sheet))
    assert time.monotonic() - began < 5


def test_a_sheet_cut_short_keeps_what_stands_before_and_says_so() -> None:
    # K3
    content = replace_part(
        make_bare_xlsx("<row/>", "<row><c><v>22</v></c></row>"),
        "xl/worksheets/sheet1.xml",
        "<worksheet><sheetData><row><c><v>11</v></c></row><row><c><v>1",
    )
    parsed = parse_xlsx(content)
    assert cells_of(parsed) == [["11"], ["22"]]
    assert parsed.remarks == ("Sheet S1 is damaged; what follows the damage was left out.",)


def test_ods_shows_what_its_cells_show_once() -> None:
    # K1
    dates = (
        '<table:table-row><table:table-cell office:value-type="date" office:date-value="2024-03-01T00:00:00">'
        "<text:p>01.03.24</text:p></table:table-cell>"
        '<table:table-cell office:value-type="percentage" office:value="0.256"><office:annotation>'
        "<text:p>Check</text:p></office:annotation><text:p>25,6 %</text:p></table:table-cell>"
        "<table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>"
        '<table:table-cell><text:p>a<text:s text:c="3"/>b</text:p><text:p>c</text:p></table:table-cell>'
        "</table:table-row>"
    )
    rows = ods_row("Day", "Share", "", "Text") + dates + '<table:table-row table:number-rows-repeated="3"/>'
    parsed = parse_ods(make_ods(rows + ods_row("twice", repeat=2)))
    assert cells_of(parsed) == [["Day", "Share", "Text"], ["2024-03-01", "25,6 %", "a b c"], ["twice"], ["twice"]]
    assert "- B2: Check" in parsed.text
    assert cited_rows(parsed, "25,6 %") == (2, 2)
    assert [section.place.first_row for section in parsed.sections if section.place] == [2, 7, None]


def test_xls_shows_numbers_dates_results_and_strings_that_run_over_records() -> None:
    # K1
    shared = struct.pack("<IIHB", 2, 2, 5, 0) + b"Pla"
    rich = struct.pack("<HBH", 3, 9, 1) + "日本語".encode("utf-16-le") + bytes(4)
    continued = b"\x01" + "tz".encode("utf-16-le") + rich
    settings = [
        make_record(0x041E, struct.pack("<HHB", 164, 10, 0) + b"yyyy-mm-dd"),
        *(make_record(0x00E0, struct.pack("<HH", 0, number) + bytes(16)) for number in (0, 164, 9)),
        make_record(0x00FC, shared),
        make_record(0x003C, continued),
    ]
    cells = [
        make_record(0x00FD, struct.pack("<HHHI", 4, 1, 0, 0)),
        make_record(0x00FD, struct.pack("<HHHI", 4, 2, 0, 1)),
        make_record(0x0203, struct.pack("<HHHd", 5, 1, 1, 45352.0)),
        make_record(0x00BD, struct.pack("<HHHiHiH", 5, 2, 0, 1234 << 2 | 2, 2, 25 << 2 | 3, 3)),
        make_record(0x0006, struct.pack("<HHH", 6, 1, 0) + b"\0\0\0\0\0\0\xff\xff" + bytes(8)),
        make_record(0x0207, struct.pack("<HB", 4, 0) + b"text"),
        make_record(0x0205, struct.pack("<HHHBB", 6, 2, 0, 7, 1)),
    ]
    parsed = parse_xls(make_xls(cells, settings=settings))
    assert cells_of(parsed) == [["Platz", "日本語", ""], ["2024-03-01", "1234", "25%"], ["text", "#DIV/0!", ""]]
    assert cited_rows(parsed, "2024-03-01") == (6, 7)
    assert parsed.sections[0].headings == ("Données",)


def test_an_excel_5_workbook_is_read_in_its_code_page() -> None:
    # K1
    settings = [make_record(0x0042, struct.pack("<H", 1251))]
    label = make_record(0x0204, struct.pack("<HHHH", 0, 0, 0, 6) + "Привет".encode("cp1251"))
    assert cells_of(parse_xls(make_xls([label], settings=settings, version=0x0500))) == [["Привет"]]
