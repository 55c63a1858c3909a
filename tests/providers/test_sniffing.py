"""What kind of file it is: content and name have to agree."""

import os

import pytest

from pinakes.domain.errors import InvalidInput, UnsupportedFile
from pinakes.providers.sniffing import sniff

_PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(100)


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
        ("notes.txt", _PDF, "a PDF"),
        ("notes.txt", rb"{\rtf1 rich}", "RTF"),
        ("x.md", bytes(range(256)) * 8, "unknown type"),
        ("x.md", b"\x7fELF" + bytes(200), "not named|x-executable|of type"),
        ("x.txt", b"words with a \x00 in them", "unknown type"),
        ("x.txt", b"\x01\x02\x03\x04 no nul but no text either", "unknown type"),
        ("x.txt", b"PK\x03\x04" + bytes(60), "zip|of type"),
        ("movie.xyz", b"words", r"unsupported extension '\.xyz'"),
        ("README", b"words", "no extension"),
    ],
)
def test_what_is_unknown_or_not_what_its_name_says_is_refused_with_the_supported_types(
    name: str, content: bytes, words: str
) -> None:
    # K1
    with pytest.raises(UnsupportedFile, match=words) as refusal:
        sniff(name, content)
    assert "PDF (.pdf), Markdown (.md, .markdown), plain text (.txt, .text)" in refusal.value.message
    assert refusal.value.code == "UNSUPPORTED_FILE_TYPE"


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
