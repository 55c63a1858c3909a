"""What a parser makes of a file: its text, and where its pages and sections are."""

from dataclasses import dataclass

from pinakes.domain.place import Place

MediaType = str
# Formats of text whose parsers change it on the way.
_REWRITTEN = ("text/html", "text/csv", "text/tab-separated-values", "text/x-rst", "text/x-org")


def keeps_lines(media_type: MediaType) -> bool:
    """Whether the lines of a document's text are those that an editor shows for the file."""
    return media_type.startswith("text/") and media_type not in _REWRITTEN


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the text that no chunk may cross: a page, a slide, rows of a table, what stands below a heading.

    `header` is put above every passage of the section: a table's own header, whose text stands outside of
    all sections. Where `place` has a first row, each line of the section is one row, counted from it.
    `inside` names the attachment that the section was found in.
    """

    start: int
    end: int
    place: Place | None = None
    headings: tuple[str, ...] = ()
    header: str = ""
    inside: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """The text of a document and its sections in order; offsets count characters of `text`.

    `remarks` tell a person what was left out, such as pages without text or attachments that cannot be read. `pages`
    is how many pages or slides there are, with or without text, where the format has them.
    """

    text: str
    sections: tuple[Section, ...]
    markdown: bool = False
    title: str | None = None
    remarks: tuple[str, ...] = ()
    pages: int | None = None
