"""What stands beside a document's text, put after it: notes, comments, headers and footers."""

import re
from collections.abc import Iterable, Iterator

from pinakes.providers.parsers.outline import Outline

_FURNITURE_WORDS = 3  # "Page 3 of 9" in any language
_WORD = re.compile(r"[^\W\d_]{2,}")


def add_end_matter(outline: Outline, heading: str, lines: Iterable[str]) -> None:
    """Put the lines under a heading of their own; nothing where there are none."""
    written = [line for line in lines if line.strip()]
    if written:
        outline.forget_headings()
        outline.add_heading(heading, 1)
        outline.add_paragraph("\n\n".join(written))


def pick_furniture(lines: Iterable[tuple[str, bool]], body: str) -> Iterator[str]:
    """The lines of headers and footers with words that are not in the body, each once.

    The second of each pair says whether the line has the page's number in it.
    """
    seen = "".join(body.split())
    for line, has_page_number in lines:
        words = _WORD.findall(line)
        counts_pages = has_page_number and len(words) <= _FURNITURE_WORDS
        if not counts_pages and any(word not in seen for word in words):
            seen += "".join(line.split())
            yield line
