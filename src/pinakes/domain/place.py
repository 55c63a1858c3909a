"""Where in an original a passage stands, in the terms of its format."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

PlaceKind = Literal["page", "slide", "sheet", "chapter"]
PLACE_KINDS = frozenset(get_args(PlaceKind))


@dataclass(frozen=True, slots=True)
class Place:
    """A page, slide, sheet or chapter, counted from 1.

    Rows count from 1 as the program that made the table shows them; a CSV file is a sheet without a name.
    """

    kind: PlaceKind
    number: int
    name: str | None = None
    first_row: int | None = None
    last_row: int | None = None

    def with_rows(self, first: int, last: int) -> "Place":
        """The same place, narrowed to some of its rows."""
        return replace(self, first_row=first, last_row=last)

    def describe(self) -> str:
        """For a person: `page 12`, `sheet Budget, rows 3–9`, `chapter 2: The Storm`."""
        if self.kind == "sheet":
            return ", ".join(part for part in (self.name and f"sheet {self.name}", self._rows()) if part) or "sheet"
        named = f": {self.name}" if self.name else ""
        return f"{self.kind} {self.number}{named}"

    def _rows(self) -> str:
        if self.first_row is None:
            return ""
        if self.last_row in (None, self.first_row):
            return f"row {self.first_row}"
        return f"rows {self.first_row}–{self.last_row}"
