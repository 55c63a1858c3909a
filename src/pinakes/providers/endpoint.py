"""A model served over HTTP: how it is asked, asked again where that may help, and left alone while it is down."""

import asyncio
import json
import random
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Generic, TypeVar

import httpx

from pinakes.domain.errors import DocumentFault, InvalidInput, PinakesError, ProviderFault, RetryableFault
from pinakes.providers.circuit import Circuit

T = TypeVar("T")
_SLOW_COUNTS_AS = 3
_MOST_KEPT = 1_000
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Served:
    """What is asked and how its faults are told: `who` begins a sentence, `too_long` is the advice it ends in."""

    who: str
    command: str
    model: str
    api_key: str | None = field(repr=False)
    too_long: str


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


class OddAnswer(Exception):
    """What is wrong with an answer, as the end of a sentence about the model."""


class PassingFault(ProviderFault):
    """One that may be over in a moment; `rest_seconds` is what the endpoint asked for.

    A call that was `slow` has used its time up: somebody else's document should have the worker next.
    """

    def __init__(self, message: str, rest_seconds: float | None = None, *, slow: bool = False) -> None:
        super().__init__(message)
        self.rest_seconds = rest_seconds
        self.slow = slow


class Endpoint:
    """Asks one model; whatever goes wrong is told in words, without the key."""

    def __init__(self, client: httpx.AsyncClient, served: Served, pace: Pace) -> None:
        self._client = client
        self._served = served
        self._pace = pace

    async def call(self, ask: Callable[[], Awaitable[T]], circuit: Circuit, *, tries: int) -> T:
        """Ask, and ask again where that may help; the circuit hears of every outcome."""
        for attempt in range(tries):
            if not circuit.admit():
                raise self.resting(circuit)
            try:
                answer = await ask()
            except PassingFault as fault:
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
                return answer
            await asyncio.sleep(pause)
        raise AssertionError("the last try either returns or raises")

    async def call_within(self, seconds: float, ask: Callable[[], Awaitable[T]], circuit: Circuit, *, tries: int) -> T:
        """The same for somebody who waits: whatever is wrong is a ProviderFault, and known in time."""
        try:
            async with asyncio.timeout(seconds):
                return await self.call(ask, circuit, tries=tries)
        except TimeoutError as error:
            fault = self._silent()
            circuit.note_failure(fault.message)
            raise fault from error
        except DocumentFault as fault:
            raise ProviderFault(fault.message) from fault

    async def post(self, url: str, body: Mapping[str, object], seconds: float, read: Callable[[bytes], T]) -> T:
        """One request, and its answer as `read` finds it; that may take time, and raise OddAnswer."""
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.post(
                    url,
                    content=json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
                    headers=self._headers(),
                    timeout=httpx.Timeout(seconds, connect=self._pace.connect),
                )
        except (TimeoutError, httpx.ReadTimeout) as error:
            raise self._silent(slow=True) from error
        except httpx.HTTPError as error:
            raise self._silent() from error
        except httpx.InvalidURL as error:
            raise ProviderFault(f"{self._served.who} has a base URL that is no address. Change it.") from error
        except InvalidInput as refused:
            raise ProviderFault(f"{self._served.who} is not asked: {refused.message}") from refused
        if not response.is_success:
            raise self._refusal(response)
        try:
            # An answer may be megabytes of numbers, which others should not have to wait for.
            return await asyncio.to_thread(read, response.content)
        except OddAnswer as odd:
            raise ProviderFault(f"{self._served.who} {odd}") from odd

    def resting(self, circuit: Circuit) -> ProviderFault:
        """Why nobody asks it now."""
        return ProviderFault(f"{circuit.reason} It failed several times and is tried again within a minute.")

    def _pause(self, attempt: int, fault: PassingFault) -> float:
        if fault.rest_seconds is not None:
            return fault.rest_seconds
        # Without chance, all who failed together would come back together.
        grown = min(self._pace.longest_pause, self._pace.first_pause * 2**attempt)
        return grown * random.uniform(0.5, 1)  # noqa: S311 - no secret

    def _headers(self) -> dict[str, str]:
        headers = {"content-type": "application/json"}
        if self._served.api_key is not None:
            headers["authorization"] = f"Bearer {self._served.api_key}"
        return headers

    def _silent(self, *, slow: bool = False) -> PassingFault:
        advice = "Check that its endpoint runs and can be reached."
        return PassingFault(f"{self._served.who} does not answer. {advice}", slow=slow)

    def _refusal(self, response: httpx.Response) -> PinakesError:
        who, status = self._served.who, response.status_code
        if status in {401, 403}:
            given = self._served.api_key
            what, missing = ("refused the API key", "the right one") if given else ("asks for an API key", "one")
            return ProviderFault(
                f"{who} {what} (status {status}). Give it {missing} with --api-key "
                f"(`{self._served.command} add` or `update`)."
            )
        if status == 404:
            return ProviderFault(
                f"{who} is not there: its endpoint does not know '{self._served.model}', or the base URL is "
                "wrong (status 404). Check both; the URL mostly ends in /v1."
            )
        if status in {400, 413, 422}:
            reason = self._reason(response)
            return RetryableFault(f"{who} refused a passage (status {status}{reason}). {self._served.too_long}")
        if status in {408, 429} or status >= 500:
            told = "has too much to do" if status == 429 else "does not work right now"
            return PassingFault(f"{who} {told} (status {status}).", _retry_after(response))
        return ProviderFault(f"{who} answers with status {status}. Check its base URL.")

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
        if self._served.api_key:
            text = text.replace(self._served.api_key, "…")
        printable = "".join(c if c.isprintable() else " " for c in text)
        return f": {' '.join(printable.split())[:_LONGEST_REASON]}"


class Kept(Generic[T]):
    """What every workspace brings, one of each in this process; those not asked for longest are let go."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[datetime, T]] = OrderedDict()

    def keep(self, workspace_id: str, name: str, updated_at: datetime, make: Callable[[], T]) -> T:
        """The one that is kept for a workspace; a changed one begins anew."""
        kept = self._kept.pop((workspace_id, name), None)
        if kept is None or kept[0] != updated_at:
            kept = updated_at, make()
        self._kept[workspace_id, name] = kept
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return kept[1]


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
