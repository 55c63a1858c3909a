# pyright: basic, reportMissingImports=false
"""Chroma, persistent client: HNSW over vectors."""

from pathlib import Path

import chromadb
from chromadb.config import Settings

from bench.speed.peers.speaking import Texts, Vector, speak

_MOST_AT_ONCE = 1_000


class Chroma:
    """One collection with cosine distance."""

    def open(self, folder: Path) -> None:
        """The collection, stored in a folder."""
        self._client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._collection = self._client.get_or_create_collection(
            "texts", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )

    def add(self, given: Texts) -> None:
        """In batches, as there is a limit to one."""
        for start in range(0, len(given.texts), _MOST_AT_ONCE):
            stop = min(start + _MOST_AT_ONCE, len(given.texts))
            self._collection.add(
                ids=[str(number) for number in range(start, stop)],
                documents=given.texts[start:stop],
                embeddings=given.vectors[start:stop],
            )

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """By vector alone."""
        found = self._collection.query(query_embeddings=[list(vector)], n_results=top, include=["documents"])
        return [(int(i), t) for i, t in zip(found["ids"][0], found["documents"][0], strict=True)]


if __name__ == "__main__":
    speak(Chroma)
