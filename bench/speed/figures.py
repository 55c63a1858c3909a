"""How figures are shown: percentiles, Markdown tables, verdicts, and a document whose tables a run writes itself."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from bench.serving import wait_for_quiet

_BUSY_PERCENT = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """One part's outcome: what was run, its tables, what was promised and whether it is kept."""

    part: str
    lines: list[str] = field(default_factory=list[str])
    passed: list[bool] = field(default_factory=list[bool])

    def say(self, text: str) -> None:
        """A sentence, on the screen and in the document."""
        print(text, flush=True)
        self.lines.extend([text, ""])

    def wait_for_quiet(self) -> None:
        """Until other programs leave the processor alone; where they do not, the figures say so."""
        wait_for_quiet()
        if (busy := psutil.cpu_percent(interval=1)) > _BUSY_PERCENT:
            self.say(f"Other programs took {busy:.0f} % of the processor: these figures are rough.")

    def show(self, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """A table; all columns but the first are figures."""
        lines = [_row(head), _row(["---"] + ["--:"] * (len(head) - 1)), *map(_row, rows)]
        print("\n".join(lines), flush=True)
        self.lines.extend([*lines, ""])

    def check(self, what: str, found: float, limit: float, *, at_least: bool = False) -> None:
        """A promise: PASS or FAIL, with both figures."""
        kept = found >= limit if at_least else found <= limit
        wanted = f"{'at least' if at_least else 'at most'} {limit:g} is wanted"
        self.passed.append(kept)
        self.say(f"- {'PASS' if kept else 'FAIL'}: {what}: {found:.3g}; {wanted}")

    def plot(self, folder: Path | None, name: str, drawing: str, caption: str) -> None:
        """A drawing, where a document is written."""
        if folder is not None:
            (folder / "benchmarks").mkdir(exist_ok=True)
            (folder / "benchmarks" / f"{name}.svg").write_text(drawing)
            self.lines.extend([f"![{caption}](benchmarks/{name}.svg)", ""])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def percentile(seconds: Sequence[float], percent: float) -> float:
    """In milliseconds."""
    return float(np.percentile(np.asarray(seconds), percent)) * 1000


def shown(milliseconds: float) -> str:
    """With two digits that tell something."""
    return (
        f"{milliseconds:.0f}"
        if milliseconds >= 100
        else f"{milliseconds:.1f}"
        if milliseconds >= 10
        else f"{milliseconds:.2f}"
    )


def write(finding: Finding, document: Path) -> None:
    """Put a part's figures between its marks in a document, in place of those of the last run."""
    text = document.read_text()
    begin, end = f"<!-- {finding.part} -->", f"<!-- end of {finding.part} -->"
    figures = "\n".join(finding.lines).strip()
    new, found = re.subn(
        rf"{re.escape(begin)}.*?{re.escape(end)}", lambda _: f"{begin}\n{figures}\n{end}", text, flags=re.DOTALL
    )
    if not found:
        raise SystemExit(f"{document} has no place for the figures: {begin} … {end}")
    document.write_text(new)
