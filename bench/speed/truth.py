"""The exact answers, worked out with numpy while chunks are loaded: what approximate ones are judged by."""

import json
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from bench.speed.mixture import Batch
from pinakes.domain.bm25 import Posting, query_terms

TOP = 10
CHUNKS_A_DOCUMENT = 10
# A filter matches one document in so many; the tag's value is that share in per cent.
SHARES: Mapping[str, int] = {"0.1": 1_000, "1": 100, "10": 10, "50": 2}
ALL = "all"


def matching(
    share: str, chunks: "np.ndarray[tuple[int], np.dtype[np.int64]]"
) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Which chunks a filter lets through."""
    return chunks // CHUNKS_A_DOCUMENT % SHARES[share] == 1


@dataclass(frozen=True, slots=True)
class Truth:
    """For every question the nearest chunks, of all and under each filter, and the chunks with the best BM25.

    Keywords are kept down to a score that the tenth reaches, since several chunks may share it.
    """

    nearest: dict[str, list[list[int]]]
    keywords: list[list[int]]

    def save(self, file: Path) -> None:
        """Keep it beside the data it belongs to."""
        file.write_text(json.dumps(asdict(self)))


def load_truth(file: Path) -> Truth | None:
    """What was kept, if anything."""
    return Truth(**json.loads(file.read_text())) if file.exists() else None


@dataclass
class Reckoning:
    """Takes note of every batch; at the end come the exact answers."""

    questions: Sequence[str]
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float32]]
    _best: dict[str, list[list[tuple[float, int]]]] = field(init=False)
    _postings: "dict[int, tuple[array[int], array[float]]]" = field(init=False)
    _size: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        """Nothing seen yet."""
        self._best = {share: [[] for _ in self.questions] for share in (ALL, *SHARES)}
        terms = {asked.term for question in self.questions for asked in query_terms(question)}
        self._postings = {term: (array("i"), array("f")) for term in terms}

    def note(self, batch: Batch, postings: Sequence[Posting]) -> None:
        """See some more chunks."""
        numbers = np.arange(batch.first, batch.first + len(batch.texts))
        scores = batch.vectors @ self.vectors.T
        for share, best in self._best.items():
            let_through = slice(None) if share == ALL else matching(share, numbers)
            for question, column in enumerate(scores[let_through].T):
                at = np.argsort(-column)[:TOP]
                found = zip(column[at].tolist(), numbers[let_through][at].tolist(), strict=True)
                best[question] = sorted([*best[question], *found], reverse=True)[:TOP]
        for number, posting in zip(numbers.tolist(), postings, strict=True):
            for term, weight in zip(posting.terms, posting.weights, strict=True):
                if (known := self._postings.get(term)) is not None:
                    known[0].append(number)
                    known[1].append(weight)
        self._size += len(batch.texts)

    def conclude(self) -> Truth:
        """The answers over all that was seen."""
        nearest = {share: [[number for _, number in found] for found in best] for share, best in self._best.items()}
        return Truth(nearest, [self._rank_keywords(question) for question in self.questions])

    def _rank_keywords(self, question: str) -> list[int]:
        scores = np.zeros(self._size)
        for asked in query_terms(question):
            numbers, weights = map(np.asarray, self._postings[asked.term])
            idf = np.log(1 + (self._size - len(numbers) + 0.5) / (len(numbers) + 0.5))
            scores[numbers] += asked.count * idf * weights
        tenth = np.sort(scores)[-TOP]
        return np.flatnonzero((scores > 0) & (scores >= tenth - 1e-4)).tolist()
