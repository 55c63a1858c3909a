"""Ingestion against the embedder alone: how much of the machine the rest of the pipeline leaves to the model.

    python -m bench.throughput [--rounds 5] [--documents 70] [--characters 12000] [--data FOLDER]

Each round uploads new documents to a real server and takes the time from the first upload to the last document
indexed; then the bare embedder, in a process of its own as nice as the worker, embeds the very same chunks.
"""

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.serving import Served, serving, wait_for_quiet
from bench.writing import Writer
from pinakes.domain.chunk import put_under_headings
from pinakes.settings import load_settings
from pinakes.wiring import load_embedder
from pinakes.worker.priority import step_back

TARGET = 0.85
# From a page or two to a score of them, as shares of the usual length.
_LENGTHS = (1, 0.5, 2, 0.25, 4)
ROUNDS = 5
DOCUMENTS = 70
CHARACTERS = 12_000


@dataclass(frozen=True, slots=True)
class Round:
    """One load and the same chunks through the embedder alone, in seconds."""

    chunks: int
    ingest: float
    embed: float

    @property
    def ratio(self) -> float:
        """How fast ingestion is, as a share of the embedder alone."""
        return self.embed / self.ingest


class BareEmbedder:
    """The embedder with nothing around it, in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def time(self, texts: list[str]) -> float:
        """How many seconds these texts take."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(texts) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def measure(
    rounds: int = ROUNDS, documents: int = DOCUMENTS, characters: int = CHARACTERS, data: Path | None = None
) -> bool:
    """Print every round and the ratio over all of them; whether it is good enough."""
    with serving() as server, _bare_embedder() as embedder:
        _run_round(server, embedder, Writer(0, data), 4, characters)
        done: list[Round] = []
        for number in range(1, rounds + 1):
            done.append(_run_round(server, embedder, Writer(number, data), documents, characters))
            last = done[-1]
            print(
                f"  round {number}: {last.chunks} chunks, ingestion {last.chunks / last.ingest:.1f}/s, "
                f"embedder alone {last.chunks / last.embed:.1f}/s, ratio {last.ratio:.3f}",
                flush=True,
            )
    ratios = [each.ratio for each in done]
    ratio = statistics.median(ratios)
    passed = ratio >= TARGET
    print(
        f"{'PASS' if passed else 'FAIL'}: ingestion runs at {ratio:.3f} of the embedder alone "
        f"({min(ratios):.3f} to {max(ratios):.3f}); at least {TARGET} is wanted"
    )
    return passed


def _run_round(server: Served, embedder: BareEmbedder, writer: Writer, documents: int, characters: int) -> Round:
    lengths = [int(characters * _LENGTHS[number % len(_LENGTHS)]) for number in range(documents)]
    texts = [writer.write_document(length) for length in lengths]
    wait_for_quiet()
    kb = server.make_kb(f"Load {time.time_ns()}")
    started = datetime.now(UTC)
    for number, text in enumerate(texts):
        server.upload(kb, f"{number:04}.{'md' if number % 2 else 'txt'}", text)
    ingest = (server.wait_until_indexed(kb, documents) - started).total_seconds()
    chunks = [_index_text(chunk["section"], chunk["content"]) for chunk in server.read_chunks(kb)]
    wait_for_quiet()
    return Round(len(chunks), ingest, embedder.time(chunks))


def _index_text(section: str | None, content: str) -> str:
    return put_under_headings((section,), content) if section else content


@contextmanager
def _bare_embedder() -> Generator[BareEmbedder]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.throughput", "--embed"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield BareEmbedder(process)
    finally:
        process.terminate()
        process.wait()


async def _embed_on_demand() -> None:
    """One line of texts in, one line of seconds out."""
    settings = load_settings()
    step_back(settings.worker_niceness)
    embedder = load_embedder(settings)
    assert embedder is not None
    while line := await asyncio.to_thread(sys.stdin.readline):
        texts = json.loads(line)
        started = time.perf_counter()
        await embedder.embed(texts)
        print(time.perf_counter() - started, flush=True)


def main() -> None:
    """Measure, or be the bare embedder that is measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.throughput")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="documents a round")
    parser.add_argument("--characters", type=int, default=CHARACTERS, help="usual length of a document")
    parser.add_argument("--data", type=Path, help="folder of texts to learn from, instead of the sample")
    parser.add_argument("--embed", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.embed:
        asyncio.run(_embed_on_demand())
    elif not measure(given.rounds, given.documents, given.characters, given.data):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
