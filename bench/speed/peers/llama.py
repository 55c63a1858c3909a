# pyright: basic, reportMissingImports=false
"""LlamaIndex: its in-memory vector store and its BM25 retriever, merged by reciprocal ranks."""

from pathlib import Path

from llama_index.core import MockEmbedding, QueryBundle, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.llms import MockLLM
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever

from bench.speed.peers.speaking import Texts, Vector, speak

_MOST = 10


class LlamaIndex:
    """Both retrievers below a fusing one that asks one question; vectors are given, so no model is ever called."""

    def open(self, folder: Path) -> None:
        """Both indexes, read from files where there are some."""
        self._folder = folder
        if (folder / "words").exists():
            storage = StorageContext.from_defaults(persist_dir=str(folder / "meaning"))
            index = load_index_from_storage(storage, embed_model=MockEmbedding(1))
            self._join(index, BM25Retriever.from_persist_dir(str(folder / "words")))

    def add(self, given: Texts) -> None:
        """Nodes with their vectors, both indexes, and their files."""
        pairs = zip(given.texts, given.vectors, strict=True)
        nodes = [TextNode(id_=str(n), text=text, embedding=vector.tolist()) for n, (text, vector) in enumerate(pairs)]
        index = VectorStoreIndex(nodes, embed_model=MockEmbedding(given.vectors.shape[1]))
        words = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=_MOST)
        index.storage_context.persist(str(self._folder / "meaning"))
        words.persist(str(self._folder / "words"))
        self._join(index, words)

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """Hybrid."""
        found = self._retriever.retrieve(QueryBundle(text, embedding=list(vector)))[:top]
        return [(int(hit.node.node_id), hit.node.get_content()) for hit in found]

    def _join(self, index: VectorStoreIndex, words: BM25Retriever) -> None:
        self._retriever = QueryFusionRetriever(
            [index.as_retriever(similarity_top_k=_MOST), words],
            llm=MockLLM(),
            mode="reciprocal_rerank",
            num_queries=1,
            similarity_top_k=_MOST,
            use_async=False,
        )


if __name__ == "__main__":
    speak(LlamaIndex)
