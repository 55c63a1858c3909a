"""Packing search results into a budget of tokens: the best first, the last one cut where it reads well."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from pinakes.domain.sentences import split_sentences

SEPARATOR = "\n\n"
ELLIPSIS = "..."
DEFAULT_MAX_TOKENS = 4000

_SMALLEST_CUT = 100
_SENTENCE_FROM = 0.8
_WORD_FROM = 0.5
_RECENCY_SPAN = timedelta(days=365)
_SIMILARITY_SHARE, _RECENCY_SHARE = 0.7, 0.3
# Enough of what follows a cut to tell an abbreviation from the end of a sentence.
_LOOKAHEAD = 200
_CHARS_PER_TOKEN = 4

CountTokens = Callable[[str], int]


class Ordering(StrEnum):
    """What makes a passage come first."""

    SIMILARITY = "similarity"
    RECENCY = "recency"
    BALANCED = "balanced"


@dataclass(frozen=True, slots=True)
class Passage:
    """A search result on its way into the budget."""

    key: str
    text: str
    similarity: float
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PackedPassage:
    """A passage that went in; its first `kept_chars` characters are in `text`, followed by `...` if cut."""

    key: str
    text: str
    truncated: bool
    tokens: int
    kept_chars: int


@dataclass(frozen=True, slots=True)
class Packed:
    """What went in, in order; `total_tokens` counts the texts joined by a blank line."""

    passages: tuple[PackedPassage, ...]
    total_tokens: int
    omitted_count: int


def pack(
    passages: Sequence[Passage],
    *,
    max_tokens: int = DEFAULT_MAX_TOKENS,
    ordering: Ordering = Ordering.SIMILARITY,
    now: datetime,
    count_tokens: CountTokens,
) -> Packed:
    """The best passages whose joined text is at most `max_tokens` long, the last one cut if need be."""
    # The first that does not fit is cut, if over 100 tokens remain, and nothing comes after it: a smaller
    # but worse passage in its place would break the order.
    ranked = sorted(passages, key=lambda p: (_score(p, ordering, now), p.similarity), reverse=True)
    kept = _take_whole(ranked, max_tokens, count_tokens)
    if len(kept) < len(ranked):
        cut = _cut_to_fit(ranked[len(kept)], kept, max_tokens, count_tokens)
        kept = kept if cut is None else [*kept, cut]
    return Packed(
        passages=tuple(kept),
        total_tokens=count_tokens(_joined(kept)),
        omitted_count=len(passages) - len(kept),
    )


def recency(updated_at: datetime, now: datetime) -> float:
    """1 for now, falling in a straight line to 0 at a year ago."""
    return min(1.0, max(0.0, 1 - (now - updated_at) / _RECENCY_SPAN))


def _score(passage: Passage, ordering: Ordering, now: datetime) -> float:
    match ordering:
        case Ordering.SIMILARITY:
            return passage.similarity
        case Ordering.RECENCY:
            return recency(passage.updated_at, now)
        case Ordering.BALANCED:
            age = recency(passage.updated_at, now)
            return _SIMILARITY_SHARE * passage.similarity + _RECENCY_SHARE * age


def _joined(passages: Sequence[Passage | PackedPassage]) -> str:
    return SEPARATOR.join(p.text for p in passages)


def _take_whole(ranked: Sequence[Passage], max_tokens: int, count_tokens: CountTokens) -> list[PackedPassage]:
    """As many of the first passages as fit uncut."""
    kept: list[PackedPassage] = []
    separator = count_tokens(SEPARATOR)
    estimate = 0
    for passage in ranked:
        tokens = count_tokens(passage.text)
        estimate += tokens + (separator if kept else 0)
        if estimate > max_tokens:
            # Tokens do not add up exactly, since some span two texts: near the budget they are counted.
            estimate = count_tokens(_joined([*kept, passage])) if kept else tokens
        if estimate > max_tokens:
            break
        kept.append(PackedPassage(passage.key, passage.text, False, tokens, len(passage.text)))
    while kept and count_tokens(_joined(kept)) > max_tokens:
        kept.pop()
    return kept


def _cut_to_fit(
    passage: Passage, before: Sequence[PackedPassage], max_tokens: int, count_tokens: CountTokens
) -> PackedPassage | None:
    """The longest readable beginning of the passage that fits behind those before it."""
    room = max_tokens - count_tokens(_joined(before))
    if room <= _SMALLEST_CUT:
        return None
    while room > 0:
        fitting = _longest_prefix(passage.text, room, count_tokens)
        kept = passage.text[: _readable_end(passage.text, fitting)].rstrip()
        if not kept:
            return None
        text = kept + ELLIPSIS
        cut = PackedPassage(passage.key, text, True, count_tokens(text), len(kept))
        excess = count_tokens(_joined([*before, cut])) - max_tokens
        if excess <= 0:
            return cut
        room -= excess
    return None


def _longest_prefix(text: str, room: int, count_tokens: CountTokens) -> int:
    """How many characters, short of all, fit with an ellipsis; never counts much more text than that."""
    longest = max(0, len(text) - 1)
    low, high = 0, min(longest, room * _CHARS_PER_TOKEN)
    while count_tokens(text[:high] + ELLIPSIS) <= room:
        if high == longest:
            return high
        low, high = high, min(longest, high * 2)
    while high - low > 1:
        middle = (low + high) // 2
        if count_tokens(text[:middle] + ELLIPSIS) <= room:
            low = middle
        else:
            high = middle
    return low


def _readable_end(text: str, limit: int) -> int:
    """The last sentence end in the last fifth before the limit, else the last word end."""
    ends = [end for _, end in split_sentences(text[: limit + _LOOKAHEAD]) if end <= limit]
    if ends and ends[-1] >= _SENTENCE_FROM * limit:
        return ends[-1]
    end = limit
    while end > _WORD_FROM * limit:
        if _is_word_end(text, end):
            return end
        end -= 1
    return limit


def _is_word_end(text: str, at: int) -> bool:
    """Whether a word ends before this character; scripts that write no spaces may be cut between letters."""
    if at >= len(text) or text[at].isspace():
        return True
    joined = unicodedata.category(text[at]).startswith("M") or "\u200d" in text[at - 1 : at + 1]
    return not joined and (_has_no_spaces(text[at - 1]) or _has_no_spaces(text[at]))


def _has_no_spaces(character: str) -> bool:
    """Thai, Lao, Burmese, Khmer, kana and Han."""
    return (
        "\u0e00" <= character <= "\u0eff"
        or "\u1000" <= character <= "\u109f"
        or "\u1780" <= character <= "\u17ff"
        or "\u2e80" <= character <= "\u312f"
        or "\u3400" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\U00020000" <= character <= "\U0003ffff"
    )
