# pyright: basic, reportMissingImports=false
"""Milvus Lite: vectors and its own BM25 function, merged by reciprocal ranks."""

from pathlib import Path

from pymilvus import AnnSearchRequest, DataType, Function, FunctionType, MilvusClient, RRFRanker

from bench.speed.peers.speaking import Texts, Vector, speak

_MOST_AT_ONCE = 1_000


class Milvus:
    """One collection in a file."""

    def open(self, folder: Path) -> None:
        """The collection, stored in a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self._client = MilvusClient(str(folder / "texts.db"))
        if self._client.has_collection("texts"):
            self._client.load_collection("texts")

    def add(self, given: Texts) -> None:
        """The collection with both indexes, then the rows."""
        schema = self._client.create_schema()
        schema.add_field("number", DataType.INT64, is_primary=True)
        schema.add_field("text", DataType.VARCHAR, max_length=65_535, enable_analyzer=True)
        schema.add_field("vector", DataType.FLOAT_VECTOR, dim=given.vectors.shape[1])
        schema.add_field("words", DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(Function("bm25", FunctionType.BM25, ["text"], ["words"]))
        indexes = self._client.prepare_index_params()
        indexes.add_index("vector", index_type="FLAT", metric_type="COSINE")
        indexes.add_index("words", index_type="SPARSE_INVERTED_INDEX", metric_type="BM25")
        self._client.create_collection("texts", schema=schema, index_params=indexes)
        rows = [
            {"number": n, "text": text, "vector": vector.tolist()}
            for n, (text, vector) in enumerate(zip(given.texts, given.vectors, strict=True))
        ]
        for start in range(0, len(rows), _MOST_AT_ONCE):
            self._client.insert("texts", rows[start : start + _MOST_AT_ONCE])
        self._client.flush("texts")

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """Hybrid."""
        asked = [
            AnnSearchRequest([list(vector)], "vector", {"metric_type": "COSINE"}, limit=top),
            AnnSearchRequest([text], "words", {"metric_type": "BM25"}, limit=top),
        ]
        (found,) = self._client.hybrid_search("texts", asked, RRFRanker(), limit=top, output_fields=["text"])
        return [(hit["number"], hit["entity"]["text"]) for hit in found]


if __name__ == "__main__":
    speak(Milvus)
