"""Charts inside office documents: the title and the numbers behind the drawing, as a table."""

from typing import Any

from pinakes.providers.parsers.office.ooxml import find_all, find_first
from pinakes.providers.parsers.sheets.number_format import show_number

_MOST_POINTS = 10_000


def read_chart(root: Any) -> tuple[str, list[list[str]]]:
    """The chart's title, and a table with a row for each category and a column for each series."""
    chart = find_first(root, "chart")
    title = None if chart is None else next((part for part in chart if part.tag.endswith("}title")), None)
    series = list(find_all(root, "ser"))
    names = [_read_name(one, index) for index, one in enumerate(series, start=1)]
    categories: dict[int, str] = {}
    for one in series:
        categories = {**_read_points(one, "cat", "xVal"), **categories}
    values = [_read_points(one, "val", "yVal") for one in series]
    rows = sorted({index for points in (categories, *values) for index in points})
    table = [[categories.get(index, ""), *(points.get(index, "") for points in values)] for index in rows]
    words = "" if title is None else " ".join(read_paragraphs(title))
    return words, [["", *names], *table] if table else []


def read_paragraphs(element: Any) -> list[str]:
    """The paragraphs of a drawing's text, without the empty ones."""
    lines = ("".join(text.text or "" for text in find_all(part, "t")) for part in find_all(element, "p"))
    return [" ".join(line.split()) for line in lines if line.strip()]


def _read_name(series: Any, number: int) -> str:
    name = find_first(series, "tx", "v")
    return (name.text or "").strip() if name is not None else f"Series {number}"


def _read_points(series: Any, *kinds: str) -> dict[int, str]:
    source = next((part for kind in kinds if (part := find_first(series, kind)) is not None), None)
    if source is None:
        return {}
    points: dict[int, str] = {}
    # Categories may have several levels; the first is the finest and says enough.
    level = find_first(source, "lvl")
    code = find_first(source, "formatCode")
    for point in find_all(source if level is None else level, "pt"):
        index, value = point.get("idx", ""), find_first(point, "v")
        if index.isdigit() and value is not None and len(points) < _MOST_POINTS:
            points[int(index)] = show_number(value.text or "", (code is not None and code.text) or "General")
    return points
