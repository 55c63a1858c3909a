"""Fetching a page or file from the web: bounded in size and time, never from inside a private network."""

import asyncio
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from pathlib import PurePath
from urllib.parse import unquote

import httpx

from pinakes.domain.document import join_folders
from pinakes.domain.errors import InvalidInput
from pinakes.providers.http_client import guarded_client

_STEP_SECONDS = 15
_TOTAL_SECONDS = 60
_REDIRECTS = 5
_AT_ONCE = 4
_LONGEST_NAME = 200
_USER_AGENT = "Pinakes (+self-hosted knowledge base)"
_HEADERS = {"user-agent": _USER_AGENT, "accept": "text/html,application/pdf,*/*;q=0.8"}
# What pages are mostly served as, where the standard table has another idea or none.
_EXTENSIONS: Mapping[str, str] = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "application/json": ".json",
    "application/xml": ".xml",
    "text/xml": ".xml",
}
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\]+")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}")


@dataclass(frozen=True, slots=True)
class Fetched:
    """What an address answered with, and the file name it gets."""

    name: str
    content: bytes


class Fetcher:
    """Fetches what users point to."""

    def __init__(self, *, max_bytes: int, allowed_hosts: frozenset[str] = frozenset()) -> None:
        self._client = guarded_client(
            allowed_hosts=allowed_hosts, timeout=_STEP_SECONDS, max_bytes=max_bytes, max_redirects=_REDIRECTS
        )
        # Slow addresses of one workspace must not take all connections from the others.
        self._turns: dict[str, asyncio.Semaphore] = {}

    async def fetch(self, url: str, *, workspace_id: str) -> Fetched:
        """The content behind an address, or InvalidInput with the reason; a workspace fetches a few at a time."""
        address = check_url(url)
        async with self._turns.setdefault(workspace_id, asyncio.Semaphore(_AT_ONCE)):
            return await self._fetch(address)

    async def _fetch(self, address: httpx.URL) -> Fetched:
        try:
            async with asyncio.timeout(_TOTAL_SECONDS):
                response = await self._client.get(address, headers=_HEADERS)
        except TimeoutError as error:
            raise _failed(f"{address.host} took longer than {_TOTAL_SECONDS} s to answer.") from error
        except httpx.TooManyRedirects as error:
            raise _failed(f"{address.host} redirects more than {_REDIRECTS} times.") from error
        except httpx.ConnectError as error:
            raise _failed(f"{address.host} cannot be reached from this server. Check the address.") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _failed(f"{address.host} broke off its answer ({type(error).__name__}). Try again later.") from error
        if not response.is_success:
            raise _failed(f"{address.host} answered with status {response.status_code}. Check the address.")
        if not response.content:
            raise _failed(f"{address.host} answered with nothing.")
        return Fetched(name_of(address, response.headers), response.content)

    async def close(self) -> None:
        """Give back the connections."""
        await self._client.aclose()


def check_url(url: str) -> httpx.URL:
    """An address that may be fetched, or InvalidInput with what is wrong."""
    try:
        address = httpx.URL(url.strip())
        host = address.host
    except (httpx.InvalidURL, ValueError) as error:
        raise InvalidInput(f"{url!r} is no address. Give one such as https://example.org/page.") from error
    if address.scheme not in ("http", "https") or not host:
        raise InvalidInput(f"{url!r} is no web address. Give one that begins with https:// or http://.")
    if address.userinfo:
        raise InvalidInput("The address contains a user name or password, which would be stored. Leave it out.")
    return address.copy_with(fragment=None)


def name_of(address: httpx.URL, headers: httpx.Headers) -> str:
    """Host and path as folders; what the server calls the file, or what it says the type is, gives the extension."""
    parts = [part for part in (_fit(unquote(part)) for part in address.path.split("/")) if part]
    if given := _given_name(headers):
        parts = [*parts[:-1], given]
    elif not _EXTENSION.fullmatch(PurePath(parts[-1]).suffix if parts else ""):
        parts = [*parts[:-1], (parts[-1] if parts else "index") + _extension(headers)]
    if address.query:
        stem = PurePath(parts[-1])
        parts[-1] = f"{stem.stem} ({_fit(unquote(address.query.decode()))}){stem.suffix}"
    name = join_folders([address.host, *parts])
    suffix = PurePath(name).suffix
    while len(name.encode()) > _LONGEST_NAME:
        name = name[: -len(suffix) - 1] + suffix
    return name


def _given_name(headers: httpx.Headers) -> str | None:
    message = Message()
    message["content-disposition"] = headers.get("content-disposition", "")
    return _fit(PurePath(message.get_filename() or "").name) or None


def _extension(headers: httpx.Headers) -> str:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return _EXTENSIONS.get(media_type) or mimetypes.guess_extension(media_type) or ".html"


def _fit(text: str) -> str:
    return " ".join(_UNFIT.sub(" ", text).split()).strip(".")


def _failed(message: str) -> InvalidInput:
    return InvalidInput(message, code="FETCH_FAILED")
