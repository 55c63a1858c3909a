# pyright: basic, reportMissingImports=false
"""Qdrant's client in local mode: an exact scan over vectors."""

from pathlib import Path

from qdrant_client import QdrantClient, models

from bench.speed.peers.speaking import Texts, Vector, speak


class Qdrant:
    """One collection; keywords would need sparse vectors made by a model that is fetched from elsewhere."""

    def open(self, folder: Path) -> None:
        """The collection, stored in a folder."""
        self._client = QdrantClient(path=str(folder))

    def add(self, given: Texts) -> None:
        """All points, in the client's own batches."""
        distance = models.Distance.COSINE
        size = given.vectors.shape[1]
        self._client.create_collection("texts", vectors_config=models.VectorParams(size=size, distance=distance))
        self._client.upload_collection(
            "texts",
            vectors=given.vectors,
            payload=[{"text": text} for text in given.texts],
            ids=list(range(len(given.texts))),
        )

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """By vector alone."""
        found = self._client.query_points("texts", query=list(vector), limit=top, with_payload=True)
        return [(int(point.id), point.payload["text"]) for point in found.points]


if __name__ == "__main__":
    speak(Qdrant)
