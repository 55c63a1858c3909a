"""The words of one Word paragraph: its runs with links, notes and fields, as they stand on the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pinakes.providers.parsers.word.docx_styles import W, is_on, value
from pinakes.providers.parsers.word.links import write_link
from pinakes.providers.parsers.word.tabs import join_tabs

_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_DRAWINGS = ("/chart}chart", "/diagram}relIds")
_PRIVATE_USE = 0xE000
# Deleted or moved away by a tracked change, instructions instead of results, or readings above the characters.
_UNSEEN = frozenset(
    f"{W}{name}" for name in ("del", "moveFrom", "delText", "instrText", "delInstrText", "rt", "rPr", "pPr", "sdtPr")
)
_CHARACTERS = {
    f"{W}tab": "\t",
    f"{W}ptab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
}


@dataclass(slots=True)
class Line:
    """What a paragraph says: its text, the instructions of its fields, and what is anchored in it.

    Those are text boxes, and the ids of the relations that lead to charts and diagrams.
    """

    text: str = ""
    boxes: list[Any] = field(default_factory=list[Any])
    instructions: str = ""
    drawings: list[str] = field(default_factory=list[str])


def read_line(paragraph: Any, links: Mapping[str, str], number_note: Callable[[str, str], str]) -> Line:
    """The words of a paragraph; `links` are targets by id, `number_note` names the mark of a note by kind and id."""
    reader = _Reader(links, number_note)
    reader.read(paragraph)
    text = join_tabs("".join(reader.pieces)).strip()
    return Line(text, reader.boxes, "".join(reader.instructions), reader.drawings)


def choose_alternative(element: Any) -> Any | None:
    """Of contents that are given twice, for newer and for older programs, the one to read."""
    choice = element.find(f"{_MC}Choice")
    return element.find(f"{_MC}Fallback") if choice is None else choice


def shows_placeholder(control: Any) -> bool:
    """Whether a content control holds only the words that ask for something to be entered."""
    return is_on(control.find(f"{W}sdtPr/{W}showingPlcHdr"))


class _Reader:
    def __init__(self, links: Mapping[str, str], number_note: Callable[[str, str], str]) -> None:
        self.pieces: list[str] = []
        self.boxes: list[Any] = []
        self.instructions: list[str] = []
        self.drawings: list[str] = []
        self._links = links
        self._number_note = number_note
        # One entry for each field that is open: whether its result has begun.
        self._fields: list[bool] = []

    def read(self, element: Any) -> None:
        for child in element:
            if isinstance(child.tag, str):
                self._read_child(child.tag, child)

    def _read_child(self, tag: str, child: Any) -> None:
        if tag in (f"{W}t", f"{_MATH}t"):
            self._add(child.text or "")
        elif tag in _UNSEEN:
            if tag == f"{W}instrText":
                self.instructions.append(child.text or "")
        elif tag in _CHARACTERS:
            self._add(_CHARACTERS[tag])
        elif tag == f"{W}r":
            if not is_on(child.find(f"{W}rPr/{W}vanish")):
                self.read(child)
        elif tag == f"{W}hyperlink":
            self._read_link(child)
        elif tag == f"{W}fldChar":
            self._follow_field(value(child, "fldCharType"))
        else:
            self._read_rare(tag, child)

    def _read_rare(self, tag: str, child: Any) -> None:
        if tag == f"{W}sym":
            self._add(_read_symbol(child))
        elif tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
            kind = tag.removeprefix(W).removesuffix("Reference")
            self._add(self._number_note(kind, value(child, "id")))
        elif tag == f"{W}txbxContent":
            self.boxes.append(child)
        elif tag.endswith(_DRAWINGS):
            self.drawings.append(child.get(f"{_RELATION}id") or child.get(f"{_RELATION}dm") or "")
        elif tag == f"{_MC}AlternateContent":
            alternative = choose_alternative(child)
            if alternative is not None:
                self.read(alternative)
        elif tag == f"{W}fldSimple":
            self.instructions.append(value(child, "instr"))
            self.read(child)
        elif tag != f"{W}sdt" or not shows_placeholder(child):
            self.read(child)

    def _read_link(self, element: Any) -> None:
        start = len(self.pieces)
        self.read(element)
        text = "".join(self.pieces[start:])
        target = self._links.get(element.get(f"{_RELATION}id") or "", "")
        self.pieces[start:] = [write_link(text, target)]

    def _follow_field(self, kind: str) -> None:
        if kind == "begin":
            self._fields.append(False)
        elif kind == "separate" and self._fields:
            self._fields[-1] = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _add(self, text: str) -> None:
        # What stands before a field's result, even the results of fields inside, belongs to its instruction.
        if all(self._fields):
            self.pieces.append(text)


def _read_symbol(element: Any) -> str:
    # Symbols of a font's own have no meaning outside that font.
    try:
        code = int(value(element, "char"), 16)
    except ValueError:
        return ""
    return chr(code) if 0x20 <= code < _PRIVATE_USE and not 0xD800 <= code < 0xE000 else ""
