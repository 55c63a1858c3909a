"""`make soak`: ten times a hundred documents, with a SIGKILL for something every second or so."""

import argparse
import random
import tempfile
import time
from pathlib import Path

from bench.recovery import VICTIMS, Installation, Violation, compare, make_documents, run_cycle, take_stock


def main() -> int:
    """Print a line a cycle and a summary; 1 if anything was lost, doubled, stuck or left behind."""
    options = _options()
    documents = make_documents(options.documents, options.seed)
    size = sum(map(len, documents.values())) / 1024
    print(f"{len(documents)} documents, {size:.0f} kB, seed {options.seed}")
    bad = 0
    kills: dict[str, int] = dict.fromkeys(VICTIMS, 0)
    installation = Installation(Path(tempfile.mkdtemp(prefix="pinakes-soak-")) / "home")
    try:
        calm = run_cycle(installation, documents, dice=random.Random(0), kills=0)
        installation.stop()
        undisturbed = take_stock(installation, calm.workspace_id)
        print(f"undisturbed: {undisturbed.counts['chunks']} chunks in {calm.seconds:.0f} s")
        for number in range(1, options.cycles + 1):
            began = time.monotonic()
            dice = random.Random(f"{options.seed}/{number}")
            try:
                cycle = run_cycle(installation, documents, dice=dice, kills=options.kills)
                installation.stop()
                problems = compare(undisturbed, take_stock(installation, cycle.workspace_id))
                for name, count in cycle.kills.items():
                    kills[name] += count
                killed = ", ".join(f"{name} {count}" for name, count in sorted(cycle.kills.items()))
                summary = f"settled {cycle.settled_after:.0f} s after the last kill; killed {killed}"
            except Violation as violation:
                problems, summary = [str(violation)], "broken off"
            bad += bool(problems)
            state = "ok" if not problems else "VIOLATED"
            print(f"cycle {number}: {state} in {time.monotonic() - began:.0f} s, {summary}", flush=True)
            for problem in problems:
                print(f"  {problem[:500]}")
    finally:
        installation.stop()
        if bad:
            print(f"The data and the log are kept: {installation.home}")
        else:
            installation.remove()
    total = ", ".join(f"{name} {count}" for name, count in kills.items())
    print(f"{options.cycles - bad} of {options.cycles} cycles without a violation; killed: {total}")
    return 1 if bad else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--cycles", type=int, default=10)
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--kills", type=int, default=15, help="kills a cycle")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
