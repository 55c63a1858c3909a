"""From raw parts to a score that means the same everywhere: how probable it is that a passage is relevant."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace


@dataclass(frozen=True, slots=True)
class Calibration:
    """Two logistics for one embedder: over cosine and keyword match together, and over keywords alone.

    The first is trusted as far as the embedder knows the question's words, the second for the rest.
    """

    bias: float
    dense: float
    lexical: float
    keyword_bias: float
    keyword: float

    @staticmethod
    def of(embedder: str) -> "Calibration":
        """What ships for an embedder; one we have not measured starts from the default's."""
        return _SHIPPED.get(embedder, _BUILT_IN)

    def probability(self, dense: float | None, lexical: float, known: float) -> float:
        """The calibrated score of one passage; `lexical` is its share of the best possible keyword score."""
        keywords = self.keyword_bias + self.keyword * lexical
        if dense is None:
            return _logistic(keywords)
        both = self.bias + self.dense * dense + self.lexical * lexical
        return _logistic(known * both + (1 - known) * keywords)

    def to_json(self) -> dict[str, float]:
        """As it is stored with an index generation."""
        return asdict(self)


def descending(probabilities: Sequence[float]) -> list[float]:
    """The closest sequence that never rises: neighbours out of order share their mean.

    The fused order is the better ranking, the probability the better level; this keeps both.
    """
    pools: list[tuple[float, int]] = []
    for probability in probabilities:
        mean, size = probability, 1
        while pools and pools[-1][0] < mean:
            other_mean, other_size = pools.pop()
            mean = (mean * size + other_mean * other_size) / (size + other_size)
            size += other_size
        pools.append((mean, size))
    return [mean for mean, size in pools for _ in range(size)]


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, x))))


# Fitted by bench/calibration.py on ten sets of judged questions; docs/retrieval.md shows how well.
_BUILT_IN = Calibration(bias=-7.15, dense=13.23, lexical=9.59, keyword_bias=-3.08, keyword=33.2)
_SHIPPED: dict[str, Calibration] = {
    "builtin:all-MiniLM-L6-v2": _BUILT_IN,
    # With no embedder only the last two count; they were fitted on all languages.
    "none": replace(_BUILT_IN, keyword_bias=-2.66, keyword=22.79),
}
