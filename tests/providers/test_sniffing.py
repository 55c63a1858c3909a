"""What kind of file it is: content and name have to agree."""

import contextlib
import io
import os
import zipfile
from pathlib import PurePath

import pytest

from pinakes.domain.errors import InvalidInput, UnsupportedFile
from pinakes.providers.parsers.registry import make_parsers
from pinakes.providers.sniffing import FORMATS, is_archive, list_formats, sniff

_PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(100)
_RTF = rb"{\rtf1 rich}"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_DOCX = f"{_OFFICE}wordprocessingml.document"
_PPTX = f"{_OFFICE}presentationml.presentation"
_XLSX = f"{_OFFICE}spreadsheetml.sheet"
_ODF = "application/vnd.oasis.opendocument."
_MAIL = b"Received: from here\r\nSubject: Hi\r\n\r\nbody"


def make_zip(**members: str) -> bytes:
    """A ZIP file whose members are named by the keys."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def make_office(main_type: str) -> bytes:
    """A package whose main part is of this type."""
    types = f'<Types><Default ContentType="image/png"/><Override ContentType="application/vnd.{main_type}"/></Types>'
    return make_zip(**{"word/embeddings/sheet.xlsx": "PK", "[Content_Types].xml": types})


def make_ole(*streams: str) -> bytes:
    """An OLE file with these empty streams in its root."""
    end, free, fat_sector = b"\xfe\xff\xff\xff", b"\xff\xff\xff\xff", b"\xfd\xff\xff\xff"
    sectors = (len(streams) + 4) // 4
    head = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + bytes.fromhex("3e000300feff09000600") + bytes(10)
    counts = [1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0]
    header = head + b"".join(count.to_bytes(4, "little") for count in counts) + bytes(4) + free * 108
    chain = [(index + 1).to_bytes(4, "little") for index in range(1, sectors)] + [end]
    fat = fat_sector + b"".join(chain)
    directory = make_entry("Root Entry", 5, child=1)
    for number, name in enumerate(streams, start=1):
        directory += make_entry(name, 2, right=number + 1 if number < len(streams) else None)
    return header + fat.ljust(512, b"\xff") + directory.ljust(512 * sectors, b"\0")


def make_entry(name: str, kind: int, *, right: int | None = None, child: int | None = None) -> bytes:
    """One entry of an OLE directory."""
    label = name.encode("utf-16-le") + b"\0\0"
    links = [0xFFFFFFFF, 0xFFFFFFFF if right is None else right, 0xFFFFFFFF if child is None else child]
    return (
        label.ljust(64, b"\0")
        + len(label).to_bytes(2, "little")
        + bytes([kind, 1])
        + b"".join(link.to_bytes(4, "little") for link in links)
        + bytes(36)
        + b"\xfe\xff\xff\xff"
        + bytes(8)
    )


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("report.pdf", _PDF, "application/pdf"),
        ("REPORT.PDF", b"\r\n\r\n" + _PDF, "application/pdf"),
        ("folder/notes.txt", b"BM25 begins like a bitmap", "text/plain"),
        ("notes.md", "# Überschrift\n".encode(), "text/markdown"),
        ("notes.markdown", "# заголовок и обычный текст\n".encode("cp1251"), "text/markdown"),
        ("latin.txt", "Él niño comió piñas".encode("latin-1"), "text/plain"),
        ("bom.txt", "text".encode("utf-8-sig"), "text/plain"),
        ("wide.txt", "text in sixteen bits".encode("utf-16"), "text/plain"),
        ("wide.txt", "text in thirty-two bits".encode("utf-32"), "text/plain"),
        ("unmarked.txt", "text in sixteen bits without a mark".encode("utf-16-le"), "text/plain"),
        ("japanese.txt", "これは日本語のテキストです。".encode("iso2022_jp"), "text/plain"),
        ("README", b"words", "text/plain"),
        ("about.md", b"A file that begins with %PDF-1.7 is a PDF.", "text/markdown"),
        ("letter.docx", make_office("openxmlformats-officedocument.wordprocessingml.document.main+xml"), _DOCX),
        ("macro.docm", make_office("ms-word.document.macroEnabled.main+xml"), _DOCX),
        ("show.ppsx", make_office("openxmlformats-officedocument.presentationml.slideshow.main+xml"), _PPTX),
        ("sums.xlsx", make_office("openxmlformats-officedocument.spreadsheetml.sheet.main+xml"), _XLSX),
        ("locked.docx", make_ole("EncryptionInfo", "EncryptedPackage"), _DOCX),
        ("locked.xlsx", make_ole("EncryptionInfo", "EncryptedPackage"), _XLSX),
        ("cut.docx", make_office("x")[:50], _DOCX),
        ("cut.epub", make_office("x")[:50], "application/epub+zip"),
        ("text.odt", make_zip(mimetype=f"{_ODF}text"), f"{_ODF}text"),
        ("sums.ods", make_zip(**{"META-INF/manifest.xml": f'"{_ODF}spreadsheet"'}), f"{_ODF}spreadsheet"),
        ("book.epub", make_zip(mimetype="application/epub+zip"), "application/epub+zip"),
        ("book.epub", make_zip(**{"META-INF/container.xml": "<x/>"}), "application/epub+zip"),
        ("old.doc", make_ole("1Table", "WordDocument"), "application/msword"),
        ("old.doc", make_ole("WordDocument")[:600], "application/msword"),
        ("old.xls", make_ole("Book"), "application/vnd.ms-excel"),
        ("old.ppt", make_ole("Current User", "PowerPoint Document"), "application/vnd.ms-powerpoint"),
        ("mail.msg", make_ole("__properties_version1.0"), "application/vnd.ms-outlook"),
        ("letter.hwp", make_ole("FileHeader", "DocInfo", "BodyText"), "application/x-hwp"),
        ("rich.rtf", _RTF, "application/rtf"),
        ("page.htm", b"<p>words", "text/html"),
        ("feed.xml", "<?xml version='1.0'?><a/>".encode("utf-16"), "application/xml"),
        ("mail.eml", _MAIL + bytes(3), "message/rfc822"),
        ("mail.mbox", b"From me Thu Jan  1 00:00:00 2026\n" + _MAIL, "application/mbox"),
        ("data.json", b"{not quite", "application/json"),
        ("data.jsonl", b"{}\n{}\n", "application/jsonl"),
        ("work.ipynb", b'\n{"cells": []}', "application/x-ipynb+json"),
        ("main.py", b"print(1)", "text/x-python"),
        ("lib.rs", b"fn main() {}", "text/x-rust"),
        ("setup.cfg", b"[a]\nb=1", "text/x-ini"),
        ("guide.rst", b"Title\n=====\n", "text/x-rst"),
        ("notes.org", b"* Title\n", "text/x-org"),
    ],
)
def test_a_supported_file_is_recognised(name: str, content: bytes, media_type: str) -> None:
    # K1
    assert sniff(name, content) == media_type


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("report.pdf", _PNG, "image/png"),
        ("report.pdf", b"just words", "plain text"),
        ("report.docx", _PDF, r"named as Word but its content is a PDF file \(\.pdf\)"),
        ("report.docx", b"just words", "plain text"),
        ("report.docx", make_zip(a="1"), "a ZIP archive"),
        (
            "report.docx",
            make_office("openxmlformats-officedocument.spreadsheetml.sheet.main+xml"),
            r"an Excel file \(\.xlsx\)",
        ),
        ("report.doc", make_office("openxmlformats-officedocument.wordprocessingml.document.main+xml"), r"\(\.docx\)"),
        ("report.docx", make_ole("WordDocument"), r"a Word file \(\.doc\)"),
        ("report.doc", _RTF, "an RTF file"),
        ("report.xls", make_ole("WordDocument"), r"a Word file \(\.doc\)"),
        ("report.xls", make_ole("Visio"), "Office file of another kind"),
        ("report.odt", b"This is not a zip file!\n", "plain text"),
        ("locked.bin", make_ole("EncryptedPackage"), "protected by a password"),
        ("main.py", _PNG, "image/png"),
        ("feed.xml", b"no markup", "plain text"),
        ("mail.eml", b"Dear all,\n\nplain words", "plain text"),
        ("mail.mbox", _MAIL, "plain text"),
        ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(60), "image/jpeg"),
        ("letter.zip", make_zip(mimetype=f"{_ODF}text"), "OpenDocument"),
        ("notes.txt", _PDF, r"a PDF file"),
        ("notes.txt", b"%!PS-Adobe-3.0", "PostScript"),
        ("notes.txt", _RTF, "RTF"),
        ("x.md", bytes(range(256)) * 8, "unknown type"),
        ("x.md", b"\x7fELF" + bytes(200), "not named|x-executable|of type"),
        ("x.txt", b"words with a \x00 in them", "unknown type"),
        ("x.txt", b"\x01\x02\x03\x04 no nul but no text either", "unknown type"),
        ("x.txt", b"PK\x03\x04" + bytes(60), "ZIP file that cannot be opened"),
        ("movie.xyz", b"words", r"unsupported extension '\.xyz'"),
        ("words", b"words", "no extension, and its content is plain text"),
    ],
)
def test_what_is_unknown_or_not_what_its_name_says_is_refused_with_the_supported_types(
    name: str, content: bytes, words: str
) -> None:
    # K1
    with pytest.raises(UnsupportedFile, match=words) as refusal:
        sniff(name, content)
    assert refusal.value.message.endswith(list_formats())
    assert refusal.value.code == "UNSUPPORTED_FILE_TYPE"


@pytest.mark.parametrize("name", ["files.zip", "files.jar"])
def test_an_archive_is_refused_with_the_way_to_upload_it(name: str) -> None:
    # K1
    with pytest.raises(UnsupportedFile, match="ZIP archive, not a document: upload it as an archive"):
        sniff(name, make_zip(a="1"))


def test_an_empty_file_is_refused_as_empty() -> None:
    # K1
    with pytest.raises(InvalidInput, match="is empty"):
        sniff("notes.txt", b"")


def test_random_bytes_are_never_taken_for_a_document() -> None:
    # K1
    for size in (200, 1_000, 100_000):
        for name in ("x.txt", "x.md", "x.pdf"):
            with pytest.raises(UnsupportedFile):
                sniff(name, b"\x00" + os.urandom(size))


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (_PDF, "application/pdf"),
        (_RTF, "application/rtf"),
        (make_zip(mimetype=f"{_ODF}presentation"), f"{_ODF}presentation"),
        (make_ole("WordDocument"), "application/msword"),
        (make_office("openxmlformats-officedocument.wordprocessingml.document.main+xml"), _DOCX),
    ],
)
@pytest.mark.parametrize("name", ["download", "report.2024", "file.tmp"])
def test_content_that_can_be_nothing_else_needs_no_extension(name: str, content: bytes, media_type: str) -> None:
    # K1
    assert sniff(name, content) == media_type


def test_a_mention_of_a_document_inside_of_another_does_not_decide() -> None:
    # K1
    nested = make_zip(**{"[Content_Types].xml": "<Types/>", "a.docx": "wordprocessingml.document.main+xml"})
    with pytest.raises(UnsupportedFile, match="ZIP archive"):
        sniff("nested.docx", nested)


def test_an_archive_is_known_by_name_and_content() -> None:
    # K1
    assert is_archive("files.ZIP", make_zip(a="1"))
    assert not is_archive("files.zip", b"words")
    assert not is_archive("files.docx", make_zip(a="1"))
    assert not is_archive("letter.zip", make_zip(mimetype=f"{_ODF}text"))


def test_the_list_of_formats_names_each_family_once() -> None:
    # K1
    words = list_formats()
    assert words.startswith("Supported: PDF (.pdf), Word (.docx, .doc), PowerPoint (.pptx, .ppt), Excel (.xlsx, .xls)")
    assert words.endswith("source code (.py, .js, .ts, .tsx, .java, .go, …).")
    assert len(words) < 600


def test_every_format_has_a_parser_and_an_extension_of_its_own() -> None:
    # K1
    assert {kind.media_type for kind in FORMATS} == set(make_parsers(ocr_languages=None))
    extensions = [extension for kind in FORMATS for extension in kind.extensions]
    assert len(extensions) == len(set(extensions))
    assert all(PurePath(f"x{extension}").suffix == extension == extension.lower() for extension in extensions)


@pytest.mark.parametrize("header", [b"PK\x03\x04", bytes.fromhex("d0cf11e0a1b11ae1")])
def test_random_bytes_behind_a_true_header_raise_nothing_unexpected(header: bytes) -> None:
    # K1
    for size in (10, 500, 5_000):
        for name in ("x.docx", "x.doc", "x.bin", "x.txt"):
            with contextlib.suppress(UnsupportedFile):
                assert sniff(name, header + os.urandom(size))
