"""A chunk: a passage of a document with its place in the original."""

from dataclasses import dataclass

from pinakes.domain.place import Place

MAX_CHUNKS = 50_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """`content` is exactly `text[start:end]` of the parsed document; lines count from 1.

    `preface` is the header of the table that the passage belongs to, repeated so that the rows can be read.
    """

    ordinal: int
    content: str
    start: int
    end: int
    place: Place | None
    headings: tuple[str, ...]
    start_line: int
    end_line: int
    tokens: int
    preface: str = ""
    inside: str | None = None

    @property
    def index_text(self) -> str:
        """What is embedded and analysed: the passage under its headings, so that it stands on its own."""
        return put_under_headings(self.headings, self.preface + self.content)


def put_under_headings(headings: tuple[str, ...], content: str) -> str:
    """The passage with its heading path above it; headings that it begins with are not said twice."""
    if not headings:
        return content
    return f"{' > '.join(headings)}\n{content[end_of_headings(content, headings) :]}"


def end_of_headings(text: str, headings: tuple[str, ...], start: int = 0, end: int | None = None) -> int:
    """Where the lines end that a stretch of text begins with and that are headings it stands under."""
    end = len(text) if end is None else end
    after = start
    while start < end:
        line_end = text.find("\n", start, end)
        line_end = end if line_end < 0 else line_end
        line = text[start:line_end].strip().strip("#").strip()
        if line and line not in headings:
            break
        start = line_end + 1
        after = min(start, end)
    return after
