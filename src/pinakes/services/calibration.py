"""Calibration of a knowledge base's scores, refreshed from its own passages and without judged questions."""

import asyncio
from dataclasses import dataclass

from pinakes.domain.analysis import telling_terms
from pinakes.domain.calibration import BUILT_IN_SCALE, Calibration, Scale
from pinakes.domain.embedder import is_remote
from pinakes.domain.errors import InvalidInput
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.knowledge_base import KEYWORDS_ONLY, KbIndex
from pinakes.domain.sentences import split_sentences
from pinakes.providers.embedding import Embedder
from pinakes.providers.probing import measure, probe
from pinakes.services.embedders import find_ready_embedder
from pinakes.services.knowledge_bases import find_id_or_raise
from pinakes.services.resources import Resources
from pinakes.store import calibration as store
from pinakes.store import knowledge_bases

SAMPLE = 40
# From fewer passages the spread of their cosines cannot be told.
_FEWEST = 12
# A model that knows less of the passages than this is no measure for another one.
_KNOWN = 0.7
_LONGEST_QUESTION = 350


@dataclass(frozen=True, slots=True)
class Recalibration:
    """What a refresh changed; `passages` is how many of the knowledge base's own it rests on."""

    before: Calibration
    after: Calibration
    passages: int
    explanation: str


@dataclass(frozen=True, slots=True)
class _Finding:
    calibration: Calibration
    passages: int
    explanation: str


async def refresh_calibration(resources: Resources, identity: Identity, reference: str) -> Recalibration:
    """Calibrate what answers for a knowledge base anew; searches use it from the next one on."""
    identity.require(Scope.WRITE)
    workspace_id = identity.workspace_id
    async with resources.database.transaction(workspace_id) as connection:
        kb_id = await find_id_or_raise(connection, identity, reference)
        (index,) = await knowledge_bases.active_indexes(connection, workspace_id, [kb_id])
        passages = await store.sample_passages(connection, workspace_id, kb_id, SAMPLE)
    if index.embedder == KEYWORDS_ONLY:
        raise InvalidInput("This knowledge base is searched by keywords only, so there is no scale to measure.")
    found = await _find(resources, workspace_id, index, passages)
    async with resources.database.transaction(workspace_id) as connection:
        await store.set_calibration(connection, workspace_id, index.index_id, found.calibration)
    return Recalibration(index.calibration, found.calibration, found.passages, found.explanation)


async def _find(resources: Resources, workspace_id: str, index: KbIndex, passages: list[str]) -> _Finding:
    """What the passages say beside the built-in model, or the probes where it is no measure for them."""
    shipped = Calibration.of(index.embedder)
    if not is_remote(index.embedder):
        return _Finding(shipped, 0, "The built-in model is calibrated on judged questions; these numbers apply.")
    embedder = await find_ready_embedder(resources, workspace_id, index.embedder)
    assert embedder is not None
    obstacle = await asyncio.to_thread(_obstacle, resources.embedder, passages)
    if obstacle is not None or resources.embedder is None:
        scale = (await probe(embedder)).scale
        words = f"Measured with texts that ship with Pinakes, since {obstacle}. {_describe(scale, BUILT_IN_SCALE)}"
        return _Finding(Calibration.of(index.embedder, scale), 0, words)
    questions = await asyncio.to_thread(lambda: [_telling_sentence(passage) for passage in passages])
    scale = (await measure(embedder, questions, passages)).scale
    reference = (await measure(resources.embedder, questions, passages)).scale
    words = f"Measured on {len(passages)} of its own passages. {_describe(scale, reference)}"
    return _Finding(shipped.adapted(scale, reference), len(passages), words)


def _obstacle(built_in: Embedder | None, passages: list[str]) -> str | None:
    """Why the built-in model cannot be the measure on these passages."""
    if len(passages) < _FEWEST:
        return f"{len(passages)} passages are too few to measure on (at least {_FEWEST})"
    if built_in is None:
        return "the built-in model is not installed to compare with"
    known = sum(1 - built_in.unknown_share(passage) for passage in passages) / len(passages)
    if known < _KNOWN:
        return "the built-in model does not know the language well enough to compare with"
    return None


def _telling_sentence(passage: str) -> str:
    """The sentence with the most words that say something: what somebody would ask for who looks for the passage."""
    sentences = [" ".join(passage[start:end].split())[:_LONGEST_QUESTION] for start, end in split_sentences(passage)]
    return max(sentences or [passage[:_LONGEST_QUESTION]], key=lambda sentence: len(set(telling_terms(sentence))))


def _describe(scale: Scale, reference: Scale) -> str:
    words = f"Its cosines: {scale.describe()}; those of the built-in model: {reference.describe()}."
    if not scale.separates:
        words += " It hardly tells what answers from other passages, so keywords decide the scores."
    return words
