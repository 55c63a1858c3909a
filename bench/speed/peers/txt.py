# pyright: basic, reportMissingImports=false
"""txtai: its hybrid index (Faiss and its own BM25) with content."""

from pathlib import Path

import numpy as np
from txtai import Embeddings

from bench.speed.peers.speaking import Texts, Vector, speak

_known: dict[str, np.ndarray] = {}


def look_up(texts: list[str]) -> np.ndarray:
    """Vectors that are known already."""
    return np.stack([_known[text] for text in texts])


class Txtai:
    """Vectors come from outside: a look-up by text, which costs next to nothing."""

    def open(self, folder: Path) -> None:
        """The index, stored in a folder."""
        self._folder = folder
        self._embeddings = Embeddings(method="external", transform=look_up, hybrid=True, content=True)
        if self._embeddings.exists(str(folder)):
            self._embeddings.load(str(folder), config={"transform": look_up})

    def add(self, given: Texts) -> None:
        """Everything at once, and saved."""
        _known.update(zip(given.texts, given.vectors, strict=True))
        self._embeddings.index((number, text, None) for number, text in enumerate(given.texts))
        self._embeddings.save(str(self._folder))

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """Hybrid."""
        if text not in _known:
            _known[text] = np.asarray(vector, np.float32)
        return [(int(found["id"]), found["text"]) for found in self._embeddings.search(text, top)]


if __name__ == "__main__":
    speak(Txtai)
