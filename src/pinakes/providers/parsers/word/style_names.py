"""What the name of a paragraph style says, in the languages that word processors write it in."""

import re

_HEADING = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|nagłówek|заголовок|标题|標題|見出し|제목)\s*([1-9])",
    re.IGNORECASE,
)
_CONTENTS = re.compile(r"(?:toc|contents)\s*(?:\d|heading)|table of (?:figures|contents|authorities)", re.IGNORECASE)


def read_heading_level(name: str) -> int | None:
    """The level of the headings in this style, 1 being the highest; None if it is for something else."""
    heading = _HEADING.fullmatch(name.strip())
    return int(heading[1]) if heading else None


def is_title(name: str) -> bool:
    """Whether this is the style of a document's title."""
    return name.strip().casefold() == "title"


def is_contents(name: str) -> bool:
    """Whether this is a style of a table of contents, which repeats the headings."""
    return _CONTENTS.fullmatch(name.strip()) is not None
