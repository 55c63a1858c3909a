"""Retrieval quality: keywords alone, meaning alone and both, over sets of judged questions.

    python -m bench.quality DATA [SET …] [--home FOLDER] [--questions N] [--json FILE] [--hops]

A set is a folder below DATA with `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv`
(query, document, grade). Where documents and queries have a `scope`, a question is put to its scope alone.
Documents go through the product's own pipeline and questions through its own search; with `--home` nothing is
indexed twice. `--hops` adds a row with the second hop.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.judgements import FIRST, DataSet, Judged, Measured, measure, read_sets
from pinakes.domain.bm25 import query_terms
from pinakes.domain.errors import NotFound
from pinakes.domain.fusion import Candidate, fuse
from pinakes.domain.identity import Identity
from pinakes.domain.knowledge_base import KbIndex, KnowledgeBase
from pinakes.domain.search import Filters
from pinakes.services import sign_in
from pinakes.services.embedders import find_embedder
from pinakes.services.hops import follow_names
from pinakes.services.ingestion import index_version
from pinakes.services.knowledge_bases import create_knowledge_base, delete_knowledge_base, get_knowledge_base
from pinakes.services.uploads import upload_document
from pinakes.settings import Settings
from pinakes.store import knowledge_bases, search
from pinakes.store.database import fetch_all
from pinakes.wiring import App, open_app

DEPTH = 100
_AT_ONCE = 4
_SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Library:
    """A set's knowledge base, indexed; `sources` tells which document a chunk is of."""

    index: KbIndex
    sources: dict[str, str]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What both rankings found for a question, how much of it the embedder knows, and where a second hop leads."""

    candidates: list[Candidate]
    known: float
    hopped: list[Candidate]


class Bench:
    """The product in this process, signed in as its local owner."""

    def __init__(self, app: App, identity: Identity) -> None:
        self.resources = app.resources
        self.identity = identity

    async def index(self, data: DataSet) -> Library:
        """The set's knowledge base; one that is complete already is taken as it is."""
        kb = await self._find(data)
        if kb is None:
            kb = await create_knowledge_base(self.resources, self.identity, name=data.name)
            await self._ingest(data, kb)
        async with self.resources.database.transaction(self.identity.workspace_id) as connection:
            (index,) = await knowledge_bases.active_indexes(connection, self.identity.workspace_id, [kb.kb_id])
            rows = await fetch_all(
                connection,
                "SELECT c.chunk_id, d.name FROM chunk c JOIN document d ON d.workspace_id = c.workspace_id "
                "AND d.active_version_id = c.version_id WHERE d.workspace_id = %s AND d.kb_id = %s",
                [self.identity.workspace_id, kb.kb_id],
            )
        ids = {_file_name(number): document.document_id for number, document in enumerate(data.documents)}
        return Library(index, {row["chunk_id"]: ids[row["name"]] for row in rows})

    async def retrieve(self, library: Library, question: Judged, *, hops: bool = False) -> Retrieved:
        """The candidates of a question with their raw parts."""
        workspace_id, index = self.identity.workspace_id, library.index
        embedder = await find_embedder(self.resources, workspace_id, index.embedder)
        vectors = {} if embedder is None else {embedder.name: await embedder.embed_query(question.query)}
        known = 0.0 if embedder is None else 1 - embedder.unknown_share(question.query)
        asked = search.Question(query_terms(question.query), vectors)
        filters = Filters({_SCOPE: (question.scope,)}) if question.scope else Filters()
        async with self.resources.database.transaction(
            workspace_id, snapshot=True, settings=search.SETTINGS
        ) as connection:
            found = await search.find_candidates(connection, workspace_id, [index], asked, filters, DEPTH)
            hopped: list[Candidate] = []
            if hops:
                ranked = fuse(found, index.calibration, known)
                reached = await follow_names(
                    connection, workspace_id, [index], asked, {index.embedder: known}, filters, ranked
                )
                hopped = [scored.candidate for scored in reached]
        return Retrieved(found, known, hopped)

    async def _find(self, data: DataSet) -> KnowledgeBase | None:
        try:
            kb = await get_knowledge_base(self.resources, self.identity, data.name)
        except NotFound:
            return None
        if kb.stats.document_count == len(data.documents) and kb.stats.chunk_count >= len(data.documents):
            return kb
        await delete_knowledge_base(self.resources, self.identity, kb.kb_id, confirm=True)
        return None

    async def _ingest(self, data: DataSet, kb: KnowledgeBase) -> None:
        gate, done = asyncio.Semaphore(_AT_ONCE), 0

        async def take_in(number: int) -> None:
            nonlocal done
            document = data.documents[number]
            async with gate:
                uploaded = await upload_document(
                    self.resources,
                    self.identity,
                    kb.kb_id,
                    name=_file_name(number),
                    content=document.text.encode(),
                    tags={_SCOPE: (document.scope,)} if document.scope else None,
                )
                assert uploaded.operation_id is not None
                await index_version(self.resources, self.identity.workspace_id, uploaded.operation_id)
            done += 1
            if done % 500 == 0:
                print(f"  {data.name}: {done} of {len(data.documents)} documents indexed", flush=True)

        await asyncio.gather(*(take_in(number) for number in range(len(data.documents))))


@asynccontextmanager
async def open_bench(home: Path | None) -> AsyncGenerator[Bench]:
    """The product on this data folder, or on one that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as temporary:
        settings = Settings(home=home or Path(temporary))
        async with open_app(settings) as app:
            assert app.owner_token is not None
            user = await sign_in.session_user(app.resources, app.owner_token)
            yield Bench(app, await sign_in.identify_user(app.resources, user, None))


def rank_documents(library: Library, candidates: Iterable[Candidate]) -> list[str]:
    """Documents in the order of their best chunks."""
    return list(dict.fromkeys(library.sources[candidate.chunk_id] for candidate in candidates))


def rankings(library: Library, found: Retrieved) -> dict[str, list[str]]:
    """The documents of a question, by each way of ranking."""
    lexical = sorted((c for c in found.candidates if c.lexical > 0), key=lambda c: -c.lexical)
    dense = sorted((c for c in found.candidates if c.dense is not None), key=lambda c: -(c.dense or 0.0))
    hybrid = [scored.candidate for scored in fuse(found.candidates, library.index.calibration, found.known)]
    ways = {"lexical": lexical, "dense": dense, "hybrid": hybrid}
    if found.hopped:
        ways["two hops"] = found.hopped
    return {way: rank_documents(library, ranked) for way, ranked in ways.items()}


async def retrieve_all(
    bench: Bench, library: Library, questions: Iterable[Judged], *, hops: bool = False
) -> list[Retrieved]:
    """What every question finds, two questions at a time."""
    gate = asyncio.Semaphore(2)

    async def one(question: Judged) -> Retrieved:
        async with gate:
            return await bench.retrieve(library, question, hops=hops)

    return await asyncio.gather(*(one(question) for question in questions))


async def measure_set(bench: Bench, data: DataSet, *, hops: bool) -> dict[str, dict[str, Measured]]:
    """Every measure of every way of ranking."""
    library = await bench.index(data)
    found = await retrieve_all(bench, library, data.questions, hops=hops)
    ranked = [rankings(library, retrieved) for retrieved in found]
    return {
        way: measure([each.get(way, []) for each in ranked], [question.grades for question in data.questions])
        for way in ranked[0]
    }


def show(name: str, measured: Mapping[str, Mapping[str, Measured]]) -> None:
    """A line for each way of ranking, with the 95 % interval of the first measure."""
    for way, figures in measured.items():
        first, *others = figures.values()
        print(
            f"{name:20} {way:9}{first.mean:7.3f} ({first.low:.3f}–{first.high:.3f})"
            + "".join(f"{other.mean:9.3f}" for other in others),
            flush=True,
        )
        name = ""


async def run(sets: Sequence[DataSet], home: Path | None, *, hops: bool) -> dict[str, object]:
    """Measure every set and print the table; all figures."""
    print(f"{'set':20} {'':9}{'nDCG@10 (95 %)':>22}" + "".join(f"{m:>9}" for m in ("R@5", "R@10", "R@100", "MRR")))
    written: dict[str, object] = {}
    by_language: dict[str, list[dict[str, dict[str, Measured]]]] = {}
    async with open_bench(home) as bench:
        for data in sets:
            measured = await measure_set(bench, data, hops=hops)
            show(data.name, measured)
            by_language.setdefault(data.language, []).append(measured)
            written[data.name] = {
                "language": data.language,
                "documents": len(data.documents),
                "questions": len(data.questions),
                **{way: {m: asdict(figure) for m, figure in figures.items()} for way, figures in measured.items()},
            }
    show_languages(by_language)
    return written


def show_languages(by_language: Mapping[str, Sequence[Mapping[str, Mapping[str, Measured]]]]) -> None:
    """The mean of the sets in each language, every set counting the same."""
    for language, sets in by_language.items():
        means = [
            f"{way} {sum(measured[way][FIRST].mean for measured in sets) / len(sets):.3f}"
            for way in sets[0]
            if all(way in measured for measured in sets)
        ]
        print(f"{language} ({len(sets)} sets), {FIRST}: {', '.join(means)}", flush=True)


def _file_name(number: int) -> str:
    return f"{number:06}.md"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What every command over sets of judged questions takes."""
    parser.add_argument("data", type=Path, help="folder with the sets")
    parser.add_argument("sets", nargs="*", help="names of the sets; all unless given")
    parser.add_argument("--home", type=Path, help="data folder to keep, so that nothing is indexed twice")
    parser.add_argument("--questions", type=int, default=10**9, help="at most so many a set")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.quality")
    add_arguments(parser)
    parser.add_argument("--json", type=Path, help="file for all figures")
    parser.add_argument("--hops", action="store_true", help="also with a second hop")
    given = parser.parse_args()
    sets = read_sets(given.data, given.sets, given.questions)
    figures = asyncio.run(run(sets, given.home, hops=given.hops))
    if given.json is not None:
        given.json.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
