"""Embedders served over HTTP by anything that speaks OpenAI's `/embeddings`."""

import asyncio
import hashlib
import json
import random
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import ceil
from typing import Any

import httpx
import numpy as np
from numpy.typing import NDArray

from pinakes.domain.errors import DocumentFault, InvalidInput, PinakesError, ProviderFault
from pinakes.providers.circuit import Circuit
from pinakes.providers.embedding_answer import OddAnswer, read_vectors
from pinakes.providers.token_counting import count_tokens

Vector = NDArray[np.float32]
MAX_TEXTS = 64
MAX_CHARACTERS = 100_000
# An endpoint on a single processor gets slower with every call that it works on at the same time.
CALLS_AT_ONCE = 3
# No two models count alike: where ours finds 4 tokens, room is left for 5 of theirs.
TOKEN_MARGIN = 1.25
_SLOW_COUNTS_AS = 3
_TRIALS_AT_ONCE = 16
_MOST_EMBEDDERS = 1_000
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class RemoteModel:
    """Where a model is served and how it is asked; with no `dims` any length of vector will do."""

    name: str
    label: str
    base_url: str
    model: str
    api_key: str | None = field(repr=False)
    dims: int | None
    send_dims: bool
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to wait and how often to try; times in seconds.

    A call has `first_call` seconds at first and up to `call` with an endpoint that turned out to be slow.
    """

    connect: float = 5
    first_call: float = 20
    call: float = 90
    query: float = 5
    tries: int = 4
    first_pause: float = 0.5
    longest_pause: float = 10
    failures: int = 5
    rest: float = 30


class _PassingFault(ProviderFault):
    """One that may be over in a moment; `rest_seconds` is what the endpoint asked for.

    A call that was `slow` has used its time up: somebody else's document should have the worker next.
    """

    def __init__(self, message: str, rest_seconds: float | None = None, *, slow: bool = False) -> None:
        super().__init__(message)
        self.rest_seconds = rest_seconds
        self.slow = slow


def split_texts(texts: Sequence[str], most_texts: int = MAX_TEXTS) -> Iterator[range]:
    """The places of the texts that go into one call: never too many, and never too much of them."""
    start = size = 0
    for at, text in enumerate(texts):
        if at > start and (at - start == most_texts or size + len(text) > MAX_CHARACTERS):
            yield range(start, at)
            start, size = at, 0
        size += len(text)
    if texts:
        yield range(start, len(texts))


class RemoteEmbedder:
    """An Embedder; questions and passages fail apart, so that a slow book does not cost the search its meaning."""

    def __init__(self, client: httpx.AsyncClient, model: RemoteModel, pace: Pace) -> None:
        self._client = client
        self._model = model
        self._pace = pace
        self._who = f"The embedding model '{model.label}'"
        self._passages = Circuit(failures=pace.failures, rest_seconds=pace.rest)
        self._queries = Circuit(failures=2, rest_seconds=pace.rest)
        self._gate = asyncio.Semaphore(CALLS_AT_ONCE)
        self._patience = min(pace.first_call, pace.call)

    @property
    def name(self) -> str:
        """The id under which a workspace keeps it."""
        return self._model.name

    @property
    def dims(self) -> int:
        """The length of every vector."""
        assert self._model.dims is not None
        return self._model.dims

    @property
    def max_tokens(self) -> int:
        """How long a passage may be."""
        return self._model.max_tokens

    @property
    def cache_identity(self) -> str:
        """Tells endpoints, models and credentials apart without showing any."""
        parts = (self._model.base_url, self._model.model, self._model.api_key or "")
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def require_ready(self) -> None:
        """Raise ProviderFault where embedding passages would be turned away anyway."""
        if self._passages.is_open:
            raise self._resting(self._passages)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector of length 1 a text, in order; DocumentFault where the endpoint refuses the texts themselves."""
        calls = [self._embed_some([texts[at] for at in places]) for places in split_texts(texts)]
        return [vector for vectors in await asyncio.gather(*calls) for vector in vectors]

    async def embed_query(self, text: str) -> Vector:
        """The vector of a question; whatever is wrong is known after a few seconds."""
        try:
            async with asyncio.timeout(self._pace.query):
                return (await self._call(lambda: self._ask([text], self._pace.call), self._queries, tries=2))[0]
        except TimeoutError as error:
            fault = self._silent()
            self._queries.note_failure(fault.message)
            raise fault from error
        except DocumentFault as fault:
            raise ProviderFault(fault.message) from fault

    def count_tokens(self, text: str) -> int:
        """An estimate that errs on the long side."""
        return ceil(count_tokens(text) * TOKEN_MARGIN)

    def unknown_share(self, text: str) -> float:
        """Nothing is known about what it does not know."""
        return 0.0

    async def close(self) -> None:
        """Nothing to give back: the connections are shared."""

    async def _embed_some(self, texts: Sequence[str]) -> list[Vector]:
        async with self._gate:
            return await self._call(lambda: self._ask_patiently(texts), self._passages, tries=self._pace.tries)

    async def _call(self, ask: Callable[[], Awaitable[list[Vector]]], circuit: Circuit, *, tries: int) -> list[Vector]:
        """Ask, and ask again where that may help; the circuit hears of every outcome."""
        for attempt in range(tries):
            if not circuit.admit():
                raise self._resting(circuit)
            try:
                vectors = await ask()
            except _PassingFault as fault:
                pause = self._pause(attempt, fault)
                too_long = pause > self._pace.longest_pause
                for _ in range(_SLOW_COUNTS_AS if fault.slow else 1):
                    circuit.note_failure(fault.message, fault.rest_seconds if too_long else None)
                if attempt + 1 == tries or too_long or fault.slow or circuit.is_open:
                    raise
            except ProviderFault as fault:
                circuit.note_failure(fault.message)
                raise
            except DocumentFault:
                circuit.note_success()
                raise
            except BaseException:
                # Cancelled, most of all: without an outcome, the circuit would wait for this call for ever.
                circuit.note_nothing()
                raise
            else:
                circuit.note_success()
                return vectors
            await asyncio.sleep(pause)
        raise AssertionError("the last try either returns or raises")

    def _pause(self, attempt: int, fault: _PassingFault) -> float:
        if fault.rest_seconds is not None:
            return fault.rest_seconds
        # Without chance, all who failed together would come back together.
        grown = min(self._pace.longest_pause, self._pace.first_pause * 2**attempt)
        return grown * random.uniform(0.5, 1)  # noqa: S311 - no secret

    async def _ask_patiently(self, texts: Sequence[str]) -> list[Vector]:
        """With the time that this endpoint has been seen to need: one that hangs holds a worker up for no longer."""
        begun, needed = time.monotonic(), self._patience
        try:
            vectors = await self._ask(texts, self._patience)
            needed = max(4 * (time.monotonic() - begun), 0.9 * self._patience)
        except _PassingFault as fault:
            needed *= 2 if fault.slow else 1
            raise
        finally:
            self._patience = min(self._pace.call, max(self._pace.first_call, needed))
        return vectors

    async def _ask(self, texts: Sequence[str], seconds: float) -> list[Vector]:
        """One request, and its answer checked."""
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.post(
                    f"{self._model.base_url}/embeddings",
                    content=self._body(texts),
                    headers=self._headers(),
                    timeout=httpx.Timeout(seconds, connect=self._pace.connect),
                )
        except (TimeoutError, httpx.ReadTimeout) as error:
            raise self._silent(slow=True) from error
        except httpx.HTTPError as error:
            raise self._silent() from error
        except httpx.InvalidURL as error:
            raise ProviderFault(f"{self._who} has a base URL that is no address. Change it.") from error
        except InvalidInput as refused:
            raise ProviderFault(f"{self._who} is not asked: {refused.message}") from refused
        if not response.is_success:
            raise self._refusal(response)
        try:
            # An answer may be megabytes of numbers, which others should not have to wait for.
            return await asyncio.to_thread(read_vectors, response.content, len(texts), self._model.dims)
        except OddAnswer as odd:
            raise ProviderFault(f"{self._who} {odd}") from odd

    def _body(self, texts: Sequence[str]) -> bytes:
        body: dict[str, object] = {"model": self._model.model, "input": list(texts)}
        if self._model.send_dims:
            body["dimensions"] = self._model.dims
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        if self._model.api_key is not None:
            headers["authorization"] = f"Bearer {self._model.api_key}"
        return headers

    def _silent(self, *, slow: bool = False) -> _PassingFault:
        advice = "Check that its endpoint runs and can be reached."
        return _PassingFault(f"{self._who} does not answer. {advice}", slow=slow)

    def _resting(self, circuit: Circuit) -> ProviderFault:
        return ProviderFault(f"{circuit.reason} It failed several times and is tried again within a minute.")

    def _refusal(self, response: httpx.Response) -> PinakesError:
        status = response.status_code
        if status in {401, 403}:
            given = self._model.api_key
            what, missing = ("refused the API key", "the right one") if given else ("asks for an API key", "one")
            return ProviderFault(
                f"{self._who} {what} (status {status}). Give it {missing} with --api-key "
                "(`pinakes embedders add` or `update`)."
            )
        if status == 404:
            return ProviderFault(
                f"{self._who} is not there: its endpoint does not know '{self._model.model}', or the base URL is "
                "wrong (status 404). Check both; the URL mostly ends in /v1."
            )
        if status in {400, 413, 422}:
            return DocumentFault(
                f"{self._who} refused a passage (status {status}{self._reason(response)}). If it is too long for the "
                "model, set maxTokens of this embedder to less and retry."
            )
        if status in {408, 429} or status >= 500:
            told = "has too much to do" if status == 429 else "does not work right now"
            return _PassingFault(f"{self._who} {told} (status {status}).", _retry_after(response))
        return ProviderFault(f"{self._who} answers with status {status}. Check its base URL.")

    def _reason(self, response: httpx.Response) -> str:
        """The endpoint's own words, which may repeat what it was sent, but never the key."""
        try:
            body: Any = json.loads(response.content)
            error: Any = body.get("error") or body.get("detail") or body.get("message")
            text: object = error if isinstance(error, str) else error.get("message")
        except (ValueError, AttributeError, RecursionError):
            return ""
        if not isinstance(text, str) or not text.strip():
            return ""
        if self._model.api_key:
            text = text.replace(self._model.api_key, "…")
        printable = "".join(c if c.isprintable() else " " for c in text)
        return f": {' '.join(printable.split())[:_LONGEST_REASON]}"


def _retry_after(response: httpx.Response) -> float | None:
    """The seconds an endpoint asks us to stay away, at most a few minutes of them."""
    text = response.headers.get("retry-after", "").strip()
    try:
        seconds = float(text) if text[:1].isdigit() else _seconds_until(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), 300.0)


def _seconds_until(moment: datetime) -> float:
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


class RemoteEmbedders:
    """The embedders of every workspace in this process: one each, over one guarded client."""

    def __init__(self, client: httpx.AsyncClient, pace: Pace | None = None) -> None:
        self._client = client
        self._pace = pace or Pace()
        self._kept: OrderedDict[tuple[str, str], tuple[datetime, RemoteEmbedder]] = OrderedDict()
        self._trials = asyncio.Semaphore(_TRIALS_AT_ONCE)

    def keep(self, workspace_id: str, updated_at: datetime, model: RemoteModel) -> RemoteEmbedder:
        """The one that is kept for a workspace; a changed one begins anew."""
        key = (workspace_id, model.name)
        kept = self._kept.pop(key, None)
        if kept is None or kept[0] != updated_at:
            kept = updated_at, RemoteEmbedder(self._client, model, self._pace)
        self._kept[key] = kept
        if len(self._kept) > _MOST_EMBEDDERS:
            self._kept.popitem(last=False)
        return kept[1]

    async def try_out(self, model: RemoteModel) -> int:
        """The length of its vectors, found by one short call; ProviderFault or DocumentFault where it fails."""
        pace = Pace(call=20, tries=2, first_pause=self._pace.first_pause, longest_pause=1)
        # Addresses that never answer must not take the connections of those that do.
        async with self._trials:
            vectors = await RemoteEmbedder(self._client, model, pace).embed(["The quick brown fox."])
        return len(vectors[0])

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()
