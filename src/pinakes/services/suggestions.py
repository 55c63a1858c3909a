"""What may be suggested for a note from what it says: a resource that fits it better, and tags."""

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np

from pinakes.domain.analysis import telling_terms
from pinakes.domain.errors import ProviderFault
from pinakes.domain.identity import Identity
from pinakes.domain.note import Resource
from pinakes.domain.summary import summarise
from pinakes.services.resources import Resources
from pinakes.services.search import SearchRequest, search_knowledge

# What a text is about shows early; embedding more of it would be cut off anyway.
_CHARS_READ = 1_000
_COMPARED = 20
_HITS = 20
# How near a text has to be to what a resource says of itself together with how much nearer than to any other. Of
# sixteen notes and six resources this told four of seven that belonged somewhere, and none of the rest.
_NEAR = 0.43
# So near is every text to every description.
_NEAR_TO_ANYTHING = 0.15
# How well documents of a resource have to answer it, and how much better than those of any other: five of seven.
_ANSWERS, _ANSWERS_BETTER = 0.75, 0.2
_UNKNOWN = 0.3


async def suggest_tags(text: str, title: str | None) -> tuple[str, ...]:
    """Phrases that the text keeps coming back to."""
    return (await asyncio.to_thread(summarise, [text], title=title)).suggested_tags


async def suggest_resource(
    resources: Resources, identity: Identity, text: str, *, chosen: Resource, others: Sequence[Resource], leave_out: str
) -> Resource | None:
    """The resource that the text clearly fits better than the chosen one; None where there is any doubt.

    `leave_out` is the note itself, which may be found already.
    """
    if not others:
        return None
    text = text[:_CHARS_READ]
    told = await _compare_descriptions(resources, text, _likely(text, others))
    answered = await _compare_documents(resources, identity, text, leave_out)
    by_words = _nearest(told)
    by_documents = _best_answering(answered)
    # Where both speak up they have to agree, and documents may also speak for the resource that was chosen.
    if by_words and by_documents and by_words != by_documents:
        return None
    if by_documents == chosen.kb_id:
        return None
    winner = by_documents or by_words
    return next((resource for resource in others if resource.kb_id == winner), None)


def _likely(text: str, others: Sequence[Resource]) -> list[Resource]:
    """So many as can be compared at once, those first that share most words with the text."""
    words = set(telling_terms(text))
    shared = {one.kb_id: len(words.intersection(telling_terms(_told(one)))) for one in others}
    return sorted(others, key=lambda one: -shared[one.kb_id])[:_COMPARED]


async def _compare_descriptions(resources: Resources, text: str, others: Sequence[Resource]) -> Mapping[str, float]:
    """How near the text is to what each resource says of itself."""
    embedder = resources.embedder
    if embedder is None or embedder.unknown_share(text) > _UNKNOWN:
        return {}
    try:
        async with resources.embedding_turns:
            mine, *theirs = await embedder.embed([text, *map(_told, others)])
    except ProviderFault:
        return {}
    return {one.kb_id: float(np.dot(mine, vector)) for one, vector in zip(others, theirs, strict=True)}


async def _compare_documents(
    resources: Resources, identity: Identity, text: str, leave_out: str
) -> Mapping[str, float]:
    """How well the best passage of each resource answers the text."""
    found = await search_knowledge(resources, identity, SearchRequest(text, top_k=_HITS, reranker="none"))
    best: dict[str, float] = {}
    for hit in found.hits:
        if hit.document_id != leave_out:
            best[hit.kb_id] = max(hit.similarity, best.get(hit.kb_id, 0))
    return best


def _nearest(told: Mapping[str, float]) -> str | None:
    first, second = _first_two(told, _NEAR_TO_ANYTHING)
    return first if first is not None and 2 * told[first] - second >= _NEAR else None


def _best_answering(answered: Mapping[str, float]) -> str | None:
    first, second = _first_two(answered, 0)
    if first is None or answered[first] < _ANSWERS or answered[first] - second < _ANSWERS_BETTER:
        return None
    return first


def _first_two(scores: Mapping[str, float], least: float) -> tuple[str | None, float]:
    """What has the highest score, and the second highest score, which counts as so much at least."""
    ranked = sorted(scores, key=lambda key: -scores[key])
    return (ranked[0] if ranked else None), max(least, scores[ranked[1]] if len(ranked) > 1 else least)


def _told(resource: Resource) -> str:
    return f"{resource.title}. {resource.description}".strip()
