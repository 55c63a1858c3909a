"""A question put to knowledge bases, and what answers it."""

from dataclasses import dataclass, field
from datetime import datetime

from pinakes.domain.document import DocumentKind, Tags

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

    A truncated one ends in an ellipsis that its offsets do not cover.
    """

    chunk_id: str
    chunk_index: int
    content: str
    document_id: str
    document_name: str
    document_title: str | None
    kind: DocumentKind
    tags: Tags
    kb_id: str
    kb_name: str
    page: int | None
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
    truncated: bool = False

    @property
    def section(self) -> str | None:
        """The headings the passage stands under, outermost first."""
        return " > ".join(self.headings) or None

    @property
    def citation(self) -> str:
        """Where to look it up, for a person: `report.pdf (page 12)`."""
        if self.page is not None:
            return f"{self.document_name} (page {self.page})"
        if self.headings:
            return f"{self.document_name} (section {self.section})"
        if self.start_line == self.end_line:
            return f"{self.document_name} (line {self.start_line})"
        return f"{self.document_name} (lines {self.start_line}–{self.end_line})"
