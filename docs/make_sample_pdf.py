"""Writes the PDF of the sample knowledge base, the same bytes at every run: python docs/make_sample_pdf.py"""

from pathlib import Path

from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import cm
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate

TARGET = Path(__file__).parents[1] / "src" / "pinakes" / "sample" / "catalogues-through-the-ages.pdf"
TITLE = "Catalogues Through the Ages"

PAGES = (
    """
# Lists before print

## Clay

One of the oldest known lists of literary works is a Sumerian clay tablet from Nippur, written before 1600 BC.
It is smaller than a hand and names 62 compositions by their first words. In the seventh century BC King
Ashurbanipal gathered a library at Nineveh; more than 30,000 of its tablets and fragments are now in the
British Museum.

## China

In 26 BC the scholar Liu Xiang was ordered to collate the books of the Han imperial library. His son Liu Xin
finished the work as the Seven Epitomes, the first classified catalogue of Chinese literature. It survives in
abridged form in the History of the Former Han.

## Baghdad

Ibn al-Nadim, a bookseller and a bookseller's son, completed the Fihrist in AD 987 or 988. In ten discourses
it lists the books in Arabic that he knew, by Arabs and non-Arabs alike, with notes on their authors. For
many of these books it is the only trace.
""",
    """
# Printed catalogues

## One man's bibliography

In 1545 the Zurich physician Conrad Gessner published the Bibliotheca universalis. It describes the works of
some three thousand authors who wrote in Latin, Greek or Hebrew, in alphabetical order of their first names.
He is often called the father of bibliography.

## The catalogue of a library

In 1595 the University of Leiden printed the Nomenclator, the first printed catalogue of an institution's
library. Ten years later, in 1605, Thomas James printed the first catalogue of the Bodleian Library in Oxford.
A printed catalogue could be read anywhere, but it was out of date on the day it appeared: every new book had
to be written into the margin.
""",
    """
# Rules and cards

## Playing cards

The French revolutionary government confiscated the libraries of the church and needed to know what was in
them. Its instructions of 1791 told clerks to write each title on a card, and since paper was short, the blank
backs of playing cards were used. The instructions are often named as the first national cataloguing code.

## Ninety-one rules

Anthony Panizzi of the British Museum published his Ninety-One Cataloguing Rules in 1841. They are the
ancestor of the rules that English-speaking libraries used for the next century and a half.

## The year 1876

In 1876 Melvil Dewey published his Decimal Classification, which divides knowledge into ten classes, and
Charles Ammi Cutter his Rules for a Printed Dictionary Catalogue. Cutter said what a catalogue is for: to find
a book whose author, title or subject is known, to show what the library has, and to help in the choice of a
book.

## Cards for everyone

The usual card measured 7.5 by 12.5 centimetres. In 1901 the Library of Congress began to sell printed cards,
so that a book was catalogued once and not in every library again.
""",
    """
# Machines

## MARC

Henriette Avram, a programmer at the Library of Congress, led the design of MARC, the machine-readable
catalogue record. A pilot with sixteen libraries began in 1966, and weekly tapes were distributed from 1969
on. Most library catalogues still exchange records in its successors.

## The shared catalogue

OCLC was founded in Ohio in 1967 under Frederick Kilgour. On 26 August 1971 the library of Ohio University
catalogued the first book online. OCLC printed its last catalogue cards on 1 October 2015.

## From catalogue to search

In 1972 Karen Spärck Jones proposed that a word should count for more the fewer documents contain it. The idea
lives on in BM25, a ranking formula presented at the TREC-3 conference in 1994 and still in wide use. A
catalogue describes a book; a search engine reads it.
""",
)

STYLES = {
    "# ": ParagraphStyle("heading", fontName="Times-Bold", fontSize=18, leading=24, spaceAfter=12),
    "## ": ParagraphStyle("subheading", fontName="Times-Bold", fontSize=12, leading=16, spaceBefore=8),
    "": ParagraphStyle("body", fontName="Times-Roman", fontSize=11, leading=15, spaceAfter=6),
}


def write_pdf(target: Path) -> None:
    """One page for each chapter, so that a fact can be cited by its page."""
    margin = 1.8 * cm
    document = SimpleDocTemplate(
        str(target),
        pagesize=A5,
        leftMargin=margin,
        rightMargin=margin,
        topMargin=margin,
        bottomMargin=margin,
        title=TITLE,
        author="Pinakes",
        subject="Sample document",
        creator="Pinakes",
        invariant=1,
    )
    document.build([flowable for page in PAGES for flowable in lay_out(page)])


def lay_out(page: str) -> list[Flowable]:
    """The headings and paragraphs of a page, and its end."""
    laid: list[Flowable] = []
    for block in page.strip().split("\n\n"):
        mark = next(mark for mark in STYLES if block.startswith(mark))
        laid.append(Paragraph(block.removeprefix(mark), STYLES[mark]))
    return [*laid, PageBreak()]


if __name__ == "__main__":
    write_pdf(TARGET)
