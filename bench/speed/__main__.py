"""How fast the product is, beside others and as it grows.

    python -m bench.speed peers [--corpus FOLDER]
    python -m bench.speed growth [--corpus FOLDER] [--sizes 1000,10000,100000,1000000] [--home FOLDER]
    python -m bench.speed concurrency
    python -m bench.speed many

A corpus is a folder with `corpus.jsonl` and `queries.jsonl`; without one, texts are written from the sample. With
`--write docs/benchmarks.md` the figures go into the document, and plots beside it. Ends with 1 when a promise is
not kept. Everything that is compared takes turns in one run; what counts are ratios.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from bench.speed import comparison, concurrency, crowd, growth
from bench.speed.figures import Finding, write

_PARTS: dict[str, Callable[[argparse.Namespace], Finding]] = {
    "peers": comparison.measure,
    "growth": growth.measure,
    "concurrency": concurrency.measure,
    "many": crowd.measure,
}


def main() -> None:
    """Measure one part."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed")
    parser.add_argument("part", choices=_PARTS)
    parser.add_argument("--corpus", type=Path, help="folder with corpus.jsonl and queries.jsonl")
    parser.add_argument("--write", type=Path, help="document to put the figures into")
    parser.add_argument("--texts", type=int, default=comparison.TEXTS, help="peers: how many texts")
    parser.add_argument("--rounds", type=int, default=comparison.ROUNDS, help="how often every question is asked")
    parser.add_argument("--environments", type=Path, help="peers: folder to keep the virtual environments in")
    parser.add_argument("--sizes", default=growth.SIZES, help="growth: chunks, separated by commas")
    parser.add_argument("--home", type=Path, help="growth: data folder to keep, so that nothing is loaded twice")
    parser.add_argument("--neighbours", type=int, default=crowd.NEIGHBOURS, help="many: how many big ones")
    given = parser.parse_args()
    given.plots = given.write.parent if given.write else None
    finding = _PARTS[given.part](given)
    if given.write:
        write(finding, given.write)
    sys.exit(not all(finding.passed))


if __name__ == "__main__":
    main()
