"""BM25 in two halves: what a chunk brings (here, stored) and what a question brings (idf, at search time)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from pinakes.domain.analysis import analyse, ask, hash_term
from pinakes.domain.names import name_key

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


def make_posting(text: str, average_length: float, headings: Iterable[str] = ()) -> Posting:
    """Analyse a chunk once; later only inner products are taken with it. It is also found by its headings as names."""
    found = analyse(text)
    norm = K1 * (1 - B + B * len(found) / average_length)
    counts = Counter(map(hash_term, found))
    names = {name_term(key): 1.0 for key in map(name_key, headings) if key}
    room = MAX_TERMS - len(names)
    kept = counts.items() if len(counts) <= room else counts.most_common(room)
    weights = {term: n * (K1 + 1) / (n + norm) for term, n in kept} | names
    terms = sorted(weights)
    return Posting(terms, [weights[term] for term in terms])


def name_term(key: str) -> int:
    """The term that stands for a name, apart from those of its words."""
    return hash_term(f"name {key}")


@dataclass(frozen=True, slots=True)
class AskedTerm:
    """A term of a question and how often it is asked for; forms of one word, of which one will do, share `word`."""

    term: int
    count: int
    word: int


@lru_cache(4096)
def query_terms(text: str, limit: int = 256) -> tuple[AskedTerm, ...]:
    """What a question asks for; a very long text asks by its first terms."""
    counts: Counter[int] = Counter()
    words: dict[int, int] = {}
    for word, forms in enumerate(ask(text)):
        for form in forms:
            counts[hash_term(form)] += 1
            words.setdefault(hash_term(form), word)
    return tuple(AskedTerm(term, count, words[term]) for term, count in list(counts.items())[:limit])
