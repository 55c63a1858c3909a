"""Fusing two rankings, and the level of the fused one."""

import pytest

from pinakes.domain.calibration import Calibration, descending
from pinakes.domain.fusion import DENSE_WEIGHT, Candidate, fuse


def candidate(name: str, dense: float | None, lexical: float) -> Candidate:
    return Candidate("idx", name, dense, lexical, lexical / 10)


def order(candidates: list[Candidate], known: float = 1.0) -> list[str]:
    return [found.chunk_id for found, _ in fuse(candidates, known)]


def test_meaning_is_scaled_to_its_range_and_keywords_to_the_best_match() -> None:
    # K6
    fused = dict(fuse([candidate("a", 0.9, 2), candidate("b", 0.5, 6), candidate("c", 0.1, 3)], 1.0))
    scores = {found.chunk_id: score for found, score in fused.items()}
    half = DENSE_WEIGHT
    assert scores == pytest.approx({"a": half + (1 - half) / 3, "b": half * 0.5 + (1 - half), "c": (1 - half) * 0.5})
    assert list(scores) == ["b", "a", "c"]


def test_a_weak_keyword_match_does_not_outrank_what_means_the_same() -> None:
    # K6: the best match has one common word of the question
    assert order([candidate("stop word", -0.05, 1), candidate("meant", 0.5, 0)]) == ["meant", "stop word"]
    assert order([candidate("exact", 0.2, 9), candidate("near", 0.3, 0), candidate("far", -0.1, 0)])[0] == "exact"


def test_a_question_the_embedder_does_not_know_is_ranked_by_keywords_alone() -> None:
    # K9
    candidates = [candidate("near", 0.9, 0), candidate("exact", 0.1, 9), candidate("partly", 0.5, 4)]
    assert order(candidates, known=0.0) == ["exact", "partly", "near"]
    assert [score for _, score in fuse(candidates, 0.0)] == pytest.approx([1, 4 / 9, 0])


def test_the_less_the_embedder_knows_the_less_it_counts() -> None:
    # K9
    candidates = [candidate("near", 1.0, 0), candidate("exact", 0.0, 1)]
    scores = [dict(fuse(candidates, known))[candidates[0]] for known in (1.0, 0.5, 0.25, 0.0)]
    assert scores == pytest.approx([DENSE_WEIGHT * known for known in (1.0, 0.5, 0.25, 0.0)])


def test_a_part_that_is_missing_or_the_same_for_all_says_nothing() -> None:
    # K6
    assert order([candidate("a", None, 1), candidate("b", None, 2)]) == ["b", "a"]
    assert order([candidate("a", 0.4, 3), candidate("b", 0.6, 3)]) == ["b", "a"]
    assert order([candidate("a", None, 1), candidate("b", 0.2, 1), candidate("c", 0.8, 1)]) == ["c", "a", "b"]


def test_equals_are_put_in_a_fixed_order() -> None:
    # K6
    same = [candidate(name, 0.5, 1) for name in "bca"]
    assert order(same) == order(same[::-1]) == ["a", "b", "c"]


def test_nothing_fuses_to_nothing() -> None:
    assert fuse([], 1.0) == []


def test_levels_never_rise_and_keep_their_mean() -> None:
    # K8
    levels = [0.9, 0.4, 0.6, 0.5, 0.1, 0.2]
    smooth = descending(levels)
    assert smooth == sorted(smooth, reverse=True)
    assert smooth == pytest.approx([0.9, 0.5, 0.5, 0.5, 0.15, 0.15])
    assert sum(smooth) == pytest.approx(sum(levels))


def test_levels_in_order_stay_as_they_are() -> None:
    # K8
    assert descending([0.9, 0.5, 0.5, 0.1]) == [0.9, 0.5, 0.5, 0.1]
    assert descending([]) == []


def test_a_score_is_a_probability_that_grows_with_either_part() -> None:
    # K8
    calibration = Calibration.of("an embedder nobody measured")
    low, dense, lexical, both = (
        calibration.probability(*parts, 1.0) for parts in ((0.0, 0.0), (0.6, 0.0), (0.0, 0.6), (0.6, 0.6))
    )
    assert 0 < low < min(dense, lexical)
    assert max(dense, lexical) < both < 1


def test_a_score_without_a_vector_or_without_known_words_is_the_one_of_keywords() -> None:
    # K8, K9
    calibration = Calibration.of("an embedder nobody measured")
    assert calibration.probability(None, 0.4, 1.0) == calibration.probability(0.9, 0.4, 0.0)
    assert calibration.probability(None, 0.8, 0.0) > calibration.probability(None, 0.4, 0.0)
