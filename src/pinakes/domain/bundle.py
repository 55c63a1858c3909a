"""A bundle: one knowledge base as a portable file. What its two lists say, written and read with suspicion."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from pinakes.domain.blocks import Block, read_blocks, render_blocks
from pinakes.domain.document import DocumentKind, Tags, clean_file_name, make_tags
from pinakes.domain.errors import InvalidInput
from pinakes.domain.knowledge_base import MAX_DESCRIPTION, MAX_NAME, clean_name
from pinakes.domain.storable import has_broken_text

FORMAT = "pinakes-bundle"
FORMAT_VERSION = 1
MANIFEST, DOCUMENTS, EMBEDDINGS, ORIGINALS = "manifest.json", "documents.jsonl", "embeddings.bin", "originals/"
HASH_BYTES = 32
MAX_SOURCE = 1_000
_MAX_DIMS = 4_000
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class BundleManifest:
    """What a bundle holds; `dims` is None where the knowledge base has keywords only."""

    program_version: str
    exported_at: datetime
    name: str
    slug: str
    description: str
    lifecycle_days: int
    documents: int
    embedder: str
    dims: int | None
    embeddings: int

    @property
    def record_bytes(self) -> int:
        """How long one embedding with its key is."""
        return HASH_BYTES + 2 * (self.dims or 0)


@dataclass(frozen=True, slots=True)
class BundleDocument:
    """One document: its original by hash, and which of the embeddings are its own."""

    name: str
    kind: DocumentKind
    title: str | None
    tags: Tags
    source: str | None
    created_at: datetime
    sha256: str
    size_bytes: int
    first_embedding: int = 0
    embeddings: int = 0
    # Of notes alone: who wrote it, by name, and what its Markdown was made of.
    author: str | None = None
    blocks: tuple[Block, ...] | None = None


def write_manifest(manifest: BundleManifest) -> bytes:
    """The manifest as it stands in the file."""
    content = {
        "format": FORMAT,
        "formatVersion": FORMAT_VERSION,
        "programVersion": manifest.program_version,
        "exportedAt": manifest.exported_at.isoformat(),
        "knowledgeBase": {
            "name": manifest.name,
            "slug": manifest.slug,
            "description": manifest.description,
            "lifecycleDays": manifest.lifecycle_days,
        },
        "documents": manifest.documents,
        "embedder": manifest.embedder,
        "dims": manifest.dims,
        "embeddings": manifest.embeddings,
    }
    return json.dumps(content, ensure_ascii=False, indent=1).encode()


def read_manifest(content: bytes) -> BundleManifest:
    """What a manifest says, or why it cannot be used."""
    found = _object(content, MANIFEST)
    if found.get("format") != FORMAT:
        raise broken("its manifest is none of Pinakes")
    version = _number(found, "formatVersion", 2**31)
    if version > FORMAT_VERSION:
        raise InvalidInput(
            f"This bundle was written in format {version}; this version of Pinakes reads up to {FORMAT_VERSION}. "
            "Upgrade, then import it.",
            code="BUNDLE_TOO_NEW",
        )
    kb = found.get("knowledgeBase")
    if not isinstance(kb, dict):
        raise broken("its manifest names no knowledge base")
    kb = cast("dict[str, Any]", kb)
    return BundleManifest(
        program_version=_text(found, "programVersion", 100),
        exported_at=_moment(found, "exportedAt"),
        name=clean_name(_text(kb, "name", 10_000)),
        slug=_text(kb, "slug", 200),
        description=_text(kb, "description", MAX_DESCRIPTION),
        lifecycle_days=_number(kb, "lifecycleDays", 2**31),
        documents=_number(found, "documents", 2**31),
        embedder=_text(found, "embedder", 500),
        dims=None if found.get("dims") is None else _number(found, "dims", _MAX_DIMS),
        embeddings=_number(found, "embeddings", 2**40),
    )


def write_document(document: BundleDocument) -> bytes:
    """A document as one line."""
    content: dict[str, Any] = {
        "name": document.name,
        "kind": document.kind.value,
        "title": document.title,
        "tags": [[name, value] for name, values in document.tags.items() for value in values],
        "source": document.source,
        "createdAt": document.created_at.isoformat(),
        "sha256": document.sha256,
        "sizeBytes": document.size_bytes,
        "firstEmbedding": document.first_embedding,
        "embeddings": document.embeddings,
    }
    if document.kind is DocumentKind.NOTE:
        content |= {"author": document.author, "blocks": document.blocks}
    return json.dumps(content, ensure_ascii=False).encode() + b"\n"


def read_document(line: bytes, *, max_tags: int) -> BundleDocument:
    """What a line says about a document, held to the same rules as an upload."""
    found = _object(line, DOCUMENTS)
    title, source = found.get("title"), found.get("source")
    sha256 = _text(found, "sha256", 64)
    if not _SHA256.fullmatch(sha256):
        raise broken("a document's sha256 is none")
    try:
        tags = make_tags([(str(name), str(value)) for name, value in found["tags"]], max_tags)
        kind = DocumentKind(found["kind"])
    except (KeyError, TypeError, ValueError) as error:
        raise broken("a document's tags or kind cannot be read") from error
    return BundleDocument(
        name=clean_file_name(_text(found, "name", 10_000)),
        kind=kind,
        title=None if title is None else clean_name(_text(found, "title", 10_000), "title"),
        tags=tags,
        source=None if source is None else _text(found, "source", MAX_SOURCE),
        created_at=min(_moment(found, "createdAt"), datetime.now(UTC)),
        sha256=sha256,
        size_bytes=_number(found, "sizeBytes", 2**53),
        first_embedding=_number(found, "firstEmbedding", 2**40),
        embeddings=_number(found, "embeddings", 2**40),
        author=None if found.get("author") is None else clean_name(_text(found, "author", MAX_NAME), "author"),
        blocks=None if found.get("blocks") is None else _blocks(found["blocks"], sha256),
    )


def _blocks(found: Any, sha256: str) -> tuple[Block, ...] | None:
    """Blocks, unless another program made another text of them."""
    given = cast("list[object]", found) if isinstance(found, list) else []
    if has_broken_text(given):
        raise broken("a note's blocks hold what cannot be stored")
    try:
        blocks = read_blocks(given)
        same = hashlib.sha256(render_blocks(blocks).encode()).hexdigest() == sha256
    except InvalidInput as error:
        raise broken("a note's blocks cannot be read") from error
    return blocks if same else None


def broken(what: str) -> InvalidInput:
    """The refusal of a bundle."""
    return InvalidInput(f"This is no bundle, or it is damaged: {what}. Nothing was stored.", code="BUNDLE_DAMAGED")


def _object(content: bytes, where: str) -> dict[str, Any]:
    try:
        found: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise broken(f"{where} is not valid JSON") from error
    if not isinstance(found, dict):
        raise broken(f"{where} does not hold objects")
    return cast("dict[str, Any]", found)


def _text(found: dict[str, Any], key: str, longest: int) -> str:
    value = found.get(key)
    if not isinstance(value, str) or len(value) > longest:
        raise broken(f"{key} is missing or too long")
    if any(sign == "\0" or "\ud800" <= sign <= "\udfff" for sign in value):
        raise broken(f"{key} contains characters that cannot be stored")
    return value


def _number(found: dict[str, Any], key: str, largest: int) -> int:
    value = found.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
        raise broken(f"{key} is missing or out of range")
    return value


def _moment(found: dict[str, Any], key: str) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(found, key, 64))
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise broken(f"{key} is no time") from error
