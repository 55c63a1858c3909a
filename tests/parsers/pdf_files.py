"""PDF files for tests: ordinary ones by reportlab, hostile ones by hand."""

import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

Draw = Callable[[Any], None]


@dataclass(frozen=True)
class Set:
    """A line of text and how it is set; `y` is the height of its baseline over the page's lower edge."""

    text: str
    y: float
    x: float = 72
    size: float = 10
    bold: bool = False

    def __call__(self, canvas: Any) -> None:
        """Draw it."""
        canvas.setFont("Helvetica-Bold" if self.bold else "Helvetica", self.size)
        canvas.drawString(self.x, self.y, self.text)


def typeset(*pages: Sequence[Draw]) -> bytes:
    """A PDF whose pages are drawn by these, in their order."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(595, 842))
    for page in pages:
        for draw in page:
            draw(canvas)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def paragraph(y: float, *lines: str, x: float = 72) -> list[Draw]:
    """Lines of text below each other."""
    return [Set(line, y - 12 * number, x) for number, line in enumerate(lines)]


def picture(image: Image.Image) -> Draw:
    """An image over the whole page, as a scanner makes it."""

    def draw(canvas: Any) -> None:
        canvas.drawImage(ImageReader(image), 0, 0, 595, 842)

    return draw


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


def make_with_extra(text: str, catalog: bytes, *objects: bytes) -> bytes:
    """A PDF of one page with these entries in its catalog and these objects, numbered from 6."""
    content = b"BT /F 12 Tf 50 700 Td (%b) Tj ET" % text.encode()
    return assemble(
        b"<</Type/Catalog/Pages 2 0 R%b>>" % catalog,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Annots[null 6 0 R]"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        *objects,
    )


def make_with_attachment(text: str, name: str) -> bytes:
    """A PDF of one page to which a file of this name is attached."""
    return make_with_extra(
        text,
        b"/Names<</EmbeddedFiles<</Names[(%b) 6 0 R]>>>>" % name.encode(),
        b"<</Type/Filespec/F(%b)/UF(%b)/EF<</F 7 0 R>>>>" % (name.encode(), name.encode()),
        b"<</Type/EmbeddedFile/Length 4>>\nstream\nname\nendstream",
    )
