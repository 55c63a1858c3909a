"""Variety among results: what says the same as a better one gives its place away."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pinakes.domain.search import Hit

# Of runs of words only their hashes are kept, which are compared in a tenth of the time.
Runs = frozenset[int]
# Passages that share so many of their runs of three words differ by a date, a name or a line break.
_SAME = 0.8
_RUN = 3
_LONG_WORDS = 20
_CLAUSE = re.compile(r"\w+")
# A line or two may well stand in many places and mean another thing in each.
_SHORTEST = 12


def choose_hits(hits: Sequence[Hit], top_k: int, diversity: float = 0.0) -> list[Hit]:
    """The first hits, best first, of those that say the same only the best, which tells where else it stands.

    With `diversity`, from 0 to 1, a passage also loses by what it shares with those chosen before it.
    """
    wanted = len(hits) if diversity else top_k
    runs: list[Runs] = []
    originals: list[int] = []
    elsewhere: dict[int, list[str]] = {}
    for at, hit in enumerate(hits):
        runs.append(_runs_of(hit))
        same = next((other for other in originals if _same(runs[at], runs[other])), None)
        if same is not None:
            elsewhere.setdefault(same, []).append(hit.citation)
        elif len(originals) < wanted:
            originals.append(at)
        else:
            # What says the same stands together: below the first that is not wanted hardly a copy is left to find.
            break
    chosen = _diversify(hits, runs, originals, top_k, diversity) if diversity else originals
    return [replace(hits[at], also_in=tuple(elsewhere[at])) if at in elsewhere else hits[at] for at in chosen]


def _diversify(
    hits: Sequence[Hit], runs: Sequence[Runs], originals: Sequence[int], top_k: int, diversity: float
) -> list[int]:
    """Greedily the best of what is left, less what it repeats; in the order of their scores in the end."""
    left, chosen = list(originals), list[int]()
    while left and len(chosen) < top_k:
        worth = {
            at: (1 - diversity) * hits[at].similarity
            - diversity * max((_shared(runs[at], runs[other]) for other in chosen), default=0.0)
            for at in left
        }
        best = max(left, key=lambda at: (worth[at], -at))
        chosen.append(best)
        left.remove(best)
    return sorted(chosen)


def _runs_of(hit: Hit) -> Runs:
    text = hit.content[len(hit.preface) :].casefold()
    words = text.split()
    if len(text) > _LONG_WORDS * len(words):
        # Written without spaces, as in Chinese, where clauses serve as well.
        words = _CLAUSE.findall(text)
    if len(words) < _RUN:
        return frozenset([hash(tuple(words))])
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))


def _same(one: Runs, other: Runs) -> bool:
    fewer, more = (one, other) if len(one) < len(other) else (other, one)
    # Counted only where the numbers alone do not rule it out: of all pairs hardly one is alike.
    return len(fewer) >= _SAME * len(more) and len(fewer) > _SHORTEST - _RUN and _shared(one, other) >= _SAME


def _shared(one: Runs, other: Runs) -> float:
    """The share of runs in both of all in either."""
    both = len(one & other)
    return both / (len(one) + len(other) - both)
