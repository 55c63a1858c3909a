"""PDF: words and lines come out whole, however their letters were set."""

from typing import Any

from pdf_files import Draw, Set, assemble, make_with_extra, typeset
from reportlab.pdfbase.pdfmetrics import stringWidth

from pinakes.providers.parsers.pdf.reader import parse_pdf


def set_wide(y: float, *pieces: str) -> Draw:
    """Pieces of a word in letters three points apart, as text recognition leaves them."""

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 10)
        x = 72.0
        for piece in pieces:
            canvas.drawString(x, y, piece, charSpace=3)
            x += stringWidth(piece, "Helvetica", 10) + 3 * len(piece)

    return draw


def make_kerned(kerning: int) -> bytes:
    """A PDF whose first line says lift, its first letter moved away by thousandths of the type's size."""
    content = b"BT /F 10 Tf 50 700 Td [(l) -%d (ift)] TJ ET" % kerning
    return assemble(
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>\nstream\n%b\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/TrueType/BaseFont/AAAAAA+Narrow/FirstChar 65/LastChar 122/Widths[%b]>>" % (b"300 " * 58),
    )


def test_a_kerned_word_stays_whole_and_one_with_a_blank_does_not() -> None:
    # K1
    assert parse_pdf(make_kerned(85)).text.strip() == "lift"
    assert parse_pdf(make_kerned(250)).text.strip() == "l ift"


def test_a_word_in_spaced_letters_stays_whole() -> None:
    # K1
    assert "North" in parse_pdf(typeset([set_wide(700, "Nort", "h"), Set("and the sea", 680)])).text


def test_a_raised_number_stays_in_its_line() -> None:
    # K1
    pieces = [Set("x", 700), Set("2", 704, 77.2, 7), Set("= 9 holds", 700, 84), Set("for three.", 680)]
    assert parse_pdf(typeset(pieces)).text.startswith("x2 = 9 holds\n")


def test_a_page_taken_out_of_a_form_still_says_what_was_filled_in() -> None:
    # K1
    widget = b"<</Subtype/Widget/Rect[50 600 200 620]/FT/Tx/T(agency)/TU(Name of the agency)/V(Fish and Wildlife)>>"
    assert "- Name of the agency: Fish and Wildlife" in parse_pdf(make_with_extra("A form", b"", widget)).text
