"""A document, its versions and its tags."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pinakes.domain.characters import has_control_characters
from pinakes.domain.errors import InvalidInput, LimitExceeded

MAX_FILE_NAME = 255
MAX_TAG = 100
Tags = Mapping[str, tuple[str, ...]]


class DocumentKind(StrEnum):
    """Where a document comes from."""

    FILE = "file"
    NOTE = "note"
    MEMORY = "memory"


class DocumentStatus(StrEnum):
    """How far the latest version is on its way into the index."""

    PENDING = "pending"
    INDEXING = "indexing"
    INDEXED = "indexed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Version:
    """One upload of a document; `error` says why it failed or what it waits for, `remarks` what was left out.

    `retryable` where it failed for a reason that may pass.
    """

    version_id: str
    number: int
    blob_key: str
    size_bytes: int
    sha256: bytes
    media_type: str
    status: DocumentStatus
    error: str | None
    retryable: bool
    chunk_count: int
    created_at: datetime
    indexed_at: datetime | None
    remarks: tuple[str, ...] = ()
    pages: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """One item of knowledge; `latest` is being indexed or answers already, `answers` says whether any does."""

    document_id: str
    kb_id: str
    kind: DocumentKind
    name: str
    title: str | None
    tags: Tags
    answers: bool
    latest: Version
    progress: int
    operation_id: str | None
    created_at: datetime
    updated_at: datetime
    summary: str | None = None
    suggested_tags: tuple[str, ...] = ()
    source: str | None = None
    expires_at: datetime | None = None
    created_by: str | None = None
    author: str | None = None


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """What a list of documents to open shows of one."""

    document_id: str
    name: str
    title: str | None
    kb_name: str
    updated_at: datetime


def join_folders(parts: Iterable[str]) -> str:
    """The name of a document that lay in folders: `2024 › a.pdf`."""
    return " › ".join(parts)


def clean_file_name(name: str) -> str:
    """The name a document is known by; one that carries a path or control characters is refused."""
    name = unicodedata.normalize("NFC", name)
    if not name.strip():
        raise InvalidInput("The file has no name. Send the upload with a file name.")
    if "/" in name or "\\" in name or name in {".", ".."}:
        raise InvalidInput(f"The file name {name!r} contains a path. Send the bare file name.")
    if has_control_characters(name):
        raise InvalidInput("The file name contains control characters. Rename the file.")
    if len(name.encode()) > MAX_FILE_NAME:
        raise InvalidInput(f"The file name is longer than {MAX_FILE_NAME} bytes. Shorten it.")
    return name


def make_tags(pairs: Iterable[tuple[str, str]], limit: int) -> dict[str, tuple[str, ...]]:
    """Tags by name, each with its values in order; over the limit nothing is accepted."""
    unique = list(dict.fromkeys((_clean_tag(name), _clean_tag(value)) for name, value in pairs))
    if len(unique) > limit:
        raise LimitExceeded(f"{len(unique)} tags given; a document has at most {limit}. Remove some.")
    tags: dict[str, tuple[str, ...]] = {}
    for name, value in unique:
        tags[name] = (*tags.get(name, ()), value)
    return tags


def parse_tag(text: str) -> tuple[str, str]:
    """`name=value`; a bare `x` is `tag=x`."""
    name, separator, value = text.partition("=")
    return (name, value) if separator else ("tag", text)


def _clean_tag(text: str) -> str:
    cleaned = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text)).strip()
    if not cleaned or len(cleaned) > MAX_TAG:
        raise InvalidInput(f"A tag's name and value must have 1 to {MAX_TAG} characters.")
    if has_control_characters(cleaned):
        raise InvalidInput("A tag contains control characters. Remove them.")
    return cleaned
