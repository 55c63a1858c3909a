"""The command line's way in: the running server where there is one, else the engine in this process."""

import json
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx

from pinakes.api.application import open_api
from pinakes.cli.terminal import note
from pinakes.domain.errors import PinakesError
from pinakes.settings import Settings
from pinakes.wiring import open_app
from pinakes.worker.tasks import working

_TIMEOUT = httpx.Timeout(300, connect=5)


class ApiFailure(PinakesError):
    """The server said no, in words."""


class Client:
    """The REST API, unwrapped from its envelopes."""

    def __init__(self, http: httpx.AsyncClient, *, in_process: bool) -> None:
        self.http = http
        self.in_process = in_process

    async def call(self, method: str, path: str, **options: Any) -> Any:
        """The data of an answer, or ApiFailure with the reason."""
        try:
            response = await self.http.request(method, path, **options)
        except httpx.HTTPError as error:
            raise ApiFailure(
                f"The server at {self.http.base_url} does not answer ({type(error).__name__}). "
                "Is `pinakes serve` running? `pinakes doctor` tells more.",
                code="UNAVAILABLE",
            ) from error
        try:
            body = response.json()
        except json.JSONDecodeError as error:
            raise ApiFailure(f"The server answered {response.status_code} with no JSON.") from error
        if not body.get("success"):
            raise ApiFailure(body.get("error", ""), code=body.get("errorCode"), details=body.get("details"))
        return body["data"]

    async def get(self, path: str, **params: Any) -> Any:
        """Read."""
        return await self.call("GET", path, params={k: v for k, v in params.items() if v is not None})

    async def post(self, path: str, **options: Any) -> Any:
        """Make or do."""
        return await self.call("POST", path, **options)

    async def delete(self, path: str, **params: Any) -> Any:
        """Delete."""
        return await self.call("DELETE", path, params=params)


@asynccontextmanager
async def connect(settings: Settings, *, work: bool = False) -> AsyncGenerator[Client]:
    """A client of the configured server, else of the one on this data folder, else of our own engine.

    With `work` and our own engine, a worker runs along.
    """
    url = settings.url or await running_server(settings)
    async with AsyncExitStack() as stack:
        if url is not None:
            token = settings.api_key or _owner_token(settings)
            http = httpx.AsyncClient(base_url=url, headers=_headers(settings, token), timeout=_TIMEOUT)
        else:
            app = await stack.enter_async_context(open_app(settings, report=note))
            api = await stack.enter_async_context(open_api(app))
            if work:
                await stack.enter_async_context(working(app))
            http = httpx.AsyncClient(
                transport=httpx.ASGITransport(app=api),
                base_url="http://localhost",
                headers=_headers(settings, settings.api_key or app.owner_token),
                timeout=_TIMEOUT,
            )
        async with http:
            yield Client(http, in_process=url is None)


async def running_server(settings: Settings) -> str | None:
    """The address of the server on this data folder, if it answers."""
    try:
        url = json.loads((settings.home_folder / "server.json").read_text())["url"]
        async with httpx.AsyncClient(timeout=2, trust_env=False) as http:
            answer = await http.get(f"{url}/healthz")
    except (OSError, ValueError, KeyError, httpx.HTTPError):
        return None
    return url if answer.status_code == 200 else None


def _owner_token(settings: Settings) -> str | None:
    path = settings.home_folder / "owner.token"
    return path.read_text().strip() if settings.url is None and path.exists() else None


def _headers(settings: Settings, token: str | None) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if settings.workspace:
        headers["X-Pinakes-Workspace"] = settings.workspace
    return headers
