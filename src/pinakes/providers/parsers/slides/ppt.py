"""PowerPoint 97–2003 presentations (PPT): the text of every slide in its own place, with its notes."""

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.providers.parsers.office.ole import read_streams
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.slides.pptx import make_slide_place
from pinakes.providers.parsers.titles import choose_title

_WHAT = "a PowerPoint presentation"
_USER_EDIT, _PERSIST_DIRECTORY, _SLIDE_LIST, _SLIDE_PERSIST = 0x0FF5, 0x1772, 0x0FF0, 0x03F3
_SLIDE_ATOM, _SHAPE, _PLACEHOLDER, _TEXT_REFERENCE = 0x03EF, 0xF004, 0x0BC3, 0x0F9E
_TEXT_HEADER, _TEXT_CHARS, _TEXT_BYTES = 0x0F9F, 0x0FA0, 0x0FA8
_SLIDES, _NOTES = 0, 2  # which list a list of slides is
_TITLES, _BODIES, _NOTES_TEXT = (0, 6), (1, 7, 8), 2
_FURNITURE = (7, 8, 9, 10)  # placeholders for the date, the number, the footer and the header
_FIELD = "*"  # stands where PowerPoint puts in a date or a number
_MOST_EDITS = 10_000


@dataclass(frozen=True, slots=True)
class _Record:
    kind: int
    instance: int
    start: int
    end: int


@dataclass(slots=True)
class _Text:
    kind: int
    words: str = ""


@dataclass(slots=True)
class _Slide:
    """A slide as the document lists it; texts that stand in its outline are kept there, not on the slide."""

    persist: int
    number: int
    outline: list[_Text] = field(default_factory=list[_Text])


def parse_ppt(content: bytes) -> ParsedDocument:
    """One place a slide, hidden ones too; a fault where the list of slides is lost."""
    streams, title = read_streams(content, "PowerPoint Document", "Current User", what=_WHAT)
    outline = Outline()
    try:
        (edit,) = struct.unpack_from("<I", streams["Current User"], 16)
        first = _add_slides(outline, streams["PowerPoint Document"], edit)
    except (struct.error, KeyError) as error:
        raise DocumentFault(f"The file is damaged and cannot be opened as {_WHAT}.") from error
    return outline.finish(title=title or choose_title(first))


def _add_slides(outline: Outline, stream: bytes, edit: int) -> str | None:
    offsets, document = _read_directory(stream, edit)
    lists = _read_lists(stream, offsets[document])
    notes = {slide.number: slide for slide in lists.get(_NOTES, [])}
    first: str | None = None
    for number, slide in enumerate(lists[_SLIDES], start=1):
        texts, notes_number = _read_shapes(stream, offsets[slide.persist], slide.outline)
        title = " ".join(" ".join(text.words for text in texts if text.kind in _TITLES).split())
        first = title if number == 1 else first
        outline.begin_place(make_slide_place(number, title))
        outline.forget_headings()
        outline.add_heading(title, 1)
        for text in texts:
            if text.kind not in _TITLES:
                outline.add_paragraph(_write(text))
        _add_notes(outline, stream, offsets, notes.get(notes_number))
    return first


def _add_notes(outline: Outline, stream: bytes, offsets: dict[int, int], notes: _Slide | None) -> None:
    if notes is None or notes.persist not in offsets:
        return
    texts, _ = _read_shapes(stream, offsets[notes.persist], notes.outline)
    written = [_write(text) for text in texts if text.kind == _NOTES_TEXT]
    if any(written):
        outline.add_heading("Notes", 2)
        outline.add_paragraph("\n\n".join(filter(None, written)))


def _read_directory(stream: bytes, edit: int) -> tuple[dict[int, int], int]:
    """Where each numbered part of the document stands, by its newest edit, and the number of the document's own."""
    offsets: dict[int, int] = {}
    document = 0
    for _ in range(_MOST_EDITS):
        kind, previous, directory, number = struct.unpack_from("<2xH4x8xIII", stream, edit)
        if kind != _USER_EDIT:
            raise KeyError(edit)
        document = document or number
        start = directory + 8
        end = start + struct.unpack_from("<I", stream, directory + 4)[0]
        while start < end:
            (entry,) = struct.unpack_from("<I", stream, start)
            first, count = entry & 0xFFFFF, entry >> 20
            for index, offset in enumerate(struct.unpack_from(f"<{count}I", stream, start + 4)):
                offsets.setdefault(first + index, offset)
            start += 4 + 4 * count
        if not previous or previous >= edit:
            break
        edit = previous
    return offsets, document


def _walk(stream: bytes, offset: int) -> Iterator[_Record]:
    """A record and all inside it, in the order in which they stand; a container comes before its content."""
    (length,) = struct.unpack_from("<I", stream, offset + 4)
    end = min(offset + 8 + length, len(stream))
    while offset + 8 <= end:
        head, kind, length = struct.unpack_from("<HHI", stream, offset)
        yield _Record(kind, head >> 4, offset + 8, min(offset + 8 + length, end))
        offset += 8 if head & 0xF == 0xF else 8 + length


def _read_lists(stream: bytes, offset: int) -> dict[int, list[_Slide]]:
    lists: dict[int, list[_Slide]] = {_SLIDES: []}
    slides = list[_Slide]()
    for record in _walk(stream, offset):
        if record.kind == _SLIDE_LIST:
            slides = lists.setdefault(record.instance, [])
        elif record.kind == _SLIDE_PERSIST:
            persist, number = struct.unpack_from("<I8xI", stream, record.start)
            slides.append(_Slide(persist, number))
        elif slides:
            _take_text(stream, record, slides[-1].outline)
    return lists


def _read_shapes(stream: bytes, offset: int, outline: Sequence[_Text]) -> tuple[list[_Text], int]:
    """The texts of a slide's shapes in order, and the number of its notes."""
    texts: list[_Text] = []
    notes = 0
    furniture = False
    for record in _walk(stream, offset):
        if record.kind == _SLIDE_ATOM:
            (notes,) = struct.unpack_from("<16xI", stream, record.start)
        elif record.kind == _SHAPE:
            furniture = False
        elif record.kind == _PLACEHOLDER:
            furniture = stream[record.start + 4] in _FURNITURE
        elif furniture:
            continue
        elif record.kind == _TEXT_REFERENCE:
            (index,) = struct.unpack_from("<I", stream, record.start)
            texts.extend(outline[index : index + 1])
        else:
            _take_text(stream, record, texts)
    return texts, notes


def _take_text(stream: bytes, record: _Record, texts: list[_Text]) -> None:
    if record.kind == _TEXT_HEADER:
        texts.append(_Text(struct.unpack_from("<I", stream, record.start)[0]))
    elif record.kind in (_TEXT_CHARS, _TEXT_BYTES) and texts:
        encoding = "utf-16-le" if record.kind == _TEXT_CHARS else "latin-1"
        texts[-1].words += stream[record.start : record.end].decode(encoding, "replace")


def _write(text: _Text) -> str:
    paragraphs = (" ".join(line.split()) for line in text.words.replace("\v", " ").split("\r"))
    filled = [line for line in paragraphs if line and line != _FIELD]
    if text.kind in _BODIES and len(filled) > 1:
        return "\n".join(f"- {line}" for line in filled)
    return "\n\n".join(filled)
