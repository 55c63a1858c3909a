"""Frames between the pool and a child: two lengths, a header in JSON, a body in bytes."""

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from pinakes.domain.parsing import ParsedDocument, Section

LENGTHS = struct.Struct(">II")
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
    sections = [(part.start, part.end, part.page, part.headings) for part in parsed.sections]
    fields = {"sections": sections, "markdown": parsed.markdown, "title": parsed.title}
    return make_frame({"document": fields}, parsed.text.encode())


def read_document(fields: Mapping[str, Any], body: bytes) -> ParsedDocument:
    """The document of a frame; ValueError unless its sections are in order and inside the text."""
    text = body.decode()
    sections: list[Section] = []
    end = 0
    for row in fields["sections"]:
        section = Section(int(row[0]), int(row[1]), None if row[2] is None else int(row[2]), tuple(map(str, row[3])))
        if not end <= section.start <= section.end <= len(text):
            raise ValueError("a section is out of place")
        end = section.end
        sections.append(section)
    title = fields["title"]
    return ParsedDocument(text, tuple(sections), bool(fields["markdown"]), None if title is None else str(title))
