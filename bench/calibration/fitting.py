"""The fit of a calibration to judged hits, by weighted logistic regression."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.calibration.asking import TOP, Asked, Hit, Kind
from pinakes.domain.calibration import Calibration

Array = NDArray[np.float64]

# How much a cosine of 1 counts beside a full keyword match decides the ranking; it was chosen for that alone.
_RATIO = 0.8
# Other hits weigh little: most are on the subject but were not judged, and counting them all as wrong would hide
# most answers behind a minimum score. Of the questions, seven in eight are about the knowledge base.
_WEIGHTS = {Kind.RELEVANT: 1.0, Kind.OTHER: 0.05, Kind.FOREIGN: 0.15}
# A question the embedder knows counts this much for the keyword part: where a language has few sets, the others
# keep it from fitting those too closely.
_KNOWN_TOO = 0.1


def fit_both(asked: Iterable[Asked]) -> Calibration:
    """For an embedder: keywords as they are trusted for what it does not know, then its own part on top."""
    hits, relevant, weights = weigh(asked)
    trust = np.sqrt([hit.known for hit in hits])
    words = _keyword_features(hits)
    keywords = _regress(words, relevant, weights * (1 - trust**2 + _KNOWN_TOO))
    both = trust * _RATIO * np.array([hit.dense or 0.0 for hit in hits]) + words[:, 1]
    meaning = np.stack([trust, trust * both], axis=1)
    offset = (1 - trust) * (keywords[0] + keywords[1] * both)
    bias, slope = _regress(meaning, relevant, weights, offset).tolist()
    return Calibration(round(bias, 2), round(_RATIO * slope, 2), round(slope, 2), *keywords.round(2).tolist())


def fit_keywords(asked: Iterable[Asked]) -> Calibration:
    """For no embedder at all: every question counts in full, whatever its language."""
    hits, relevant, weights = weigh(asked)
    keywords = _regress(_keyword_features(hits), relevant, weights)
    return Calibration(0.0, 0.0, 0.0, *keywords.round(2).tolist())


def weigh(asked: Iterable[Asked]) -> tuple[list[Hit], Array, Array]:
    """The first hits of every question, whether each is relevant, and its weight; sets weigh the same."""
    rows = [(each.kb, hit) for each in asked for hit in each.hits[:TOP]]
    counts: dict[tuple[str, Kind], int] = {}
    for kb, hit in rows:
        counts[kb, hit.kind] = counts.get((kb, hit.kind), 0) + 1
    weights = np.array([_WEIGHTS[hit.kind] / counts[kb, hit.kind] for kb, hit in rows])
    relevant = np.array([float(hit.kind is Kind.RELEVANT) for _, hit in rows])
    return [hit for _, hit in rows], relevant, weights * len(rows) / weights.sum()


def _keyword_features(hits: Sequence[Hit]) -> Array:
    return np.array([[1.0, hit.lexical] for hit in hits])


def _regress(x: Array, y: Array, weights: Array, offset: Array | float = 0.0) -> Array:
    """The coefficients of a weighted logistic regression, by Newton's method."""
    coefficients = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ coefficients + offset)))
        curvature = (x.T * (weights * p * (1 - p))) @ x + 1e-6 * np.eye(x.shape[1])
        coefficients += np.linalg.solve(curvature, x.T @ (weights * (y - p)))
    return coefficients
