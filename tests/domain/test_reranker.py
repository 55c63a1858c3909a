"""What a re-ranker's scores become."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pinakes.domain.reranker import RerankEndpoint, RerankStyle

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PLAIN = RerankEndpoint(
    reranker_id="rrk_1",
    name="Mine",
    style=RerankStyle.JINA,
    base_url="https://models.example/v1",
    model="words",
    seconds=2,
    hits=50,
    raw_scores=False,
    slope=1,
    bias=0,
    is_default=False,
    sealed_key=None,
    key_hint=None,
    created_at=NOW,
    updated_at=NOW,
)


def test_a_probability_stays_exactly_as_it_is_until_calibrated() -> None:
    # K8
    for share in (0.0, 0.1, 0.3, 0.7, 1.0):
        assert PLAIN.probability(share) == share
    assert (PLAIN.probability(1.0004), PLAIN.probability(-0.0004)) == (1, 0)


@pytest.mark.parametrize("raw_scores", [False, True])
def test_calibrated_scores_rise_with_the_raw_ones_and_are_probabilities(raw_scores: bool) -> None:
    # K8
    calibrated = replace(PLAIN, raw_scores=raw_scores, slope=2.5, bias=-1)
    scores = [-1e9, -40, -1, 0, 1, 40, 1e9] if raw_scores else [0, 1e-6, 0.2, 0.5, 0.9, 1]
    levels = [calibrated.probability(score) for score in scores]
    assert levels == sorted(levels)
    assert all(0 <= level <= 1 for level in levels)
    assert levels[0] < 0.001 < 0.999 < levels[-1]


def test_a_calibration_moves_what_counts_as_even() -> None:
    # K8: with log-odds, odds of 9 to 1 become even where the bias takes them away
    assert replace(PLAIN, bias=-2.1972246).probability(0.9) == pytest.approx(0.5)
    assert replace(PLAIN, slope=2).probability(0.9) == pytest.approx(81 / 82)
