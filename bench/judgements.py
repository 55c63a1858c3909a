"""Sets of judged questions, and how well a ranking serves them."""

import json
import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pinakes.domain.analysis import language_of

_RESAMPLES = 1_000
_SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Judged:
    """A question and the grade of every document that was judged for it; `scope` is where to look."""

    query: str
    grades: dict[str, int]
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A document of a set as it is uploaded."""

    document_id: str
    text: str
    scope: str | None = None


@dataclass(frozen=True, slots=True)
class DataSet:
    """A corpus and judged questions about it."""

    name: str
    documents: tuple[Entry, ...]
    questions: tuple[Judged, ...]

    @property
    def language(self) -> str:
        """What most of its text is written in: a language of Latin letters, or else the script."""
        sample = " ".join(document.text for document in self.documents[:_SAMPLE])
        scripts = Counter(unicodedata.name(letter, " ").split()[0].casefold() for letter in sample if letter.isalpha())
        script = scripts.most_common(1)[0][0] if scripts else "latin"
        return language_of(sample) if script == "latin" else {"cjk": "chinese"}.get(script, script)


@dataclass(frozen=True, slots=True)
class Measured:
    """A mean over questions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


def read_sets(folder: Path, names: Sequence[str], questions: int) -> list[DataSet]:
    """The sets below a folder, all or those named, each with at most so many questions, spread evenly."""
    found = sorted(str(path.parent.relative_to(folder)) for path in folder.rglob("qrels.tsv"))
    missing = set(names) - set(found)
    if missing or not found:
        raise SystemExit(f"No such set in {folder}: {', '.join(missing) or 'none at all'}")
    return [_read_set(folder / name, name if name != "." else folder.name, questions) for name in names or found]


def ndcg(ranking: Iterable[str], grades: Mapping[str, int], depth: int = 10) -> float:
    """Discounted gain of the first documents against the best order there is."""
    best = sorted(grades.values(), reverse=True)[:depth]
    ideal = sum(grade / math.log2(rank + 2) for rank, grade in enumerate(best))
    first = list(ranking)[:depth]
    return sum(grades.get(document, 0) / math.log2(rank + 2) for rank, document in enumerate(first)) / ideal


def recall(ranking: Iterable[str], grades: Mapping[str, int], depth: int) -> float:
    """The share of relevant documents among the first."""
    relevant = {document for document, grade in grades.items() if grade > 0}
    return len(relevant & set(list(ranking)[:depth])) / len(relevant)


def reciprocal_rank(ranking: Iterable[str], grades: Mapping[str, int]) -> float:
    """One over the place of the first relevant document."""
    places = (place for place, document in enumerate(ranking, 1) if grades.get(document, 0) > 0)
    return 1 / next(places, math.inf)


FIRST = "nDCG@10"
MEASURES: dict[str, Callable[[Sequence[str], Mapping[str, int]], float]] = {
    FIRST: ndcg,
    "R@5": lambda ranking, grades: recall(ranking, grades, 5),
    "R@10": lambda ranking, grades: recall(ranking, grades, 10),
    "R@100": lambda ranking, grades: recall(ranking, grades, 100),
    "MRR": reciprocal_rank,
}


def measure(rankings: Sequence[Sequence[str]], grades: Sequence[Mapping[str, int]]) -> dict[str, Measured]:
    """Every measure over all questions."""
    return {
        name: bootstrap([of(ranking, judged) for ranking, judged in zip(rankings, grades, strict=True)])
        for name, of in MEASURES.items()
    }


def bootstrap(values: Sequence[float]) -> Measured:
    """The mean, and between what bounds it would lie for other questions of the same kind."""
    dice = np.random.default_rng(0)
    drawn = dice.choice(np.asarray(values), (_RESAMPLES, len(values))).mean(axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5]).tolist()
    return Measured(float(np.mean(values)), low, high)


def _read_set(folder: Path, name: str, limit: int) -> DataSet:
    documents: list[Entry] = []
    for entry in _read_lines(folder / "corpus.jsonl"):
        title, text = " ".join(entry.get("title", "").split()), entry["text"].strip()
        if title or text:
            body = f"# {title}\n\n{text or title}\n" if title else f"{text}\n"
            documents.append(Entry(entry["id"], body, entry.get("scope")))
    grades: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.tsv").read_text().splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = max(0, int(grade))
    judged = [
        Judged(entry["text"], grades[entry["id"]], entry.get("scope"))
        for entry in _read_lines(folder / "queries.jsonl")
        if any(grades.get(entry["id"], {}).values())
    ]
    return DataSet(name, tuple(documents), tuple(judged[:: max(1, math.ceil(len(judged) / limit))]))


def _read_lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]
