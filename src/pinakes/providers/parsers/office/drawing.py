"""Charts and diagrams that stand among the text of an office document and have parts of their own."""

from pinakes.providers.parsers.archive import Package
from pinakes.providers.parsers.office.chart import read_chart, read_paragraphs
from pinakes.providers.parsers.office.ooxml import Relation, find_all, find_part
from pinakes.providers.parsers.outline import Outline


def add_drawing(outline: Outline, package: Package, link: Relation | None) -> None:
    """What the drawing that the link leads to says: a chart's title and numbers, or the points of a diagram."""
    root = find_part(package, link.target) if link else None
    if link is None or root is None:
        return
    if link.kind == "chart":
        title, rows = read_chart(root)
        outline.add_paragraph(f"Chart: {title}" if title else "")
        outline.add_table(rows)
    else:
        points = (" ".join(read_paragraphs(point)) for point in find_all(root, "pt"))
        outline.add_paragraph("\n".join(f"- {text}" for text in points if text))
