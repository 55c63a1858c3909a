"""How a peer is driven: one JSON line in, one JSON line out, in an environment that has the peer and little else."""

import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Vector = Sequence[float]


@dataclass(frozen=True, slots=True)
class Texts:
    """What every peer is given: texts, and a matrix with one vector a text; the id of a text is its number."""

    texts: list[str]
    vectors: Any


class Peer(Protocol):
    """A store of texts and vectors, driven through the calls its documentation shows."""

    def open(self, folder: Path) -> None:
        """Open what is stored here, or something empty."""
        ...

    def add(self, given: Texts) -> None:
        """Store everything and build every index that a query needs."""
        ...

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """The best texts with their numbers, best first."""
        ...


def speak(make: Callable[[], Peer]) -> None:
    """Answer commands until the input ends; only the peer's own work is timed."""
    answers = os.fdopen(os.dup(1), "w")
    # A library that prints must not be taken for an answer.
    os.dup2(2, 1)
    peer = make()
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        answer = _do(peer, command)
        print(json.dumps(answer), file=answers, flush=True)


def _do(peer: Peer, command: dict[str, Any]) -> dict[str, Any]:
    do = command["do"]
    if do == "query":
        started = time.perf_counter()
        found = peer.query(command["text"], command["vector"], command["top"])
        seconds = time.perf_counter() - started
        return {"seconds": seconds, "ids": [number for number, _ in found], "characters": sum(len(t) for _, t in found)}
    if do == "open":
        started = time.perf_counter()
        peer.open(Path(command["folder"]))
        return {"seconds": time.perf_counter() - started}
    if do == "add":
        given = _load(Path(command["texts"]))
        started = time.perf_counter()
        peer.add(given)
        return {"seconds": time.perf_counter() - started}
    others: list[int] = getattr(peer, "processes", list)()
    return {"bytes": sum(_bytes_of(process) for process in {*_family(os.getpid()), *others})}


def _load(file: Path) -> Texts:
    # Late, for it is the peer's own numpy, and not every peer has one.
    import numpy as np  # noqa: PLC0415

    return Texts(json.loads(file.read_text()), np.load(file.with_suffix(".npy")))


def _family(process: int) -> list[int]:
    """A process and all it has started."""
    started = [file.read_text().split() for file in Path(f"/proc/{process}/task").glob("*/children")]
    return [process, *(relative for children in started for child in children for relative in _family(int(child)))]


def _bytes_of(process: int) -> int:
    """The memory of a process; what it shares with others counts in proportion."""
    for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
