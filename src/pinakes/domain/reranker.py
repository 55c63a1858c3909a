"""A re-ranker that a workspace brings itself: a model that reads question and passage together, served over HTTP."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from pinakes.domain.calibration import logistic
from pinakes.domain.chunk import put_under_headings
from pinakes.domain.errors import InvalidInput
from pinakes.domain.knowledge_base import clean_name
from pinakes.domain.search import Hit

PREFIX = "rrk"
# What a search says that wants none, whatever the workspace's default is.
NONE = "none"
SHORTEST_SECONDS, LONGEST_SECONDS, DEFAULT_SECONDS = 0.1, 30.0, 2.0
MOST_HITS, DEFAULT_HITS = 100, 50
LEAST_SLOPE, MOST_SLOPE, MOST_BIAS = 0.01, 100.0, 100.0
# Longer than nearly every passage; most models read no further.
MAX_CHARACTERS = 4_000
# A probability of exactly 0 or 1 has no logarithm of its odds.
_SURE = 1e-9
_VERSIONED = re.compile(r"/v\d+$")


class RerankStyle(StrEnum):
    """How an endpoint is asked."""

    COHERE = "cohere"
    JINA = "jina"
    TEI = "tei"


@dataclass(frozen=True, slots=True)
class RerankEndpoint:
    """Where a model is served, how it is asked and what its scores mean.

    Its calibration is a logistic over the score's log-odds, or over the score itself where scores are raw:
    with slope 1 and bias 0 a probability stays as it is.
    """

    reranker_id: str
    name: str
    style: RerankStyle
    base_url: str
    model: str | None
    seconds: float
    hits: int
    raw_scores: bool
    slope: float
    bias: float
    is_default: bool
    sealed_key: bytes | None = field(repr=False)
    key_hint: str | None
    created_at: datetime
    updated_at: datetime

    def probability(self, score: float) -> float:
        """The calibrated score, which rises with the raw one."""
        if not self.raw_scores:
            if (self.slope, self.bias) == (1, 0):
                # Through logarithms and back, 0.7 would come out a little less and miss a floor of 0.7.
                return min(max(score, 0.0), 1.0)
            share = min(max(score, _SURE), 1 - _SURE)
            score = math.log(share / (1 - share))
        odds = self.bias + self.slope * score
        return logistic(odds)


def clean_reranker_name(name: str) -> str:
    """A name that cannot be taken for an id or for none."""
    cleaned = clean_name(name)
    if cleaned.casefold() == NONE or cleaned.casefold().startswith(f"{PREFIX}_"):
        raise InvalidInput(f"'{cleaned}' means something else already. Choose another name.")
    return cleaned


def check_reranker(endpoint: RerankEndpoint) -> None:
    """Raise InvalidInput for what cannot be asked or would turn its order round."""
    if endpoint.model is None and endpoint.style is not RerankStyle.TEI:
        raise InvalidInput(f"An endpoint of style {endpoint.style} must be told which model to use. Give the model.")
    if not SHORTEST_SECONDS <= endpoint.seconds <= LONGEST_SECONDS:
        raise InvalidInput(f"seconds must be {SHORTEST_SECONDS:g} to {LONGEST_SECONDS:g}.")
    if not 1 <= endpoint.hits <= MOST_HITS:
        raise InvalidInput(f"hits must be 1 to {MOST_HITS}.")
    if not LEAST_SLOPE <= endpoint.slope <= MOST_SLOPE or not abs(endpoint.bias) <= MOST_BIAS:
        raise InvalidInput(
            f"slope must be {LEAST_SLOPE:g} to {MOST_SLOPE:g}, and bias -{MOST_BIAS:g} to {MOST_BIAS:g}."
        )


def rerank_url(style: RerankStyle, base_url: str) -> str:
    """Where to ask: a base URL with or without its version, or the whole address, `…/rerank`."""
    if base_url.endswith("/rerank"):
        return base_url
    if style is RerankStyle.TEI or _VERSIONED.search(base_url):
        return f"{base_url}/rerank"
    return f"{base_url}/{'v2' if style is RerankStyle.COHERE else 'v1'}/rerank"


def text_to_rank(hit: Hit) -> str:
    """All that a re-ranker is shown of a hit: title, heading path and passage, up to a limit."""
    above = (hit.document_title, *hit.headings) if hit.document_title else hit.headings
    return put_under_headings(tuple(dict.fromkeys(above)), hit.content)[:MAX_CHARACTERS]


def reorder(hits: Sequence[Hit], scores: Sequence[float], endpoint: RerankEndpoint) -> list[Hit]:
    """The scored hits, which come first, by their new scores; the others stay behind them, never above in score."""
    best_first = sorted(zip(hits, scores, strict=False), key=lambda pair: -pair[1])
    scored = [replace(hit, similarity=endpoint.probability(score), rerank=score) for hit, score in best_first]
    lowest = scored[-1].similarity if scored else 1.0
    rest = [replace(hit, similarity=min(hit.similarity, lowest)) for hit in hits[len(scores) :]]
    return scored + rest
