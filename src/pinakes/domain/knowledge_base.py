"""A knowledge base and its index generations."""

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime

from pinakes.domain.calibration import Calibration
from pinakes.domain.characters import has_control_characters
from pinakes.domain.errors import InvalidInput

MAX_NAME = 200
MAX_DESCRIPTION = 2_000
NOTES_SLUG = "knowledge"
MEMORY_SLUG = "memory"
KEYWORDS_ONLY = "none"


@dataclass(frozen=True, slots=True)
class KbStats:
    """How much a knowledge base holds, how much of it is not indexed yet or could not be, and its last change."""

    document_count: int
    chunk_count: int
    size_bytes: int
    unfinished_count: int
    failed_count: int
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """A named container of documents with one embedding model."""

    kb_id: str
    slug: str
    name: str
    description: str
    lifecycle_days: int
    built_in: bool
    embedder: str
    created_at: datetime
    updated_at: datetime
    stats: KbStats
    switching: bool


@dataclass(frozen=True, slots=True)
class KbIndex:
    """One generation of a knowledge base's index: how its chunks were embedded, analysed and scored.

    `own` names the tables that a large one is searched in.
    """

    index_id: str
    kb_id: str
    kb_name: str
    embedder: str
    dims: int | None
    avgdl_ref: float
    calibration: Calibration
    chunk_count: int
    expires: bool
    own: str | None = None


def clean_name(name: str, what: str = "name") -> str:
    """A name as it is stored: trimmed, in one line, not empty, not too long."""
    cleaned = re.sub(r"\s+", " ", unicodedata.normalize("NFC", name)).strip()
    if all(unicodedata.category(character)[0] in "CZ" for character in cleaned):
        raise InvalidInput(f"The {what} is empty. Give it at least one visible character.")
    if len(cleaned) > MAX_NAME:
        raise InvalidInput(f"The {what} has {len(cleaned)} characters; at most {MAX_NAME} are allowed.")
    if has_control_characters(cleaned):
        raise InvalidInput(f"The {what} contains control characters. Remove them.")
    return cleaned


def slug_of(name: str) -> str:
    """The name as it can stand in a command or an address: letters and digits of any script, hyphens."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", name).casefold())
    return "-".join(words)[:64].strip("-") or "kb"
