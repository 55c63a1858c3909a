"""A question put to knowledge bases, and what answers it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from pinakes.domain.document import DocumentKind, Tags
from pinakes.domain.parsing import keeps_lines
from pinakes.domain.place import Place

MAX_QUERY = 10_000
MAX_TOP_K = 20
MAX_DEPTH = 1_000


@dataclass(frozen=True, slots=True)
class Filters:
    """Which documents may answer; empty means any. Values of one tag are OR, different tags are AND."""

    tags: Tags = field(default_factory=dict[str, tuple[str, ...]])
    kinds: tuple[DocumentKind, ...] = ()
    updated_from: datetime | None = None
    updated_to: datetime | None = None

    def __bool__(self) -> bool:
        """Whether anything is asked for at all."""
        return bool(self.tags or self.kinds or self.updated_from or self.updated_to)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers, with its place in the original and how its score came about.

    The offsets cover neither the `preface` that the content begins with, a table's repeated header, nor
    the ellipsis that a truncated one ends in.
    """

    chunk_id: str
    chunk_index: int
    content: str
    preface: str
    document_id: str
    document_name: str
    document_title: str | None
    kind: DocumentKind
    tags: Tags
    kb_id: str
    kb_name: str
    place: Place | None
    inside: str | None
    headings: tuple[str, ...]
    start_offset: int
    end_offset: int
    start_line: int
    end_line: int
    media_type: str
    created_at: datetime
    updated_at: datetime
    similarity: float
    dense: float | None
    lexical: float
    fused: float
    rerank: float | None = None
    via: str | None = None
    also_in: tuple[str, ...] = ()
    truncated: bool = False

    @property
    def section(self) -> str | None:
        """The headings the passage stands under, outermost first."""
        return " > ".join(self.headings) or None

    @property
    def page(self) -> int | None:
        """The page, where the original has pages."""
        return self.place.number if self.place and self.place.kind == "page" else None

    @property
    def citation(self) -> str:
        """Where to look it up, for a person: `report.pdf (page 12)`, `mail.eml (report.pdf, page 12)`."""
        return cite(
            self.document_name,
            place=self.place,
            inside=self.inside,
            headings=self.headings,
            media_type=self.media_type,
            chunk_index=self.chunk_index,
            lines=(self.start_line, self.end_line),
        )


def cite(
    document_name: str,
    *,
    place: Place | None,
    inside: str | None,
    headings: Sequence[str],
    media_type: str,
    chunk_index: int,
    lines: tuple[int, int],
) -> str:
    """Where a passage is to be looked up, for a person."""
    if place is not None:
        where = place.describe()
    elif headings:
        where = f"section {' > '.join(headings)}"
    elif inside is not None:
        where = ""
    elif not keeps_lines(media_type):
        where = f"passage {chunk_index + 1}"
    else:
        where = f"line {lines[0]}" if lines[0] == lines[1] else f"lines {lines[0]}–{lines[1]}"
    return f"{document_name} ({', '.join(part for part in (inside, where) if part)})"
