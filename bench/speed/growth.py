"""Search as a knowledge base grows: how long it takes, and how much of the exact answer it finds.

All sizes lie in one database, so that the smaller ones show what a knowledge base with few of all rows gets.
"""

import argparse
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import uvloop

from bench.speed.bulk import Site, chunk_number, fill, give_own_tables, open_site, settle, without_slow_indexes
from bench.speed.drawing import draw_curves
from bench.speed.figures import Finding, percentile, shown
from bench.speed.folders import temporary_folder
from bench.speed.material import Material, Matrix, load_material
from bench.speed.mixture import JITTER, Mixture
from bench.speed.truth import ALL, SHARES, TOP, Reckoning, Truth, load_truth
from pinakes.domain.bm25 import query_terms
from pinakes.domain.errors import NotFound
from pinakes.domain.fusion import Candidate
from pinakes.domain.knowledge_base import KbIndex
from pinakes.domain.search import Filters
from pinakes.services.knowledge_bases import delete_knowledge_base, get_knowledge_base
from pinakes.services.search import SearchRequest, search_knowledge
from pinakes.store.search import SETTINGS, Question, find_candidates

SIZES = "1000,10000,100000,1000000"
ORIGINALS = 5_000
QUESTIONS = 50
_DEPTH = 100
_SCANNED = 10_000
# From here on, secondary indexes are built after the load.
_LARGE = 50_000


@dataclass
class Grown:
    """A knowledge base of one size, the exact answers, and what was measured."""

    size: int
    index: KbIndex
    truth: Truth
    seconds: list[float] = field(default_factory=list[float])
    filtered: dict[str, list[float]] = field(default_factory=lambda: {share: [] for share in SHARES})
    scan: list[float] = field(default_factory=list[float])
    recall: dict[str, float] = field(default_factory=dict[str, float])
    overlap: float = 0.0


def measure(given: argparse.Namespace) -> Finding:
    """Load what is missing, then ask."""
    sizes = [int(size) for size in given.sizes.split(",")]
    material = load_material(given.corpus, ORIGINALS, QUESTIONS)
    with temporary_folder() as temporary:
        # The loop that the server runs on.
        return uvloop.run(_measure(given, given.home or temporary, material, sizes))


async def _measure(given: argparse.Namespace, home: Path, material: Material, sizes: list[int]) -> Finding:
    finding = Finding("growth")
    mixture = Mixture(material)
    async with open_site(home) as site:
        grown = [await _grow(site, home, mixture, material, size) for size in sizes]
        await settle(site)
        scanned = mixture.matrix(_SCANNED)
        finding.wait_for_quiet()
        in_turn: list[float] = []
        await _warm_up(site, grown, material)
        for number in range(given.rounds):
            for one in grown:
                one.seconds += await _ask(site, one, material, Filters(), scanned, in_turn)
                for share in SHARES:
                    one.filtered[share] += await _ask(site, one, material, Filters(tags={"share": (share,)}))
            print(f"  round {number + 1} of {given.rounds} done", flush=True)
        for one in grown:
            matrix = mixture.matrix(one.size)
            one.scan += [second for _ in range(given.rounds) for second in _scan(matrix, material.question_vectors)]
            await _judge(site, one, material)
        at_once = [second for _ in range(given.rounds) for second in _scan(scanned, material.question_vectors)]
    scans = percentile(in_turn, 50), percentile(at_once, 50)
    _report(finding, grown, scans, material, given.plots)
    return finding


async def _grow(site: Site, home: Path, mixture: Mixture, material: Material, size: int) -> Grown:
    """The knowledge base of this size; one that was loaded whole before is taken as it is."""
    name, kept = f"Growth {size}", home / f"growth-{size}.json"
    truth = load_truth(kept)
    try:
        kb = await get_knowledge_base(site.resources, site.identity, name)
    except NotFound:
        kb = None
    if kb is not None and truth is not None:
        return Grown(size, await site.find_index(kb.kb_id), truth)
    if kb is not None:
        await delete_knowledge_base(site.resources, site.identity, kb.kb_id, confirm=True)
    index = await site.make_kb(name)
    reckoning = Reckoning(material.questions, material.question_vectors)
    started = time.perf_counter()
    async with without_slow_indexes(site) if size >= _LARGE else nullcontext():
        await fill(site, index, mixture.batches(size), reckoning.note)
    loaded = time.perf_counter()
    index = await give_own_tables(site, index)
    built = time.perf_counter()
    print(f"  {size:,} chunks loaded in {loaded - started:.0f} s, indexes built in {built - loaded:.0f} s", flush=True)
    truth = reckoning.conclude()
    truth.save(kept)
    return Grown(size, index, truth)


async def _warm_up(site: Site, grown: Sequence[Grown], material: Material) -> None:
    for one in grown:
        await _ask(site, one, material, Filters())


async def _ask(
    site: Site,
    one: Grown,
    material: Material,
    filters: Filters,
    scanned: Matrix | None = None,
    scans: list[float] | None = None,
) -> list[float]:
    """How long each question takes, through the public call; numpy takes its turn after each where it has one."""
    seconds: list[float] = []
    for question, vector in zip(material.questions, material.question_vectors, strict=True):
        request = SearchRequest(question, knowledge_bases=(one.index.kb_id,), top_k=TOP, filters=filters)
        started = time.perf_counter()
        await search_knowledge(site.resources, site.identity, request)
        seconds.append(time.perf_counter() - started)
        if scanned is not None and scans is not None:
            scans += _scan(scanned, vector[np.newaxis])
    return seconds


def _scan(matrix: Matrix, vectors: Matrix) -> list[float]:
    """The same by numpy alone: one product, and the best of it."""
    seconds: list[float] = []
    for vector in vectors:
        started = time.perf_counter()
        scores = matrix @ vector
        best = np.argpartition(-scores, TOP)[:TOP]
        best[np.argsort(-scores[best])]
        seconds.append(time.perf_counter() - started)
    return seconds


async def _judge(site: Site, one: Grown, material: Material) -> None:
    """How much of the exact answers each part finds by itself."""
    for share, exact in one.truth.nearest.items():
        filters = Filters() if share == ALL else Filters(tags={"share": (share,)})
        found = 0.0
        for vector, wanted in zip(material.question_vectors, exact, strict=True):
            candidates = await _find(site, one, Question([], {one.index.embedder: vector}), filters)
            nearest = sorted(candidates, key=lambda candidate: -(candidate.dense or 0.0))[:TOP]
            found += len({*wanted} & {chunk_number(c.chunk_id) for c in nearest}) / len(wanted)
        one.recall[share] = found / len(exact)
    overlaps: list[float] = []
    for question, wanted in zip(material.questions, one.truth.keywords, strict=True):
        candidates = await _find(site, one, Question(query_terms(question), {}), Filters())
        best = sorted(candidates, key=lambda candidate: -candidate.lexical)[:TOP]
        if wanted:
            right = len({*wanted} & {chunk_number(c.chunk_id) for c in best})
            overlaps.append(right / min(TOP, len(wanted)))
    one.overlap = sum(overlaps) / len(overlaps)


async def _find(site: Site, one: Grown, question: Question, filters: Filters) -> list[Candidate]:
    workspace = site.identity.workspace_id
    async with site.resources.database.transaction(workspace, snapshot=True, settings=SETTINGS) as connection:
        return await find_candidates(connection, workspace, [one.index], question, filters, _DEPTH)


def _report(
    finding: Finding, grown: Sequence[Grown], scans: tuple[float, float], material: Material, plots: Path | None
) -> None:
    rows_in_all = sum(one.size for one in grown)
    scan, hot = scans
    finding.say(
        f"{len(material.texts):,} real texts ({material.source}), jitter {JITTER} a dimension; {QUESTIONS} questions, "
        f"{len(grown[0].seconds)} answers a size. A numpy scan of {_SCANNED:,} vectors, each in turn with a "
        f"search: p50 {shown(scan)} ms (one after the other, its vectors in the processor's cache: {shown(hot)} ms)."
    )
    finding.show(
        ["chunks", "of all rows", "p50 ms", "p95 ms", "in scans of 10k", "numpy scan of all, ms"]
        + [f"p50 ms, filter {share} %" for share in SHARES],
        [_times(one, rows_in_all, scan) for one in grown],
    )
    finding.show(
        ["chunks", "recall@10", *(f"filter {share} %" for share in SHARES), "keywords@10"],
        [
            [f"{one.size:,}", *(f"{one.recall[share]:.3f}" for share in (ALL, *SHARES)), f"{one.overlap:.3f}"]
            for one in grown
        ],
    )
    curves = {
        "Pinakes, p50": [(float(one.size), percentile(one.seconds, 50)) for one in grown],
        "Pinakes, p95": [(float(one.size), percentile(one.seconds, 95)) for one in grown],
        "numpy scan": [(float(one.size), percentile(one.scan, 50)) for one in grown],
    }
    drawing = draw_curves("Hybrid search, milliseconds", "chunks in the knowledge base", curves)
    finding.plot(plots, "growth", drawing, "Time of a search by size")
    medians = {one.size: percentile(one.seconds, 50) for one in grown}
    if 10_000 in medians:
        finding.check("p50 at 10k in numpy scans of 10k", medians[10_000] / scan, 8)
    if 1_000_000 in medians:
        finding.check("p50 at 1M in numpy scans of 10k", medians[1_000_000] / scan, 25)
        finding.check("p50 at 1M in p50 at 10k", medians[1_000_000] / medians[10_000], 3)
    worst = min(recall for one in grown for recall in one.recall.values())
    finding.check("the lowest recall@10 of any size and filter", worst, 0.98, at_least=True)


def _times(one: Grown, rows_in_all: int, scan: float) -> list[str]:
    p50 = percentile(one.seconds, 50)
    return [
        f"{one.size:,}",
        f"{100 * one.size / rows_in_all:.2g} %",
        shown(p50),
        shown(percentile(one.seconds, 95)),
        f"{p50 / scan:.1f}",
        shown(percentile(one.scan, 50)),
        *(shown(percentile(one.filtered[share], 50)) for share in SHARES),
    ]
