"""Questions put to knowledge bases, to those that hold an answer and to others, with every hit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bench.judgements import DataSet
from bench.quality import Bench, Library, retrieve_all
from pinakes.domain.fusion import fuse

TOP = 5
_FOREIGN_QUESTIONS = 30


class Kind(StrEnum):
    """What a hit is to its question."""

    RELEVANT = "relevant"
    OTHER = "other"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit as the calibration sees it."""

    kind: Kind
    dense: float | None
    lexical: float
    known: float


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of one set put to the knowledge base of one, with every hit; `checks` keeps it out of the fit."""

    kb: str
    source: str
    checks: bool
    hits: tuple[Hit, ...]

    @property
    def foreign(self) -> bool:
        """Whether the knowledge base is about something else."""
        return self.kb != self.source


async def ask_all(
    bench: Bench,
    sets: Sequence[DataSet],
    libraries: Mapping[str, Library],
    related: Callable[[str, str], bool],
) -> list[Asked]:
    """Every set's questions to its own knowledge base, and some of them to those on other subjects."""
    asked: list[Asked] = []
    for kb in sets:
        for data in sets:
            if kb is data:
                asked += await _ask(bench, kb.name, libraries[kb.name], data, step=1)
            elif not related(kb.name, data.name):
                # An odd step takes from both halves.
                step = len(data.questions) // _FOREIGN_QUESTIONS | 1
                asked += await _ask(bench, kb.name, libraries[kb.name], data, step=step)
        print(f"  {kb.name}: asked", flush=True)
    return asked


def related_by(groups: Sequence[str]) -> Callable[[str, str], bool]:
    """Sets in one folder are about the same things in other languages; others are told by name."""
    named = [set(group.split(",")) for group in groups]

    def related(one: str, other: str) -> bool:
        same_folder = "/" in one and one.partition("/")[0] == other.partition("/")[0]
        return same_folder or any({one, other} <= group for group in named)

    return related


async def _ask(bench: Bench, kb: str, library: Library, data: DataSet, *, step: int) -> list[Asked]:
    chosen = list(enumerate(data.questions))[::step]
    found = await retrieve_all(bench, library, [question for _, question in chosen])
    asked: list[Asked] = []
    for (number, question), retrieved in zip(chosen, found, strict=True):
        hits: list[Hit] = []
        for scored in fuse(retrieved.candidates, library.index.calibration, retrieved.known):
            candidate = scored.candidate
            relevant = question.grades.get(library.sources[candidate.chunk_id], 0) > 0
            kind = Kind.FOREIGN if kb != data.name else Kind.RELEVANT if relevant else Kind.OTHER
            hits.append(Hit(kind, candidate.dense, candidate.lexical_share, retrieved.known))
        asked.append(Asked(kb, data.name, number % 2 == 1, tuple(hits)))
    return asked
