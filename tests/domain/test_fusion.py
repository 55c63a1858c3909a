"""Fusing two rankings, and what the fused score means."""

import pytest

from pinakes.domain.calibration import Calibration, logistic
from pinakes.domain.fusion import Candidate, fuse

CALIBRATION = Calibration.of("an embedder nobody measured")


def candidate(name: str, dense: float | None, share: float) -> Candidate:
    return Candidate("idx", name, dense, share * 10, share)


def order(candidates: list[Candidate], known: float = 1.0) -> list[str]:
    return [scored.candidate.chunk_id for scored in fuse(candidates, CALIBRATION, known)]


def test_passages_are_in_the_order_of_what_both_parts_say_together() -> None:
    # K6
    both, meant, worded = candidate("both", 0.5, 0.5), candidate("meant", 0.7, 0.1), candidate("worded", 0.1, 0.6)
    assert order([worded, meant, both]) == ["both", "worded", "meant"]
    scores = [scored.similarity for scored in fuse([worded, meant, both], CALIBRATION, 1.0)]
    assert scores == sorted(scores, reverse=True)


def test_a_weak_keyword_match_does_not_outrank_what_means_the_same() -> None:
    # K6: the best match has one common word of the question
    assert order([candidate("stop word", -0.05, 0.1), candidate("meant", 0.5, 0)]) == ["meant", "stop word"]
    assert order([candidate("exact", 0.2, 0.9), candidate("near", 0.3, 0), candidate("far", -0.1, 0)])[0] == "exact"


def test_the_same_evidence_counts_the_same_beside_any_other_passage() -> None:
    # K8: with a scale of its own, every knowledge base would have a best hit of 1
    alone = fuse([candidate("weak", 0.1, 0.05)], CALIBRATION, 1.0)
    beside = fuse([candidate("weak", 0.1, 0.05), candidate("strong", 0.9, 0.9)], CALIBRATION, 1.0)
    assert alone[0].similarity == beside[1].similarity < 0.1


def test_a_question_the_embedder_does_not_know_is_ranked_by_keywords_alone() -> None:
    # K9
    candidates = [candidate("near", 0.9, 0), candidate("exact", 0.1, 0.9), candidate("partly", 0.5, 0.4)]
    assert order(candidates, known=0.0) == ["exact", "partly", "near"]


def test_the_less_the_embedder_knows_the_less_it_counts() -> None:
    # K9
    near, exact = candidate("near", 0.9, 0), candidate("exact", 0.0, 0.5)
    leads = [
        by_name["near"] - by_name["exact"]
        for known in (1.0, 0.5, 0.25, 0.0)
        for by_name in [{s.candidate.chunk_id: s.fused for s in fuse([near, exact], CALIBRATION, known)}]
    ]
    assert leads == sorted(leads, reverse=True)
    assert leads[0] > 0 > leads[-1]


def test_a_part_that_is_missing_or_the_same_for_all_says_nothing() -> None:
    # K6
    assert order([candidate("a", None, 0.1), candidate("b", None, 0.2)]) == ["b", "a"]
    assert order([candidate("a", 0.4, 0.3), candidate("b", 0.6, 0.3)]) == ["b", "a"]


def test_equals_are_put_in_a_fixed_order() -> None:
    # K6
    same = [candidate(name, 0.5, 0.1) for name in "bca"]
    assert order(same) == order(same[::-1]) == ["a", "b", "c"]


def test_nothing_fuses_to_nothing() -> None:
    assert fuse([], CALIBRATION, 1.0) == []


def test_a_score_is_a_probability_that_grows_with_either_part() -> None:
    # K8
    low, dense, lexical, both = (
        logistic(CALIBRATION.evidence(*parts, 1.0)) for parts in ((0.0, 0.0), (0.6, 0.0), (0.0, 0.6), (0.6, 0.6))
    )
    assert 0 < low < min(dense, lexical)
    assert max(dense, lexical) < both < 1


def test_a_score_without_a_vector_or_without_known_words_is_the_one_of_keywords() -> None:
    # K8, K9
    assert CALIBRATION.evidence(None, 0.4, 1.0) == CALIBRATION.evidence(0.9, 0.4, 0.0)
    assert CALIBRATION.evidence(None, 0.8, 0.0) > CALIBRATION.evidence(None, 0.4, 0.0)


@pytest.mark.parametrize("odds", [-1e9, -60.0, 0.0, 60.0, 1e9])
def test_any_odds_are_a_probability(odds: float) -> None:
    assert 0 <= logistic(odds) <= 1
