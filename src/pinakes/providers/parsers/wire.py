"""Frames between the pool and a child: two lengths, a header in JSON, a body in bytes."""

import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar, cast

from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import PLACE_KINDS, Place

T = TypeVar("T")

LENGTHS = struct.Struct(">II")
_MOST_PAGES = 10_000_000
OUT_OF_MEMORY = 77  # the exit code of a child that could not even say so


@dataclass(frozen=True, slots=True)
class Frame:
    """One message; what the header means is up to the two ends."""

    header: bytes
    body: bytes = b""

    @property
    def fields(self) -> dict[str, Any]:
        """The header read; ValueError if it is no JSON object."""
        fields = json.loads(self.header)
        if not isinstance(fields, dict):
            raise ValueError("the header is no object")
        return cast("dict[str, Any]", fields)

    @property
    def head(self) -> bytes:
        """What goes over the wire before the body."""
        return LENGTHS.pack(len(self.header), len(self.body)) + self.header


def make_frame(fields: Mapping[str, Any], body: bytes = b"") -> Frame:
    """A frame with these header fields."""
    return Frame(json.dumps(fields).encode(), body)


def frame_document(parsed: ParsedDocument) -> Frame:
    """A parsed document as a frame, its text in the body."""
    fields = asdict(parsed)
    text = fields.pop("text")
    return make_frame({"document": fields}, text.encode())


def read_document(fields: Mapping[str, Any], body: bytes) -> ParsedDocument:
    """The document of a frame; ValueError unless its sections are in order and inside the text."""
    text = body.decode()
    sections: list[Section] = []
    end = 0
    for row in fields["sections"]:
        section = _read_section(row)
        if not end <= section.start <= section.end <= len(text):
            raise ValueError("a section is out of place")
        end = section.end
        sections.append(section)
    return ParsedDocument(
        text,
        tuple(sections),
        markdown=bool(fields["markdown"]),
        title=_optional(str, fields["title"]),
        remarks=tuple(map(str, fields["remarks"])),
        pages=_optional(_read_count, fields["pages"]),
    )


def _read_count(value: Any) -> int:
    if not 0 < int(value) <= _MOST_PAGES:
        raise ValueError("there cannot be so many pages")
    return int(value)


def _read_section(row: Mapping[str, Any]) -> Section:
    return Section(
        int(row["start"]),
        int(row["end"]),
        place=_optional(_read_place, row["place"]),
        headings=tuple(map(str, row["headings"])),
        header=str(row["header"]),
        inside=_optional(str, row["inside"]),
    )


def _read_place(row: Mapping[str, Any]) -> Place:
    if row["kind"] not in PLACE_KINDS:
        raise ValueError("a place is of no known kind")
    return Place(
        row["kind"],
        int(row["number"]),
        name=_optional(str, row["name"]),
        first_row=_optional(int, row["first_row"]),
        last_row=_optional(int, row["last_row"]),
    )


def _optional(read: Callable[[Any], T], value: Any) -> T | None:
    return None if value is None else read(value)
