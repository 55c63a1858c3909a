"""A question put to knowledge bases, and what answers it."""

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
        where = [self.inside, self._where()] if self.inside else [self._where()]
        return f"{self.document_name} ({', '.join(part for part in where if part)})"

    def _where(self) -> str:
        if self.place is not None:
            return self.place.describe()
        if self.headings:
            return f"section {self.section}"
        if self.inside is not None:
            return ""
        if not keeps_lines(self.media_type):
            return f"passage {self.chunk_index + 1}"
        if self.start_line == self.end_line:
            return f"line {self.start_line}"
        return f"lines {self.start_line}–{self.end_line}"
