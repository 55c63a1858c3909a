"""The same texts and vectors in other systems that people use, all asked in turns in one run."""

import argparse
import json
import random
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.drawing import Bars, draw_bars
from bench.speed.environments import OURS, PEERS, System, prepare, start
from bench.speed.figures import Finding, percentile, shown
from bench.speed.folders import temporary_folder
from bench.speed.material import CACHE, Material, load_material

TEXTS = 3_000
QUESTIONS = 100
ROUNDS = 5
_TOP = 10


@dataclass
class Contestant:
    """A running system and what was measured of it."""

    system: System
    process: "subprocess.Popen[str]"
    seconds: list[float] = field(default_factory=list[float])
    answers: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    add_seconds: float = 0.0
    open_seconds: float = 0.0
    loaded_bytes: int = 0
    used_bytes: int = 0

    def tell(self, **command: Any) -> dict[str, Any]:
        """The answer to a command; a system that ended instead ends the run."""
        assert self.process.stdin is not None
        if command:
            print(json.dumps(command), file=self.process.stdin, flush=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.system.name} ended: {command.get('do', 'start')}")
        return json.loads(line)

    def ask(self, material: Material, number: int) -> float:
        """How long a question took; which texts answered is kept."""
        vector = material.question_vectors[number].tolist()
        answer = self.tell(do="query", text=material.questions[number], vector=vector, top=_TOP)
        self.answers[number] = answer["ids"]
        return answer["seconds"]

    def stop(self) -> None:
        """End it, as the end of its input does."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


def measure(given: argparse.Namespace) -> Finding:
    """Load all, ask all in turns, open all again."""
    finding = Finding("peers")
    material = load_material(given.corpus, given.texts, QUESTIONS)
    environments: Path = given.environments or CACHE / "environments"
    absent: dict[str, str] = {}
    running: list[Contestant] = []
    with temporary_folder() as folder:
        try:
            for system in (OURS, *PEERS):
                if (problem := prepare(system, environments)) is None:
                    running.append(_load(system, environments, folder, material))
                else:
                    absent[system.name] = problem
            finding.wait_for_quiet()
            _ask_in_turns(running, material, given.rounds)
            for contestant in running:
                contestant.used_bytes = contestant.tell(do="memory")["bytes"]
                contestant.stop()
                _open_again(contestant, environments, folder, material)
        finally:
            for contestant in running:
                contestant.process.kill()
    _report(finding, running, absent, material, given.plots)
    return finding


def _load(system: System, environments: Path, folder: Path, material: Material) -> Contestant:
    print(f"  {system.name}: adding", flush=True)
    contestant = Contestant(system, start(system, environments))
    contestant.tell()
    contestant.loaded_bytes = contestant.tell(do="memory")["bytes"]
    contestant.tell(do="open", folder=str(folder / system.module))
    texts = folder / "texts.json"
    if not texts.exists():
        texts.write_text(json.dumps(material.texts))
        np.save(texts.with_suffix(".npy"), material.vectors)
    contestant.add_seconds = contestant.tell(do="add", texts=str(texts))["seconds"]
    return contestant


def _ask_in_turns(running: list[Contestant], material: Material, rounds: int) -> None:
    """Every system answers every question once before anything counts; the order changes with every question."""
    chance = random.Random(1)
    for turn in range(rounds + 1):
        for number in range(len(material.questions)):
            for contestant in chance.sample(running, len(running)):
                seconds = contestant.ask(material, number)
                if turn:
                    contestant.seconds.append(seconds)
        print(f"  round {turn} of {rounds} done", flush=True)


def _open_again(contestant: Contestant, environments: Path, folder: Path, material: Material) -> None:
    """From the start of a program to its first answer out of what is stored."""
    started = time.perf_counter()
    again = Contestant(contestant.system, start(contestant.system, environments))
    try:
        again.tell()
        again.tell(do="open", folder=str(folder / contestant.system.module))
        again.ask(material, 0)
        contestant.open_seconds = time.perf_counter() - started
        if again.answers[0] != contestant.answers[0]:
            print(f"  {contestant.system.name} answers otherwise once opened again", flush=True)
        again.stop()
    finally:
        again.process.kill()


def _report(
    finding: Finding, running: list[Contestant], absent: dict[str, str], material: Material, plots: Path | None
) -> None:
    exact = np.argsort(-(material.question_vectors @ material.vectors.T), axis=1, kind="stable")[:, :_TOP]
    finding.say(
        f"{len(material.texts):,} texts ({material.source}), {len(material.questions)} questions, the best {_TOP} with "
        f"their text, {len(running[0].seconds)} answers a system."
    )
    rows: list[list[str]] = []
    for contestant in running:
        hits = [len({*exact[n].tolist()} & {*ids}) for n, ids in contestant.answers.items()]
        rows.append(
            [
                contestant.system.name,
                contestant.system.requirements[0].partition("==")[2] if contestant.system.requirements else "this one",
                contestant.system.ranks_by,
                f"{len(material.texts) / contestant.add_seconds:,.0f}",
                shown(percentile(contestant.seconds, 50)),
                shown(percentile(contestant.seconds, 95)),
                f"{contestant.used_bytes / 2**20:.0f}",
                f"{(contestant.used_bytes - contestant.loaded_bytes) / 2**20:.0f}",
                f"{contestant.open_seconds:.2f}",
                f"{sum(hits) / len(hits) / _TOP:.2f}",
            ]
        )
    finding.show(
        [
            "system",
            "version",
            "ranks by",
            "texts/s added",
            "p50 ms",
            "p95 ms",
            "MiB",
            "MiB of data",
            "open s",
            "nearest",
        ],
        rows,
    )
    for name, problem in absent.items():
        finding.say(f"- {name} is missing: {problem}")
    medians = {contestant.system.name: percentile(contestant.seconds, 50) for contestant in running}
    bars = [Bars(c.system.name, medians[c.system.name], percentile(c.seconds, 95)) for c in running]
    drawing = draw_bars(f"A question over {len(material.texts):,} texts, milliseconds (p50, line to p95)", bars)
    finding.plot(plots, "peers", drawing, "p50 and p95 of a question in each system")
    if "txtai" in medians:
        finding.check("our p50 against txtai's hybrid", medians[OURS.name] / medians["txtai"], 1.0)
