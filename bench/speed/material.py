"""What is measured with: real texts with their real vectors, embedded once and kept, and questions about them."""

import asyncio
import hashlib
import itertools
import json
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.writing import Writer
from pinakes.providers.embedding import Embedder
from pinakes.settings import Settings
from pinakes.wiring import load_embedder

Matrix = NDArray[np.float32]
CACHE = Path(tempfile.gettempdir()) / "pinakes-bench-speed"
# Every text is to be one chunk, here as in every other system.
_TOKENS = 200
_CHARACTERS = 1_000
_WORDS = (4, 12)
_EMBED_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class Material:
    """Texts and questions, each with the vector the built-in model gives it."""

    source: str
    texts: list[str]
    vectors: Matrix
    questions: list[str]
    question_vectors: Matrix


class KnownEmbedder:
    """The built-in model, but for texts whose vectors are known: what is left is all but the model."""

    def __init__(self, model: Embedder, known: dict[str, NDArray[np.float32]]) -> None:
        self._model = model
        self._known = known
        self.name, self.dims, self.max_tokens = model.name, model.dims, model.max_tokens
        self.cache_identity = model.cache_identity
        self.count_tokens, self.unknown_share, self.close = model.count_tokens, model.unknown_share, model.close

    async def embed(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Known vectors; a text that is not known would spoil the measurement."""
        return [self._known[text] for text in texts]

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """The same for a question, but a new one may be asked."""
        return self._known[text] if text in self._known else await self._model.embed_query(text)


def load_material(corpus: Path | None, texts: int, questions: int, cache: Path = CACHE) -> Material:
    """So many texts of a corpus, or written ones; embedded now unless they were before."""
    return asyncio.run(_load(corpus, texts, questions, cache))


async def _load(corpus: Path | None, count: int, asked: int, cache: Path) -> Material:
    embedder = load_embedder(Settings())
    if embedder is None:
        raise SystemExit("The built-in model is not installed. Install it with: pinakes model install")
    try:
        found, questions = _read(corpus, count, asked) if corpus else _write(count, asked)
        texts = list(dict.fromkeys(_cut(text, embedder) for text in found))
        return Material(
            corpus.name if corpus else "written",
            texts,
            await _embed(embedder, texts, cache),
            questions,
            await _embed(embedder, questions, cache),
        )
    finally:
        await embedder.close()


def _read(corpus: Path, count: int, asked: int) -> tuple[list[str], list[str]]:
    entries = [_entry(line) for line in (corpus / "corpus.jsonl").read_text("utf-8").splitlines()[:count]]
    texts = [f"{entry.get('title', '')} {entry['text']}" for entry in entries]
    questions = [_entry(line)["text"] for line in (corpus / "queries.jsonl").read_text("utf-8").splitlines()]
    return texts, questions[:: max(1, len(questions) // asked)][:asked]


def _entry(line: str) -> dict[str, Any]:
    return json.loads(line)


def _write(count: int, asked: int) -> tuple[list[str], list[str]]:
    writer = Writer(1)
    texts = [re.sub(r"#+ ", "", writer.write_document(_CHARACTERS)) for _ in range(count)]
    first, last = _WORDS
    return texts, [writer.write_phrase(first + number % (last - first)) for number in range(asked)]


def _cut(text: str, embedder: Embedder) -> str:
    words = text.split()[:_TOKENS]
    while embedder.count_tokens(" ".join(words)) > _TOKENS:
        words = words[: len(words) * 9 // 10]
    return " ".join(words)


async def _embed(embedder: Embedder, texts: Sequence[str], cache: Path) -> Matrix:
    names = [hashlib.sha256(f"{embedder.name}\0{text}".encode()).hexdigest() for text in texts]
    known = _load_known(cache)
    missing = {name: text for name, text in zip(names, texts, strict=True) if name not in known}
    for start in range(0, len(missing), _EMBED_AT_ONCE):
        part = dict(itertools.islice(missing.items(), start, start + _EMBED_AT_ONCE))
        known.update(zip(part, await embedder.embed(list(part.values())), strict=True))
        if start // _EMBED_AT_ONCE % 10 == 9:
            print(f"  {start + len(part)} of {len(missing)} texts embedded", flush=True)
    if missing:
        _keep(cache, known)
    return np.stack([known[name] for name in names])


def _load_known(cache: Path) -> dict[str, NDArray[np.float32]]:
    kept = cache / "vectors.npz"
    if not kept.exists():
        return {}
    with np.load(kept) as stored:
        return dict(zip(stored["names"].tolist(), stored["vectors"], strict=True))


def _keep(cache: Path, known: dict[str, NDArray[np.float32]]) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    np.savez(cache / "vectors.npz", names=np.asarray(list(known)), vectors=np.stack(list(known.values())))
