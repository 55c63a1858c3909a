"""Fits the logistics that turn raw scores into probabilities, and shows how far they can be trusted.

    python -m bench.calibration DATA [SET …] [--home FOLDER] [--related scifact,pubmedqa]

Hits are of three kinds: relevant ones for questions a knowledge base can answer, the other hits for the same
questions, and hits for questions of another set, which it cannot answer. Every set weighs the same within each
kind. Half of the questions fit, the other half check. The numbers printed go into `domain/calibration.py`.
"""

import argparse
import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench.quality import Bench, DataSet, Library, add_arguments, open_bench, read_sets, retrieve_all
from pinakes.domain.calibration import Calibration, descending
from pinakes.domain.fusion import fuse

MIN_SCORE = 0.7
_TOP = 5
_RANKED = 20
_FOREIGN_QUESTIONS = 30
_BINS = 10


class Kind(StrEnum):
    """What a hit is to its question."""

    RELEVANT = "relevant"
    OTHER = "other"
    FOREIGN = "foreign"


# Two questions in three are about the knowledge base. Its other hits weigh little: most are on the subject but
# were not judged, and counting them all as wrong would hide most answers behind a minimum score.
_WEIGHTS = {Kind.RELEVANT: 1.0, Kind.OTHER: 0.05, Kind.FOREIGN: 0.5}
# A question the embedder knows counts this much for the keyword part: where a language has few sets, the others
# keep it from fitting those too closely.
_KNOWN_TOO = 0.1


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit as the calibration sees it."""

    kind: Kind
    dense: float | None
    lexical: float
    known: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A question put to a knowledge base, with its hits in order; `checks` keeps it out of the fit."""

    kb: str
    foreign: bool
    checks: bool
    hits: tuple[Hit, ...]


Array = NDArray[np.float64]


def fit_both(asked: Iterable[Asked]) -> Calibration:
    """For an embedder: keywords as they are trusted for what it does not know, then its own part on top."""
    hits, relevant, weights = _weigh(asked)
    unknown = np.array([1 - hit.known for hit in hits])
    words = _keyword_features(hits)
    keywords = _regress(words, relevant, weights * (unknown + _KNOWN_TOO))
    meaning = np.array([[hit.known, hit.known * (hit.dense or 0.0), hit.known * hit.lexical] for hit in hits])
    both = _regress(meaning, relevant, weights, unknown * (words @ keywords))
    return Calibration(*both.round(2).tolist(), *keywords.round(2).tolist())


def fit_keywords(asked: Iterable[Asked]) -> Calibration:
    """For no embedder at all: every question counts in full, whatever its language."""
    hits, relevant, weights = _weigh(asked)
    keywords = _regress(_keyword_features(hits), relevant, weights)
    return Calibration(0.0, 0.0, 0.0, *keywords.round(2).tolist())


def _regress(x: Array, y: Array, weights: Array, offset: Array | float = 0.0) -> Array:
    """The coefficients of a weighted logistic regression, by Newton's method."""
    coefficients = np.zeros(x.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-(x @ coefficients + offset)))
        curvature = (x.T * (weights * p * (1 - p))) @ x + 1e-6 * np.eye(x.shape[1])
        coefficients += np.linalg.solve(curvature, x.T @ (weights * (y - p)))
    return coefficients


def show_rates(asked: Sequence[Asked], calibration: Calibration, *, with_dense: bool) -> None:
    """Of answerable questions, how many keep a relevant hit; of foreign ones, how many get no hit at all."""
    print(f"{'set':24}{'keeps an answer':>17}{'stays silent':>14}   at a minimum score of {MIN_SCORE}")
    keeps: list[float] = []
    silences: list[float] = []
    for kb in sorted({each.kb for each in asked}):
        own = [each for each in asked if each.kb == kb and not each.foreign and _answerable(each)]
        foreign = [each for each in asked if each.kb == kb and each.foreign]
        keeps.append(np.mean([_keeps(each, calibration, with_dense) for each in own]).item())
        silences.append(np.mean([not _levels(each, calibration, with_dense) for each in foreign]).item())
        print(f"{kb:24}{keeps[-1]:>17.3f}{silences[-1]:>14.3f}")
    print(f"{'mean':24}{np.mean(keeps):>17.3f}{np.mean(silences):>14.3f}")


def show_reliability(asked: Sequence[Asked], calibration: Calibration, *, with_dense: bool) -> None:
    """Predicted against observed share of relevant hits, in ten bins of the prediction."""
    hits, y, weights = _weigh(asked)
    p = np.array([_predict(hit, calibration, with_dense) for hit in hits])
    print(f"{'predicted':>12}{'mean':>8}{'observed':>10}{'hits':>8}")
    for at in range(_BINS):
        inside = (p >= at / _BINS) & ((p < (at + 1) / _BINS) | (at == _BINS - 1))
        if inside.any():
            mean, observed = (np.average(values[inside], weights=weights[inside]) for values in (p, y))
            print(f"{at / _BINS:>6.1f}–{(at + 1) / _BINS:<5.1f}{mean:>8.2f}{observed:>10.2f}{inside.sum():>8}")


def _weigh(asked: Iterable[Asked]) -> tuple[list[Hit], Array, Array]:
    """The first hits of every question, whether each is relevant, and its weight."""
    rows = [(each.kb, hit) for each in asked for hit in each.hits[:_TOP]]
    counts: dict[tuple[str, Kind], int] = {}
    for kb, hit in rows:
        counts[kb, hit.kind] = counts.get((kb, hit.kind), 0) + 1
    weights = np.array([_WEIGHTS[hit.kind] / counts[kb, hit.kind] for kb, hit in rows])
    relevant = np.array([float(hit.kind is Kind.RELEVANT) for _, hit in rows])
    return [hit for _, hit in rows], relevant, weights * len(rows) / weights.sum()


def _keyword_features(hits: Sequence[Hit]) -> Array:
    return np.array([[1.0, hit.lexical] for hit in hits])


def _predict(hit: Hit, calibration: Calibration, with_dense: bool) -> float:
    return calibration.probability(hit.dense if with_dense else None, hit.lexical, hit.known)


def _answerable(asked: Asked) -> bool:
    return any(hit.kind is Kind.RELEVANT for hit in asked.hits[:_TOP])


def _keeps(asked: Asked, calibration: Calibration, with_dense: bool) -> bool:
    return any(hit.kind is Kind.RELEVANT for hit in _levels(asked, calibration, with_dense)[:_TOP])


def _levels(asked: Asked, calibration: Calibration, with_dense: bool) -> list[Hit]:
    """The hits that reach the minimum score."""
    raw = [_predict(hit, calibration, with_dense) for hit in asked.hits]
    return [hit for hit, level in zip(asked.hits, descending(raw), strict=True) if level >= MIN_SCORE]


async def _ask_all(
    bench: Bench, sets: Sequence[DataSet], libraries: dict[str, Library], related: Callable[[str, str], bool]
) -> list[Asked]:
    asked: list[Asked] = []
    for kb in sets:
        for data in sets:
            if kb is data:
                asked += await _ask(bench, kb.name, libraries[kb.name], data, foreign=False, step=1)
            elif not related(kb.name, data.name):
                # An odd step takes from both halves.
                step = len(data.questions) // _FOREIGN_QUESTIONS | 1
                asked += await _ask(bench, kb.name, libraries[kb.name], data, foreign=True, step=step)
        print(f"  {kb.name}: asked", flush=True)
    return asked


async def _ask(bench: Bench, kb: str, library: Library, data: DataSet, *, foreign: bool, step: int) -> list[Asked]:
    chosen = list(enumerate(data.questions))[::step]
    found = await retrieve_all(bench, library, [question.query for _, question in chosen])
    asked: list[Asked] = []
    for (number, question), retrieved in zip(chosen, found, strict=True):
        hits: list[Hit] = []
        for candidate, _ in fuse(retrieved.candidates, retrieved.known)[:_RANKED]:
            relevant = question.grades.get(library.sources[candidate.chunk_id], 0) > 0
            kind = Kind.FOREIGN if foreign else Kind.RELEVANT if relevant else Kind.OTHER
            hits.append(Hit(kind, candidate.dense, candidate.lexical_share, retrieved.known))
        asked.append(Asked(kb, foreign, number % 2 == 1, tuple(hits)))
    return asked


def _related(groups: Sequence[str]) -> Callable[[str, str], bool]:
    """Sets in one folder are about the same things in other languages; others are told by name."""
    named = [set(group.split(",")) for group in groups]

    def related(one: str, other: str) -> bool:
        same_folder = "/" in one and one.partition("/")[0] == other.partition("/")[0]
        return same_folder or any({one, other} <= group for group in named)

    return related


async def _calibrate(sets: Sequence[DataSet], home: Path | None, groups: Sequence[str]) -> None:
    async with open_bench(home) as bench:
        libraries = {data.name: await bench.index(data) for data in sets}
        asked = await _ask_all(bench, sets, libraries, _related(groups))
    fitting = [each for each in asked if not each.checks]
    checking = [each for each in asked if each.checks]
    for title, calibration, with_dense in (
        ("With the embedder", fit_both(fitting), True),
        ("With keywords alone", fit_keywords(fitting), False),
    ):
        print(f"\n{title}: {asdict(calibration)}")
        show_rates(checking, calibration, with_dense=with_dense)
        show_reliability(checking, calibration, with_dense=with_dense)


def main() -> None:
    """Fit and show."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration")
    add_arguments(parser)
    parser.add_argument("--related", action="append", default=[], help="sets on one subject, separated by commas")
    given = parser.parse_args()
    asyncio.run(_calibrate(read_sets(given.data, given.sets, given.questions), given.home, given.related))


if __name__ == "__main__":
    main()
