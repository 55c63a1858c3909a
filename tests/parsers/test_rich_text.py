"""Rich Text Format: every way to write a character, the parts of a document, and what damage leaves."""

import pytest
from word_files import make_rtf

from pinakes.providers.parsers.word.rtf import parse_rtf


def rtf_of(body: str) -> str:
    """The text that comes out of an RTF file with this body."""
    return parse_rtf(make_rtf(body)).text.strip()


@pytest.mark.parametrize(
    ("head", "written", "text"),
    [
        ("\\ansi\\ansicpg936", "\\'ca\\'c0\\'bd\\'e7 \\'81A", "世界 丄"),
        ("\\ansi\\ansicpg1251", "\\'cf\\'f0\\'e8\\'e2\\'e5\\'f2", "Привет"),
        ("\\ansi{\\fonttbl{\\f0 A;}{\\f1\\fcharset128 B;}}", "{\\f1\\'90\\'a2\\'8aE} \\'e9t\\'e9", "世界 été"),
        ("\\ansi", "\\u-10179?\\u-8704? \\u-10179? x", "😀 \ufffd x"),
        ("\\ansi", "{\\uc2\\u19990\\'8b\\'ef}{\\upr{ansi}{\\*\\ud{\\u30028?}}}", "世界"),
        ("\\ansi", "caf\xc3\xa9", "café"),
        ("\\mac", "caf\\'8e", "café"),
    ],
)
def test_rich_text_is_decoded_from_every_way_to_write_a_character(head: str, written: str, text: str) -> None:
    # K1
    assert parse_rtf(make_rtf(written, head=head)).text.strip() == text


def test_rich_text_keeps_headings_lists_tables_and_notes() -> None:
    # K1, K5
    parsed = parse_rtf(
        make_rtf(
            r"{\stylesheet{Normal;}{\s1\outlinelevel0 heading 1;}{\s2 \'dcberschrift 2;}{\*\cs3 Strong;}{\s4 toc 1;}}"
            r"{\info{\title The Report}{\author Ada}}{\header Acme\par}{\footer Page \chpgn\par}"
            r"\pard\s4 One\tab 3\par\pard\s1 One\par\pard\s2 Two\par\pard\plain A claim{\footnote\chftn  Source}"
            r'{\v hidden} and {\field{\*\fldinst HYPERLINK "https://example.com"}{\fldrslt site}}{\*\unknown no}.\par'
            r"{\listtext 1.\tab}first\par{\pntext\'b7\tab}dot\par{\pict\pngblip 00ff{\*\blipuid ab}}"
            r"\trowd\cellx1\cellx2\pard\intbl a\cell b\par c\cell\row\pard\intbl d\cell e\cell\row\pard after\par"
            r"{\*\atnauthor Ada}{\*\annotation Check}"
        )
    )
    assert parsed.title == "The Report"
    assert parsed.text == (
        "# One\n\n## Two\n\nA claim[1] and [site](https://example.com).\n\n1. first\n- dot\n\n"
        "| a | b c |\n| --- | --- |\n| d | e |\n\nafter\n\n# Footnotes\n\n[1] Source\n\n"
        "# Comments\n\nAda: Check\n\n# Headers and footers\n\nAcme\n\n"
    )


def test_damaged_rich_text_is_read_as_far_as_it_goes() -> None:
    # K1
    assert rtf_of("a\\par b}c\\par{\\rtf") == "a\n\nb"
    cut = parse_rtf(b"{\\rtf1\\ansi words {\\b and more")
    assert cut.text == "words and more\n\n"
    assert "ends too early" in cut.remarks[0]
    assert not parse_rtf(b"{\\rtf1\\ansi no last brace\\par").remarks
    assert rtf_of("x\\bin3 {{{y") == "xy"
    assert rtf_of("{" * 50_000 + "deep" + "}" * 50_000) == "deep"
    assert rtf_of("a\\u99999999999 b\\'zz \\fcharset-5\\ansicpg99999 c") != ""
