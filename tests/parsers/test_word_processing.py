"""Word-processing files: what comes out of DOCX, ODT, RTF, DOC and HWP, and what a hostile one cannot do."""

import contextlib
import time
from collections.abc import AsyncIterator, Callable

import pytest
from office_files import make_odf, make_ole, make_zip
from word_files import STRICT, TRANSITIONAL, item, make_doc, make_docx, make_hwp, make_rtf, p, r, table

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ole import explain_ole
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.word.doc import parse_doc
from pinakes.providers.parsers.word.docx import parse_docx
from pinakes.providers.parsers.word.hwp import parse_hwp
from pinakes.providers.parsers.word.odt import parse_odt
from pinakes.providers.parsers.word.rtf import parse_rtf

_DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_ODT = "application/vnd.oasis.opendocument.text"
_STYLES = """
<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Kapitel"><w:name w:val="Kapitel"/>
  <w:basedOn w:val="berschrift1"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Unterkapitel"><w:name w:val="Eigene"/><w:basedOn w:val="Kapitel"/></w:style>
<w:style w:type="paragraph" w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="TOC1"><w:name w:val="toc 1"/></w:style>
"""
_NUMBERING = """
<w:abstractNum w:abstractNumId="7">
  <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
  <w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl>
</w:abstractNum>
<w:abstractNum w:abstractNumId="8">
  <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="&#xF0B7;"/></w:lvl>
</w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>
<w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>
<w:num w:numId="3"><w:abstractNumId w:val="7"/>
  <w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>
"""


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one child."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def text_of(body: str, **parts: str) -> str:
    """The text that comes out of a Word document with this body."""
    return parse_docx(make_docx(body, links=None, **parts)).text.strip()


def odt_of(body: str, **parts: str) -> ParsedDocument:
    """What comes out of an OpenDocument text with this body."""
    return parse_odt(make_odf(f"<office:text>{body}</office:text>", **parts))


def headings_of(parsed: ParsedDocument) -> list[tuple[str, tuple[str, ...]]]:
    """The last line of each section, and the headings it stands under."""
    sections = ((parsed.text[part.start : part.end].strip(), part.headings) for part in parsed.sections)
    return [(text.split("\n")[-1], headings) for text, headings in sections]


def fault_of(parse: Callable[[bytes], ParsedDocument], content: bytes) -> str:
    """The words with which this document fails, soon."""
    started = time.perf_counter()
    with pytest.raises(DocumentFault) as caught:
        parse(content)
    assert time.perf_counter() - started < 5
    return caught.value.message


@pytest.mark.parametrize(
    ("media_type", "content", "words"),
    [
        (_DOCX, make_docx(p("Über", "Titel") + item("one"), styles=_STYLES, numbering=_NUMBERING), "# Über\n\n1. one"),
        (_ODT, make_odf("<office:text><text:p>Grüße</text:p></office:text>"), "Grüße"),
        ("application/rtf", make_rtf("Stra\\'dfe \\u19990?\\u30028?"), "Straße 世界"),
        ("application/msword", make_doc("Hello wörld 世界"), "Hello wörld 世界"),
        ("application/x-hwp", make_hwp("안녕하세요"), "안녕하세요"),
    ],
    ids=["docx", "odt", "rtf", "doc", "hwp"],
)
async def test_each_format_is_read_in_a_confined_child(
    pool: ParserPool, media_type: str, content: bytes, words: str
) -> None:
    # K1
    assert (await pool.parse(media_type, content)).text.strip() == words


def test_headings_are_known_by_style_by_what_it_is_based_on_and_by_outline_level() -> None:
    # K5
    body = (
        p("Der Bericht", "Titel")
        + p("Eins", "berschrift1")
        + p("a")
        + p("Zwei", "Unterkapitel")
        + p("b")
        + p("Direkt", properties='<w:outlineLvl w:val="2"/>')
        + p("c")
        + p("Kein Titel", "berschrift1", '<w:outlineLvl w:val="9"/>')
        + p("Heading without a definition", "Heading1")
        + p("d")
    )
    parsed = parse_docx(make_docx(body, styles=_STYLES))
    assert parsed.title == "Der Bericht"
    assert headings_of(parsed) == [
        ("a", ("Eins",)),
        ("b", ("Eins", "Zwei")),
        ("Kein Titel", ("Eins", "Zwei", "Direkt")),
        ("d", ("Heading without a definition",)),
    ]


def test_lists_are_numbered_as_word_numbers_them() -> None:
    # K5
    body = item("one") + item("sub", 1) + item("sub", 1) + item("two") + item("sub", 1) + p("Text") + item("three")
    body += item("dot", number=2) + item("five", number=3)
    assert text_of(body, numbering=_NUMBERING) == (
        "1. one\n  - 1.a) sub\n  - 1.b) sub\n2. two\n  - 2.a) sub\n\nText\n\n3. three\n- dot\n5. five"
    )


def test_a_numbered_heading_carries_its_number() -> None:
    # K5
    body = p("Scope", "Heading1", '<w:numPr><w:numId w:val="1"/></w:numPr>') + p("words")
    assert text_of(body, numbering=_NUMBERING) == "# 1. Scope\n\nwords"


def test_a_list_may_be_defined_by_the_style_of_another() -> None:
    # K5
    linked = (
        '<w:abstractNum w:abstractNumId="9"><w:numStyleLink w:val="Mine"/></w:abstractNum>'
        '<w:abstractNum w:abstractNumId="8"><w:styleLink w:val="Mine"/><w:lvl w:ilvl="0"><w:start w:val="3"/>'
        '<w:numFmt w:val="upperRoman"/><w:lvlText w:val="§ %1"/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="9"/></w:num>'
    )
    assert text_of(item("one") + item("two"), numbering=linked) == "- § III one\n- § IV two"


def test_what_is_embedded_in_another_format_is_remarked_on() -> None:
    # K3
    parsed = parse_docx(make_docx(p("words") + '<w:altChunk r:id="x"/><w:altChunk r:id="y"/>'))
    assert parsed.remarks == ("A part embedded in another format was left out.",)


def test_tables_stand_in_place_with_merged_cells_once_and_nested_ones_inside() -> None:
    # K5
    wide = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>' + p("wide")
    top = '<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>' + p("tall")
    below = "<w:tcPr><w:vMerge/></w:tcPr>" + p("never shown")
    rows = [[p("a"), p("b|c"), p("d")], [top, wide], [below, p("1") + p("2"), p("")]]
    assert text_of(p("before") + table(rows) + p("after")) == (
        "before\n\n| a | b\\|c | d |\n| --- | --- | --- |\n| tall | wide |  |\n|  | 1 2 |  |\n\nafter"
    )
    nested = table([[p("x"), p("y")], [p("1"), p("2")]])
    assert text_of(table([[p("left"), nested]])) == "left\n\n| x | y |\n| --- | --- |\n| 1 | 2 |"
    assert text_of(table([[p("a"), p("b")], [p("c"), nested]])) == "| a | b |\n| --- | --- |\n| c | x, y; 1, 2 |"
    assert text_of(table([[p("only a box")]])) == "only a box"


def test_text_boxes_are_read_once_after_their_paragraph() -> None:
    # K5
    box = f"<w:txbxContent>{p('in the box')}</w:txbxContent>"
    both = (
        f"<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing>"
        f"</mc:Choice><mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    assert text_of(f"<w:p>{r('before ')}{both}{r('after')}</w:p>") == "before after\n\nin the box"


def test_tracked_insertions_count_and_deletions_do_not() -> None:
    # K5
    body = (
        f"<w:p>{r('The ')}<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins>{r('new')}</w:ins>"
        f"<w:moveFrom>{r(' gone')}</w:moveFrom><w:moveTo>{r(' here')}</w:moveTo></w:p>"
    )
    assert text_of(body) == "The new here"


def test_only_what_is_seen_of_fields_controls_and_hidden_runs_is_read() -> None:
    # K5
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>REF x</w:instrText><w:t>no</w:t></w:r>'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{r("result")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    control = f"<w:sdt><w:sdtPr/><w:sdtContent>{r(' chosen')}</w:sdtContent></w:sdt>"
    prompt = f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('Click here')}</w:sdtContent></w:sdt>"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    ruby = f"<w:r><w:ruby><w:rt>{r('とう')}</w:rt><w:rubyBase>{r('東')}</w:rubyBase></w:ruby></w:r>"
    math = "<m:oMath><m:r><m:t> E=mc</m:t></m:r></m:oMath>"
    assert text_of(f"<w:p>{field}{control}{prompt}{hidden}{ruby}{math}</w:p>") == "result chosen東 E=mc"
    block = f"<w:sdt><w:sdtContent>{p('inside')}</w:sdtContent></w:sdt><w:customXml>{p('too')}</w:customXml>"
    assert text_of(block) == "inside\n\ntoo"


def test_a_link_shows_its_target_where_that_is_short_and_leads_outside() -> None:
    # K5
    def link(key: str, text: str) -> str:
        return f'<w:p><w:hyperlink r:id="{key}">{r(text)}</w:hyperlink></w:p>'

    links = {"a": "https://example.com/x", "b": "https://example.com/" + "y" * 300, "c": "file:///etc/passwd"}
    body = link("a", "site") + link("a", "example.com/x") + link("b", "long") + link("c", "local") + link("", "anchor")
    parsed = parse_docx(make_docx(body, links=links))
    assert parsed.text.split() == ["[site](https://example.com/x)", "example.com/x", "long", "local", "anchor"]


def test_notes_comments_and_headers_stand_at_the_end_under_their_own_headings() -> None:
    # K5
    body = p("Chapter", "Heading1") + (
        '<w:p><w:r><w:t>Claim</w:t><w:footnoteReference w:id="4"/></w:r>'
        '<w:r><w:t>; more</w:t><w:endnoteReference w:id="2"/></w:r></w:p>'
    )
    parsed = parse_docx(
        make_docx(
            body,
            footnotes=f'<w:footnote w:type="separator" w:id="0"/><w:footnote w:id="4">{p("Source")}</w:footnote>',
            endnotes=f'<w:endnote w:id="2">{p("Later")}</w:endnote>',
            comments=f'<w:comment w:author="Ada">{p("Check this")}</w:comment>',
            header1=p("Acme Confidential"),
            header2=p("Acme Confidential"),
            footer1=f'<w:p>{r("Page ")}<w:fldSimple w:instr=" PAGE ">{r("1")}</w:fldSimple></w:p>' + p("Claim"),
        )
    )
    assert parsed.text == (
        "# Chapter\n\nClaim[1]; more[i]\n\n# Footnotes\n\n[1] Source\n\n# Endnotes\n\n[i] Later\n\n"
        "# Comments\n\nAda: Check this\n\n# Headers and footers\n\nAcme Confidential\n\n"
    )
    assert [part.headings for part in parsed.sections][:2] == [("Chapter",), ("Footnotes",)]


def test_a_table_of_contents_is_left_out_where_the_headings_say_the_same() -> None:
    # K5
    contents = p("One	3", "TOC1")
    assert text_of(contents + p("One", "Heading1") + p("x"), styles=_STYLES) == "# One\n\nx"
    assert text_of(contents + p("x"), styles=_STYLES) == "One	3\n\nx"


def test_the_strict_variant_and_a_bare_package_are_read() -> None:
    # K1
    strict = make_docx(p("One", "Kapitel") + p("x"), namespace=STRICT, styles=_STYLES)
    assert parse_docx(strict).text == "## One\n\nx\n\n"
    root = f'<w:document xmlns:w="{STRICT}"><w:body>{p("bare")}</w:body></w:document>'
    assert parse_docx(make_zip({"word/document.xml": root})).text == "bare\n\n"


def test_the_title_is_the_one_somebody_chose() -> None:
    # K5
    core = '<x xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></x>'
    for written, title in (("Annual Report", "Annual Report"), ("Microsoft Word - x.doc", "First"), ("", "First")):
        parts = {
            "word/document.xml": f'<w:document xmlns:w="{TRANSITIONAL}">'
            f"<w:body>{p('First', 'Heading1')}{p('x')}</w:body></w:document>",
            "docProps/core.xml": core.format(written),
        }
        assert parse_docx(make_zip(parts)).title == title


_BOMB = (
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)
_DEEP = "<w:sdtContent>" * 100_000


@pytest.mark.parametrize(
    ("parse", "content", "words"),
    [
        (parse_docx, b"no zip at all", "damaged and cannot be opened as a Word document"),
        (parse_docx, make_docx(p("cut"))[:-40], "damaged"),
        (parse_docx, make_zip({"xl/workbook.xml": "<x/>"}), "damaged"),
        (parse_docx, make_zip({"word/document.xml": "<w:document"}), "damaged"),
        (parse_docx, make_docx(p("")), "no text"),
        (parse_docx, make_ole({"EncryptedPackage": b"x"}), "protected by a password"),
        (parse_docx, make_zip({"word/document.xml": f"{_BOMB}<x>&j;</x>"}), "damaged"),
        (parse_docx, make_docx(_DEEP), "nested too deeply"),
        (parse_docx, make_docx(p("a" * 30_000_000)), "damaged"),
        (parse_odt, b"no zip at all", "damaged and cannot be opened as an OpenDocument text"),
        (parse_odt, make_odf("<office:spreadsheet/>"), "damaged"),
        (parse_odt, make_odf("<office:text/>"), "no text"),
        (parse_odt, make_odf("", **{"META-INF__manifest": "<manifest:encryption-data/>"}), "protected by a password"),
        (parse_odt, make_odf("<office:text>" + "<text:section>" * 100_000), "nested too deeply"),
        (parse_rtf, b"plain words", "damaged and cannot be opened as Rich Text"),
        (parse_rtf, make_rtf(""), "no text"),
        (parse_doc, b"no OLE file", "damaged and cannot be opened as a Word document"),
        (parse_doc, make_doc("cut")[:2_000], "damaged"),
        (parse_doc, make_doc("Hidden", flags=0x0300), "protected by a password"),
        (
            parse_hwp,
            make_ole({"FileHeader": b"HWP Document File".ljust(36, b"\0") + b"\x02"}),
            "protected by a password",
        ),
        (parse_hwp, make_doc("another format"), "damaged and cannot be opened as a Hangul document"),
    ],
)
def test_what_cannot_be_read_fails_soon_and_in_words(
    parse: Callable[[bytes], ParsedDocument], content: bytes, words: str
) -> None:
    # K3
    assert words in fault_of(parse, content)


@pytest.mark.parametrize("entity", ['"expanded"', 'SYSTEM "file:///etc/passwd"', 'SYSTEM "http://127.0.0.1:1/x"'])
def test_entities_are_never_expanded(entity: str) -> None:
    # K3
    body = f"<w:body>{p('before &x; after')}</w:body>"
    root = f'<!DOCTYPE x [<!ENTITY x {entity}>]><w:document xmlns:w="{TRANSITIONAL}">{body}</w:document>'
    assert parse_docx(make_zip({"word/document.xml": root})).text == "before\n\n"


def test_a_table_cannot_claim_more_columns_than_word_has() -> None:
    # K3
    wide = '<w:tcPr><w:gridSpan w:val="999999999"/></w:tcPr>' + p("wide")
    assert len(text_of(table([[wide, p("b")], [p("c"), p("d")]]))) < 2_000
    cell = '<table:table-cell table:number-columns-repeated="9999999"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="9999999">{cell}</table:table-row>'
    assert len(odt_of(f"<table:table>{row}</table:table>").text) < 200_000


def test_an_opendocument_text_keeps_headings_lists_tables_and_notes() -> None:
    # K1, K5
    note = (
        '<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>Source</text:p></text:note-body></text:note>"
    )
    parsed = odt_of(
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        "<text:table-of-content><text:index-body><text:p>One 3</text:p></text:index-body></text:table-of-content>"
        '<text:p text:style-name="Title">The Report</text:p>'
        f'<text:h text:outline-level="2">One</text:h><text:p>A<text:s text:c="2"/>claim{note}<text:line-break/>next '
        '<text:a xlink:href="https://example.com">site</text:a><office:annotation><dc:creator>Ada</dc:creator>'
        "<text:p>Check</text:p></office:annotation></text:p>"
        '<text:list text:style-name="L1"><text:list-item><text:p>first</text:p>'
        "<text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item>"
        "<text:list-item><text:p>second</text:p></text:list-item></text:list>"
        "<text:section><text:p><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame></text:p>"
        "</text:section><table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>a</text:p>"
        "</table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row>"
        '</table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>wide'
        "</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table>",
        styles='<text:list-style xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" style:name="L1">'
        '<text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/>'
        '<text:list-level-style-bullet text:level="2"/></text:list-style>',
    )
    assert parsed.title == "The Report"
    assert parsed.text == (
        "# The Report\n\n## One\n\nA  claim[1]\nnext [site](https://example.com)\n\n1. first\n  - inner\n2. second\n\n"
        "boxed\n\n| a | b |\n| --- | --- |\n| wide |  |\n\n# Footnotes\n\n[1] Source\n\n# Comments\n\nAda: Check\n\n"
    )


def test_headings_of_an_opendocument_text_are_numbered_where_it_says_so() -> None:
    # K5
    level = '<text:outline-level-style text:level="{0}" text:display-levels="{0}" style:num-format="{1}"/>'
    outline = (
        '<text:outline-style xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0">'
        + level.format(1, "1")
        + level.format(2, "a")
        + level.format(3, "")
        + "</text:outline-style>"
    )
    body = "".join(f'<text:h text:outline-level="{depth}">h</text:h>' for depth in (1, 2, 2, 3, 1, 2))
    assert odt_of(body, styles=outline).text.split("\n\n")[:-1] == [
        *("# 1 h", "## 1.a h", "## 1.b h", "### h", "# 2 h", "## 2.a h"),
    ]


def test_an_old_word_document_reads_as_words_without_escapes() -> None:
    # K1
    assert parse_doc(make_doc("It works! 1. (a) [b] *c*")).text == "It works! 1. (a) [b] *c*\n\n"


def test_a_locked_ole_file_is_told_from_an_open_one() -> None:
    # K3
    record = b"\x2f\x00\x04\x00abcd"
    beginning = b"\x09\x08\x04\x00abcd"
    assert "password" in (explain_ole(make_ole({"EncryptedPackage": b""})) or "")
    assert "password" in (explain_ole(make_ole({"Workbook": beginning + record})) or "")
    assert explain_ole(make_ole({"Workbook": beginning})) is None
    assert explain_ole(make_doc("open")) is None
    assert explain_ole(make_doc("open")[:600]) is None
    assert explain_ole(b"no OLE file") is None


@pytest.mark.parametrize("blanks", [" ", "\t", " \t"])
def test_millions_of_blanks_cost_no_time(blanks: str) -> None:
    # K1
    started = time.process_time()
    with contextlib.suppress(DocumentFault):
        parse_docx(make_docx(p("a" + blanks * 300_000 + "b")))
    assert time.process_time() - started < 5
