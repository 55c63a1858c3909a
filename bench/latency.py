"""Search while documents stream in: how much slower its slow answers get.

    python -m bench.latency [--rounds 3] [--searches 200]

Phases of search on an idle machine and during `pinakes add` of a folder take turns in one run. Every question
is new, and documents go into the knowledge base that is searched, so that both kinds of phase see it grow.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.serving import Served, serving, wait_for_quiet
from bench.writing import Writer

TARGET = 3.0
ROUNDS = 3
SEARCHES = 200
_FIRST_DOCUMENTS = 30
_CHARACTERS = 12_000
_PAUSE = 0.02
_WORDS = (4, 12)


def measure(rounds: int = ROUNDS, searches: int = SEARCHES) -> bool:
    """Print both distributions and the ratio of their 95th percentiles; whether it is good enough."""
    writer = Writer(1)
    idle: list[float] = []
    loaded: list[float] = []
    with serving() as server, tempfile.TemporaryDirectory(prefix="pinakes-bench-") as temporary:
        folder = Path(temporary) / "load"
        kb = server.make_kb("Searched")
        _load(server, folder, writer, _FIRST_DOCUMENTS).wait()
        _search(server, kb, writer, lambda done: done < 30)
        for number in range(1, rounds + 1):
            wait_for_quiet()
            idle += _search(server, kb, writer, lambda done: done < searches)
            load = _load(server, folder, writer, searches // 8)
            loaded += _search(server, kb, writer, lambda _, load=load: load.poll() is None)
            if load.wait():
                raise SystemExit("The load failed.")
            print(f"  round {number}: idle {_shown(idle)}; loaded {_shown(loaded)}", flush=True)
    ratio = _p95(loaded) / _p95(idle)
    passed = ratio <= TARGET
    print(
        f"{'PASS' if passed else 'FAIL'}: search p95 is {_p95(loaded) * 1000:.0f} ms during a load ({len(loaded)} "
        f"searches), {_p95(idle) * 1000:.0f} ms idle ({len(idle)}): {ratio:.2f} times; at most {TARGET:g} is wanted"
    )
    return passed


def _search(server: Served, kb: str, writer: Writer, more: Callable[[int], bool]) -> list[float]:
    seconds: list[float] = []
    while more(len(seconds)):
        words = _WORDS[0] + len(seconds) % (_WORDS[1] - _WORDS[0])
        query = {"query": writer.write_phrase(words), "knowledgeBaseIds": [kb]}
        started = time.perf_counter()
        server.data("POST", "/api/search", json=query)
        seconds.append(time.perf_counter() - started)
        time.sleep(_PAUSE)
    return seconds


def _load(server: Served, folder: Path, writer: Writer, documents: int) -> "subprocess.Popen[bytes]":
    """Start to add a folder of new documents, as a person would; ends when they are indexed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for _ in range(documents):
        (folder / f"{time.time_ns()}.md").write_text(writer.write_document(_CHARACTERS))
    return subprocess.Popen(
        [sys.executable, "-m", "pinakes", "add", str(folder), "--kb", "Searched", "--json"],
        env=server.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


def _p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1]


def _shown(seconds: list[float]) -> str:
    return f"p50 {statistics.median(seconds) * 1000:.1f} ms, p95 {_p95(seconds) * 1000:.1f} ms"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(prog="python -m bench.latency")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--searches", type=int, default=SEARCHES, help="searches in an idle phase")
    given = parser.parse_args()
    if not measure(given.rounds, given.searches):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
