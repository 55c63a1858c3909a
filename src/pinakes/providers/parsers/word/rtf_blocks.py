"""What is found in an RTF file: blocks in reading order, and what stands beside them."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, or a table where it has rows."""

    text: str = ""
    level: int | None = None
    style: str = ""
    mark: str | None = None
    depth: int = 0
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class Contents:
    """All that was found in a file."""

    blocks: list[Block] = field(default_factory=list[Block])
    footnotes: list[str] = field(default_factory=list[str])
    endnotes: list[str] = field(default_factory=list[str])
    comments: list[str] = field(default_factory=list[str])
    furniture: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    title: str = ""
    open_groups: int = 0
