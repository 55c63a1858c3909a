"""An extractive answer: the run of sentences that answers best, with its source."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from opentelemetry import trace

from pinakes.domain.analysis import analyse, language_of, telling_terms
from pinakes.domain.chunk import put_under_headings
from pinakes.domain.identity import Identity
from pinakes.domain.search import Hit
from pinakes.domain.sentences import split_sentences
from pinakes.providers.embedding import Embedder
from pinakes.services.resources import Resources
from pinakes.services.search import SearchRequest, search_knowledge

MAX_SENTENCES = 3
MAX_SOURCES = 2
# Below this a passage is more probably beside the point than not, and no answer is better than that.
DEFAULT_MIN_SCORE = 0.3
_SENTENCES_READ = 40
_LONGEST_TITLE = 80
_DENSE_WEIGHT = 0.6
# What each word beside the longest sentence has to add, or the run stays short.
_WORD_COST = 0.002
# What a title promises is mostly told right below it.
_LEAD_BONUS = 0.02
# A word of the heading path counts, but less than one of the sentence itself.
_HEADING_SHARE = 0.5
# A second passage this much weaker than the best one dilutes the answer.
_WORTH = 0.9
_ENDS = re.compile(r"[.!?…。！？｡।؟][\"'”’»)\]*_`」』）]*$")
_ITEM = re.compile(r"[-*+•>]\s|\d+[.)]\s")
_LABEL = re.compile(r"[^\n:]+:\s+\S")
_BAR = re.compile(r"(?<!\\)\|")
_NAMED = re.compile(r"\w")
_NUMBERING = re.compile(r"[\d.]+\s+")
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class Source:
    """A passage an answer cites, by its number in the text."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class Answer:
    """Text with numbered citations; no sentence that is not in a source, no source that is not among `passages`."""

    text: str
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()
    note: str | None = None
    passages: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A stretch of a passage under the titles above it; neighbours of one group carry on from each other."""

    hit: Hit
    start: int
    end: int
    titles: tuple[str, ...]
    group: tuple[str, int]
    is_lead: bool = False

    @property
    def text(self) -> str:
        return " ".join(self.hit.content[self.start : self.end].split())

    @property
    def headings(self) -> tuple[str, ...]:
        # A passage that begins with its own heading would stand under it twice.
        return tuple(dict.fromkeys((*self.hit.headings, *(title.lstrip("# ") for title in self.titles))))


@dataclass(frozen=True, slots=True)
class _Run:
    sentences: Sequence[_Sentence]
    score: float

    @property
    def hit(self) -> Hit:
        return self.sentences[0].hit

    @property
    def text(self) -> str:
        first = self.sentences[0]
        if first.text.startswith("|"):
            return _read_row(first.text, first.titles)
        return " ".join(self.hit.content[first.start : self.sentences[-1].end].split())

    def repeats(self, other: "_Run") -> bool:
        """Whether a sentence of this run stands in the other one too."""
        return any(sentence.text in other.text for sentence in self.sentences)


async def answer_question(resources: Resources, identity: Identity, request: SearchRequest) -> Answer:
    """Answer from the knowledge bases alone, or say that nothing was found."""
    found = await search_knowledge(resources, identity, request)
    if not found.hits:
        return Answer("Nothing was found that answers this question.", (), found.warnings, found.note)
    with _tracer.start_as_current_span("answer"):
        chosen = await _choose(resources.embedder, request.query, found.hits)
    text = " ".join(f"{run.text} [{number}]" for number, run in enumerate(chosen, 1))
    sources = tuple(Source(number, run.hit) for number, run in enumerate(chosen, 1))
    return Answer(text, sources, found.warnings, passages=found.hits)


async def _choose(embedder: Embedder | None, query: str, hits: Sequence[Hit]) -> list[_Run]:
    """The best run of sentences, and the best of another passage where it is nearly as good."""
    ranked = sorted(await _score_runs(embedder, query, _sentences(hits)), key=lambda run: -run.score)
    chosen = ranked[:1]
    for run in ranked:
        if len(chosen) == MAX_SOURCES or run.score < _WORTH * chosen[0].score:
            break
        if all(run.hit.chunk_id != other.hit.chunk_id and not run.repeats(other) for other in chosen):
            chosen.append(run)
    return chosen


async def _score_runs(embedder: Embedder | None, query: str, sentences: Sequence[_Sentence]) -> list[_Run]:
    """Every run of up to three sentences by meaning, words and how probably its passage is relevant."""
    overlap = _Overlap(query, sentences)
    weight = 0.0
    vectors = np.zeros((len(sentences) + 1, 1), np.float32)
    if embedder is not None:
        weight = _DENSE_WEIGHT * (1 - embedder.unknown_share(query))
        texts = [put_under_headings(sentence.headings, sentence.text) for sentence in sentences]
        vectors = np.stack(await embedder.embed([query, *texts]))
    runs: list[_Run] = []
    for start, end in _spans(sentences):
        # The mean of its sentences stands for the run: one vector a sentence, not one a run.
        mean = vectors[start + 1 : end + 1].mean(axis=0)
        nearness = float(vectors[0] @ mean / (np.linalg.norm(mean) or 1))
        score = weight * nearness + (1 - weight) * overlap.share(start, end) - _WORD_COST * overlap.surplus(start, end)
        if sentences[start].is_lead:
            score += _LEAD_BONUS
        # The root, because a passage that is half as probable may still hold the better sentence.
        runs.append(_Run(sentences[start:end], score * math.sqrt(sentences[start].hit.similarity)))
    return runs


class _Overlap:
    """How much of the question stands in a run; a word that stands in many sentences says little."""

    def __init__(self, query: str, sentences: Sequence[_Sentence]) -> None:
        language = language_of(" ".join(sentence.text for sentence in sentences))
        words = set(telling_terms(query, language)) or set(analyse(query, language))
        terms = [analyse(sentence.text, language) for sentence in sentences]
        self._lengths = [len(group) for group in terms]
        self._texts = [words & set(group) for group in terms]
        self._headings = [words & set(analyse(" ".join(sentence.headings), language)) for sentence in sentences]
        counts = Counter(
            word for text, headings in zip(self._texts, self._headings, strict=True) for word in text | headings
        )
        self._weights = {word: math.log(1 + len(sentences) / (counts[word] + 0.5)) for word in words}
        self._total = sum(self._weights.values()) or 1

    def share(self, start: int, end: int) -> float:
        """From 0 to 1, for the sentences from `start` to before `end`."""
        text = set[str]().union(*self._texts[start:end])
        headings = self._headings[start] - text
        found = sum(map(self._weights.__getitem__, text))
        found += _HEADING_SHARE * sum(map(self._weights.__getitem__, headings))
        return found / self._total

    def surplus(self, start: int, end: int) -> int:
        """How many terms the run has beside those of its longest sentence."""
        return sum(self._lengths[start:end]) - max(self._lengths[start:end])


def _spans(sentences: Sequence[_Sentence]) -> Iterator[tuple[int, int]]:
    for start, first in enumerate(sentences):
        for end in range(start + 1, min(start + MAX_SENTENCES, len(sentences)) + 1):
            if sentences[end - 1].group != first.group:
                break
            yield start, end


def _sentences(hits: Sequence[Hit]) -> list[_Sentence]:
    """Sentences that say something, best passage first; a passage of scraps stands as a whole."""
    found: list[_Sentence] = []
    for hit in hits:
        found += _sentences_of(hit) or [_Sentence(hit, 0, len(hit.content), (), (hit.chunk_id, 0))]
    return found[:_SENTENCES_READ]


def _sentences_of(hit: Hit) -> list[_Sentence]:
    spans = split_sentences(hit.content)
    texts = [" ".join(hit.content[start:end].split()) for start, end in spans]
    sentences: list[_Sentence] = []
    titles: tuple[str, ...] = ()
    group, is_below_title = 0, True
    for (start, end), text, is_title in zip(spans, texts, _find_titles(texts), strict=True):
        if is_title:
            titles = (*titles, text) if is_below_title else (text,)
        else:
            is_lead = is_below_title and _ENDS.search(text) is not None
            sentences.append(_Sentence(hit, start, end, titles, (hit.chunk_id, group), is_lead))
        # Nothing carries on across a title, and a row of a table stands for itself.
        group += is_title or text.startswith("|")
        is_below_title = is_title
    return sentences


def _find_titles(texts: Sequence[str]) -> list[bool]:
    """Which lines name what follows them instead of saying something themselves."""
    titles: list[bool] = []
    below = ""
    for text in reversed(texts):
        is_rule = not any(character.isalnum() for character in text)
        is_header = text.startswith("|") and below.startswith("|") and not any(c.isalnum() for c in below)
        titles.append(is_rule or is_header or text.startswith("#") or (bool(below) and _is_title(text)))
        below = text
    return titles[::-1]


def _read_row(row: str, titles: Sequence[str]) -> str:
    """A row of a table as a person would read it out: the name of each column, and what stands there."""
    header = next((title for title in reversed(titles) if title.startswith("|") and _NAMED.search(title)), "")
    named = zip_longest(_cells(header), _cells(row), fillvalue="")
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named if cell) or row


def _cells(row: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(row.strip().removeprefix("|").removesuffix("|"))]


def _is_title(text: str) -> bool:
    """Whether a line is short and neither ends like a sentence nor holds a value."""
    return len(text) <= _LONGEST_TITLE and not (
        text.startswith("|")
        or _ENDS.search(text)
        or _ITEM.match(text)
        or _LABEL.match(text)
        or any(character.isdigit() for character in _NUMBERING.sub("", text, count=1))
    )
