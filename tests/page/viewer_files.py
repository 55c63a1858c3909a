"""Originals to open in the viewer, made by the tests themselves."""

import io
import os
from email.message import EmailMessage
from typing import Any

import openpyxl
import pptx
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from parsers.pdf_files import assemble

MARKDOWN = """# Oaks

Oaks can live for a **thousand years**, and some are older.

## Care

- Water young oaks in *dry* summers.
- Never cut them in spring, see [the guide](https://example.org/oaks).

| Part | Use |
| --- | --- |
| Bark | Tanning of leather |
| Acorns | Fodder for pigs |

## Danger

<script>window.ran = true</script> Lightning strikes oaks more often than beeches.
"""
CODE = '''"""Growth of trees."""


def grow(height: float, years: int) -> float:
    """The height of an oak after some more years; oaks grow slowly."""
    for _ in range(years):
        height *= 1.01
    return height
'''
HOSTILE_HTML = """<html><head><title>Beech trees</title></head><body><h1>Beech trees</h1>
<p>Beeches cast a deep shadow where little else grows.</p>
<script>window.ran = true; document.title = document.cookie + 'ran'</script>
<img src="x" onerror="window.ran = true"></body></html>"""
HOSTILE_SVG = """<svg xmlns="http://www.w3.org/2000/svg" onload="window.ran = true">
<script>window.ran = true</script><text>A drawing of hornbeam leaves and their teeth.</text></svg>"""
LAST_PAGES = 300
CITED_PAGE = 200
CITED_LINE = "The Wollemi pine was thought extinct until a ranger found it in a canyon."


def saved(document: Any) -> bytes:
    """What a library's `save` writes."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def make_chinese_pdf() -> bytes:
    """Two pages whose font is not in the file, as most East Asian PDFs of offices are."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))  # pyright: ignore[reportUnknownMemberType]
    file = io.BytesIO()
    canvas = Canvas(file)
    for lines in (
        ("森林概况", "本报告介绍各地的森林。"),
        ("银杏", "银杏是世界上最古老的树种之一,", "寿命可达三千年以上。"),
    ):
        canvas.setFont("STSong-Light", 16)
        for number, line in enumerate(lines):
            canvas.drawString(72, 720 - 30 * number, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def make_slides() -> bytes:
    """A presentation of three slides."""
    deck = pptx.Presentation()
    for title, body in (
        ("Trees of the park", "A walk in ten stops"),
        ("The plane tree", "Planted in 1789\nIts bark peels in plates\nIt shades the whole square"),
        ("The yew", "Its wood made longbows"),
    ):
        slide: Any = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
    return saved(deck)


def make_sheet() -> bytes:
    """A workbook whose second sheet is a table of costs."""
    book = openpyxl.Workbook()
    first: Any = book.active
    first.title = "Notes"
    first.append(["Made by the forestry office"])
    costs: Any = book.create_sheet("Costs")
    costs.append(["Work", "Hours", "Euro"])
    for row in (["Pruning of limes", 12, 480], ["Stump grinding", 3, 210], ["Planting of rowans", 8, 350]):
        costs.append(row)
    return saved(book)


def make_letter() -> bytes:
    """An e-mail with a text attached."""
    letter = EmailMessage()
    letter["From"], letter["To"], letter["Subject"] = "ada@example.org", "bo@example.org", "The larches"
    letter.set_content("Dear Bo,\n\nthe larches turned golden in October, earlier than ever.\n\nAda")
    letter.add_attachment("Measured: 31 metres, the tallest larch so far.", filename="measures.txt")
    return letter.as_bytes()


def make_long_pdf() -> bytes:
    """300 pages of 40 kB each, in a tree as typesetting programs write it; one of them says something."""
    fan, picture = 30, 200
    nodes = LAST_PAGES // fan
    objects: list[bytes] = []
    first_page = 3 + nodes
    kids = b" ".join(b"%d 0 R" % (3 + node) for node in range(nodes))
    objects.append(b"<</Type/Catalog/Pages 2 0 R>>")
    objects.append(b"<</Type/Pages/Kids[%b]/Count %d>>" % (kids, LAST_PAGES))
    for node in range(nodes):
        leaves = b" ".join(b"%d 0 R" % (first_page + 3 * (node * fan + leaf)) for leaf in range(fan))
        objects.append(b"<</Type/Pages/Parent 2 0 R/Kids[%b]/Count %d>>" % (leaves, fan))
    font = b"/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
    for page in range(LAST_PAGES):
        number = first_page + 3 * page
        text = f"BT /F 12 Tf 72 700 Td ({CITED_LINE}) Tj ET" if page + 1 == CITED_PAGE else ""
        content = f"q 300 0 0 300 72 300 cm /I Do Q {text}".encode()
        objects.append(
            b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</XObject<</I %d 0 R>>%b>>>>"
            % (3 + page // fan, number + 1, number + 2, font)
        )
        objects.append(b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content))
        objects.append(
            b"<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceGray/Length %d>>\n"
            b"stream\n%b\nendstream" % (picture, picture, picture * picture, os.urandom(picture * picture))
        )
    return assemble(*objects)
