"""The benchmark of retrieval quality, on a set of its form that nobody has seen before."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench.judgements import bootstrap, measure, ndcg, recall, reciprocal_rank

ROOT = Path(__file__).parent.parent
CORPUS = {
    "tides": ("Tides", "The moon pulls at the sea, so the water rises and falls twice a day.", "sea"),
    "owls": ("Owls", "Owls hunt mice at night by hearing alone.", "land"),
    "kites": ("Kites", "A kite needs a steady wind and a long line.", "land"),
    "gulls": ("Gulls", "Gulls follow fishing boats and nest on cliffs.", "sea"),
}
QUERIES = {"q1": ("Why does the water rise?", "tides", "sea"), "q2": ("What do owls hunt?", "owls", "land")}


def test_measures_are_those_of_the_books() -> None:
    # K6
    grades = {"a": 1, "b": 1, "c": 0}
    assert ndcg(["a", "b"], grades) == 1
    assert ndcg(["x", "a", "b"], grades) == pytest.approx((1 / 1.58496 + 1 / 2) / (1 + 1 / 1.58496), rel=1e-4)
    assert recall(["x", "a", "y"], grades, 2) == 0.5
    assert reciprocal_rank(["c", "x", "b"], grades) == pytest.approx(1 / 3)
    assert reciprocal_rank(["c"], grades) == 0
    interval = bootstrap([0.0, 1.0] * 50)
    assert interval.low < interval.mean == 0.5 < interval.high
    assert measure([["a", "b"]], [grades])["R@5"].mean == 1


@pytest.mark.parametrize("scoped", [False, True])
def test_any_set_of_the_form_is_measured_through_the_real_pipeline(tmp_path: Path, scoped: bool) -> None:
    # K6
    folder = tmp_path / "data" / "tiny"
    folder.mkdir(parents=True)

    def scope(where: str) -> dict[str, str]:
        return {"scope": where} if scoped else {}

    corpus = [{"id": key, "title": title, "text": text, **scope(where)} for key, (title, text, where) in CORPUS.items()]
    queries = [{"id": key, "text": text, **scope(where)} for key, (text, _, where) in QUERIES.items()]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    judged = [f"{key}\t{relevant}\t1" for key, (_, relevant, _) in QUERIES.items()]
    (folder / "qrels.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]))
    report = tmp_path / "figures.json"
    subprocess.run(
        [sys.executable, "-m", "bench.quality", str(tmp_path / "data"), "--json", str(report), "--hops"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        timeout=120,
    )
    figures = json.loads(report.read_text())["tiny"]
    assert figures["documents"] == 4
    assert figures["hybrid"]["nDCG@10"]["mean"] == 1
    assert figures["hybrid"]["R@100"]["mean"] == 1
    assert {"lexical", "dense", "hybrid", "two hops"} <= figures.keys()
