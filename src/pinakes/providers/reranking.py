"""Re-rankers served over HTTP as Cohere, Jina or Text Embeddings Inference do it."""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, cast

import httpx

from pinakes.domain.reranker import RerankStyle, rerank_url
from pinakes.providers.circuit import Circuit
from pinakes.providers.endpoint import Endpoint, Kept, OddAnswer, Pace, Served

# What Text Embeddings Inference takes in one call, unless it was started otherwise.
TEI_BATCH = 32
_TRIALS_AT_ONCE = 16
_TRIAL_SECONDS = 20.0
_TRIAL_QUERY = "What do owls hunt at night?"
_TRIAL_TEXTS = ("At night owls hunt mice and voles.", "The invoice is due at the end of March.")
# Probabilities come from 32-bit numbers, some of which end a little beyond 1.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class RerankModel:
    """Where a model is served and how it is asked; `raw_scores` is None where nobody knows yet."""

    name: str
    label: str
    style: RerankStyle
    base_url: str
    model: str | None
    api_key: str | None = field(repr=False)
    seconds: float
    raw_scores: bool | None


class RemoteReranker:
    """Scores passages for a question: one try, in the time it was given, or none while it is down."""

    def __init__(self, client: httpx.AsyncClient, model: RerankModel, pace: Pace) -> None:
        self._model = model
        self._url = rerank_url(model.style, model.base_url)
        self._endpoint = Endpoint(client, _served(model), pace)
        self._circuit = Circuit(failures=2, rest_seconds=pace.rest)

    async def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """A score for each text, in order; ProviderFault where it does not bring them all in time."""
        ask = partial(self._ask_all, query, texts)
        return await self._endpoint.call_within(self._model.seconds, ask, self._circuit, tries=1)

    async def _ask_all(self, query: str, texts: Sequence[str]) -> list[float]:
        size = TEI_BATCH if self._model.style is RerankStyle.TEI else len(texts)
        parts = [texts[start : start + size] for start in range(0, len(texts), size)]
        scores = await asyncio.gather(*(self._ask(query, part) for part in parts))
        return [score for part in scores for score in part]

    async def _ask(self, query: str, texts: Sequence[str]) -> list[float]:
        read = partial(read_scores, count=len(texts), raw=self._model.raw_scores)
        # A little more than there is: whoever waits gives up first, and what is left over ends soon after.
        return await self._endpoint.post(self._url, self._body(query, texts), self._model.seconds + 1, read)

    def _body(self, query: str, texts: Sequence[str]) -> dict[str, object]:
        if self._model.style is RerankStyle.TEI:
            return {"query": query, "texts": list(texts), "raw_scores": False, "truncate": True}
        body: dict[str, object] = {"model": self._model.model, "query": query, "documents": list(texts)}
        body["top_n"] = len(texts)
        if self._model.style is RerankStyle.JINA:
            body["return_documents"] = False
        return body


class RemoteRerankers:
    """The re-rankers of every workspace in this process: one each, over one guarded client."""

    def __init__(self, client: httpx.AsyncClient, pace: Pace | None = None) -> None:
        self._client = client
        self._pace = pace or Pace()
        self._kept = Kept[RemoteReranker]()
        self._trials = asyncio.Semaphore(_TRIALS_AT_ONCE)

    def keep(self, workspace_id: str, updated_at: datetime, model: RerankModel) -> RemoteReranker:
        """The one that is kept for a workspace; a changed one begins anew."""
        make = partial(RemoteReranker, self._client, model, self._pace)
        return self._kept.keep(workspace_id, model.name, updated_at, make)

    async def try_out(self, model: RerankModel) -> bool:
        """Whether its scores are raw, found by one short call; ProviderFault where it fails."""
        patient = replace(model, seconds=_TRIAL_SECONDS)
        # Addresses that never answer must not take the connections of those that do.
        async with self._trials:
            scores = await RemoteReranker(self._client, patient, self._pace).score(_TRIAL_QUERY, _TRIAL_TEXTS)
        return model.raw_scores or not all(map(_is_probability, scores))

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()


def read_scores(body: bytes, count: int, raw: bool | None) -> list[float]:
    """As many scores as texts were sent, in their order; nothing of the answer is believed before it was checked."""
    try:
        answer: Any = json.loads(body)
        entries = cast("list[Any]", answer if isinstance(answer, list) else answer["results"])
        indexes = [entry["index"] for entry in entries]
        values = [entry["relevance_score"] if "relevance_score" in entry else entry["score"] for entry in entries]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OddAnswer("does not answer as a re-ranker does. Check its base URL and its style.") from error
    if len(values) != count:
        raise OddAnswer(f"answers with {len(values)} scores for {count} passages.")
    if any(type(index) is not int for index in indexes) or sorted(indexes) != list(range(count)):
        raise OddAnswer("does not say which score belongs to which passage.")
    scores = [_finite(values[indexes.index(at)]) for at in range(count)]
    if raw is False and not all(map(_is_probability, scores)):
        raise OddAnswer("answers with scores that are not from 0 to 1. Set rawScores of this reranker (--raw-scores).")
    return scores


def _finite(value: object) -> float:
    # A truth value is a number to Python, and a whole number may be too large for a score.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
        raise OddAnswer("answers with something that is no score.")
    return float(value)


def _is_probability(score: float) -> bool:
    return -_ROUNDING <= score <= 1 + _ROUNDING


def _served(model: RerankModel) -> Served:
    return Served(
        who=f"The reranker '{model.label}'",
        command="pinakes rerankers",
        model=model.model or model.label,
        api_key=model.api_key,
        too_long="Check its model and its style; where there is too much for it, let it see fewer hits (--hits).",
    )
