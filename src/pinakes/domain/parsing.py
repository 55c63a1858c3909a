"""What a parser makes of a file: its text, and where its pages and sections are."""

from dataclasses import dataclass
from typing import Literal

MediaType = Literal["text/plain", "text/markdown", "application/pdf"]


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the text that no chunk may cross: a page, or what stands below one heading."""

    start: int
    end: int
    page: int | None = None
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The text of a document and its sections in order; offsets count characters of `text`."""

    text: str
    sections: tuple[Section, ...]
    markdown: bool = False
    title: str | None = None
