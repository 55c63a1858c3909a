"""BM25 in two halves: what a chunk brings (here, stored) and what a question brings (idf, at search time)."""

from collections import Counter
from dataclasses import dataclass

from pinakes.domain.analysis import FUNCTION_WORDS, analyse, hash_term

K1 = 1.2
B = 0.75
# Chunks of the default size have about this many terms. It is frozen per index generation, since a
# drifting average would make the scores of old and new chunks incomparable.
AVERAGE_LENGTH = 120.0
# What pgvector accepts in one sparse vector; the rarest sentence in the world does not come near.
MAX_TERMS = 16_000


@dataclass(frozen=True, slots=True)
class Posting:
    """The document side of BM25 for one chunk: its terms in order and their saturated frequencies."""

    terms: list[int]
    weights: list[float]


def make_posting(text: str, average_length: float) -> Posting:
    """Analyse a chunk once; later only inner products are taken with it."""
    found = analyse(text)
    norm = K1 * (1 - B + B * len(found) / average_length)
    counts = Counter(hash_term(term) for term in found)
    kept = sorted(counts.most_common(MAX_TERMS))
    return Posting([t for t, _ in kept], [n * (K1 + 1) / (n + norm) for _, n in kept])


def query_terms(text: str, limit: int = 256) -> dict[int, int]:
    """The question's terms and how often each stands in it; a very long text asks by its first terms.

    Words that only make it a question are left out. In a large collection their weight would be next to
    nothing; in a small one they may be the rarest of all, and a good answer would seem to lack most of what was
    asked.
    """
    found = analyse(text)
    telling = [term for term in found if term not in FUNCTION_WORDS]
    counts = Counter(hash_term(term) for term in telling or found)
    return dict(list(counts.items())[:limit])
