# pyright: basic, reportMissingImports=false
"""LanceDB: vectors, a full-text index, and the two merged by reciprocal ranks."""

from pathlib import Path

import lancedb
from lancedb.rerankers import RRFReranker

from bench.speed.peers.speaking import Texts, Vector, speak


class Lance:
    """One table; at this size its documentation advises against an index over vectors, so they are scanned."""

    def open(self, folder: Path) -> None:
        """The table, stored in a folder."""
        self._database = lancedb.connect(str(folder))
        self._merge = RRFReranker()
        if (folder / "texts.lance").exists():
            self._table = self._database.open_table("texts")

    def add(self, given: Texts) -> None:
        """All rows at once, then the full-text index."""
        rows = zip(given.texts, given.vectors, strict=True)
        self._table = self._database.create_table(
            "texts", [{"number": n, "text": text, "vector": vector} for n, (text, vector) in enumerate(rows)]
        )
        self._table.create_fts_index("text")

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """Hybrid."""
        words = "".join(letter if letter.isalnum() else " " for letter in text)
        asked = self._table.search(query_type="hybrid").vector(list(vector)).text(words).distance_type("cosine")
        found = asked.rerank(self._merge).limit(top).to_list()
        return [(row["number"], row["text"]) for row in found]


if __name__ == "__main__":
    speak(Lance)
