"""Fits the logistics that turn raw scores into probabilities, and shows how far they can be trusted.

    python -m bench.calibration DATA [SET …] [--home FOLDER] [--related scifact,pubmedqa] [--served xquad/en …]

Hits are of three kinds: relevant ones for questions a knowledge base can answer, the other hits for the same
questions, and hits for questions of another set, which it cannot answer. Half of the questions fit, the other half
check. The numbers printed go into `domain/calibration.py`; what ships is checked beside them.

The sets named with `--served` are then switched to another model over HTTP, for which nothing is fitted: it has the
calibration that the product gives it.
"""

import argparse
import asyncio
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.calibration import serving
from bench.calibration.asking import Asked, ask_all, related_by
from bench.calibration.fitting import fit_both, fit_keywords
from bench.calibration.rates import Rates, Subject, draw_reliability, reliability, show_rates
from bench.judgements import DataSet, read_sets
from bench.quality import Bench, Library, add_arguments, open_bench
from pinakes.domain.calibration import Calibration
from pinakes.domain.embedder import BUILT_IN, EmbeddingEndpoint
from pinakes.domain.errors import Conflict
from pinakes.domain.knowledge_base import KEYWORDS_ONLY
from pinakes.services.calibration import refresh_calibration
from pinakes.services.embedders import create_embedder, get_embedder, try_embedder
from pinakes.services.generations import start_switch
from pinakes.services.switching import switch_generation
from pinakes.settings import Settings


async def _index(bench: Bench, data: DataSet, embedder: str) -> Library:
    """The set's knowledge base, answering with this embedder."""
    await bench.index(data)
    while (operation_id := await _begin_switch(bench, data.name, embedder)) is not None:
        await switch_generation(bench.resources, bench.identity.workspace_id, operation_id)
    return await bench.index(data)


async def _begin_switch(bench: Bench, kb: str, embedder: str) -> str | None:
    """The switch that is to be carried out, first of all one that an interrupted run left; None when it is done."""
    try:
        return (await start_switch(bench.resources, bench.identity, kb, embedder)).operation_id
    except Conflict as conflict:
        if conflict.code == "ALREADY_ACTIVE":
            return None
        return str((conflict.details or {})["operationId"])


async def _calibrate(bench: Bench, given: argparse.Namespace) -> dict[str, Subject]:
    """The built-in model: fit on one half, check on the other."""
    sets = read_sets(given.data, given.sets, given.questions)
    libraries = {data.name: await _index(bench, data, BUILT_IN) for data in sets}
    asked = await ask_all(bench, sets, libraries, related_by(given.related))
    fitting, checking = [each for each in asked if not each.checks], [each for each in asked if each.checks]
    both, keywords = fit_both(fitting), fit_keywords(fitting)
    print(f"\nFitted for the built-in model: {asdict(both)}\nand for keywords alone: {asdict(keywords)}")
    subjects = {
        "fitted": _subject("Built-in model, fitted", checking, both),
        "built-in": _subject("Built-in model", checking, Calibration.of(next(iter(libraries.values())).index.embedder)),
        "keywords": _subject("Keywords alone", checking, Calibration.of(KEYWORDS_ONLY), with_dense=False),
    }
    for subject in subjects.values():
        show_rates(subject)
    return subjects


async def _check_served(bench: Bench, given: argparse.Namespace, built_in: Subject) -> Subject:
    """Another model as the product calibrates it: by the probes, then from each set's own passages."""
    sets = read_sets(given.data, given.served, given.questions)
    endpoint = await _add_embedder(bench)
    libraries = {data.name: await _index(bench, data, endpoint.name) for data in sets}
    asked = [each for each in await ask_all(bench, sets, libraries, related_by(given.related)) if each.checks]
    names = {data.name for data in sets}
    alike = [each for each in built_in.asked if {each.kb, each.source} <= names]
    compared = show_rates(Subject("Built-in model on these sets", alike, built_in.calibrations))
    probed = Subject(
        f"{serving.NAME} over HTTP, by the probes",
        asked,
        {name: Calibration.of(each.index.embedder, endpoint.scale) for name, each in libraries.items()},
    )
    _show_distance(show_rates(probed), compared)
    own: dict[str, Calibration] = {}
    for data in sets:
        done = await refresh_calibration(bench.resources, bench.identity, data.name)
        print(f"  {data.name}: {done.explanation}")
        own[data.name] = done.after
    _show_distance(
        show_rates(Subject(f"{serving.NAME} over HTTP, refreshed from its own passages", asked, own)), compared
    )
    return probed


async def _add_embedder(bench: Bench) -> EmbeddingEndpoint:
    url = f"http://127.0.0.1:{serving.PORT}/v1"
    try:
        await create_embedder(
            bench.resources,
            bench.identity,
            name=serving.NAME,
            base_url=url,
            model=serving.NAME,
            api_key=None,
            dims=None,
            max_tokens=256,
        )
    except Conflict:
        await try_embedder(bench.resources, bench.identity, serving.NAME)
    return await get_embedder(bench.resources, bench.identity, serving.NAME)


def _subject(name: str, asked: Sequence[Asked], calibration: Calibration, *, with_dense: bool = True) -> Subject:
    return Subject(name, asked, {each.kb: calibration for each in asked}, with_dense)


def _show_distance(found: Rates, compared: Rates) -> None:
    distances = [100 * (getattr(found, field) - getattr(compared, field)) for field in ("keeps", "silent")]
    print("Points from the built-in model: {:+.1f} kept, {:+.1f} silent".format(*distances))


def _plot(folder: Path, name: str, title: str, subjects: Sequence[Subject]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    curves = {subject.name: reliability(subject) for subject in subjects}
    for curve, points in curves.items():
        print(f"\n{curve}: predicted and observed\n" + "  ".join(f"{p:.2f}→{o:.2f}" for p, o in points))
    (folder / f"{name}.svg").write_text(draw_reliability(title, curves))


async def _run(given: argparse.Namespace) -> None:
    async with open_bench(given.home) as bench:
        subjects = await _calibrate(bench, given)
        _plot(given.plots, "reliability", "What a score means", [subjects["built-in"], subjects["keywords"]])
        if given.served:
            with serving.serving(serving.fetch(Settings().cache_folder / "bench" / serving.NAME)):
                served = await _check_served(bench, given, subjects["built-in"])
            _plot(given.plots, "served", "What a score means with another model", [served])


def main() -> None:
    """Fit and show."""
    parser = argparse.ArgumentParser(prog="python -m bench.calibration")
    add_arguments(parser)
    parser.add_argument("--related", action="append", default=[], help="sets on one subject, separated by commas")
    parser.add_argument("--served", nargs="*", default=[], help="sets to ask with a model over HTTP too")
    parser.add_argument("--plots", type=Path, default=Path("docs/retrieval"), help="folder for the drawings")
    given = parser.parse_args()
    os.environ.setdefault("PINAKES_OUTBOUND_HOSTS", "127.0.0.1")
    asyncio.run(_run(given))


if __name__ == "__main__":
    main()
