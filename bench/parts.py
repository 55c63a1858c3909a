"""Each part beside a reference of its kind: our keywords and bm25s, our 8-bit embeddings and the model in 32 bits.

    python -m bench.parts DATA [SET …] [--home FOLDER] [--questions N]

bm25s gets the terms of our analyser and nothing else of ours; the model in 32 bits gets the same passages. What is
compared is nDCG@10 of documents by their best passage.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, cast

import bm25s  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
import onnxruntime as ort  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray
from tokenizers import Tokenizer

from bench.judgements import DataSet, ndcg, read_sets
from bench.quality import DEPTH, Bench, Library, add_arguments, open_bench, rankings, retrieve_all
from pinakes.domain.analysis import analyse, ask
from pinakes.domain.bm25 import K1, B
from pinakes.domain.chunk import put_under_headings
from pinakes.providers.minilm.build import write_graph
from pinakes.providers.minilm.install import fetch_weights
from pinakes.store.database import fetch_all

TARGET = 0.01
_MAX_TOKENS = 256


async def read_passages(bench: Bench, library: Library) -> dict[str, str]:
    """The text of every chunk as it was analysed and embedded."""
    async with bench.resources.database.transaction(bench.identity.workspace_id) as connection:
        rows = await fetch_all(
            connection,
            "SELECT chunk_id, headings, preface || content AS content FROM chunk "
            "WHERE workspace_id = %s AND chunk_id = ANY(%s)",
            [bench.identity.workspace_id, list(library.sources)],
        )
    return {row["chunk_id"]: put_under_headings(tuple(row["headings"]), row["content"]) for row in rows}


def rank_by_reference(passages: Sequence[str], queries: Sequence[str]) -> list[list[int]]:
    """The passages of each question as bm25s ranks them, by place."""
    index = cast("Any", bm25s.BM25(k1=K1, b=B, method="lucene"))
    terms = [analyse(passage) for passage in passages]
    index.index(terms, show_progress=False)
    there = {term for passage in terms for term in passage}
    asked = [[form for forms in ask(query) for form in forms if form in there] or ["\0"] for query in queries]
    found, scores = index.retrieve(asked, k=min(DEPTH, len(passages)), show_progress=False)
    return [
        [int(at) for at, score in zip(row, row_scores, strict=True) if score > 0]
        for row, row_scores in zip(found, scores, strict=True)
    ]


class FullModel:
    """The built-in model as it was published, in 32 bits."""

    def __init__(self, folder: Path) -> None:
        graph = folder / "full.onnx"
        write_graph(folder / "model.safetensors", graph)
        self._session = cast("Any", ort.InferenceSession(graph, providers=["CPUExecutionProvider"]))
        self._tokenizer = cast("Any", Tokenizer.from_file(str(folder / "tokenizer.json")))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(_MAX_TOKENS)

    def embed(self, texts: Iterable[str]) -> NDArray[np.float32]:
        """A unit vector a text."""
        ids = (np.array(self._tokenizer.encode(text).ids, np.int64) for text in texts)
        return np.stack([self._session.run(None, {"ids": each})[0] for each in ids])


async def compare(bench: Bench, data: DataSet, model: FullModel) -> bool:
    """Print both parts beside their references; whether both are as near as wanted."""
    library = await bench.index(data)
    passages = await read_passages(bench, library)
    documents = [library.sources[chunk_id] for chunk_id in passages]
    texts, queries = list(passages.values()), [question.query for question in data.questions]
    ours = [rankings(library, found) for found in await retrieve_all(bench, library, data.questions)]
    nearest = np.argsort(-(model.embed(queries) @ model.embed(texts).T), axis=1)[:, :DEPTH]
    references = {"lexical": rank_by_reference(texts, queries), "dense": nearest.tolist()}
    passed = True
    for part, ranked in references.items():
        reference = [list(dict.fromkeys(documents[at] for at in row)) for row in ranked]
        own, theirs = (
            float(np.mean([ndcg(r, question.grades) for r, question in zip(by, data.questions, strict=True)]))
            for by in ([each[part] for each in ours], reference)
        )
        near = abs(own - theirs) <= TARGET
        passed &= near
        verdict = "PASS" if near else "FAIL"
        print(f"{verdict}: {data.name:20} {part:8} {own:.4f}, reference {theirs:.4f}: {own - theirs:+.4f}", flush=True)
    return passed


async def run(sets: Sequence[DataSet], home: Path | None) -> bool:
    """Compare every set."""
    with tempfile.TemporaryDirectory(prefix="pinakes-bench-") as temporary:
        await fetch_weights(Path(temporary), lambda _message, _share: None)
        model = FullModel(Path(temporary))
        async with open_bench(home) as bench:
            return all([await compare(bench, data, model) for data in sets if not data.questions[0].scope])


def main() -> None:
    """Compare, and fail where a part is too far from its reference."""
    parser = argparse.ArgumentParser(prog="python -m bench.parts")
    add_arguments(parser)
    given = parser.parse_args()
    if not asyncio.run(run(read_sets(given.data, given.sets, given.questions), given.home)):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
