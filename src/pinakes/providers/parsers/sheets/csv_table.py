"""Tables as text (CSV, TSV): which character divides the columns, and the records with their numbers."""

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, groupby, islice

from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.outline import Outline
from pinakes.providers.parsers.sheets.blocks import add_header, add_rows
from pinakes.providers.parsers.text.plain import decode

csv.field_size_limit(sys.maxsize)

Record = Sequence[str]
_DELIMITERS = ",;\t|"
_NO_DELIMITER = "\x1f"  # the separator of units, which no text table of today has
_SAMPLE_CHARS = 65_536
_SAMPLE_RECORDS = 100
_ENOUGH_ALIKE = 0.6
# Excel's own way to say which delimiter follows; it is no row of the table.
_HINT = re.compile(r"sep=(.)(?:\r\n?|\n)", re.IGNORECASE)
_SENTINEL = "\x1e"


def parse_csv(content: bytes) -> ParsedDocument:
    """The records as rows below the first, which names the columns; rows count records, as a spreadsheet does."""
    text = decode(content)
    hint = _HINT.match(text)
    if hint:
        return _parse(text[hint.end() :], hint[1])
    return _parse(text, _find_delimiter(text))


def parse_tsv(content: bytes) -> ParsedDocument:
    """The same for a table divided by tabs, unless it has none."""
    text = decode(content)
    return _parse(text, "\t" if "\t" in text else _find_delimiter(text))


def _parse(text: str, delimiter: str) -> ParsedDocument:
    outline = Outline()
    outline.begin_place(Place("sheet", 1))
    remarks: list[str] = []
    quoting: int = csv.QUOTE_MINIMAL
    if not _closes_quotes(text, delimiter):
        quoting = csv.QUOTE_NONE
        remarks.append("A quotation mark is never closed, so quotation marks were read as plain characters.")
    header: Record = ()
    numbered = enumerate(_read_records(text, delimiter, quoting), start=1)
    for filled, block in groupby(numbered, key=lambda entry: any(map(str.strip, entry[1]))):
        if filled:
            header = _add_block(outline, header, block)
    return outline.finish(remarks=remarks)


def _add_block(outline: Outline, header: Record, block: Iterator[tuple[int, Record]]) -> Record:
    """Add records that follow one another, and return the header that they stand under."""
    first_row, first = next(block)
    rest = (record for _, record in block)
    # A blank line inside a table does not end it; one before a table of another width does.
    if header and len(first) == len(header):
        add_rows(outline, header, chain([first], rest), first_row)
        return header
    second = next(rest, None)
    if second is None:
        outline.add_table([first], first_row=first_row)
        return first
    third = next(rest, None)
    if third is not None and _count_filled(first) == 1 < _count_filled(second):
        # A title alone in its row names no columns.
        outline.add_table([[cell for cell in first if cell.strip()]], first_row=first_row)
        first_row, first, second, third = first_row + 1, second, third, None
    add_header(outline, first, first_row)
    below = [second] if third is None else [second, third]
    add_rows(outline, first, chain(below, rest), first_row + 1)
    return first


def _count_filled(record: Record) -> int:
    return sum(1 for cell in record if cell.strip())


def _read_records(text: str, delimiter: str, quoting: int) -> Iterator[Record]:
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, skipinitialspace=True)  # pyright: ignore[reportArgumentType]


def _closes_quotes(text: str, delimiter: str) -> bool:
    if '"' not in text:
        return True
    last: Record = ()
    for record in _read_records(f"{text}\n{_SENTINEL}", delimiter, csv.QUOTE_MINIMAL):
        last = record
    return list(last) == [_SENTINEL]


def _find_delimiter(text: str) -> str:
    sample = text[:_SAMPLE_CHARS]
    if len(text) > _SAMPLE_CHARS:
        # The last line of the sample is cut in two.
        sample = sample[: max(sample.rfind("\n"), sample.rfind("\r")) + 1] or sample
    scores = {delimiter: _score(sample, delimiter) for delimiter in _DELIMITERS}
    best = max(_DELIMITERS, key=scores.__getitem__)
    if scores[best][0] >= _ENOUGH_ALIKE:
        return best
    first = sample.lstrip().partition("\n")[0]
    return next((delimiter for delimiter in _DELIMITERS if delimiter in first), _NO_DELIMITER)


def _score(sample: str, delimiter: str) -> tuple[float, int]:
    """How alike the records are in width, and that width; nothing where they have one column."""
    records = (record for record in _read_records(sample, delimiter, csv.QUOTE_MINIMAL) if record)
    widths = Counter(map(len, islice(records, _SAMPLE_RECORDS)))
    # Not most_common(1), which imports a module at its first call, when it is too late for that.
    width, count = max(widths.items(), key=lambda entry: entry[1], default=(1, 0))
    return (count / widths.total(), width) if width > 1 else (0.0, 0)
