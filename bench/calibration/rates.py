"""What a minimum score does to questions, and predicted against observed relevance."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from bench.calibration.asking import TOP, Asked, Hit, Kind
from bench.calibration.fitting import weigh
from bench.speed.drawing import svg
from pinakes.domain.calibration import Calibration, logistic

MIN_SCORE = 0.7
_BINS = 10
_SIDE, _LEFT, _UP = 300, 60, 44
_COLOURS = ("#2563eb", "#dc2626")


@dataclass(frozen=True, slots=True)
class Rates:
    """Of answerable questions, how many keep a relevant hit; of others, how many get no hit at all.

    `removed` is the share that gets none of the set's own questions once all that answers is taken away.
    """

    keeps: float
    silent: float
    removed: float


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: the hits of an embedder, or of keywords alone, and each set's calibration."""

    name: str
    asked: Sequence[Asked]
    calibrations: dict[str, Calibration]
    with_dense: bool = True

    def scores(self, asked: Asked) -> list[tuple[Hit, float]]:
        """The hits with their calibrated scores, best first."""
        calibration = self.calibrations[asked.kb]
        scored = [
            (hit, logistic(calibration.evidence(hit.dense if self.with_dense else None, hit.lexical, hit.known)))
            for hit in asked.hits
        ]
        return sorted(scored, key=lambda entry: -entry[1])


def rates_of(subject: Subject) -> dict[str, Rates]:
    """The rates of each set."""
    found: dict[str, Rates] = {}
    for kb in sorted({each.kb for each in subject.asked}):
        own = [subject.scores(each) for each in subject.asked if each.kb == kb and not each.foreign]
        foreign = [subject.scores(each) for each in subject.asked if each.kb == kb and each.foreign]
        answerable = [hits for hits in own if any(hit.kind is Kind.RELEVANT for hit, _ in hits[:TOP])]
        found[kb] = Rates(
            _mean([_reaches(hits[:TOP], Kind.RELEVANT) for hits in answerable]),
            _mean([not _reaches(hits, Kind.FOREIGN) for hits in foreign]),
            _mean([not _reaches(hits, Kind.OTHER) for hits in own]),
        )
    return found


def show_rates(subject: Subject) -> Rates:
    """Print the rates of each set; their means."""
    found = rates_of(subject)
    print(f"\n{subject.name}, at a minimum score of {MIN_SCORE}")
    print(f"{'set':24}{'keeps an answer':>17}{'stays silent':>14}{'silent, answer removed':>24}")
    mean = Rates(*(_mean([getattr(each, field) for each in found.values()]) for field in Rates.__slots__))
    for name, each in {**found, "mean": mean}.items():
        print(f"{name:24}{each.keeps:>17.3f}{each.silent:>14.3f}{each.removed:>24.3f}", flush=True)
    return mean


def reliability(subject: Subject) -> list[tuple[float, float]]:
    """Mean prediction and observed share of relevant hits, in ten bins of the prediction."""
    hits, y, weights = weigh(subject.asked)
    kbs = [each.kb for each in subject.asked for _ in each.hits[:TOP]]
    p = np.array([_predict(subject, kb, hit) for kb, hit in zip(kbs, hits, strict=True)])
    points: list[tuple[float, float]] = []
    for at in range(_BINS):
        inside = (p >= at / _BINS) & ((p < (at + 1) / _BINS) | (at == _BINS - 1))
        if inside.any():
            mean, observed = (float(np.average(values[inside], weights=weights[inside])) for values in (p, y))
            points.append((mean, observed))
    return points


def draw_reliability(title: str, curves: dict[str, list[tuple[float, float]]]) -> str:
    """Predicted across, observed upwards; a score that means what it says lies on the diagonal."""
    parts = [f'<path d="M{_LEFT},{_UP + _SIDE}L{_LEFT + _SIDE},{_UP}" stroke="#8888" stroke-dasharray="4"/>']
    for tenth in range(0, 11, 2):
        x, y = _place(tenth / 10, tenth / 10)
        parts += [
            f'<line x1="{_LEFT}" x2="{_LEFT + _SIDE}" y1="{y:.0f}" y2="{y:.0f}" stroke="#8884"/>',
            f'<text x="{_LEFT - 6}" y="{y + 4:.0f}" text-anchor="end">{tenth / 10:g}</text>',
            f'<text x="{x:.0f}" y="{_UP + _SIDE + 20}" text-anchor="middle">{tenth / 10:g}</text>',
        ]
    for number, (name, points) in enumerate(curves.items()):
        colour, y = _COLOURS[number % len(_COLOURS)], _UP + 40 + 22 * number
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_place(*point) for point in points))
        parts += [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<path d="M{_LEFT + _SIDE + 30},{y - 4}h20" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{_LEFT + _SIDE + 58}" y="{y}">{escape(name)}</text>',
        ]
    words = "score across, share that was judged relevant upwards"
    parts.append(f'<text x="{_LEFT}" y="{_UP + _SIDE + 42}">{words}</text>')
    return svg(title, _UP + _SIDE + 56, parts)


def _place(x: float, y: float) -> tuple[float, float]:
    return _LEFT + _SIDE * x, _UP + _SIDE * (1 - y)


def _predict(subject: Subject, kb: str, hit: Hit) -> float:
    dense = hit.dense if subject.with_dense else None
    return logistic(subject.calibrations[kb].evidence(dense, hit.lexical, hit.known))


def _reaches(hits: Sequence[tuple[Hit, float]], kind: Kind) -> bool:
    return any(hit.kind is kind and score >= MIN_SCORE for hit, score in hits)


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
