"""`make soak`: everything killed at random while documents are indexed, then thousands of damaged files.

The originals are in a real S3 store and the cache in a real Valkey; both are killed as well.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bench.documents import make_documents
from bench.installation import Installation, Outside, Violation
from bench.mutation import Outcomes, read_seeds, run_mutations
from bench.recovery import run_cycle
from bench.servers import seaweedfs, valkey
from bench.stock import Stock, compare, take_stock


def main() -> int:
    """Print a line a cycle and a summary; 1 if anything was lost, doubled, stuck or left behind."""
    options = _options()
    good = True
    if options.cycles:
        good &= _kill_everything(options)
    if options.damaged:
        good &= _send_damaged(options)
    return 0 if good else 1


def _kill_everything(options: argparse.Namespace) -> bool:
    documents = make_documents(options.documents, options.seed)
    size = sum(map(len, documents.values())) / 1024
    print(f"{len(documents)} documents, {size:.0f} kB, seed {options.seed}", flush=True)
    bad = 0
    kills: Counter[str] = Counter()
    with seaweedfs() as store, valkey() as cache, _installed({"store": store, "cache": cache}) as installation:
        calm = run_cycle(installation, documents, dice=random.Random(0), kills=0)
        installation.stop()
        undisturbed = take_stock(installation, calm.workspace_id)
        print(f"undisturbed: {undisturbed.counts['chunks']} chunks in {calm.seconds:.0f} s", flush=True)
        for number in range(1, options.cycles + 1):
            problems = _cycle(installation, documents, undisturbed, number, options, kills)
            bad += bool(problems)
            for problem in problems:
                print(f"  {problem[:500]}")
        if bad:
            raise SystemExit(f"{bad} of {options.cycles} cycles with a violation; the log: {installation.home}")
    total = ", ".join(f"{name} {count}" for name, count in sorted(kills.items()))
    print(f"{options.cycles} cycles without a violation; killed: {total}", flush=True)
    return not bad


def _cycle(
    installation: Installation,
    documents: dict[str, bytes],
    undisturbed: Stock,
    number: int,
    options: argparse.Namespace,
    kills: Counter[str],
) -> list[str]:
    began = time.monotonic()
    try:
        cycle = run_cycle(installation, documents, dice=random.Random(f"{options.seed}/{number}"), kills=options.kills)
        installation.stop()
        problems = compare(undisturbed, take_stock(installation, cycle.workspace_id))
        kills.update(cycle.kills)
        killed = ", ".join(f"{name} {count}" for name, count in sorted(cycle.kills.items()))
        summary = f"settled {cycle.settled_after:.0f} s after the last kill; killed {killed}"
    except Violation as violation:
        problems, summary = [str(violation)], "broken off"
    state = "VIOLATED" if problems else "ok"
    print(f"cycle {number}: {state} in {time.monotonic() - began:.0f} s, {summary}", flush=True)
    return problems


def _send_damaged(options: argparse.Namespace) -> bool:
    seeds = read_seeds(options.files) if options.files else make_documents(90, options.seed)
    print(f"{options.damaged} damaged files made from {len(seeds)}, seed {options.seed}", flush=True)
    with _installed({}) as installation:
        outcomes = run_mutations(installation, seeds, options.damaged, options.seed)
        installation.stop()
    _print_outcomes(outcomes)
    return not outcomes.problems


def _print_outcomes(outcomes: Outcomes) -> None:
    for state, reasons in (("refused", outcomes.refused), ("failed", outcomes.failed)):
        print(f"{state}: {reasons.total()}")
        for reason, count in reasons.most_common(12):
            print(f"  {count:5} {reason}")
    before, after = outcomes.memory
    print(f"indexed: {outcomes.indexed}; {outcomes.seconds:.0f} s; server and worker {before:.0f} → {after:.0f} MB")
    for problem in outcomes.problems[:50]:
        print(f"VIOLATED {problem[:500]}")


@contextmanager
def _installed(outside: dict[str, Outside]) -> Generator[Installation]:
    installation = Installation(Path(tempfile.mkdtemp(prefix="pinakes-soak-")) / "home", outside)
    try:
        yield installation
    except BaseException:
        installation.stop()
        print(f"The data and the log are kept: {installation.home}")
        raise
    installation.stop()
    installation.remove()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--cycles", type=int, default=20, help="0 leaves the kills out")
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--kills", type=int, default=15, help="kills a cycle")
    parser.add_argument("--damaged", type=int, default=2_000, help="0 leaves the damaged files out")
    parser.add_argument("--files", type=Path, help="a folder with files to damage; else some are written")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
