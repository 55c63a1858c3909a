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
    """The passage with its heading path above it."""
    return f"{' > '.join(headings)}\n{content}" if headings else content
