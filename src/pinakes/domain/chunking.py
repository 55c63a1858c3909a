"""Cutting a parsed document into chunks: at its own structure, within a budget of tokens."""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil

from semantic_text_splitter import MarkdownSplitter, TextSplitter

from pinakes.domain.chunk import Chunk, end_of_headings, put_under_headings
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import Place

_FEWEST_TOKENS = 16
_HEADINGS_SHARE = 4  # the heading path takes at most one token in so many
_HEADER_SHARE = 3  # and so does a table's header
_SLIVER_SHARE = 6  # a chunk is a sliver below one part in so many of the budget
# A tokenizer may take a run of any length for one unknown token, so characters have a limit of their own.
_CHARS_PER_TOKEN = 8
_SAMPLES = 3
_FILL = 0.95  # aim a little low: a chunk over the budget has to be cut in two
_BALANCE = 1.15  # room for the splitter to find a good place near the middle
# The splitter's time grows with the square of a text's length, and faster on a line without an end.
_LONGEST_WINDOW = 50_000
_LONGEST_LINE = 8_000
_LINE = re.compile(r"[^\r\n]+")
# Where a window may end, best first: a paragraph, a line, a sentence, a word.
_BREAKS = tuple(map(re.compile, (r"\n\r?\n", r"\r\n?|\n", r"[.!?]\s+|[。！？]", r"\s+")))


@dataclass(frozen=True, slots=True)
class _Piece:
    start: int
    end: int
    tokens: int


@dataclass(frozen=True, slots=True)
class _Passage:
    """A section's headings and the means to measure what stands below them."""

    text: str
    markdown: bool
    headings: tuple[str, ...]
    header: str
    max_tokens: int
    count_tokens: Callable[[str], int]

    @property
    def lead(self) -> str:
        """What stands above every piece."""
        return put_under_headings(self.headings, self.header)

    @property
    def max_chars(self) -> int:
        return self.max_tokens * _CHARS_PER_TOKEN

    def measure(self, start: int, end: int) -> _Piece:
        """The span without the white space around it and its tokens under the headings; for short spans."""
        start, end = _trim(self.text, start, end)
        content = self.header + self.text[start:end]
        tokens = self.count_tokens(put_under_headings(self.headings, content)) if start < end else 0
        return _Piece(start, end, tokens)

    def fits(self, piece: _Piece) -> bool:
        return piece.tokens <= self.max_tokens and piece.end - piece.start <= self.max_chars


def chunk_document(parsed: ParsedDocument, *, max_tokens: int, count_tokens: Callable[[str], int]) -> list[Chunk]:
    """Chunks of at most `max_tokens` each, in order, which together hold every visible character once."""
    if max_tokens < _FEWEST_TOKENS:
        raise ValueError(f"a chunk needs at least {_FEWEST_TOKENS} tokens")
    # The first piece of a section makes the same text with its heading and without, and every lead comes many times.
    count_tokens = lru_cache(maxsize=64)(count_tokens)
    newlines = [match.start() for match in re.finditer("\n", parsed.text)]
    fitted: dict[tuple[str, ...], tuple[str, ...]] = {}
    chunks: list[Chunk] = []
    for section in _join_bare_headings(parsed):
        if section.headings not in fitted:
            fitted[section.headings] = _fit_headings(section.headings, max_tokens, count_tokens)
        headings = fitted[section.headings]
        header = _fit_header(section.header, max_tokens, count_tokens)
        passage = _Passage(parsed.text, parsed.markdown, headings, header, max_tokens, count_tokens)
        for piece in _cut_section(passage, section):
            chunks.append(
                Chunk(
                    ordinal=len(chunks),
                    content=parsed.text[piece.start : piece.end],
                    start=piece.start,
                    end=piece.end,
                    place=_place_of(parsed.text, section, piece),
                    headings=headings,
                    start_line=bisect_left(newlines, piece.start) + 1,
                    end_line=bisect_left(newlines, piece.end) + 1,
                    tokens=piece.tokens,
                    preface=header,
                    inside=section.inside,
                )
            )
    return chunks


def _fit_headings(headings: tuple[str, ...], max_tokens: int, count_tokens: Callable[[str], int]) -> tuple[str, ...]:
    # The nearest headings say most about the passage, so the outer ones go first.
    longest = max_tokens * _CHARS_PER_TOKEN // _HEADINGS_SHARE
    while headings:
        path = put_under_headings(headings, "")
        if len(path) <= longest and count_tokens(path) <= max_tokens // _HEADINGS_SHARE:
            break
        headings = headings[1:]
    return headings


def _fit_header(header: str, max_tokens: int, count_tokens: Callable[[str], int]) -> str:
    # A header too long to repeat would leave no room for the rows.
    longest = max_tokens * _CHARS_PER_TOKEN // _HEADER_SHARE
    return header if len(header) <= longest and count_tokens(header) <= max_tokens // _HEADER_SHARE else ""


def _place_of(text: str, section: Section, piece: _Piece) -> Place | None:
    place = section.place
    if place is None or place.first_row is None:
        return place
    first = place.first_row + text.count("\n", section.start, piece.start)
    return place.with_rows(first, first + text.count("\n", piece.start, piece.end))


def _join_bare_headings(parsed: ParsedDocument) -> Iterator[Section]:
    """A heading with nothing below it but the next heading goes with that: alone it would be a passage of nothing."""
    above: Section | None = None
    for section in parsed.sections:
        if above is not None and _leads_to(above, section):
            section = replace(section, start=above.start)
        elif above is not None:
            yield above
        bare = end_of_headings(parsed.text, section.headings, section.start, section.end) == section.end
        above = section if bare and section.headings else None
        if above is None:
            yield section
    if above is not None:
        yield above


def _leads_to(above: Section, section: Section) -> bool:
    deeper = section.headings[: len(above.headings)] == above.headings
    return deeper and (above.place, above.header, above.inside) == (section.place, section.header, section.inside)


def _cut_section(passage: _Passage, section: Section) -> list[_Piece]:
    # A section's own heading stands above its first passage, whichever place is best to cut at.
    body = end_of_headings(passage.text, passage.headings, section.start, section.end)
    pieces = [piece for window in _find_windows(passage.text, body, section.end) for piece in _split(passage, *window)]
    if pieces and body > section.start:
        first = passage.measure(section.start, pieces[0].end)
        if passage.fits(first):
            return _absorb_slivers(passage, [first, *pieces[1:]])
    return _absorb_slivers(passage, [*_split(passage, section.start, body), *pieces])


def _find_windows(text: str, first: int, last: int) -> Iterator[tuple[int, int]]:
    for start, end in _divide(text, first, last, _LONGEST_WINDOW):
        for line in _LINE.finditer(text, start, end):
            if line.end() - line.start() > _LONGEST_LINE:
                yield start, line.start()
                yield from _divide(text, line.start(), line.end(), _LONGEST_LINE)
                start = line.end()
        yield start, end


def _divide(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    while end - start > longest:
        cut = _find_break(text, start + longest // 2, start + longest)
        yield start, cut
        start = cut
    yield start, end


def _find_break(text: str, start: int, end: int) -> int:
    for pattern in _BREAKS:
        ends = [match.end() for match in pattern.finditer(text, start, end)]
        if ends:
            return ends[-1]
    return end


def _split(passage: _Passage, start: int, end: int) -> Iterator[_Piece]:
    start, end = _trim(passage.text, start, end)
    if start == end:
        return
    if end - start > passage.max_chars:
        capacity = _estimate_capacity(passage, start, end)
    else:
        piece = passage.measure(start, end)
        if passage.fits(piece):
            yield piece
            return
        capacity = _halve_capacity(passage, piece)
    for part_start, part_end in _split_by_chars(passage, start, end, capacity):
        yield from _split(passage, part_start, part_end)


def _estimate_capacity(passage: _Passage, start: int, end: int) -> int:
    # A few samples stand for a text of any length: counting all of it twice would double the time.
    size = min(passage.max_chars, (end - start) // _SAMPLES)
    step = (end - start - size) // (_SAMPLES - 1)
    sample = " ".join(passage.text[at : at + size] for at in range(start, end - size + 1, step)[:_SAMPLES])
    chars_per_token = len(sample) / max(1, passage.count_tokens(sample))
    capacity = int(chars_per_token * _room(passage) * _FILL)
    return max(1, min(capacity, passage.max_chars))


def _halve_capacity(passage: _Passage, piece: _Piece) -> int:
    length = piece.end - piece.start
    if length == 1:
        raise ValueError("max_tokens is too small for a single character and its headings")
    room = _room(passage)
    parts = max(2, ceil((piece.tokens - passage.max_tokens + room) / room))
    return max(1, min(ceil(length / parts * _BALANCE), length - 1))


def _room(passage: _Passage) -> int:
    return max(1, passage.max_tokens - passage.count_tokens(passage.lead))


def _split_by_chars(passage: _Passage, start: int, end: int, capacity: int) -> Iterator[tuple[int, int]]:
    kind = MarkdownSplitter if passage.markdown else TextSplitter
    # Untrimmed parts join to the whole, so that their lengths give their places.
    for part in kind(capacity, trim=False).chunks(passage.text[start:end]):
        yield start, start + len(part)
        start += len(part)


def _absorb_slivers(passage: _Passage, pieces: list[_Piece]) -> list[_Piece]:
    """Join what is too small to mean much to a neighbour, or share the neighbour's text with it."""
    sliver = passage.max_tokens // _SLIVER_SHARE
    kept: list[_Piece] = []
    for piece in pieces:
        if not kept or min(piece.tokens, kept[-1].tokens) >= sliver:
            kept.append(piece)
            continue
        joined = passage.measure(kept[-1].start, piece.end)
        if passage.fits(joined):
            kept[-1] = joined
            continue
        halves = _rebalance(passage, joined)
        if len(halves) == 2 and min(half.tokens for half in halves) >= sliver:
            kept[-1:] = halves
        else:
            kept.append(piece)
    return kept


def _rebalance(passage: _Passage, joined: _Piece) -> list[_Piece]:
    capacity = ceil((joined.end - joined.start) / 2 * _BALANCE)
    spans = _split_by_chars(passage, joined.start, joined.end, capacity)
    halves = [passage.measure(start, end) for start, end in spans]
    return halves if all(map(passage.fits, halves)) else []


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
