"""A note: what was written, what it is called, and templates for new ones."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pinakes.domain.blocks import Block, read_blocks, render_blocks, weigh_blocks
from pinakes.domain.document import Document, Tags, make_tags, parse_tag
from pinakes.domain.errors import Conflict, InvalidInput, LimitExceeded
from pinakes.domain.knowledge_base import MEMORY_SLUG, clean_name

_LONGEST_TITLE = 80
_LONGEST_NAME = 120
_BARE = "tag"
# So many characters of JSON, and so many parts of blocks, may come to one character of Markdown.
_JSON_CHARACTERS, _PARTS = 20, 4
_BROKEN = re.compile("[\0\ud800-\udfff]")
# A run of marks is tried only where it begins, and as a whole: a line of nothing else would take minutes.
_MARKS = re.compile(r"\A(?:\s|#|>|[-*+]\s|\[[ xX]\]\s|\d+[.)]\s)+|(?<![*_`#])[*_`#]++(?=\s|\Z)")
_EMPHASIS = re.compile(r"[*`]+|\[([^\[\]]*)\]\([^()\s]*\)")
_NO_NAME = re.compile(r'[/\\:*?"<>|\x00-\x1f\x7f-\x9f]+')


class ContentType(StrEnum):
    """How the content of a note is given."""

    MARKDOWN = "markdown"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True)
class NoteText:
    """What a note says; `blocks` is what the Markdown was made of, where it was."""

    markdown: str
    blocks: tuple[Block, ...] | None = None

    @property
    def content_type(self) -> ContentType:
        """How it was written."""
        return ContentType.MARKDOWN if self.blocks is None else ContentType.BLOCKS


@dataclass(frozen=True, slots=True)
class Resource:
    """A knowledge base as those who write notes see it, known by its slug; `cycle` is its lifecycle in days."""

    kb_id: str
    slug: str
    title: str
    description: str
    cycle: int

    @property
    def lifecycle(self) -> str:
        """In words."""
        return "Permanent" if not self.cycle else "1 day" if self.cycle == 1 else f"{self.cycle} days"


@dataclass(frozen=True, slots=True)
class Note:
    """A document that was written here, and the slug of the knowledge base it is in."""

    document: Document
    resource: str

    @property
    def title(self) -> str:
        """What it is called."""
        return self.document.title or self.document.name.removesuffix(".md")

    @property
    def revision(self) -> str:
        """Stands for its text, title, tags and place, and becomes another with any of them."""
        document = self.document
        tags = sorted((name, sorted(values)) for name, values in document.tags.items())
        told = [document.latest.number, document.kb_id, document.name, document.title, tags]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]

    def require(self, revision: str | None) -> None:
        """Raise Conflict unless it still is as somebody read it; None asks for nothing."""
        if revision is not None and revision != self.revision:
            raise Conflict(
                "Somebody else changed this note meanwhile. Read it again, and change what it says now.",
                code="NOTE_CHANGED",
                details={"revision": self.revision},
            )


def read_note(content: str | Sequence[object], content_type: ContentType, limit: int) -> NoteText:
    """What is to be written, once it is neither empty nor too long nor broken."""
    if content_type is ContentType.MARKDOWN and not isinstance(content, str):
        raise InvalidInput("content must be Markdown text; for a list of blocks give contentType 'blocks' as well.")
    if isinstance(content, str) and not content.strip():
        raise InvalidInput("content is required", code="CONTENT_REQUIRED")
    blocks = None if content_type is ContentType.MARKDOWN else _read_blocks(content, limit)
    markdown = render_blocks(blocks) if blocks is not None else str(content)
    if len(markdown) > limit:
        raise too_long(len(markdown), limit)
    if _BROKEN.search(markdown):
        raise InvalidInput("content contains NUL or broken Unicode characters. Remove them.")
    return NoteText(markdown, blocks)


def _read_blocks(content: str | Sequence[object], limit: int) -> tuple[Block, ...]:
    """Blocks, unless there is so much of them that reading alone would take long: their Markdown is seldom shorter."""
    most = limit * (_JSON_CHARACTERS if isinstance(content, str) else _PARTS)
    weight = weigh_blocks(content, most)
    if weight > most:
        raise too_long(weight, limit)
    return read_blocks(content)


def too_long(characters: int, limit: int, what: str = "content") -> LimitExceeded:
    """What to say to a text over the limit."""
    return LimitExceeded(
        f"{what} is too long: {characters:,} characters (max {limit:,}). Split it into several.",
        code="CONTENT_TOO_LONG",
        details={"characters": characters, "limit": limit},
    )


def read_tags(tags: Iterable[str], limit: int) -> Tags:
    """Tags as `name=value`, or bare."""
    unique = dict.fromkeys(tag.strip() for tag in tags)
    if len(unique) > limit:
        raise LimitExceeded(
            f"too many tags (max {limit}): {len(unique)} given. Keep the most telling ones.", code="TOO_MANY_TAGS"
        )
    return make_tags(map(parse_tag, unique), limit)


def show_tags(tags: Tags) -> list[str]:
    """Tags as they are given: `name=value`, or bare."""
    return [value if name == _BARE else f"{name}={value}" for name, values in tags.items() for value in values]


def choose_title(title: str | None, markdown: str) -> str:
    """The title that was given, else the first line that says something."""
    if title is not None and title.strip():
        return clean_name(title, "title")
    for line in markdown.splitlines():
        plain = " ".join(_EMPHASIS.sub(lambda found: found[1] or "", _MARKS.sub("", line)).split())
        if any(character.isalnum() for character in plain):
            return clean_name(_shorten(plain, _LONGEST_TITLE))
    return "Untitled"


def name_of(title: str) -> str:
    """The name of a note's document, which must do as the name of a file."""
    bare = " ".join(_NO_NAME.sub(" ", unicodedata.normalize("NFC", title)).split()).strip(". ")
    while len(bare.encode()) > _LONGEST_NAME:
        bare = bare[:-1].rstrip()
    return f"{bare or 'note'}.md"


def is_resource(slug: str) -> bool:
    """Whether notes may be written there: memories have a way of their own."""
    return slug != MEMORY_SLUG


def _shorten(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[most // 2 :] else cut) + "…"


def blocks_json(blocks: Sequence[Block] | None) -> list[dict[str, Any]] | None:
    """Blocks as JSON is made of."""
    return None if blocks is None else [dict(block) for block in blocks]


def blocks_of(stored: Sequence[Mapping[str, Any]] | None) -> tuple[Block, ...] | None:
    """Blocks as they were stored."""
    return None if stored is None else tuple(stored)
