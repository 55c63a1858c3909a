"""Retrieval quality: nDCG@10 of keywords alone, of meaning alone and of both.

    python -m bench.quality DATA [SET …] [--home FOLDER]

A set is a folder below DATA with `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv`
(query, document, grade). Documents go through the product's own pipeline; with `--home` they are indexed once.
"""

import argparse
import asyncio
import json
import math
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pinakes.domain.bm25 import query_terms
from pinakes.domain.errors import NotFound
from pinakes.domain.fusion import Candidate, fuse
from pinakes.domain.identity import Identity
from pinakes.domain.knowledge_base import KbIndex, KnowledgeBase
from pinakes.domain.search import Filters
from pinakes.services import sign_in
from pinakes.services.embedders import find_embedder
from pinakes.services.ingestion import index_version
from pinakes.services.knowledge_bases import create_knowledge_base, delete_knowledge_base, get_knowledge_base
from pinakes.services.uploads import upload_document
from pinakes.settings import Settings
from pinakes.store import knowledge_bases, search
from pinakes.store.database import fetch_all
from pinakes.wiring import App, open_app

DEPTH = 100
_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and the grade of every document that was judged for it."""

    query: str
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class DataSet:
    """A corpus and judged questions about it."""

    name: str
    documents: tuple[tuple[str, str], ...]
    questions: tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Library:
    """A set's knowledge base, indexed; `sources` tells which document a chunk is of."""

    index: KbIndex
    sources: dict[str, str]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What both rankings found for a question, and how much of the question the embedder knows."""

    candidates: list[Candidate]
    known: float


class Bench:
    """The product in this process, signed in as its local owner."""

    def __init__(self, app: App, identity: Identity) -> None:
        self._resources = app.resources
        self._identity = identity

    async def index(self, data: DataSet) -> Library:
        """The set's knowledge base; one that is complete already is taken as it is."""
        kb = await self._find(data)
        if kb is None:
            kb = await create_knowledge_base(self._resources, self._identity, name=data.name)
            await self._ingest(data, kb)
        async with self._resources.database.transaction(self._identity.workspace_id) as connection:
            (index,) = await knowledge_bases.active_indexes(connection, self._identity.workspace_id, [kb.kb_id])
            rows = await fetch_all(
                connection,
                "SELECT c.chunk_id, d.name FROM chunk c JOIN document d ON d.workspace_id = c.workspace_id "
                "AND d.active_version_id = c.version_id WHERE d.workspace_id = %s AND d.kb_id = %s",
                [self._identity.workspace_id, kb.kb_id],
            )
        ids = {_file_name(number): document for number, (document, _) in enumerate(data.documents)}
        return Library(index, {row["chunk_id"]: ids[row["name"]] for row in rows})

    async def retrieve(self, library: Library, query: str) -> Retrieved:
        """The candidates of a question with their raw parts."""
        embedder = await find_embedder(self._resources, self._identity.workspace_id, library.index.embedder)
        vectors = {} if embedder is None else {embedder.name: await embedder.embed_query(query)}
        async with self._resources.database.transaction(self._identity.workspace_id, snapshot=True) as connection:
            candidates = await search.find_candidates(
                connection,
                self._identity.workspace_id,
                [library.index],
                search.Question(query_terms(query), vectors),
                Filters(),
                DEPTH,
            )
        return Retrieved(candidates, 0.0 if embedder is None else 1 - embedder.unknown_share(query))

    async def _find(self, data: DataSet) -> KnowledgeBase | None:
        try:
            kb = await get_knowledge_base(self._resources, self._identity, data.name)
        except NotFound:
            return None
        if kb.stats.document_count == len(data.documents) and kb.stats.chunk_count >= len(data.documents):
            return kb
        await delete_knowledge_base(self._resources, self._identity, kb.kb_id, confirm=True)
        return None

    async def _ingest(self, data: DataSet, kb: KnowledgeBase) -> None:
        gate, done = asyncio.Semaphore(_AT_ONCE), 0

        async def take_in(number: int, text: str) -> None:
            nonlocal done
            async with gate:
                uploaded = await upload_document(
                    self._resources, self._identity, kb.kb_id, name=_file_name(number), content=text.encode()
                )
                assert uploaded.operation_id is not None
                await index_version(self._resources, self._identity.workspace_id, uploaded.operation_id)
            done += 1
            if done % 500 == 0:
                print(f"  {data.name}: {done} of {len(data.documents)} documents indexed", flush=True)

        await asyncio.gather(*(take_in(number, text) for number, (_, text) in enumerate(data.documents)))


@asynccontextmanager
async def open_bench(home: Path | None) -> AsyncGenerator[Bench]:
    """The product on this data folder, or on one that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as temporary:
        settings = Settings(home=home or Path(temporary))
        async with open_app(settings) as app:
            assert app.owner_token is not None
            user = await sign_in.session_user(app.resources, app.owner_token)
            yield Bench(app, await sign_in.identify_user(app.resources, user, None))


def read_sets(folder: Path, names: Sequence[str], questions: int) -> list[DataSet]:
    """The sets below a folder, all or those named, each with at most so many questions, spread evenly."""
    found = sorted(str(path.parent.relative_to(folder)) for path in folder.rglob("qrels.tsv"))
    missing = set(names) - set(found)
    if missing or not found:
        raise SystemExit(f"No such set in {folder}: {', '.join(missing) or 'none at all'}")
    return [_read_set(folder / name, name, questions) for name in names or found]


def ndcg(ranking: Iterable[str], grades: dict[str, int], depth: int = 10) -> float:
    """Discounted gain of the first documents against the best order there is."""
    best = sorted(grades.values(), reverse=True)[:depth]
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))
    first = list(ranking)[:depth]
    return sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(first)) / ideal


def rank_documents(library: Library, candidates: Iterable[Candidate]) -> list[str]:
    """Documents in the order of their best chunks."""
    return list(dict.fromkeys(library.sources[candidate.chunk_id] for candidate in candidates))


def rank_lexical(found: Retrieved) -> list[Candidate]:
    """By keywords alone."""
    return sorted((c for c in found.candidates if c.lexical > 0), key=lambda c: -c.lexical)


def rank_dense(found: Retrieved) -> list[Candidate]:
    """By meaning alone."""
    return sorted((c for c in found.candidates if c.dense is not None), key=lambda c: -(c.dense or 0.0))


def rank_hybrid(found: Retrieved) -> list[Candidate]:
    """As search ranks them."""
    return [candidate for candidate, _ in fuse(found.candidates, found.known)]


RANKINGS: dict[str, Callable[[Retrieved], list[Candidate]]] = {
    "lexical": rank_lexical,
    "dense": rank_dense,
    "hybrid": rank_hybrid,
}


async def retrieve_all(bench: Bench, library: Library, queries: Iterable[str]) -> list[Retrieved]:
    """What every question finds, two questions at a time."""
    gate = asyncio.Semaphore(2)

    async def one(query: str) -> Retrieved:
        async with gate:
            return await bench.retrieve(library, query)

    return await asyncio.gather(*(one(query) for query in queries))


async def _measure(sets: Sequence[DataSet], home: Path | None) -> None:
    print(f"{'set':24}{'documents':>10}{'chunks':>8}{'questions':>10}" + "".join(f"{name:>10}" for name in RANKINGS))
    async with open_bench(home) as bench:
        for data in sets:
            library = await bench.index(data)
            found = await retrieve_all(bench, library, [question.query for question in data.questions])
            means = [
                sum(
                    ndcg(rank_documents(library, rank(retrieved)), question.grades)
                    for question, retrieved in zip(data.questions, found, strict=True)
                )
                / len(data.questions)
                for rank in RANKINGS.values()
            ]
            sizes = f"{len(data.documents):>10}{len(library.sources):>8}{len(data.questions):>10}"
            print(f"{data.name:24}{sizes}" + "".join(f"{mean:>10.3f}" for mean in means), flush=True)


def _read_set(folder: Path, name: str, limit: int) -> DataSet:
    documents: list[tuple[str, str]] = []
    for entry in _read_lines(folder / "corpus.jsonl"):
        title, text = " ".join(entry.get("title", "").split()), entry["text"].strip()
        if title or text:
            documents.append((entry["id"], f"# {title}\n\n{text or title}\n" if title else f"{text}\n"))
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = max(0, int(grade))
    judged = [
        Judged(entry["text"], grades[entry["id"]])
        for entry in _read_lines(folder / "queries.jsonl")
        if any(grades.get(entry["id"], {}).values())
    ]
    return DataSet(name, tuple(documents), tuple(judged[:: max(1, math.ceil(len(judged) / limit))]))


def _read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


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
    given = parser.parse_args()
    asyncio.run(_measure(read_sets(given.data, given.sets, given.questions), given.home))


if __name__ == "__main__":
    main()
