"""An extractive answer: the sentences of the best passages that answer best, each with its source."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from opentelemetry import trace

from pinakes.domain.analysis import analyse
from pinakes.domain.chunk import put_under_headings
from pinakes.domain.identity import Identity
from pinakes.domain.search import Hit
from pinakes.domain.sentences import split_sentences
from pinakes.providers.embedding import Embedder
from pinakes.services.resources import Resources
from pinakes.services.search import SearchRequest, search_knowledge

MAX_SENTENCES = 3
_SENTENCES_READ = 40
_SHORTEST = 20
_LONGEST_TITLE = 80
_DENSE_WEIGHT = 0.6
# A sentence this much weaker than the best one dilutes the answer.
_WORTH = 0.7
_ENDS = re.compile(r"[.!?…。！？｡।؟][\"'”’»)\]*_`」』）]*$")
_ITEM_OR_ROW = re.compile(r"[-*+•|>]|\d+[.)]\s")
_tracer = trace.get_tracer("pinakes")


@dataclass(frozen=True, slots=True)
class Source:
    """A passage an answer cites, by its number in the text."""

    number: int
    hit: Hit


@dataclass(frozen=True, slots=True)
class Answer:
    """Text with numbered citations; no sentence that is not in a source."""

    text: str
    sources: tuple[Source, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    hit: Hit
    score: float = 0.0


async def answer_question(resources: Resources, identity: Identity, request: SearchRequest) -> Answer:
    """Answer from the knowledge bases alone, or say that nothing was found."""
    found = await search_knowledge(resources, identity, request)
    if not found.hits:
        return Answer("Nothing was found that answers this question.", (), found.warnings)
    with _tracer.start_as_current_span("answer"):
        chosen = await _choose(resources.embedder, request.query, found.hits)
    numbers = {
        chunk_id: number
        for number, chunk_id in enumerate(dict.fromkeys(sentence.hit.chunk_id for sentence in chosen), 1)
    }
    text = " ".join(f"{sentence.text} [{numbers[sentence.hit.chunk_id]}]" for sentence in chosen)
    cited = {sentence.hit.chunk_id: sentence.hit for sentence in chosen}
    sources = tuple(Source(number, cited[chunk_id]) for chunk_id, number in numbers.items())
    return Answer(text, sources, found.warnings)


async def _choose(embedder: Embedder | None, query: str, hits: Sequence[Hit]) -> list[_Sentence]:
    sentences = _sentences(hits)[:_SENTENCES_READ]
    scores = _overlap(query, [s.text for s in sentences])
    if embedder is not None:
        weight = _DENSE_WEIGHT * (1 - embedder.unknown_share(query))
        vectors = await embedder.embed([query, *(put_under_headings(s.hit.headings, s.text) for s in sentences)])
        scores = [
            weight * float(vectors[0] @ vector) + (1 - weight) * share
            for vector, share in zip(vectors[1:], scores, strict=True)
        ]
    ranked = [replace(s, score=score * s.hit.similarity) for s, score in zip(sentences, scores, strict=True)]
    ranked.sort(key=lambda s: -s.score)
    return [s for s in ranked[:MAX_SENTENCES] if s.score >= _WORTH * ranked[0].score]


def _overlap(query: str, texts: Sequence[str]) -> list[float]:
    """How much of the question stands in each text; a word that stands in many of them says little."""
    words = set(analyse(query))
    found = [words & set(analyse(text)) for text in texts]
    counts = Counter(word for group in found for word in group)
    weights = {word: math.log(1 + len(texts) / (counts[word] + 0.5)) for word in words}
    return [sum(weights[word] for word in group) / (sum(weights.values()) or 1) for group in found]


def _sentences(hits: Sequence[Hit]) -> list[_Sentence]:
    """Distinct sentences that say something, best passage first; a passage of scraps stands as a whole."""
    found: dict[str, _Sentence] = {}
    for hit in hits:
        texts = [" ".join(hit.content[start:end].split()) for start, end in split_sentences(hit.content)]
        texts = [text for text in texts if len(text) >= _SHORTEST and not _is_title(text)]
        for text in texts or [" ".join(hit.content.split())]:
            found.setdefault(text, _Sentence(text, hit))
    return list(found.values())


def _is_title(text: str) -> bool:
    """Whether a line names what follows it instead of saying something itself."""
    return text.startswith("#") or (
        len(text) <= _LONGEST_TITLE and not _ENDS.search(text) and not _ITEM_OR_ROW.match(text)
    )
