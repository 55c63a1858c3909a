"""PDF files for tests: ordinary ones by reportlab, hostile ones by hand."""

import io
import zlib

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas


def make_pdf(*pages: str, title: str | None = None, password: str | None = None) -> bytes:
    """A PDF with these pages, one string drawn for each line."""
    file = io.BytesIO()
    encryption = None if password is None else StandardEncryption(password, ownerPassword="owner")
    canvas = Canvas(file, encrypt=encryption)
    if title is not None:
        canvas.setTitle(title)
    for page in pages:
        for number, line in enumerate(page.splitlines()):
            canvas.drawString(72, 720 - 15 * number, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def assemble(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1, of which the first is the catalog."""
    file = bytearray(b"%PDF-1.7\n")
    places: list[int] = []
    for number, body in enumerate(objects, start=1):
        places.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer <</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (size, len(file))
    return bytes(file) + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def make_bomb(megabytes: int) -> bytes:
    """A PDF whose one page unpacks to so many megabytes of blanks."""
    packer = zlib.compressobj(9)
    blanks = b" " * (1 << 20)
    data = b"".join(packer.compress(blanks) for _ in range(megabytes)) + packer.flush()
    return _one_page(b"<</Filter/FlateDecode/Length %d>>\nstream\n%b\nendstream" % (len(data), data))


def make_nested(depth: int) -> bytes:
    """A PDF whose page content opens so many arrays inside each other."""
    return _one_page(b"<</Length %d>>\nstream\n%b\nendstream" % (depth, b"[" * depth))


def make_with_lost_page(text: str) -> bytes:
    """A PDF of two pages, the second of which is not in the file."""
    content = b"BT /F 12 Tf 50 700 Td (%b) Tj ET" % text.encode()
    return assemble(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R 99 0 R]/Count 2>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    )


def make_without_pages() -> bytes:
    """A well-formed PDF of no pages."""
    return assemble(b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[]/Count 0>>")


def _one_page(content: bytes) -> bytes:
    return assemble(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R>>",
        content,
    )
