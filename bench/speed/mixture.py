"""As many chunks as wanted, made from real ones: vectors with jitter, texts of re-mixed sentences.

A chunk's vector is that of a real text plus Gaussian noise, normalised: a chunk is about as near to its original
(cosine .86) as a passage on the same subject is, and chunks of one original are .74 from each other. Its text is
sentences of the same real text and of others, so that terms keep their frequencies, and a few made-up words of
which there are ever more, as names and numbers are in a growing collection.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.speed.material import Material, Matrix

JITTER = 0.03
BATCH = 5_000
_OWN_SENTENCES, _OTHER_SENTENCES, _NEW_WORDS = 2, 3, 3
_ZIPF = 1.3
_MOST_WORDS = 10_000_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Some chunks; the first has this number."""

    first: int
    texts: list[str]
    vectors: Matrix


class Mixture:
    """The same chunks every time: the first thousand of a million are those of a thousand."""

    def __init__(self, material: Material) -> None:
        self._vectors = material.vectors
        self._sentences = [re.split(r"(?<=[.!?]) +", text) for text in material.texts]

    def batches(self, size: int, seed: int = 1) -> Iterator[Batch]:
        """So many chunks, a batch at a time; another seed makes others."""
        for first in range(0, size, BATCH):
            chance = np.random.default_rng([seed, first])
            originals = chance.integers(len(self._vectors), size=BATCH)[: size - first]
            vectors = self._jitter(chance, originals)
            yield Batch(first, [self._mix(chance, int(original)) for original in originals], vectors)

    def matrix(self, size: int, seed: int = 1) -> Matrix:
        """All vectors at once."""
        made = np.empty((size, self._vectors.shape[1]), np.float32)
        for first in range(0, size, BATCH):
            chance = np.random.default_rng([seed, first])
            originals = chance.integers(len(self._vectors), size=BATCH)[: size - first]
            made[first : first + BATCH] = self._jitter(chance, originals)
        return made

    def _jitter(self, chance: np.random.Generator, originals: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Matrix:
        # Always a whole batch, so that a smaller collection begins with the same chunks.
        noise = chance.standard_normal((BATCH, self._vectors.shape[1]), np.float32)[: len(originals)]
        vectors = self._vectors[originals] + JITTER * noise
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _mix(self, chance: np.random.Generator, original: int) -> str:
        own = self._sentences[original]
        parts = [own[at] for at in chance.integers(len(own), size=_OWN_SENTENCES)]
        for other in chance.integers(len(self._sentences), size=_OTHER_SENTENCES):
            sentences = self._sentences[other]
            parts.append(sentences[int(chance.integers(len(sentences)))])
        parts += [f"x{int(word) % _MOST_WORDS:x}q" for word in chance.zipf(_ZIPF, _NEW_WORDS)]
        return " ".join(parts)
