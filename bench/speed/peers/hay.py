# pyright: basic, reportMissingImports=false
"""Haystack's in-memory document store: BM25 and vectors, merged by reciprocal ranks."""

from pathlib import Path

from haystack import Document
from haystack.components.joiners import DocumentJoiner
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.document_stores.in_memory import InMemoryDocumentStore

from bench.speed.peers.speaking import Texts, Vector, speak


class Haystack:
    """Two retrievers over one store; the file it can be saved to is a copy."""

    def open(self, folder: Path) -> None:
        """The store, read from a file where there is one."""
        self._file = folder / "texts.json"
        if self._file.exists():
            self._store = InMemoryDocumentStore.load_from_disk(str(self._file))
        else:
            self._store = InMemoryDocumentStore(embedding_similarity_function="cosine")
        self._words = InMemoryBM25Retriever(self._store)
        self._meaning = InMemoryEmbeddingRetriever(self._store)
        self._joiner = DocumentJoiner(join_mode="reciprocal_rank_fusion")

    def add(self, given: Texts) -> None:
        """All documents at once, and a copy on disk."""
        pairs = zip(given.texts, given.vectors, strict=True)
        self._store.write_documents(
            [Document(id=str(n), content=text, embedding=vector.tolist()) for n, (text, vector) in enumerate(pairs)]
        )
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._store.save_to_disk(str(self._file))

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """Hybrid."""
        by_words = self._words.run(query=text, top_k=top)["documents"]
        by_meaning = self._meaning.run(query_embedding=list(vector), top_k=top)["documents"]
        found = self._joiner.run(documents=[by_words, by_meaning], top_k=top)["documents"]
        return [(int(document.id), document.content) for document in found]


if __name__ == "__main__":
    speak(Haystack)
