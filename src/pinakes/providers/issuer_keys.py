"""The public keys of an OpenID Connect issuer: found by discovery, kept, and asked for again seldom."""

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import httpx

from pinakes.domain.errors import InvalidInput, ProviderFault
from pinakes.providers.http_client import guarded_client

log = logging.getLogger("pinakes.issuer")
Jwk = Mapping[str, Any]
_STEP_SECONDS = 5
_TOTAL_SECONDS = 10
_MAX_BYTES = 512 * 1024
# A key that the issuer has withdrawn is good for this long.
_FRESH_SECONDS = 600
# And for this long while the issuer is away: a restart of it must not lock everybody out.
_USABLE_SECONDS = 3600
# Anybody can send tokens with a key nobody knows; this is how often they can have us ask.
FLOOR_SECONDS = 5.0


class IssuerKeys:
    """What an issuer signs with; one request at a time asks for it, and not more often than the floor allows."""

    def __init__(
        self,
        issuer: str,
        *,
        client: httpx.AsyncClient | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._issuer = issuer
        # The operator named it, so it may be inside; and an authority of theirs (SSL_CERT_FILE) may vouch for it.
        self._client = client or guarded_client(
            allow_private=True,
            timeout=_STEP_SECONDS,
            max_bytes=_MAX_BYTES,
            ssl_context=httpx.create_ssl_context(trust_env=True),
        )
        self._clock = clock
        self._asking = asyncio.Lock()
        self._keys: Sequence[Jwk] | None = None
        self._asked_at = self._learnt_at = -math.inf
        self._problem: str | None = "It was not asked yet."

    async def current(self) -> Sequence[Jwk]:
        """The keys as they were a few minutes ago, or up to an hour while the issuer does not answer."""
        age = self._clock() - self._learnt_at
        if self._keys is not None and (age < _FRESH_SECONDS or (age < _USABLE_SECONDS and self._asking.locked())):
            return self._keys
        try:
            return await self.renewed()
        except ProviderFault:
            if self._keys is not None and self._clock() - self._learnt_at < _USABLE_SECONDS:
                return self._keys
            raise

    async def renewed(self) -> Sequence[Jwk]:
        """The keys as they are now, or were seconds ago; ProviderFault if the issuer does not tell them."""
        async with self._asking:
            # Whoever waited finds here what the one before was told.
            if self._clock() - self._asked_at >= FLOOR_SECONDS:
                await self._ask()
            if self._problem is not None or self._keys is None:
                raise ProviderFault(
                    f"Access tokens cannot be checked right now: {self._issuer} does not tell its keys. "
                    "API keys and sessions go on working. Try again in a moment.",
                    code="ISSUER_UNAVAILABLE",
                )
            return self._keys

    async def check(self) -> str | None:
        """What is wrong with the issuer, if anything is."""
        async with self._asking:
            await self._ask()
        return self._problem

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.aclose()

    async def _ask(self) -> None:
        self._problem = "It was asked and the answer not waited for."
        try:
            async with asyncio.timeout(_TOTAL_SECONDS):
                self._keys = await self._fetch()
            self._learnt_at, self._problem = self._clock(), None
        except TimeoutError:
            self._problem = f"It takes longer than {_TOTAL_SECONDS} s to answer."
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self._problem = f"It does not answer ({type(error).__name__}: {error})."
        except InvalidInput as error:
            self._problem = error.message
        finally:
            self._asked_at = self._clock()
            if self._problem is not None:
                log.warning("The issuer %s is of no use: %s", self._issuer, self._problem)

    async def _fetch(self) -> Sequence[Jwk]:
        told = await self._get(f"{self._issuer.rstrip('/')}/.well-known/openid-configuration")
        # Else whoever serves that address could speak for an issuer of another name.
        if told.get("issuer") != self._issuer:
            raise InvalidInput(f"It calls itself {told.get('issuer')!r}. Set PINAKES_OIDC_ISSUER to exactly that.")
        address = told.get("jwks_uri")
        if not isinstance(address, str) or httpx.URL(address).scheme not in {"https", httpx.URL(self._issuer).scheme}:
            raise InvalidInput(f"It has no keys at an address that can be trusted: {address!r}.")
        keys: object = (await self._get(address)).get("keys")
        if not isinstance(keys, list):
            raise InvalidInput(f"What it has at {address} is no set of keys.")
        return [cast("Jwk", key) for key in cast("list[object]", keys) if isinstance(key, dict)]

    async def _get(self, address: str) -> dict[str, Any]:
        response = await self._client.get(address, headers={"accept": "application/json"})
        if response.status_code != 200:
            raise InvalidInput(f"It answers with status {response.status_code} at {address}.")
        try:
            body: object = json.loads(response.content)
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise InvalidInput(f"What it answers at {address} is no JSON object.")
        return cast("dict[str, Any]", body)
