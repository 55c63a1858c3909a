"""A letter, however it came: who wrote what to whom, and the documents that were attached to it."""

import contextlib
import re
from collections.abc import Callable, Generator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace

from pinakes.domain.errors import DocumentFault, PinakesError, UnsupportedFile
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.titles import choose_title
from pinakes.providers.parsers.web.html import outline_html
from pinakes.providers.parsers.web.html_blocks import read_blocks

PartParser = Callable[[str, bytes], ParsedDocument]

ATTACHMENTS = 50
_ATTACHED_BYTES = 200_000_000
_DEPTH = 3
_REMARKS = 50
_LONGEST_LINE = 2_000
_LONGEST_SUBJECT = 300
_STUB_SHARE = 0.25
_STUB_CHARS = 200
_SEALED = "-----BEGIN PGP MESSAGE-----"
ENCRYPTED = "The message is encrypted; save it without encryption in the mail program and upload it again."
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file, or a letter inside of the letter; `text` says that the sender called it plain text.

    By its `content_id` the letter's own text may show it.
    """

    name: str
    content: "bytes | Letter"
    text: bool = False
    content_id: str = ""


@dataclass(frozen=True, slots=True)
class Letter:
    """What a reader of the mail sees; a body is plain text or, where it has markup, HTML."""

    subject: str
    lines: Sequence[tuple[str, str]]
    bodies: Sequence[tuple[str, bool]]
    attachments: Sequence[Attachment] = ()
    remarks: Sequence[str] = ()


@dataclass(slots=True)
class _Budget:
    """What may still be unpacked from one upload."""

    parts: int
    bytes: int = _ATTACHED_BYTES
    depth: int = 0


_BUDGET: ContextVar[_Budget | None] = ContextVar("_BUDGET", default=None)


@contextlib.contextmanager
def unpack_at_most(parts: int) -> Generator[None]:
    """Bound the attachments of all letters composed inside; a letter in an attachment shares its letter's bounds."""
    token = _BUDGET.set(_BUDGET.get() or _Budget(parts))
    try:
        yield
    finally:
        _BUDGET.reset(token)


def compose_letter(letter: Letter, parse_part: PartParser) -> ParsedDocument:
    """The letter under its subject, then each attachment's text with the attachment's name."""
    with unpack_at_most(ATTACHMENTS):
        budget = _BUDGET.get()
        assert budget is not None
        budget.depth += 1
        try:
            return _compose(letter, parse_part, budget)
        finally:
            budget.depth -= 1


def choose_body(plain: str, markup: str) -> list[tuple[str, bool]]:
    """The plain version of a letter, unless it is missing or only says that there is another."""
    if not markup.strip() or (plain.strip() and not _is_stub(plain, markup)):
        return [(plain, False)] if plain.strip() else []
    return [(markup, True)]


def join_documents(parts: Sequence[tuple[str | None, ParsedDocument]], *, title: str | None) -> ParsedDocument:
    """One document of several; the sections of a part with a name say that they are inside of it."""
    texts: list[str] = []
    length = 0
    sections: list[Section] = []
    for name, part in parts:
        lead = f"Attachment: {name}\n\n" if name else ""
        texts += [lead, part.text, "" if part.text.endswith("\n\n") else "\n\n"]
        start = length + len(lead)
        for section in part.sections:
            inside = "/".join(filter(None, (name, section.inside))) or None
            sections.append(replace(section, start=start + section.start, end=start + section.end, inside=inside))
        length += sum(map(len, texts[-3:]))
    remarks = [f"{name}: {remark}" if name else remark for name, part in parts for remark in part.remarks]
    return ParsedDocument(
        "".join(texts), tuple(sections), markdown=True, title=title, remarks=tuple(remarks[:_REMARKS])
    )


def clean_name(name: str, default: str) -> str:
    """A file's name without folders and control characters."""
    return _CONTROLS.sub("", name.replace("\\", "/").rpartition("/")[2]).strip()[-200:] or default


def _is_stub(plain: str, markup: str) -> bool:
    shown = sum(len(block.text) for block in read_blocks(markup))
    return len(plain.strip()) < shown * _STUB_SHARE and shown > _STUB_CHARS


def _compose(letter: Letter, parse_part: PartParser, budget: _Budget) -> ParsedDocument:
    outline = Outline()
    outline.add_heading(letter.subject[:_LONGEST_SUBJECT], 1)
    lines = [*letter.lines, ("Attachments", ", ".join(attachment.name for attachment in letter.attachments))]
    outline.add_paragraph("\n".join(f"{name}: {_shorten(value)}" for name, value in lines if value.strip()))
    for body, markup in letter.bodies:
        if body.lstrip().startswith(_SEALED):
            raise DocumentFault(ENCRYPTED)
        if markup:
            outline_html(outline, body, deeper=1)
        else:
            outline.add_paragraph(body)
    remarks = list(letter.remarks)
    parts = [(attachment.name, _unpack(attachment, parse_part, budget, remarks)) for attachment in letter.attachments]
    title = choose_title(letter.subject)
    written = outline.finish(title=title, remarks=remarks)
    found = [(name, part) for name, part in parts if part is not None]
    return join_documents([(None, written), *found], title=title)


def _unpack(
    attachment: Attachment, parse_part: PartParser, budget: _Budget, remarks: list[str]
) -> ParsedDocument | None:
    size = len(attachment.content) if isinstance(attachment.content, bytes) else 0
    reason = ""
    if budget.depth > _DEPTH:
        reason = f"it is more than {_DEPTH} letters deep."
    elif budget.parts < 1:
        reason = "there are more attachments than are read from one upload."
    elif size > budget.bytes:
        reason = f"the attachments are larger than {_ATTACHED_BYTES // 1_000_000} MB together."
    if not reason:
        budget.parts -= 1
        budget.bytes -= size
        try:
            return _parse_attachment(attachment, parse_part)
        except UnsupportedFile:
            reason = "files of its type cannot be read."
        except PinakesError as fault:
            reason = fault.message
        except MemoryError:
            raise
        except Exception as error:  # noqa: BLE001 - the edge: one unreadable attachment must not lose the letter
            reason = f"the reader failed on it ({type(error).__name__})."
    remarks.append(f"The attachment {attachment.name!r} was left out: {reason}")
    return None


def _parse_attachment(attachment: Attachment, parse_part: PartParser) -> ParsedDocument:
    if isinstance(attachment.content, Letter):
        return compose_letter(attachment.content, parse_part)
    try:
        return parse_part(attachment.name, attachment.content)
    except UnsupportedFile:
        if not attachment.text:
            raise
        return parse_part(f"{attachment.name}.txt", attachment.content)


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
