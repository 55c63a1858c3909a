"""Scores mean the same whatever scale an embedder's cosines have."""

import pytest

from pinakes.domain.calibration import BUILT_IN_SCALE, Calibration, Scale, logistic

SHIPPED = Calibration.of("builtin:all-MiniLM-L6-v2")


def on_another_scale(cosine: float) -> float:
    """As a model has it whose cosines all lie close together."""
    return 0.7 + 0.25 * cosine


def scale_of(scale: Scale) -> Scale:
    return Scale(on_another_scale(scale.matching), on_another_scale(scale.other), 0.25 * scale.spread)


@pytest.mark.parametrize("cosine", [0.0, 0.2, 0.5, 0.9])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_the_same_nearness_scores_the_same_on_any_scale_of_cosines(cosine: float, share: float) -> None:
    # K8
    adapted = Calibration.of("emb_1", scale_of(BUILT_IN_SCALE))
    evidence = adapted.evidence(on_another_scale(cosine), share, known=1)
    assert evidence == pytest.approx(SHIPPED.evidence(cosine, share, known=1))


def test_an_embedder_that_spreads_other_passages_wider_needs_a_higher_cosine() -> None:
    # K8
    wider = Scale(BUILT_IN_SCALE.matching, BUILT_IN_SCALE.other, 1.5 * BUILT_IN_SCALE.spread)
    adapted = Calibration.of("emb_1", wider)
    assert adapted.evidence(0.6, 0.1, known=1) < SHIPPED.evidence(0.6, 0.1, known=1)


def test_an_embedder_that_tells_nothing_apart_leaves_the_score_to_keywords() -> None:
    # K8
    for scale in (Scale(0.5, 0.45, 0.1), Scale(0.99, 0.99, 0.0)):
        adapted = Calibration.of("emb_1", scale)
        assert not scale.separates
        assert logistic(adapted.evidence(1.0, 0.0, known=1)) < 0.7
        assert logistic(adapted.evidence(scale.other, 0.5, known=1)) > 0.7
        # What keywords leave equal it may still order.
        assert adapted.evidence(0.9, 0.1, known=1) > adapted.evidence(0.8, 0.1, known=1)


def test_what_ships_for_an_embedder_stays_whatever_was_measured() -> None:
    # K8
    for name in ("builtin:all-MiniLM-L6-v2", "none"):
        assert Calibration.of(name, Scale(0.9, 0.8, 0.02)) == Calibration.of(name)


def test_the_cosine_that_a_score_needs_gives_just_that_score() -> None:
    # K8
    needed = SHIPPED.needed_cosine(0.7)
    assert needed is not None
    assert logistic(SHIPPED.evidence(needed, 0.0, known=1)) == pytest.approx(0.7)
    assert Calibration(-5.0, 0.0, 1.0, 0.0, 1.0).needed_cosine(0.7) is None
    assert Calibration(-9.0, 1.0, 1.0, 0.0, 1.0).needed_cosine(0.7) is None
