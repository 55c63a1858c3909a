"""Mail as it travels: single messages (EML) and mailboxes of them (MBOX)."""

import contextlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from itertools import pairwise
from typing import Any, TypeAlias, cast

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.mail.letter import (
    ENCRYPTED,
    Attachment,
    Letter,
    PartParser,
    choose_body,
    clean_name,
    compose_letter,
    join_documents,
    unpack_at_most,
)
from pinakes.providers.parsers.text.plain import decode
from pinakes.providers.parsers.web.html import decode_as, decode_html

_MESSAGES = 20_000
_MAILBOX_ATTACHMENTS = 500
_MULTIPART_DEPTH = 30
_LETTER_DEPTH = 4
_LONGEST_HEADER = 50_000
_LISTED = 20
_SHOWN_HEADERS = ("From", "To", "Cc", "Date")
_POSTMARK = re.compile(rb"^From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[!-9;-~]+[ \t]*:|>From )", re.MULTILINE)
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_FOLDING = re.compile(r"\r?\n[ \t]+|[\r\n]+")
# Signatures, keys, and another version of the body for one mail program only.
_NOT_READ = frozenset(
    (
        "application/pgp-signature",
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-keys",
        "text/x-amp-html",
    )
)
_CARDS = frozenset(("text/calendar", "text/vcard", "text/x-vcard", "text/directory"))
_SHOWN_PART = re.compile(r"""["'(]cid:([^"')\s]+)""")
_SEALS = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_EXTENSIONS = {
    "text/plain": "txt",
    "text/html": "html",
    "text/calendar": "ics",
    "application/msword": "doc",
    "image/jpeg": "jpg",
    "application/octet-stream": "bin",
}
# What a broken message makes the standard library raise.
_BROKEN = (MessageError, ValueError, LookupError, TypeError, AttributeError)

_Message: TypeAlias = "Message[Any, Any]"


@dataclass(slots=True)
class _Parts:
    bodies: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    attachments: list[Attachment] = field(default_factory=list[Attachment])
    remarks: list[str] = field(default_factory=list[str])
    shown: set[str] = field(default_factory=set[str])


def parse_eml(content: bytes, *, parse_part: PartParser) -> ParsedDocument:
    """A message with its attachments; a fault for an encrypted one."""
    return compose_letter(make_letter(content), parse_part)


def parse_mbox(content: bytes, *, parse_part: PartParser) -> ParsedDocument:
    """Every message of a mailbox under its subject; those that cannot be read are named in the remarks."""
    found: list[ParsedDocument] = []
    remarks: list[str] = []
    with unpack_at_most(_MAILBOX_ATTACHMENTS):
        for number, message in enumerate(_split_mailbox(content), start=1):
            if number > _MESSAGES:
                remarks.append(f"Only the first {_MESSAGES:,} messages of the mailbox were read.")
                break
            try:
                found.append(parse_eml(message, parse_part=parse_part))
            except DocumentFault as fault:
                remarks.append(f"Message {number} was left out: {fault.message}")
    if not found:
        raise DocumentFault(remarks[0] if remarks else "There is no message in this mailbox.")
    joined = join_documents([(None, part) for part in found], title=found[0].title if len(found) == 1 else None)
    return ParsedDocument(
        joined.text, joined.sections, markdown=True, title=joined.title, remarks=(*remarks[:_LISTED], *joined.remarks)
    )


def make_letter(content: bytes) -> Letter:
    """What a reader of this message sees."""
    content = content.removeprefix(BOM_UTF8).lstrip()
    postmark = _POSTMARK.match(content)
    try:
        message = BytesParser(policy=compat32).parsebytes(content[postmark.end() if postmark else 0 :])
    except RecursionError as error:
        raise DocumentFault("The parts of the message are nested too deeply to be read.") from error
    except _BROKEN as error:
        raise DocumentFault("The file is damaged and cannot be opened as a message.") from error
    return _read_letter(message, 1)


def _split_mailbox(content: bytes) -> Iterator[bytes]:
    starts = [match.start() for match in _POSTMARK.finditer(content)]
    for start, end in pairwise([*starts, len(content)]):
        yield _QUOTED_FROM.sub(rb"\1", content[start:end])


def _read_letter(message: _Message, depth: int) -> Letter:
    parts = _collect(message, depth)
    lines = [(name, _read_header(message, name)) for name in _SHOWN_HEADERS]
    attachments = [attachment for attachment in parts.attachments if attachment.content_id not in parts.shown]
    return Letter(_read_header(message, "Subject"), lines, parts.bodies, attachments, parts.remarks)


def _collect(message: _Message, depth: int, level: int = 0) -> _Parts:
    parts = _Parts()
    stack: list[tuple[_Message, int]] = [(message, level)]
    while stack:
        part, level = stack.pop()
        kind = part.get_content_type()
        _refuse_encrypted(part, kind)
        children = _children(part)
        if level > _MULTIPART_DEPTH:
            parts.remarks.append("Parts of the message were left out: they are nested too deeply.")
        elif kind == "multipart/alternative" and children:
            _add_alternatives([_collect(child, depth, level + 1) for child in children], parts)
        elif kind.startswith("multipart/") and children:
            stack.extend((child, level + 1) for child in reversed(children))
        elif kind == "message/rfc822" and children:
            _add_enclosed(part, children[0], parts, depth)
        elif children:
            parts.bodies.append(("\n\n".join(_flatten_headers(child) for child in children), False))
        else:
            _add_leaf(part, kind, parts)
    return parts


def _add_alternatives(versions: Sequence[_Parts], parts: _Parts) -> None:
    plain = "\n\n".join(text for version in versions for text, markup in version.bodies if not markup)
    markup = "\n".join(text for version in versions for text, markup in version.bodies if markup)
    parts.bodies += choose_body(plain, markup)
    for version in versions:
        parts.attachments += version.attachments
        parts.remarks += version.remarks
        parts.shown |= version.shown


def _add_enclosed(part: _Message, enclosed: _Message, parts: _Parts, depth: int) -> None:
    subject = _read_header(enclosed, "Subject")
    name = _find_name(part, f"{subject or 'message'}.eml")
    if depth >= _LETTER_DEPTH:
        parts.remarks.append(f"The message {name!r} was left out: it is enclosed too deeply.")
        return
    try:
        parts.attachments.append(Attachment(name, _read_letter(enclosed, depth + 1)))
    except DocumentFault as fault:
        parts.remarks.append(f"The message {name!r} was left out: {fault.message}")


def _add_leaf(part: _Message, kind: str, parts: _Parts) -> None:
    content = _read_payload(part)
    # Parts that were announced and cannot be told apart are read as they stand.
    kind = "text/plain" if kind.startswith("multipart/") else kind
    disposition = str(part.get("Content-Disposition", "")).lower()
    named = bool(_find_name(part, ""))
    attached = disposition.startswith("attachment") or named
    if kind in _NOT_READ or not content.strip():
        return
    if kind.startswith("text/") and kind not in _CARDS and not attached:
        declared = _find_charset(part)
        if kind == "text/html":
            parts.bodies.append((decode_html(content, declared), True))
            parts.shown.update(_SHOWN_PART.findall(parts.bodies[-1][0]))
        else:
            text = (decode_as(content, declared) if declared else None) or decode(content)
            parts.bodies.append((_unwrap(part, text), False))
    elif not (kind.startswith("image/") and disposition.startswith("inline")):
        name = _find_name(part, f"attachment.{_EXTENSIONS.get(kind) or kind.rpartition('/')[2]}")
        content_id = str(part.get("Content-ID", "")).strip("<> \t\r\n")
        parts.attachments.append(Attachment(name, content, text=kind == "text/plain", content_id=content_id))


def _refuse_encrypted(part: _Message, kind: str) -> None:
    if kind == "multipart/encrypted":
        raise DocumentFault(ENCRYPTED)
    if kind in _SEALS:
        if str(part.get_param("smime-type", "")).lower() == "signed-data":
            raise DocumentFault(
                "The message is sealed by its signature (S/MIME); save it unsigned in the mail program and try again."
            )
        raise DocumentFault(ENCRYPTED)


def _children(part: _Message) -> list[_Message]:
    payload = part.get_payload()
    return cast("list[_Message]", payload) if isinstance(payload, list) else []


def _flatten_headers(part: _Message) -> str:
    return "\n".join(f"{name}: {_decode_words(str(value))}" for name, value in part.raw_items())


def _read_payload(part: _Message) -> bytes:
    with contextlib.suppress(*_BROKEN):
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            return payload
    return b""


def _find_charset(part: _Message) -> str | None:
    with contextlib.suppress(*_BROKEN):
        return part.get_content_charset()
    return None


def _find_name(part: _Message, default: str) -> str:
    with contextlib.suppress(*_BROKEN):
        return clean_name(_decode_words(part.get_filename() or ""), default)
    return default


def _unwrap(part: _Message, text: str) -> str:
    """Text whose lines were wrapped for travelling (format=flowed), as it was written."""
    text = text.replace("\r\n", "\n")
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    glued = str(part.get_param("delsp", "")).lower() == "yes"
    pieces: list[str] = []
    goes_on = False
    for line in text.split("\n"):
        quoted = line.startswith(">")
        if pieces and not (goes_on and not quoted):
            pieces.append("\n")
        line = line.removeprefix(" ")
        goes_on = line.endswith(" ") and line != "-- " and not quoted
        pieces.append(line[:-1] if goes_on and glued else line)
    return "".join(pieces)


def _read_header(message: _Message, name: str) -> str:
    raw = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return _decode_words(raw[:_LONGEST_HEADER])


def _decode_words(raw: str) -> str:
    text = _FOLDING.sub(" ", raw)
    if not text.isascii():
        # Bytes that no header may hold come as lone surrogates.
        raw_bytes = text.encode("utf-8", "surrogateescape")
        text = decode_as(raw_bytes, "utf-8") or raw_bytes.decode("cp1252", "replace")
    if "=?" not in text:
        return " ".join(text.split())
    try:
        words = cast("list[tuple[bytes | str, str | None]]", decode_header(text))
    except _BROKEN:
        return text
    return " ".join("".join(_decode_word(word, charset) for word, charset in words).split())


def _decode_word(word: bytes | str, charset: str | None) -> str:
    if isinstance(word, str):
        return word
    text = decode_as(word, charset) if charset and word.strip() else None
    return text if text is not None else word.decode("utf-8", "replace")
