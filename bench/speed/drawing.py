"""Plots as SVG, in a few lines: bars with a line to the 95th percentile, and curves on logarithmic axes."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

_WIDTH, _LEFT, _RIGHT = 720, 170, 30
_STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#444}.t{font-weight:600;fill:#222}"
    "@media(prefers-color-scheme:dark){text{fill:#bbb}.t{fill:#eee}}</style>"
)
_COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#64748b")


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar as long as the median, and a line up to the 95th percentile."""

    name: str
    p50: float
    p95: float


def draw_bars(title: str, bars: Sequence[Bars]) -> str:
    """Horizontal bars, the shortest first."""
    widest = max(bar.p95 for bar in bars)
    scale = (_WIDTH - _LEFT - _RIGHT - 60) / widest
    parts: list[str] = []
    for number, bar in enumerate(sorted(bars, key=lambda bar: bar.p50)):
        y = 44 + 26 * number
        end = _LEFT + bar.p95 * scale
        parts += [
            f'<text x="{_LEFT - 8}" y="{y + 13}" text-anchor="end">{escape(bar.name)}</text>',
            f'<rect x="{_LEFT}" y="{y}" width="{bar.p50 * scale:.1f}" height="18" fill="{_COLOURS[0]}"/>',
            f'<line x1="{_LEFT}" x2="{end:.1f}" y1="{y + 9}" y2="{y + 9}" stroke="{_COLOURS[5]}"/>',
            f'<text x="{end + 6:.1f}" y="{y + 13}">{bar.p50:.3g}</text>',
        ]
    return svg(title, 60 + 26 * len(bars), parts)


def draw_curves(title: str, across: str, curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Curves on logarithmic axes, named at the side."""
    points = [point for curve in curves.values() for point in curve]
    xs, ys = [math.log10(x) for x, _ in points], [math.log10(y) for _, y in points]
    left, top, width, height = 60, 44, _WIDTH - 60 - 190, 280
    low, high = math.floor(min(ys)), math.ceil(max(ys))

    def place(x: float, y: float) -> tuple[float, float]:
        share = (math.log10(x) - min(xs)) / ((max(xs) - min(xs)) or 1)
        return left + share * width, top + height * (1 - (math.log10(y) - low) / ((high - low) or 1))

    parts: list[str] = []
    for power in range(low, high + 1):
        _, y = place(points[0][0], 10**power)
        parts += [
            f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>',
            f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>',
        ]
    for x in sorted({x for x, _ in points}):
        parts.append(f'<text x="{place(x, 1)[0]:.1f}" y="{top + height + 20}" text-anchor="middle">{x:,.0f}</text>')
    parts.append(f'<text x="{left + width / 2}" y="{top + height + 40}" text-anchor="middle">{escape(across)}</text>')
    for number, (name, curve) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in curve))
        y = top + 16 + 22 * number
        parts += [
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
            f'<path d="M{left + width + 14},{y - 4}h20" stroke="{colour}" stroke-width="2"/>',
            f'<text x="{left + width + 40}" y="{y}">{escape(name)}</text>',
        ]
    return svg(title, top + height + 56, parts)


def svg(title: str, height: int, parts: Sequence[str]) -> str:
    """The parts under a title, as wide as a page."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">'
    return "\n".join([head, _STYLE, f'<text class="t" x="12" y="24">{escape(title)}</text>', *parts, "</svg>"]) + "\n"
