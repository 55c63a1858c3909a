"""Fusing the two rankings of one knowledge base."""

from collections.abc import Sequence
from dataclasses import dataclass

# How much the embedder counts for text it knows; keywords count for the rest.
DENSE_WEIGHT = 0.5
# A keyword match that reaches this share of the best possible score counts in full. Where even the best one
# is weaker, keywords say less: a single common word must not outrank the passage that means what was asked.
FULL_MATCH = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that one of the rankings found, with both raw parts; `lexical_share` is of the best possible."""

    index_id: str
    chunk_id: str
    dense: float | None
    lexical: float
    lexical_share: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with its place in the fused order and its calibrated score."""

    candidate: Candidate
    fused: float
    similarity: float


def fuse(candidates: Sequence[Candidate], known: float) -> list[tuple[Candidate, float]]:
    """Candidates of one index, best first, by the weighted sum of both parts, each from 0 to 1.

    `known` is the share of the question that the embedder knows: unknown words take its weight away, since
    a model that does not know a language would spoil the keyword ranking.
    """
    dense = _scaled([c.dense for c in candidates])
    full = max([FULL_MATCH, *(c.lexical_share for c in candidates)])
    lexical = [c.lexical_share / full for c in candidates]
    weight = DENSE_WEIGHT * known
    fused = [weight * d + (1 - weight) * k for d, k in zip(dense, lexical, strict=True)]
    return sorted(zip(candidates, fused, strict=True), key=lambda pair: (-pair[1], pair[0].chunk_id))


def _scaled(values: Sequence[float | None]) -> list[float]:
    """Min-max to 0–1; a part that is missing, or the same for all, says nothing."""
    present = [value for value in values if value is not None]
    low, high = (min(present), max(present)) if present else (0.0, 0.0)
    span = high - low
    return [0.0 if value is None or span <= 0 else (value - low) / span for value in values]
