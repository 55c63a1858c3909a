"""Books (EPUB): chapters in reading order, named as the table of contents names them."""

import io
import zipfile
from collections.abc import Callable, Mapping

import pytest

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.web.epub import parse_epub

_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
_CHAPTERS = {
    "OEBPS/cover.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><img src="c.jpg"/></html>',
    "OEBPS/text/two.xhtml": "<html><body><h1>The Second</h1><p>Later.</p></body></html>",
    "OEBPS/text/one 1.xhtml": "<html><body><h1>Chapter I</h1><p>It began in a storm.</p></body></html>",
}
_NAV = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
    '<nav epub:type="landmarks"><a href="text/one%201.xhtml">Bodymatter</a></nav>'
    '<nav epub:type="toc"><ol><li><a href="text/one%201.xhtml#top">The\n Storm</a></li></ol></nav></body></html>'
)


def make_book(parts: Mapping[str, str | bytes | None] | None = None, *, spine: str = "cover nav one two") -> bytes:
    """A small book, some of its parts replaced or, for None, left out."""
    references = "".join(f'<itemref idref="{name}"/>' for name in spine.split())
    book = (
        '<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<dc:title>A  Sea Story</dc:title></metadata><manifest>"
        '<item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="two" href="text/two.xhtml" media-type="application/xhtml+xml"/>'
        '<item id="one" href="text/one%201.xhtml" media-type="application/xhtml+xml"/>'
        f'<item id="c" href="c.jpg" media-type="image/jpeg"/></manifest><spine>{references}</spine></package>'
    )
    files: dict[str, str | bytes | None] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": _CONTAINER,
        "OEBPS/book.opf": book,
        "OEBPS/nav.xhtml": _NAV,
        **_CHAPTERS,
        **(parts or {}),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            if content is not None:
                archive.writestr(name, content)
    return packed.getvalue()


def chapters_of(parsed: ParsedDocument) -> list[tuple[str, tuple[str, ...], str]]:
    """Each section's place, headings and text."""
    return [
        (section.place.describe() if section.place else "", section.headings, parsed.text[section.start : section.end])
        for section in parsed.sections
    ]


def test_chapters_come_in_reading_order_with_the_names_of_the_table_of_contents() -> None:
    # K1, K5
    parsed = parse_epub(make_book())
    assert parsed.title == "A Sea Story"
    assert chapters_of(parsed) == [
        ("chapter 1: The Storm", ("Chapter I",), "# Chapter I\n\nIt began in a storm.\n\n"),
        ("chapter 2: The Second", ("The Second",), "# The Second\n\nLater.\n\n"),
    ]
    assert "Bodymatter" not in parsed.text


def test_an_older_book_names_its_chapters_in_another_file() -> None:
    # K5
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint><navLabel><text>Storm</text></navLabel>'
        '<content src="text/one%201.xhtml"/></navPoint></navMap></ncx>'
    )
    book = (
        '<package><manifest><item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
        '<item id="one" href="text/one 1.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine toc="n"><itemref idref="one"/></spine></package>'
    )
    parsed = parse_epub(make_book({"OEBPS/book.opf": book, "OEBPS/toc.ncx": ncx, "OEBPS/nav.xhtml": None}))
    assert [place for place, _, _ in chapters_of(parsed)] == ["chapter 1: Storm"]
    assert parsed.title is None


def test_a_missing_chapter_is_named_in_a_remark() -> None:
    # K3
    parsed = parse_epub(make_book({"OEBPS/text/two.xhtml": None}))
    assert len(parsed.sections) == 1
    assert "two.xhtml" in parsed.remarks[0]


def test_a_protected_book_fails_but_scrambled_fonts_do_not_matter() -> None:
    # K3
    encryption = (
        '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
        '<e:EncryptedData><e:EncryptionMethod Algorithm="{}"/><e:CipherData><e:CipherReference URI="{}"/>'
        "</e:CipherData></e:EncryptedData></encryption>"
    )
    font = encryption.format("http://www.idpf.org/2008/embedding", "OEBPS/font.otf")
    assert parse_epub(make_book({"META-INF/encryption.xml": font})).sections
    locked = encryption.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/text/one%201.xhtml")
    with pytest.raises(DocumentFault, match="DRM"):
        parse_epub(make_book({"META-INF/encryption.xml": locked}))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: b"no zip at all", "damaged"),
        (lambda: make_book({"OEBPS/book.opf": "<package>"}), "list of chapters"),
        (lambda: make_book(spine="cover"), "no text"),
        (lambda: make_book({"OEBPS/text/one 1.xhtml": b"0" * 100_000_000}), "bomb"),
    ],
    ids=["no zip", "no list", "no text", "bomb"],
)
def test_what_is_no_book_fails_and_says_why(make: Callable[[], bytes], words: str) -> None:
    # K3
    with pytest.raises(DocumentFault, match=words):
        parse_epub(make())


async def test_a_book_is_read_in_the_confined_reader() -> None:
    # K1
    pool = ParserPool(size=1, limits=ParserLimits())
    try:
        parsed = await pool.parse("application/epub+zip", make_book())
    finally:
        await pool.close()
    assert [place for place, _, _ in chapters_of(parsed)] == ["chapter 1: The Storm", "chapter 2: The Second"]
