"""Tables as text: the right delimiter, and rows that count records."""

import pytest
from table_checks import cells_of, chunk

from pinakes.providers.parsers.sheets.csv_table import parse_csv, parse_tsv


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a;b;c\n1,5;2,5;3\n4,0;5;6\n", [["a", "b", "c"], ["1,5", "2,5", "3"], ["4,0", "5", "6"]]),
        ("a\tb\n1, x\t2\n", [["a", "b"], ["1, x", "2"]]),
        ("a|b\n1|2\n", [["a", "b"], ["1", "2"]]),
        ("name\nfirst\nsecond\n", [["name"], ["first"], ["second"]]),
        ("sep=;\r\na;b\r\n1;2,3\r\n", [["a", "b"], ["1", "2,3"]]),
        ('"a ""q""","b, c"\n1,2\n', [['a "q"', "b, c"], ["1", "2"]]),
        ("a,b,c\n1\n1,2,3,4\n", [["a", "b", "c", ""], ["1", "", "", ""], ["1", "2", "3", "4"]]),
        ('pipe,size\nlong,5" wide\n', [["pipe", "size"], ["long", '5" wide']]),
    ],
)
def test_a_text_table_is_cut_at_its_own_delimiter(text: str, cells: list[list[str]]) -> None:
    # K1
    assert cells_of(parse_csv(text.encode("utf-8-sig"))) == cells


def test_a_record_of_several_lines_is_one_row() -> None:
    # K5
    parsed = parse_csv(b'Key,Text\r\n1,"one\r\ntwo\r\nthree"\r\n2,four\r\n\r\n3,five\r\n')
    assert cells_of(parsed) == [["Key", "Text"], ["1", "one two three"], ["2", "four"], ["Key", "Text"], ["3", "five"]]
    (first, second) = parsed.sections
    assert first.place
    assert first.place.describe() == "row 2"
    assert [(one.place.describe(), one.preface) for one in chunk(parsed) if one.place] == [
        ("rows 2–3", "| Key | Text |\n| --- | --- |\n"),
        ("row 5", "| Key | Text |\n| --- | --- |\n"),
    ]
    assert first.headings == second.headings == ()


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_table() -> None:
    # K3
    parsed = parse_csv(b'a,b\n"open,2\n3,4\n')
    assert cells_of(parsed) == [["a", "b"], ['"open', "2"], ["3", "4"]]
    assert "quotation mark" in parsed.remarks[0]


def test_fields_and_rows_of_any_width_are_read() -> None:
    # K3
    wide = ",".join(map(str, range(20_000)))
    parsed = parse_csv("".join(["a,b\n", "1,2\n" * 5_000, wide, "\n", "3,4\n" * 5_000, "x" * 300_000, ",5\n"]).encode())
    assert len(parsed.text) < 3_000_000
    (last,) = (one for one in parsed.sections if one.end == parsed.sections[-1].end)
    assert last.place
    assert last.place.first_row
    assert last.place.first_row + parsed.text.count("\n", last.start, last.end) - 1 == 10_003
    assert "19999" in parsed.text


def test_a_table_of_tabs_keeps_commas_and_other_encodings() -> None:
    # K1
    parsed = parse_tsv("Größe, cm\tName\n1,5\tÄpfel und Öl für die schöne Straße\n".encode("cp1252"))
    assert cells_of(parsed) == [["Größe, cm", "Name"], ["1,5", "Äpfel und Öl für die schöne Straße"]]


def test_names_of_many_columns_are_found_in_their_own_row() -> None:
    # K5
    names = [f"measured quantity {number}" for number in range(60)]
    parsed = parse_csv(f"{','.join(names)}\n{','.join(map(str, range(60)))}\n".encode())
    (found,) = (one for one in chunk(parsed, 512) if names[59] in one.content)
    assert found.place
    assert found.place.describe() == "row 1"


def test_a_title_above_a_table_is_not_taken_for_its_header() -> None:
    # K5
    parsed = parse_csv(b"Stock of the shop,,\nItem,Count,Place\nnail,7,left\nnut,9,right\n")
    assert cells_of(parsed)[:2] == [["Stock of the shop"], ["Item", "Count", "Place"]]
    assert [(one.content.partition("\n")[0], one.place.describe()) for one in chunk(parsed) if one.place] == [
        ("| Stock of the shop |", "row 1"),
        ("| nail | 7 | left |", "rows 3–4"),
    ]
