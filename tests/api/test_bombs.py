"""Files made to exhaust whoever opens them end in words, within the limits, and others do not notice."""

import io
import time
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from harness import Server, Workspace, data_of

DOCX_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
DOCX_LINKS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
    'Target="word/document.xml"/></Relationships>'
)
LAUGHS = (
    '<!DOCTYPE lolz [<!ENTITY a "lol">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + "]>"
)
WORDS = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx_with(body: bytes, *, repeat: int = 1) -> bytes:
    """A Word file whose document part is `body`, so many times over."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", DOCX_TYPES)
        archive.writestr("_rels/.rels", DOCX_LINKS)
        with archive.open("word/document.xml", "w", force_zip64=True) as part:
            for _ in range(repeat):
                part.write(body)
    return buffer.getvalue()


def huge_docx() -> bytes:
    """Two gibibytes of white space in two megabytes."""
    return docx_with(b" " * (16 << 20), repeat=128)


def lying_docx() -> bytes:
    """The same, but its directory says that it is small."""
    content = bytearray(docx_with(b" " * (16 << 20), repeat=32))
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = (1_000).to_bytes(4, "little")
    return bytes(content)


def laughing_docx() -> bytes:
    """A billion laughs where the text should be."""
    text = f"<?xml version='1.0'?>{LAUGHS}<w:document {WORDS}><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body>"
    return docx_with(f"{text}</w:document>".encode())


def laughing_xml() -> bytes:
    """A billion laughs plainly."""
    return f'<?xml version="1.0"?>{LAUGHS}<lolz>&j;</lolz>'.encode()


def flate_pdf() -> bytes:
    """A page whose content unpacks to a gibibyte."""
    packer = zlib.compressobj(9)
    stream = b"".join(packer.compress(b"BT (x) Tj ET " * 80_000) for _ in range(1_000)) + packer.flush()
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body = b"%PDF-1.7\n"
    places: list[int] = []
    for number, part in enumerate(parts, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places)
    return body + table + b"trailer << /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % len(body)


def far_cell_xlsx() -> bytes:
    """One cell at the far end of the sheet."""
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><dimension ref="A1:XFD1048576"/>'
        '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>near</t></is></c></row><row r="1048576">'
        '<c r="XFD1048576" t="inlineStr"><is><t>far away</t></is></c></row></sheetData></worksheet>'
    )
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/xl/workbook.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>',
        "_rels/.rels": DOCX_LINKS.replace("word/document.xml", "xl/workbook.xml"),
        "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r='
        '"http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>'
        '<sheet name="Far" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": DOCX_LINKS.replace("word/document.xml", "worksheets/sheet1.xml").replace(
            "officeDocument/2006/relationships/officeDocument", "officeDocument/2006/relationships/worksheet"
        ),
        "xl/worksheets/sheet1.xml": sheet,
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def deep_html() -> bytes:
    """Elements within elements, a hundred thousand deep."""
    return b"<html><body>" + b"<div>" * 100_000 + b"the bottom" + b"</div>" * 100_000


def deep_json() -> bytes:
    """Lists within lists, a hundred thousand deep."""
    return b"[" * 100_000 + b"]" * 100_000


BOMBS: dict[str, Callable[[], bytes]] = {
    "huge.docx": huge_docx,
    "lying.docx": lying_docx,
    "laughing.docx": laughing_docx,
    "laughing.xml": laughing_xml,
    "flate.pdf": flate_pdf,
    "far.xlsx": far_cell_xlsx,
    "deep.html": deep_html,
    "deep.json": deep_json,
}


def zip_of_zips() -> bytes:
    """Ten archives of ten archives of ten, each of ten megabytes."""
    content, name = b"0" * 10_000_000, "0.txt"
    for level in range(3):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(10):
                archive.writestr(f"{number}-{name}", content)
        content, name = buffer.getvalue(), f"{level}.zip"
    return content


@pytest.fixture(scope="module")
def bombed(server: Server) -> dict[str, dict[str, Any]]:
    """All bombs one after another, normal uploads among them, and how each ended."""
    workspace = server.new_workspace()
    kb = workspace.make_kb("Target", embedder="none")
    ends: dict[str, dict[str, Any]] = {}
    for number, (name, make) in enumerate(BOMBS.items()):
        content = make()
        assert len(content) < 50 << 20
        began = time.monotonic()
        answer = workspace.upload(kb, name, content)
        normal = data_of(workspace.upload(kb, f"normal-{number}.txt", f"Plain words, number {number}."))
        normal = workspace.settle(normal["document"]["id"])
        waited = time.monotonic() - began
        ends[name] = {"answer": answer, "normal": normal, "waited": waited}
    for end in ends.values():
        if end["answer"].is_success:
            end["document"] = workspace.settle(data_of(end["answer"])["document"]["id"])
    return ends


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_words_and_normal_uploads_keep_flowing(
    bombed: dict[str, dict[str, Any]], name: str
) -> None:  # K1, K3
    end = bombed[name]
    assert end["normal"]["status"] == "indexed"
    assert end["waited"] < 30, "an innocent document waited for a bomb"
    if end["answer"].is_success:
        document = end["document"]
        assert document["status"] in {"indexed", "failed"}
        assert document["status"] == "indexed" or len(document["error"]) > 20
        assert "our side" not in (document["error"] or "")
    else:
        assert end["answer"].status_code == 415
        assert end["answer"].json()["error"]


def test_what_a_zip_directory_shows_to_be_a_bomb_is_not_even_stored(bombed: dict[str, dict[str, Any]]) -> None:  # K1
    assert bombed["huge.docx"]["answer"].status_code == 415


def test_the_far_cell_and_the_deep_page_are_simply_read(bombed: dict[str, dict[str, Any]]) -> None:  # K1
    assert bombed["far.xlsx"]["document"]["status"] == "indexed"
    assert bombed["deep.html"]["document"]["status"] == "indexed"


def test_an_archive_of_archives_is_not_opened_further(workspace: Workspace) -> None:  # K1
    path = f"/api/knowledge-bases/{workspace.make_kb()}/archives"
    data = data_of(workspace.client.post(path, files={"file": ("all.zip", zip_of_zips())}))
    assert data["accepted"] == 0
    assert data["refused"] == 10
