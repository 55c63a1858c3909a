"""Outlook messages (MSG): the properties that a mail program shows, read from the compound file."""

import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import olefile  # pyright: ignore[reportMissingTypeStubs]

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.mail.eml import make_letter
from pinakes.providers.parsers.mail.letter import (
    ENCRYPTED,
    Attachment,
    Letter,
    PartParser,
    choose_body,
    clean_name,
    compose_letter,
)
from pinakes.providers.parsers.text.plain import decode
from pinakes.providers.parsers.web.html import decode_as, decode_html
from pinakes.providers.parsers.word.rtf import parse_rtf

_olefile = cast("Any", olefile)

_STREAM_BYTES = 64_000_000
_RTF_BYTES = 32_000_000
_DEPTH = 4
_BROKEN = (OSError, ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error, OverflowError)
# Names of properties, and of the types that text comes in.
_CLASS, _SUBJECT, _HEADERS, _BODY, _HTML, _RTF = "001A", "0037", "007D", "1000", "1013", "1009"
_SENDER, _SENDER_ADDRESS, _SENDER_SMTP = "0C1A", "0C1F", "5D01"
_DISPLAY_TO, _DISPLAY_CC = "0E04", "0E03"
_NAME, _ADDRESS, _SMTP = "3001", "3003", "39FE"
_DATA, _LONG_NAME, _SHORT_NAME, _MIME, _CONTENT_ID = "3701", "3707", "3704", "370E", "3712"
_SUBMITTED, _DELIVERED, _CODE_PAGE, _MESSAGE_CODE_PAGE, _RECIPIENT_KIND = 0x0039, 0x0E06, 0x3FDE, 0x3FFD, 0x0C15
_PROPERTIES = "__properties_version1.0"
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
# What compressed RTF takes for granted at the start.
_RTF_DICTIONARY = (
    rb"{\rtf1\ansi\mac\deff0\deftab720{\fonttbl;}{\f0\fnil \froman \fswiss \fmodern \fscript \fdecor "
    rb"MS Sans SerifSymbolArialTimes New RomanCourier{\colortbl\red0\green0\blue0"
    b"\r\n"
    rb"\par \pard\plain\f0\fs20\b\i\u\tab\tx"
)
_WINDOW = 4_096


def parse_msg(content: bytes, *, parse_part: PartParser) -> ParsedDocument:
    """A message with its attachments; a fault for an encrypted or rights-managed one."""
    try:
        with _olefile.OleFileIO(io.BytesIO(content)) as file:
            letter = _read_letter(_Storage(file, ()), 1)
    except RecursionError as error:
        raise DocumentFault("The parts of the message are nested too deeply to be read.") from error
    except _BROKEN as error:
        raise DocumentFault("The file is damaged and cannot be opened as an Outlook message.") from error
    return compose_letter(letter, parse_part)


@dataclass(frozen=True, slots=True)
class _Storage:
    """A message, recipient or attachment in the compound file."""

    file: Any
    path: tuple[str, ...]

    def read(self, name: str) -> bytes:
        """A stream, empty if there is no such."""
        path = [*self.path, name]
        if self.file.get_type(path) != _olefile.STGTY_STREAM:
            return b""
        return cast("bytes", self.file.openstream(path).read(_STREAM_BYTES))

    def binary(self, name: str) -> bytes:
        return self.read(f"__substg1.0_{name}0102")

    def text(self, name: str) -> str:
        """A property that is text, in either of its two types."""
        wide = self.read(f"__substg1.0_{name}001F")
        if wide:
            return wide.decode("utf-16-le", "replace").rstrip("\x00")
        narrow = self.read(f"__substg1.0_{name}001E").rstrip(b"\x00")
        if not narrow.strip():
            return ""
        return decode_as(narrow, f"cp{self.numbers().get(_MESSAGE_CODE_PAGE, 0)}") or decode(narrow)

    def numbers(self) -> dict[int, int]:
        """The properties of fixed size by their numbers; times count from 1601 in units of 100 ns."""
        content = self.read(_PROPERTIES)
        # A header of 32 bytes (below the root 24 or 8) comes first; read as entries it makes no known property.
        start = 8 if self.path else 0
        entries = struct.iter_unpack("<HHIQ", content[start : start + (len(content) - start) // 16 * 16])
        return {
            number: value & 0xFFFFFFFF if kind == 0x0003 else value
            for kind, number, _, value in entries
            if kind in (0x0003, 0x0040)
        }

    def storages(self, prefix: str) -> Iterator["_Storage"]:
        """The storages right below this one whose names begin so, in order."""
        depth = len(self.path)
        names = {
            entry[depth]
            for entry in self.file.listdir(streams=False, storages=True)
            if len(entry) == depth + 1 and tuple(entry[:depth]) == self.path and entry[depth].startswith(prefix)
        }
        return (_Storage(self.file, (*self.path, name)) for name in sorted(names))


def _read_letter(message: _Storage, depth: int) -> Letter:
    attachments = list(message.storages("__attach_version1.0_"))
    sealed = _refuse_encrypted(message, attachments)
    if sealed:
        return make_letter(sealed)
    remarks: list[str] = []
    return Letter(
        " ".join(message.text(_SUBJECT).split()),
        _read_lines(message),
        _read_body(message),
        [found for each in attachments if (found := _read_attachment(each, depth, remarks))],
        remarks,
    )


def _refuse_encrypted(message: _Storage, attachments: list[_Storage]) -> bytes:
    """The MIME message that a signed one is kept in, else nothing; a fault where the text is encrypted."""
    kind = message.text(_CLASS).lower()
    if kind.startswith("ipm.note.smime.multipartsigned") and attachments:
        return attachments[0].binary(_DATA)
    if kind.startswith("ipm.note.smime"):
        raise DocumentFault(ENCRYPTED)
    if re.search(r"^content-type:\s*multipart/encrypted", message.text(_HEADERS), re.IGNORECASE | re.MULTILINE):
        raise DocumentFault(ENCRYPTED)
    for attachment in attachments:
        if attachment.text(_MIME).lower() == "application/pgp-encrypted":
            raise DocumentFault(ENCRYPTED)
        if attachment.text(_LONG_NAME).lower() == "message.rpmsg":
            raise DocumentFault("The message is protected by rights management; upload a copy without that protection.")
    return b""


def _read_lines(message: _Storage) -> list[tuple[str, str]]:
    sender = _show_person(message.text(_SENDER), message.text(_SENDER_SMTP) or message.text(_SENDER_ADDRESS))
    people: dict[int, list[str]] = {}
    for recipient in message.storages("__recip_version1.0_"):
        kind = recipient.numbers().get(_RECIPIENT_KIND, 1)
        person = _show_person(recipient.text(_NAME), recipient.text(_SMTP) or recipient.text(_ADDRESS))
        people.setdefault(kind & 0x0F, []).append(person)
    to = ", ".join(people.get(1, ())) or message.text(_DISPLAY_TO)
    copies = ", ".join(people.get(2, ())) or message.text(_DISPLAY_CC)
    return [("From", sender), ("To", to), ("Cc", copies), ("Date", _read_date(message))]


def _show_person(name: str, address: str) -> str:
    # Inside an organisation the address is a path in its directory, which tells a reader nothing.
    if "@" not in address or address.casefold() in name.casefold():
        return name
    return f"{name} <{address}>" if name else address


def _read_date(message: _Storage) -> str:
    numbers = message.numbers()
    ticks = numbers.get(_SUBMITTED) or numbers.get(_DELIVERED) or 0
    if ticks:
        moment = _EPOCH + timedelta(microseconds=ticks // 10)
        return moment.strftime("%Y-%m-%d %H:%M UTC")
    found = re.search(r"^date:\s*(.+)$", message.text(_HEADERS), re.IGNORECASE | re.MULTILINE)
    return found[1].strip() if found else ""


def _read_body(message: _Storage) -> list[tuple[str, bool]]:
    plain = message.text(_BODY).replace("\r\n", "\n")
    raw = message.binary(_HTML)
    code_page = message.numbers().get(_CODE_PAGE, 0)
    markup = (
        decode_html(raw, f"cp{code_page}" if code_page != 65001 else "utf-8") if raw.strip() else message.text(_HTML)
    )
    chosen = choose_body(plain, markup)
    if chosen:
        return chosen
    rich = _decompress_rtf(message.binary(_RTF))
    try:
        return [(parse_rtf(rich).text, False)] if rich else []
    except DocumentFault:
        return []


def _read_attachment(attachment: _Storage, depth: int, remarks: list[str]) -> Attachment | None:
    shown = attachment.text(_LONG_NAME) or attachment.text(_SHORT_NAME) or attachment.text(_NAME)
    name = clean_name(shown, "attachment")
    enclosed = _Storage(attachment.file, (*attachment.path, f"__substg1.0_{_DATA}000D"))
    kind = attachment.text(_MIME).lower()
    if enclosed.read(_PROPERTIES):
        if depth >= _DEPTH:
            remarks.append(f"The message {name!r} was left out: it is enclosed too deeply.")
            return None
        try:
            return Attachment(name, _read_letter(enclosed, depth + 1))
        except DocumentFault as fault:
            remarks.append(f"The message {name!r} was left out: {fault.message}")
            return None
    content = attachment.binary(_DATA)
    shown_in_text = kind.startswith("image/") and bool(attachment.text(_CONTENT_ID))
    return Attachment(name, content, text=kind == "text/plain") if content and not shown_in_text else None


def _decompress_rtf(packed: bytes) -> bytes:
    """Rich text as Outlook packs it: references of two bytes into a window of 4,096."""
    if len(packed) < 16:
        return b""
    size = min(struct.unpack_from("<I", packed, 4)[0], _RTF_BYTES)
    if packed[8:12] == b"MELA":
        return packed[16 : 16 + size]
    if packed[8:12] != b"LZFu":
        return b""
    text = bytearray(_RTF_DICTIONARY)
    first = len(text)
    at = 16
    while at < len(packed) and len(text) - first < size:
        control = packed[at]
        at += 1
        for bit in range(8):
            if not control >> bit & 1:
                text += packed[at : at + 1]
                at += 1
                continue
            if at + 2 > len(packed):
                break
            reference = int.from_bytes(packed[at : at + 2], "big")
            at += 2
            if not _copy(text, reference >> 4, (reference & 0x0F) + 2):
                return bytes(text[first:])
    return bytes(text[first : first + size])


def _copy(text: bytearray, offset: int, length: int) -> bool:
    """Repeat what stands at this place of the window; False for the mark of the end."""
    distance = (len(text) - offset) % _WINDOW
    if distance == 0:
        return False
    start = len(text) - distance
    for index in range(start, start + length):
        text.append(text[index] if index >= 0 else 0x20)
    return True
