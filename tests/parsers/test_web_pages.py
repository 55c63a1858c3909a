"""Web pages and XML: what a person reads there comes out, and what a hostile file wants does not happen."""

import time
from collections.abc import AsyncIterator

import pytest

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.web.html import parse_html
from pinakes.providers.parsers.web.xml import parse_xml

_PARAGRAPH = "<p>A paragraph with enough words to be what a reader came to this page for.</p>"


@pytest.fixture(scope="module")
async def pool() -> AsyncIterator[ParserPool]:
    """One confined child for the tests that need it."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def read(markup: str) -> ParsedDocument:
    """The page with this markup, its sections checked."""
    parsed = parse_html(markup.encode())
    end = 0
    for section in parsed.sections:
        assert end <= section.start < section.end <= len(parsed.text)
        end = section.end
    return parsed


def test_a_page_keeps_its_headings_paragraphs_and_lists() -> None:
    # K1, K5
    parsed = read(
        "<title>The  Page</title><h1>Top</h1><p>One <b>bold</b>\n word<br>and a <a href='/x'>link</a>.</p>"
        "<h2>Below</h2><ul><li>first<ul><li>inner</ul><li><p>second</p><p>goes on</p></ul>"
        "<ol start=3><li>three<li>four</ol><dl><dt>Term</dt><dd>Meaning</dd></dl>"
        "<blockquote><p>Said.</p><p>Again.</p></blockquote><pre>  x = 1\n    y = 2</pre>"
    )
    assert parsed.title == "The Page"
    assert parsed.text == (
        "# Top\n\nOne bold word\nand a link.\n\n## Below\n\n- first\n  - inner\n- second\n  goes on\n\n"
        "3. three\n4. four\n\n- Term: Meaning\n\n> Said.\n>\n> Again.\n\n```\n  x = 1\n    y = 2\n```\n\n"
    )
    assert [section.headings for section in parsed.sections] == [("Top",), ("Top", "Below")]


def test_menus_and_footers_come_last_under_no_heading_and_nothing_is_lost() -> None:
    # K5
    parsed = read(
        "<body><a href='#m'>Skip to content</a><header><h1>Site name</h1></header>"
        "<nav><h2>Menu</h2><ul><li><a>Home</a><li><a>News</a></ul></nav>"
        f"<main id=m><h2>Story</h2>{_PARAGRAPH * 3}<aside>A note inside.</aside></main>"
        "<aside>Advertisement</aside><footer>Imprint</footer><div role=dialog>We use cookies</div></body>"
    )
    assert parsed.text.startswith("# Site name\n\n## Story\n\nA paragraph")
    assert parsed.text.endswith("Menu · Home · News · Advertisement · Imprint · We use cookies\n\n")
    assert [section.headings for section in parsed.sections] == [("Site name", "Story"), (), ()]
    story = parsed.text[parsed.sections[0].start : parsed.sections[0].end]
    assert "A note inside." in story
    assert "Skip to content" in parsed.text
    assert "Skip to content" not in story


def test_a_main_part_that_holds_little_of_the_page_does_not_reorder_it() -> None:
    # K5
    parsed = read(f"<body><h1>Top</h1>{_PARAGRAPH * 5}<main><p>Small.</p></main><p>End.</p></body>")
    assert parsed.text.endswith("Small.\n\nEnd.\n\n")


def test_what_a_reader_does_not_see_is_left_out() -> None:
    # K1
    parsed = read(
        "<style>p{}</style><script>var secret</script><p hidden>secret</p><p style='display: none'>secret</p>"
        "<form><label>Name</label><input value=secret><select><option>secret</select><button>secret</button></form>"
        "<template>secret</template><p>Seen<span aria-hidden=true>secret</span><img alt='A chart' src=x></p>"
        "<h2>Part<a class=headerlink>¶</a></h2><p>10<sup>6</sup> is a million</p>"
    )
    assert "secret" not in parsed.text
    assert "Name" in parsed.text
    assert "Seen A chart" in parsed.text
    assert "## Part\n" in parsed.text
    assert "10⁶ is a million" in parsed.text


def test_a_page_that_only_scripts_would_show_is_read_all_the_same() -> None:
    # K1
    assert read("<div style='visibility:hidden'><p>Shown later.</p></div>").text == "Shown later.\n\n"


def test_data_tables_become_tables_and_layout_tables_do_not() -> None:
    # K5
    parsed = read(
        "<table><caption>Sales</caption><thead><tr><th rowspan=2>Region<th colspan=2>Year</tr>"
        "<tr><th>2020<th>2021</tr></thead><tr><td>North<td>1<td>2</tr><tr><td>South | East<td>3<td>4</tr></table>"
        f"<table><tr><td>Menu</td><td>{_PARAGRAPH * 3}</td></tr></table>"
        "<table><tr><td>•</td><td>A point that is made</td></tr></table>"
        "<table><tr><th>Founded<td>1975</tr><tr><th>Seat<td>Redmond</tr></table>"
    )
    assert parsed.text.startswith(
        "Sales\n\n| Region | Year 2020 | Year 2021 |\n| --- | --- | --- |\n"
        "| North | 1 | 2 |\n| South \\| East | 3 | 4 |\n\n"
    )
    assert "| Menu" not in parsed.text
    assert "Menu\n\nA paragraph" in parsed.text
    assert parsed.text.endswith("- A point that is made\n- Founded: 1975\n- Seat: Redmond\n\n")


def test_amounts_of_a_filing_lose_the_columns_that_only_space_them() -> None:
    # K5
    parsed = read(
        "<p><b>ITEM 8. STATEMENTS</b></p><p>In dollars.</p>"
        "<table><tr><td></td><td></td><td colspan=3>2021</td><td></td><td colspan=3>2020</td></tr>"
        "<tr><td>Revenue</td><td></td><td>$</td><td>10</td><td></td><td></td><td>$</td><td>9</td><td></td></tr>"
        "<tr><td>Loss</td><td></td><td></td><td>(3</td><td>)</td><td></td><td></td><td>(4</td><td>)</td></tr></table>"
    )
    assert "|  | 2021 | 2020 |\n| --- | --- | --- |\n| Revenue | $10 | $9 |\n| Loss | (3) | (4) |\n" in parsed.text
    assert parsed.sections[0].headings == ("ITEM 8. STATEMENTS",)


def test_a_long_table_repeats_its_header_above_every_passage() -> None:
    # K5
    rows = "".join(f"<tr><td>Row {index}<td>{index * index}</tr>" for index in range(200))
    parsed = read(f"<h1>Squares</h1><p>Below.</p><table><tr><th>Name<th>Square</tr>{rows}</table>")
    table = parsed.sections[-1]
    assert table.header == "| Name | Square |\n| --- | --- |\n"
    assert table.headings == ("Squares",)
    assert parsed.text[table.start : table.end].count("\n") == 200


@pytest.mark.parametrize(
    ("markup", "encoding"),
    [
        ('<meta charset="gb2312"><p>这是一个中文网页，用于测试编码。', "gb18030"),
        (
            '<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS"><p>これは日本語のページです。',
            "cp932",
        ),
        ("<meta charset=big5><p>這是一個繁體中文的網頁。", "big5"),
        ("<p>Größe, café – “quoted”, naïve façade und schöne Grüße", "cp1252"),
        ("<meta charset=iso-8859-1><p>Grüße: “é” für 15 €, größer, schöner", "utf-8"),
        ("<meta charset=iso-8859-1><p>Preis: 15 € – “gut”", "cp1252"),
        ('<?xml version="1.0" encoding="windows-1251"?><p>Привет, это русская страница', "cp1251"),
        ("<p>Grüße aus Köln", "utf-16"),
        ("<meta charset=nonsense><p>Grüße aus Köln und schöne größere Straßen", "utf-8"),
    ],
)
def test_a_page_is_decoded_as_it_declares_or_as_it_looks(markup: str, encoding: str) -> None:
    # K1
    assert parse_html(markup.encode(encoding)).text.strip() == markup.rpartition("<p>")[2]


def test_an_empty_page_fails_for_having_no_text() -> None:
    # K3
    with pytest.raises(DocumentFault, match="no text"):
        parse_html(b"<html><body><script>document.write('x')</script></body></html>")


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 100_000 + "found",
        "<ul><li>" * 20_000 + "found",
        "<table><tr><td>" * 10_000 + "found",
        "<blockquote><p><b>" * 10_000 + "found",
        "<a href=" * 200_000 + ">found",
        "<p>found</p" + "<" * 500_000,
    ],
    ids=["blocks", "lists", "tables", "quotes", "attributes", "brackets"],
)
def test_a_hostile_page_is_read_in_seconds(markup: str) -> None:
    # K3
    started = time.monotonic()
    assert "found" in parse_html(markup.encode()).text
    assert time.monotonic() - started < 10


def test_strict_markup_may_close_elements_at_once() -> None:
    # K1
    parsed = read(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><p>Text<b/> on</p></html>'
    )
    assert parsed.text == "Text on\n\n"


async def test_pages_and_xml_are_read_in_the_confined_reader(pool: ParserPool) -> None:
    # K1
    page = "<title>Seite</title><h1>Größe</h1><table><tr><th>A<th>B<tr><td>1<td>2</table><p>Ende".encode("cp1252")
    parsed = await pool.parse("text/html", page)
    assert (parsed.title, parsed.sections[0].headings) == ("Seite", ("Größe",))
    assert "| A | B |" in parsed.text
    parsed = await pool.parse("application/xml", b"<notes><title>Notes</title><p>One &amp; two</p></notes>")
    assert (parsed.title, parsed.text) == ("Notes", "# Notes\n\nOne & two\n\n")


def test_xml_titles_become_headings_and_records_keep_their_names() -> None:
    # K1, K5
    book = parse_xml(
        b"<book xmlns='urn:x'><title>Guide</title><chapter><title>Start</title><para>Some <em>marked</em> text.</para>"
        b"<section><title>Deep</title><para>More.</para></section></chapter></book>"
    )
    assert book.text == "# Guide\n\n## Start\n\nSome marked text.\n\n### Deep\n\nMore.\n\n"
    assert book.title == "Guide"
    records = parse_xml(
        b"<shop><item><name>Tea</name><price>3</price></item><item><name>Milk</name><price>1</price></item></shop>"
    )
    assert records.text == "name: Tea\nprice: 3\n\nname: Milk\nprice: 1\n\n"
    feed = parse_xml(
        b"<rss><channel><title>News</title><item><title>Today</title>"
        b"<description>&lt;p&gt;It &lt;b&gt;rains&lt;/b&gt;.&lt;/p&gt;</description></item></channel></rss>"
    )
    assert feed.text == "# News\n\n## Today\n\nIt rains.\n\n"


def test_a_drawing_gives_its_words() -> None:
    # K1
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><style>.a{}</style><text><tspan>Reve</tspan>nue</text></svg>"
    assert parse_xml(drawing).text == "Revenue\n\n"


def test_xml_entities_are_never_resolved() -> None:
    # K3
    parsed = parse_xml(b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>before &x; after</r>')
    assert parsed.text == "before after\n\n"
    assert "&x;" in parsed.remarks[0]
    parsed = parse_xml(b'<!DOCTYPE r [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><r>only this</r>')
    assert parsed.text == "only this\n\n"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            '<!DOCTYPE l [<!ENTITY a "lol">'
            + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
            + "]><l>&j;</l>",
            "entities grow",
        ),
        ("<a>" * 100_000 + "</a>" * 100_000, "nested too deeply"),
        ("<a>\n<b></a>", "line 2"),
        ("<a/>", "no text"),
    ],
    ids=["laughs", "depth", "malformed", "empty"],
)
def test_hostile_and_broken_xml_fails_quickly_and_says_why(content: str, words: str) -> None:
    # K3
    started = time.monotonic()
    with pytest.raises(DocumentFault, match=words):
        parse_xml(content.encode())
    assert time.monotonic() - started < 2


def test_a_term_stays_where_its_definition_is_empty_a_list_code_or_a_table() -> None:
    # K1
    parsed = read(
        "<h1>Top</h1><dl><dt>bare</dt><dd></dd><dt>listed</dt><dd><ul><li>one</li></ul></dd>"
        "<dt>coded</dt><dd><pre>x = 1</pre></dd><dt>outer</dt><dd><dl><dt>inner</dt><dd></dd></dl></dd>"
        "<dt>tabled</dt><dd><table><tr><th>a<th>b<tr><td>1<td>2</table></dd><dt>last</dt><dd>said</dd></dl>"
    )
    assert parsed.text.split("\n") == [
        *("# Top", "", "- bare", "- listed", "  - one", "- coded", "", "```", "x = 1", "```", "", "- outer"),
        *("  - inner", "- tabled", "", "| a | b |", "| --- | --- |", "| 1 | 2 |", "", "- last: said", "", ""),
    ]
