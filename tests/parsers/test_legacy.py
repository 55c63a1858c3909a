"""Word files of before 2007 and Hangul files: what comes out of them, and what a hostile one cannot do."""

import random
import struct
import time

import pytest
from legacy_files import (
    CONTENTS,
    DELETED,
    HEADING_1,
    HEADING_2,
    HIDDEN,
    IN_TABLE,
    INNER_CELL,
    INNER_ROW_END,
    LOOP,
    NESTED,
    OWN,
    SYMBOL,
    TITLE,
    Para,
    cell,
    control,
    hangul,
    item,
    make_hangul,
    make_lists,
    make_old_word,
    make_word,
    pack,
    record,
    row_end,
)
from office_files import make_ole

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ole import read_streams
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.word.doc import parse_doc
from pinakes.providers.parsers.word.hwp import parse_hwp


def blocks_of(parsed: ParsedDocument) -> list[str]:
    """The text, cut at its empty lines."""
    return parsed.text.strip().split("\n\n")


async def test_both_are_read_in_a_confined_child() -> None:
    # K1
    pool = ParserPool(size=1, limits=ParserLimits())
    try:
        word = await pool.parse("application/msword", make_word([Para("Eins", HEADING_1), Para("Größe")]))
        assert word.text == "# Eins\n\nGröße\n\n"
        section = pack(hangul("제목", style=1) + hangul("본문"))
        other = await pool.parse("application/x-hwp", make_hangul(section, styles=["바탕글", "개요 1"]))
        assert other.text == "# 제목\n\n본문\n\n"
    finally:
        await pool.close()


def test_headings_of_old_word_are_known_by_style_by_what_it_is_based_on_and_by_outline_level() -> None:
    # K5
    parsed = parse_doc(
        make_word(
            [
                Para("Der Bericht", TITLE),
                Para("Eins\t1", CONTENTS),
                Para("Eins", HEADING_1),
                Para("a"),
                Para("Zwei", OWN),
                Para("b"),
                Para("Direkt", changes=b"\x40\x26\x02"),
                Para("c"),
                Para("Kein Titel", HEADING_2, changes=b"\x40\x26\x09"),
                Para("Schleife", LOOP),
            ]
        )
    )
    assert parsed.title == "Der Bericht"
    assert blocks_of(parsed) == [
        *("# Der Bericht", "# Eins", "a", "## Zwei", "b", "### Direkt", "c", "Kein Titel", "### Schleife"),
    ]
    assert parsed.sections[-2].headings == ("Eins", "Zwei", "Direkt")


def test_contents_stay_where_nothing_else_names_the_headings() -> None:
    # K5
    assert blocks_of(parse_doc(make_word([Para("Eins\t1", CONTENTS), Para("Text")]))) == ["Eins\t1", "Text"]


def test_wide_and_narrow_pieces_make_one_text() -> None:
    # K1
    paragraphs = [Para("世界 naïve"), Para("Zwei", HEADING_1), Para("“quoted” – Größe"), Para("Drei", HEADING_2)]
    assert blocks_of(parse_doc(make_word([*paragraphs, Para("x")], narrow_from=14))) == [
        *("世界 naïve", "# Zwei", "“quoted” – Größe", "## Drei", "x"),
    ]


def test_characters_beyond_the_first_plane_move_no_format() -> None:
    # K1
    parsed = parse_doc(make_word([Para("😀😀😀 and 𝒳"), Para("Head", HEADING_1), Para("x")]))
    assert blocks_of(parsed) == ["😀😀😀 and 𝒳", "# Head", "x"]


def test_special_characters_are_written_out_or_dropped() -> None:
    # K1
    text = "co\x1fop e\x1email\x01\x08 a\x0bb \uf0b7c  \t d"
    assert parse_doc(make_word([Para(text), Para("page\x0cnext")])).text == "coop e-mail a\nb c\td\n\npage\n\nnext\n\n"


def test_tables_of_old_word_stand_in_place_with_joined_cells_and_nested_tables() -> None:
    # K5
    parsed = parse_doc(
        make_word(
            [
                Para("before"),
                *(cell("Name"), cell("Size"), row_end(0, 100, 300)),
                *(Para("two", changes=IN_TABLE), cell("lines"), cell("5 | 6"), cell("g"), row_end(0, 105, 200, 300)),
                *(Para("in", changes=NESTED + INNER_CELL), Para("ner", changes=NESTED + INNER_CELL)),
                Para("", changes=NESTED + INNER_ROW_END),
                Para("next", changes=NESTED + INNER_CELL),
                Para("", changes=NESTED + INNER_ROW_END),
                *(cell(""), cell(""), cell("end"), row_end(0, 100, 200, 300)),
                Para("after"),
                *(cell("A frame"), row_end(0, 300)),
            ]
        )
    )
    assert blocks_of(parsed) == [
        "before",
        "| Name | Size |  |\n| --- | --- | --- |\n| two lines | 5 \\| 6 | g |\n| in, ner; next |  | end |",
        "after",
        "A frame",
    ]


def test_rows_are_told_apart_where_the_file_does_not_say_so() -> None:
    # K5
    assert parse_doc(make_old_word(b"a\x07b\x07\x07c\x07d\x07\x07")).text.startswith(
        "| a | b |\n| --- | --- |\n| c | d |"
    )


def test_fields_show_their_results_and_a_lone_mark_swallows_nothing() -> None:
    # K1
    link = '\x13 HYPERLINK "https://example.org" \x01\x14our \x13REF x\x14own\x15 site\x15'
    reading = "\x13EQ \\* jc2 \\* hps10 \\o\\ad(\\s\\up 9(とうきょう),東京)\x15"
    paragraphs = [Para(f"See {link}{reading}."), Para("\x14one\x15"), Para("\x13XE index\x15two \x13 three")]
    assert blocks_of(parse_doc(make_word(paragraphs))) == [
        *("See [our own site](https://example.org)東京.", "one", "two  three"),
    ]


def test_hidden_and_deleted_text_and_signs_of_symbol_fonts_are_left_out() -> None:
    # K1
    formats = [(2, 4, HIDDEN), (6, 8, DELETED), (10, 11, SYMBOL)]
    assert parse_doc(make_word([Para("abCDefGHij(kl")], formats=formats)).text == "abefijkl\n\n"
    narrow = make_word([Para("abCDefGHij(kl")], formats=formats, narrow_from=3)
    assert parse_doc(narrow).text == "abefijkl\n\n"


def test_lists_of_old_word_are_numbered_as_word_numbers_them() -> None:
    # K5
    lists = make_lists([(0, 1, "1."), (4, 1, "1.2)")], [(23, 1, "\uf0b7")], restarts={0: 7})
    paragraphs = [
        *(item("one", 1), item("sub", 1, 1), item("sub", 1, 1), item("two", 1), item("sub", 1, 1)),
        *(item("dot", 2), item("seven", 3), item("unknown", 9), Para("Scope", HEADING_1, item("", 3).changes)),
    ]
    assert parse_doc(make_word(paragraphs, tables=lists)).text == (
        "1. one\n  - 1.a) sub\n  - 1.b) sub\n2. two\n  - 2.a) sub\n- dot\n7. seven\n- unknown\n\n# 8. Scope\n\n"
    )


def test_notes_comments_boxes_and_furniture_follow_the_text() -> None:
    # K5
    text, notes, heads = "Words\x02 and more\x02.\x05", "\x02 First note.\r", "Confidential draft\r\x13PAGE\x141\x15\r"
    comments, ends, boxes = "\x05 Really?\r", "\x02 An end.\r", "In a box\r"
    whole = "".join([text + "\r", notes, heads, comments, ends, boxes])
    positions = [struct.pack("<II", 0, len(part)) for part in (notes, comments, ends)]
    author = "Ada Lovelace"
    tables = {
        2: struct.pack("<IIH", 5, 999, 1),
        3: positions[0],
        4: struct.pack("<II", 17, 999) + bytes(30),
        5: positions[1],
        11: struct.pack("<8I", *[0] * 7, len(heads)),
        36: struct.pack("<H", len(author)) + author.encode("utf-16-le"),
        46: struct.pack("<IIH", 15, 999, 1),
        47: positions[2],
    }
    lengths = {"footnotes": notes, "furniture": heads, "comments": comments, "endnotes": ends, "boxes": boxes}
    counts = {name: len(part) for name, part in lengths.items()}
    assert blocks_of(parse_doc(make_word([Para(whole, end="")], counts=counts, tables=tables))) == [
        "Words[1] and more[i].",
        *("# Footnotes", "[1] First note."),
        *("# Endnotes", "[i] An end."),
        *("# Comments", "Ada Lovelace: Really?"),
        *("# Text boxes", "In a box"),
        *("# Headers and footers", "Confidential draft"),
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (make_old_word("Größe\rzwei".encode("cp1252")), "Größe\n\nzwei\n\n"),
        (make_old_word("Привет".encode("cp1251"), language=0x0419), "Привет\n\n"),
        (make_old_word("東京\rタワー".encode("cp932"), language=0x0411), "東京\n\nタワー\n\n"),
        (make_old_word(b"second first", pieces=[(7, 12), (6, 7), (0, 6)]), "first second\n\n"),
    ],
    ids=["western", "russian", "japanese", "saved in a hurry"],
)
def test_word_95_is_read_in_the_code_page_of_its_language(content: bytes, text: str) -> None:
    # K1
    assert parse_doc(content).text == text


def _pieces(*pieces: tuple[int, int]) -> dict[int, bytes]:
    ends = [sum(length for length, _ in pieces[:count]) for count in range(len(pieces) + 1)]
    table = struct.pack(f"<{len(ends)}I", *ends) + b"".join(struct.pack("<HIH", 0, at, 0) for _, at in pieces)
    return {33: b"\x02" + struct.pack("<I", len(table)) + table}


@pytest.mark.parametrize(
    "content",
    [
        make_word([Para("outside")], tables=_pieces((10, 0x7FFFFFF))),
        make_word([Para("too long")], tables=_pieces((0xFFFFFFF, 0x800))),
        make_word([Para("again")], tables=_pieces(*[(900, 0x800)] * 500)),
        make_word([Para("no pieces")], tables={33: b"\x07"}),
        make_word([Para("cut pieces")], tables={33: b"\x02\xff\xff\x00\x00"}),
        make_word([Para("no text")]).replace(b"\xec\xa5", b"\0\0"),
        make_word([Para("cut")])[:3_000],
    ],
    ids=["outside", "too long", "one text many times", "no pieces", "cut pieces", "another mark", "cut"],
)
def test_an_old_word_file_that_contradicts_itself_fails_soon(content: bytes) -> None:
    # K3
    started = time.perf_counter()
    with pytest.raises(DocumentFault, match="damaged and cannot be opened as a Word document"):
        parse_doc(content)
    assert time.perf_counter() - started < 2


def test_damage_anywhere_ends_in_text_or_in_a_fault_that_says_so() -> None:
    # K3
    chance = random.Random(7)
    lists = make_lists([(0, 1, "1."), (4, 1, "1.2)")], restarts={0: 7})
    rows = [cell("a"), cell("b"), row_end(0, 100, 200), item("one", 1), Para("Head", HEADING_1), Para("words" * 9)]
    section = hangul("a" + control("tbl ", 11)) + record(71, 1, b" lbt") + record(77, 2) + record(72, 2, bytes(16))
    word, korean = make_word(rows, tables=lists), make_hangul(section + hangul("b", 2), flags=0)
    spots = [*range(512, 1_536), *range(1_536, 2_200), *range(len(word) - 5_200, len(word))]
    for parse, sound in ((parse_doc, word), (parse_hwp, korean)):
        outcomes = {True: 0, False: 0}
        for _ in range(400):
            broken = bytearray(sound)
            for spot in chance.choices([spot for spot in spots if spot < len(broken)], k=chance.randint(1, 12)):
                broken[spot] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            try:
                parsed = parse(bytes(broken))
            except DocumentFault:
                outcomes[False] += 1
            else:
                assert all(0 <= part.start <= part.end <= len(parsed.text) for part in parsed.sections)
                outcomes[True] += 1
        assert min(outcomes.values()) > 0


def test_a_hangul_file_gives_its_headings_tables_notes_and_furniture() -> None:
    # K1 K5
    grid = [(0, 0, "이름"), (0, 1, "크기"), (1, 0, "하나"), (1, 1, "5")]
    cells = b"".join(
        record(72, 2, struct.pack("<IIHHHH", 1, 0, column, row, 1, 1)) + hangul(text, 2) for row, column, text in grid
    )
    caption = record(72, 2, bytes(8) + b"\xff" * 8) + hangul("표 1", 2)
    section = (
        hangul("개요 제목", style=1)
        + hangul(f"본문{control('fn  ', 17)} 끝\x18\x1e{control('tab ', 9)}x")
        + (record(71, 1, b"  nf") + record(72, 2, bytes(8)) + hangul(control("atno", 18) + "각주 글", 2))
        + (hangul(control("tbl ", 11)) + record(71, 1, b" lbt") + caption + record(77, 2) + cells)
        + (hangul("😀 끝" * 3) + record(71, 1, b"daeh") + record(72, 2, bytes(8)) + hangul("머리말", 2))
        + (hangul("식") + record(71, 1, b"deqe") + record(88, 2, struct.pack("<IH", 0, 3) + "a+b".encode("utf-16-le")))
        + hangul("긴 글 " * 1_500)
    )
    parsed = parse_hwp(make_hangul(pack(section), styles=["바탕글", "개요 1"]))
    assert parsed.title == "개요 제목"
    blocks = blocks_of(parsed)
    assert len(blocks.pop(7)) > 4_095
    assert blocks == [
        *("# 개요 제목", "본문[1] 끝- \tx", "표 1", "| 이름 | 크기 |\n| --- | --- |\n| 하나 | 5 |"),
        *("😀 끝😀 끝😀 끝", "식", "a+b", "# Footnotes", "[1] 각주 글", "# Headers and footers", "머리말"),
    ]


def test_the_preview_stands_in_where_the_text_of_a_hangul_file_is_damaged() -> None:
    # K3
    parsed = parse_hwp(make_hangul(b"\xff" * 600, preview="미리 보기\r\n둘째 줄"))
    assert parsed.text == "미리 보기\n둘째 줄\n\n"
    assert "Only the preview" in parsed.remarks[0]


@pytest.mark.parametrize(("count", "title"), [(2, "Größe"), (0x7FFFFFFF, None)])
def test_the_title_is_read_from_the_properties_and_a_count_that_lies_costs_no_time(
    count: int, title: str | None
) -> None:
    # K3
    entries = struct.pack("<IIII", 1, 24, 2, 32)
    values = struct.pack("<IHxx", 2, 1252) + struct.pack("<II", 30, 6) + "Größe\0".encode("cp1252")
    properties = bytes(44) + struct.pack("<III", 48, 0, count) + (entries + values if count == 2 else b"")
    started = time.perf_counter()
    assert read_streams(make_ole({"\x05SummaryInformation": properties}), what="a file") == ({}, title)
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (make_hangul(b"\xff" * 600), "damaged and cannot be opened as a Hangul document"),
        (make_hangul(pack(hangul(""))), "no text"),
        (make_hangul(pack(hangul("x")), flags=0x11), "protected by a password"),
        (make_hangul(pack(bytes(1_000_000))[:20]), "no text"),
    ],
    ids=["damaged", "empty", "rights management", "cut"],
)
def test_a_hangul_file_that_cannot_be_read_says_why(content: bytes, words: str) -> None:
    # K3
    with pytest.raises(DocumentFault, match=words):
        parse_hwp(content)


def test_a_hangul_file_cannot_unpack_to_more_than_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    # K3
    monkeypatch.setattr("pinakes.providers.parsers.word.hwp._UNPACKED_BYTES", 1_000_000)
    with pytest.raises(DocumentFault, match="unpacks to more than"):
        parse_hwp(make_hangul(pack(bytes(20_000_000))))


def test_controls_nested_without_end_are_read_in_bounded_depth() -> None:
    # K3
    section = b"".join(record(71, level, b" osg") + hangul("x", level) for level in range(1, 1_000))
    assert "x" in parse_hwp(make_hangul(pack(section))).text
