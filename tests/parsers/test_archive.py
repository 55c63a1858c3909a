"""ZIP packages: parts are read within bounds, and bombs are known before anything is unpacked."""

import io
import struct
import zipfile

import pytest

from pinakes.domain.errors import DocumentFault, UnsupportedFile
from pinakes.providers.parsers.archive import looks_like_bomb, open_package
from pinakes.providers.sniffing import sniff

_MB = 1_000_000


def make_zip(members: dict[str, bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A ZIP file with these members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def patch_directory(content: bytes, offset: int, value: int, form: str) -> bytes:
    """The same with one field of the first directory entry changed."""
    at = content.index(b"PK\x01\x02") + offset
    return content[:at] + struct.pack(form, value) + content[at + struct.calcsize(form) :]


def make_overlapping() -> bytes:
    """Two entries of the directory that share one stretch of data, as bombs do to be small."""
    content = make_zip({"a": b"x" * 1_000, "b": b"y"})
    second = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 4)
    return content[: second + 42] + struct.pack("<I", 0) + content[second + 46 :]


def test_parts_are_found_whatever_the_case_and_slashes_of_their_names() -> None:
    # K1
    package = open_package(make_zip({"word\\Document.xml": b"<a/>", "/x/y": b"2", "folder/": b""}), what="a test")
    assert package.names == {"word/Document.xml", "x/y"}
    assert package.read("word/document.xml") == b"<a/>"
    assert package.find("/x/y") == b"2"
    assert package.find("missing") is None


def test_a_missing_part_is_damage_in_the_words_of_the_format() -> None:
    # K1, K3
    package = open_package(make_zip({"a": b"1"}), what="a Word document")
    with pytest.raises(DocumentFault, match=r"^The file is damaged and cannot be opened as a Word document\.$"):
        package.read("b")


def test_a_part_is_read_no_further_than_its_limit() -> None:
    # K1
    package = open_package(make_zip({"a": b"x" * 2 * _MB, "b": b"fine"}), what="a test")
    with pytest.raises(DocumentFault, match="more than the 1 MB allowed"):
        package.read("a", limit=_MB)
    assert package.read("b") == b"fine"


def test_all_reads_together_are_bounded_too() -> None:
    # K1
    package = open_package(make_zip({"a": bytes(10 * _MB)}, method=zipfile.ZIP_STORED), what="a test")
    for _ in range(25):
        package.read("a")
    with pytest.raises(DocumentFault, match="unpacks to more"):
        package.read("a")


def test_a_part_larger_than_it_says_is_damage_and_not_unpacked() -> None:
    # K1
    lying = patch_directory(make_zip({"a": b"x" * 5 * _MB}), 24, 100, "<I")
    with pytest.raises(DocumentFault, match="damaged"):
        open_package(lying, what="a test").read("a")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"just words", "damaged and cannot be opened as a test"),
        (make_zip({"a": b"x" * 900})[:60], "damaged"),
        (patch_directory(make_zip({"a": b"x"}), 8, 1, "<H"), "protected by a password"),
        (make_overlapping(), "overlap"),
    ],
    ids=["no zip", "truncated", "encrypted", "overlapping"],
)
def test_what_cannot_be_opened_fails_in_words(content: bytes, words: str) -> None:
    # K1, K3
    with pytest.raises(DocumentFault, match=words):
        open_package(content, what="a test")


def test_a_damaged_part_fails_in_words() -> None:
    # K3
    content = make_zip({"a": bytes(range(256)) * 20})
    broken = content[:40] + b"\xff\xff\xff\xff" + content[44:]
    with pytest.raises(DocumentFault, match="damaged"):
        open_package(broken, what="a test").read("a")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_cannot_be_bounded_is_not_unpacked(method: int) -> None:
    # K1
    with pytest.raises(DocumentFault, match="damaged"):
        open_package(make_zip({"a": b"x" * _MB}, method=method), what="a test").read("a")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (make_zip({"a": bytes(40 * _MB)}), "times its size"),
        (patch_directory(make_zip({"a": b"x"}), 24, 600 * _MB, "<I"), "600 MB, more than the 512 MB"),
        (make_overlapping(), "overlap"),
        (make_zip({"a": b"x"}) + b"PK\x01\x02" * 20_001, "20,000 parts"),
    ],
    ids=["ratio", "sum", "overlap", "members"],
)
def test_a_bomb_is_known_by_its_directory_and_refused_at_upload(content: bytes, words: str) -> None:
    # K1
    assert words in (looks_like_bomb(content) or "")
    with pytest.raises(UnsupportedFile, match=words):
        sniff("report.docx", content)


@pytest.mark.parametrize("content", [b"", b"words", b"PK\x03\x04", make_zip({"a": bytes(_MB)}), make_zip({})])
def test_what_is_harmless_or_no_zip_is_no_bomb(content: bytes) -> None:
    # K1
    assert looks_like_bomb(content) is None


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("book.xlsb", {"[Content_Types].xml": b'"application/vnd.ms-excel.sheet.binary.macroEnabled.main"'}),
        ("plan.odg", {"mimetype": b"application/vnd.oasis.opendocument.graphics"}),
    ],
)
def test_an_office_file_of_another_kind_is_not_called_an_archive(name: str, members: dict[str, bytes]) -> None:
    # K1
    with pytest.raises(UnsupportedFile, match="an Office file of another kind"):
        sniff(name, make_zip(members))
