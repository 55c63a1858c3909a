"""ZIP archives: every file inside becomes a document of its own."""

import asyncio
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from pinakes.domain.document import Tags, join_folders
from pinakes.domain.errors import (
    CallerError,
    Conflict,
    DocumentFault,
    FileTooLarge,
    InvalidInput,
    LimitExceeded,
    UnsupportedFile,
)
from pinakes.domain.identity import Identity, Scope
from pinakes.providers.parsers.archive import Package, open_package
from pinakes.providers.sniffing import is_archive
from pinakes.services.documents import get_document
from pinakes.services.knowledge_bases import get_knowledge_base
from pinakes.services.resources import Resources
from pinakes.services.uploads import Uploaded, upload_document

MAX_MEMBERS = 1_000
# What file managers put beside the files that people mean.
_CLUTTER = frozenset({"__MACOSX", "Thumbs.db", "desktop.ini"})
MemberStatus = Literal["accepted", "unchanged", "refused"]


@dataclass(frozen=True, slots=True)
class Member:
    """What became of one file of an archive."""

    name: str
    status: MemberStatus
    reason: str | None = None
    error_code: str | None = None
    uploaded: Uploaded | None = None


async def upload_archive(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    *,
    name: str,
    content: bytes,
    tags: Tags | None = None,
    replace_existing: bool = False,
) -> list[Member]:
    """Take in every file of a ZIP archive; one that is refused does not keep the others out."""
    identity.require(Scope.WRITE)
    await get_knowledge_base(resources, identity, kb_reference)
    if len(content) > resources.limits.file_bytes:
        raise FileTooLarge(resources.limits.file_too_large(f"'{name}'"))
    package = await asyncio.to_thread(_open, name, content)
    names = list(_file_names(package))
    if not names:
        raise InvalidInput(f"There is no file in '{name}'.")
    if len(names) > MAX_MEMBERS:
        raise LimitExceeded(
            f"'{name}' holds {len(names):,} files; at most {MAX_MEMBERS:,} are taken at once. Split it."
        )
    members: list[Member] = []
    for path in names:
        member = join_folders(PurePosixPath(path).parts)
        try:
            body = await asyncio.to_thread(_read, package, path, resources.limits.file_bytes)
            uploaded = await _upload(resources, identity, kb_reference, member, body, tags, replace_existing)
            members.append(Member(member, "unchanged" if uploaded.unchanged else "accepted", uploaded=uploaded))
        except CallerError as refusal:
            members.append(Member(member, "refused", refusal.message, refusal.code))
    return members


async def _upload(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    name: str,
    content: bytes,
    tags: Tags | None,
    replace_existing: bool,
) -> Uploaded:
    try:
        return await upload_document(
            resources, identity, kb_reference, name=name, content=content, tags=tags, replace_existing=replace_existing
        )
    except Conflict as clash:
        # The very same file is no clash: so an upload that was interrupted can be repeated.
        if clash.code != "DUPLICATE_FILE" or not clash.details:
            raise
        there = await get_document(resources, identity, clash.details["documentId"])
        if there.latest.sha256 != hashlib.sha256(content).digest():
            raise
        return Uploaded(there, None, unchanged=True)


def _open(name: str, content: bytes) -> Package:
    if not is_archive(name, content):
        raise UnsupportedFile(f"'{name}' is not a ZIP archive. Upload it as a document.")
    try:
        return open_package(content, what="a ZIP archive")
    except DocumentFault as fault:
        raise UnsupportedFile(fault.message) from fault


def _file_names(package: Package) -> Iterator[str]:
    for name in sorted(package.names):
        parts = PurePosixPath(name).parts
        if not any(part in _CLUTTER or (part.startswith(".") and part != "..") for part in parts):
            yield name


def _read(package: Package, path: str, limit: int) -> bytes:
    parts = PurePosixPath(path).parts
    if ".." in parts or path.startswith("/"):
        raise InvalidInput("Its path leads out of the archive.")
    try:
        return package.read(path, limit)
    except DocumentFault as fault:
        raise UnsupportedFile(fault.message) from fault
