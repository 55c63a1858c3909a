"""Fusing both rankings: what meaning and keywords together say for each passage."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pinakes.domain.calibration import Calibration, logistic
from pinakes.domain.knowledge_base import KbIndex


class Candidate(NamedTuple):
    """A chunk that one of the rankings found, with both raw parts; `lexical_share` is of the best possible."""

    index_id: str
    chunk_id: str
    dense: float | None
    lexical: float
    lexical_share: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A candidate with the evidence for it, as log-odds, and the probability that is: its calibrated score.

    `via` is the chunk that led to it, where it was not found for itself.
    """

    candidate: Candidate
    fused: float
    similarity: float
    via: str | None = None


def fuse(candidates: Iterable[Candidate], calibration: Calibration, known: float) -> list[Scored]:
    """Candidates of one index, best first.

    Both parts are measured against fixed marks, not against each other's best: then the same evidence counts the
    same in every knowledge base, and a weak best hit stays weak. `known` is the share of the question that the
    embedder knows: unknown words take its weight away, since a model that does not know a language would spoil
    the keyword ranking.
    """
    return best_first(_score(candidates, calibration, known))


def fuse_all(candidates: Iterable[Candidate], indexes: Sequence[KbIndex], known: Mapping[str, float]) -> list[Scored]:
    """Fused in each index, merged by calibrated score, which alone means the same everywhere."""
    by_index: dict[str, list[Candidate]] = {index.index_id: [] for index in indexes}
    for candidate in candidates:
        by_index[candidate.index_id].append(candidate)
    return best_first(
        scored
        for index in indexes
        for scored in _score(by_index[index.index_id], index.calibration, known.get(index.embedder, 0.0))
    )


def best_first(scored: Iterable[Scored]) -> list[Scored]:
    """In the order of the evidence; equals in a fixed one."""
    return sorted(scored, key=lambda entry: (-entry.fused, entry.candidate.chunk_id))


def _score(candidates: Iterable[Candidate], calibration: Calibration, known: float) -> Iterator[Scored]:
    for candidate in candidates:
        evidence = calibration.evidence(candidate.dense, candidate.lexical_share, known)
        yield Scored(candidate, evidence, logistic(evidence))
