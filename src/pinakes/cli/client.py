"""The command line's way in: the running server where there is one, else the engine in this process."""

import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx

from pinakes.domain.errors import InvalidInput, PinakesError
from pinakes.settings import Settings

_TIMEOUT = httpx.Timeout(300, connect=5)
# For what is checked or put together as a whole before the first word of an answer.
PATIENT = httpx.Timeout(None, connect=5)
_LAST_PORT = 65_535
# A server on this machine speaks plain HTTP; reading the list of authorities takes longer than most answers.
_WITHOUT_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


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
        except UnicodeEncodeError as error:
            raise ApiFailure("What was given contains bytes that are no text in UTF-8.") from error
        try:
            body = response.json()
            if not body["success"]:
                self._require_credential(body["errorCode"])
                raise ApiFailure(body["error"], code=body["errorCode"], details=body.get("details"))
            return body["data"]
        except (ValueError, KeyError, TypeError) as error:
            raise ApiFailure(
                f"What answers at {self.http.base_url} is not Pinakes (status {response.status_code}). "
                "Check PINAKES_URL."
            ) from error

    def _require_credential(self, code: str) -> None:
        """In the words of this side: the server can only speak of headers."""
        if code == "UNAUTHENTICATED" and "authorization" not in self.http.headers:
            raise ApiFailure(
                f"The server at {self.http.base_url} wants to know who you are. Set PINAKES_API_KEY; "
                "`pinakes keys create` makes a key where the server runs.",
                code=code,
            )

    async def get(self, path: str, **params: Any) -> Any:
        """Read."""
        return await self.call("GET", path, params={k: v for k, v in params.items() if v is not None})

    async def post(self, path: str, **options: Any) -> Any:
        """Make or do."""
        return await self.call("POST", path, **options)

    async def delete(self, path: str, **params: Any) -> Any:
        """Delete."""
        return await self.call("DELETE", path, params=params)

    async def kb_path(self, reference: str) -> str:
        """Where a knowledge base named by id, slug or name is found; a name no path can hold is looked up first."""
        if "/" not in reference and reference.strip("."):
            return f"/api/knowledge-bases/{path_part(reference)}"
        page = await self.get("/api/knowledge-bases", limit=500)
        for kb in page["items"]:
            if kb["name"].casefold() == reference.casefold():
                return f"/api/knowledge-bases/{kb['id']}"
        raise ApiFailure(f"There is no knowledge base '{reference}' in this workspace.", code="NOT_FOUND")


def path_part(text: str) -> str:
    """Whatever a person typed, as one part of a path."""
    return quote(text, safe="", errors="replace")


@asynccontextmanager
async def connect(settings: Settings, *, work: bool = False) -> AsyncGenerator[Client]:
    """A client of the configured server, else of the one on this data folder, else of our own engine.

    With `work` and our own engine, a worker runs along.
    """
    url = settings.url or await running_server(settings)
    async with AsyncExitStack() as stack:
        if url is not None:
            # What is on this machine is never reached through a proxy.
            transport, token = None, settings.api_key or _owner_token(settings)
        else:
            # The one way from a command to the whole application, which takes a second to load: commands that
            # only talk to a server must not pay for it. `serve`, `worker` and `doctor` load theirs late as well.
            from pinakes.cli.engine import open_own_engine  # noqa: PLC0415

            engine = await stack.enter_async_context(open_own_engine(settings, work=work))
            transport, token = engine.transport, settings.api_key or engine.owner_token
        http = httpx.AsyncClient(
            base_url=_checked(url or address(settings.host, settings.port)),
            headers=_headers(settings, token),
            timeout=_TIMEOUT,
            transport=transport,
            trust_env=settings.url is not None,
            verify=_WITHOUT_TLS if settings.url is None else True,
        )
        yield Client(await stack.enter_async_context(http), in_process=url is None)


async def running_server(settings: Settings) -> str | None:
    """The address of the server on this data folder, if it answers."""
    if (url := _announced(settings)) is None:
        return None
    try:
        async with httpx.AsyncClient(timeout=2, trust_env=False, verify=_WITHOUT_TLS) as http:
            answer = await http.get(f"{url}/healthz")
    except (ValueError, httpx.HTTPError, httpx.InvalidURL):
        return None
    return url if answer.status_code == 200 else None


def _announced(settings: Settings) -> str | None:
    """Where the server on this data folder said that it is."""
    try:
        return str(json.loads((settings.home_folder / "server.json").read_text())["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _checked(url: str) -> httpx.URL:
    try:
        parsed = httpx.URL(url)
        if parsed.scheme in {"http", "https"} and parsed.host and (parsed.port or 0) <= _LAST_PORT:
            return parsed
    except httpx.InvalidURL:
        pass
    raise InvalidInput(f"PINAKES_URL is {url!r}, which is no address. Give one such as http://127.0.0.1:8700.")


def address(host: str, port: int) -> str:
    """Where a person reaches a server that listens on this host and port; port 0 is not known before it runs."""
    shown = f"[{host}]" if ":" in host else "localhost" if host == "0.0.0.0" else host  # noqa: S104 - only compared
    return f"http://{shown}:{port}" if port else f"http://{shown}"


def _owner_token(settings: Settings) -> str | None:
    """The session of whoever owns the data folder, for the server on it and for no other."""
    if settings.url is not None and settings.url.rstrip("/") != _announced(settings):
        return None
    try:
        return (settings.home_folder / "owner.token").read_text().strip()
    except OSError:
        return None


def _headers(settings: Settings, token: str | None) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if settings.workspace:
        headers["X-Pinakes-Workspace"] = settings.workspace
    return headers
