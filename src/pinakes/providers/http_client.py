"""The one HTTP client for every address a user can choose; it does not reach into private networks."""

import asyncio
import socket
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import cast

import httpcore
import httpx

from pinakes.domain.errors import InvalidInput

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]

DEFAULT_MAX_BYTES = 20 * 1024 * 1024

_PRIVATE = tuple(
    ip_network(n)
    for n in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
    )
)
# What no knowledge base, model or webhook lives on, even inside a company: cloud metadata services first.
_NEVER = tuple(
    ip_network(n)
    for n in (
        "0.0.0.0/8",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "169.254.0.0/16",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
        "fd00:ec2::254/128",
    )
)
# Everything outside it is special: mapped, compatible and translated IPv4, link-local, multicast, unassigned.
_GLOBAL_IPV6 = ip_network("2000::/3")


def guarded_client(
    *,
    allow_private: bool = False,
    allowed_hosts: frozenset[str] = frozenset(),
    timeout: float = 30,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_redirects: int = 0,
    ssl_context: ssl.SSLContext | None = None,
    resolve: Resolver | None = None,
) -> httpx.AsyncClient:
    """A client that reaches public addresses and the hosts (`name` or `name:port`) the operator allows."""
    # `timeout` bounds each step of a request, since streams may go on; `max_bytes` bounds the decoded body.
    transport = GuardedTransport(
        GuardedNetwork(
            allow_private=allow_private,
            allowed_hosts=frozenset(host.lower() for host in allowed_hosts),
            resolve=resolve or resolve_host,
        ),
        max_bytes=max_bytes,
        ssl_context=ssl_context or _authorities(),
    )
    return httpx.AsyncClient(
        transport=transport,
        timeout=timeout,
        trust_env=False,
        follow_redirects=max_redirects > 0,
        max_redirects=max_redirects,
        headers={"accept-encoding": "gzip"},
        # One client serves many workspaces: a cookie kept for one would be sent for another.
        cookies=CookieJar(policy=DefaultCookiePolicy(allowed_domains=[])),
    )


@cache
def _authorities() -> ssl.SSLContext:
    """Whom everybody trusts; reading the list takes longer than many a request."""
    return httpx.create_ssl_context(trust_env=False)


def is_allowed(address: IPv4Address | IPv6Address, *, allow_private: bool) -> bool:
    """Whether a connection to this address may be made."""
    if any(address in network for network in _NEVER):
        return False
    if any(address in network for network in _PRIVATE):
        return allow_private
    return isinstance(address, IPv4Address) or address in _GLOBAL_IPV6


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """The addresses of a name, each once, in the system's order of preference."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class GuardedNetwork(httpcore.AsyncNetworkBackend):
    """Connects to the very addresses it has checked: a name cannot change its mind in between."""

    def __init__(self, *, allow_private: bool, allowed_hosts: frozenset[str], resolve: Resolver) -> None:
        self._allow_private = allow_private
        self._allowed_hosts = allowed_hosts
        self._resolve = resolve
        # httpcore declares a stand-in class for installations without anyio, which httpx always brings.
        self._network = cast("httpcore.AsyncNetworkBackend", httpcore.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """A connection to the first checked address that answers."""
        addresses = await self._checked_addresses(host, port, timeout)
        share = None if timeout is None else timeout / len(addresses)
        failure: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for address in addresses:
            try:
                return await self._network.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure or httpcore.ConnectError(f"{host} did not answer")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Never: a socket on this machine is as private as an address can be."""
        raise InvalidInput("Only http and https addresses can be used, not a local socket.")

    async def sleep(self, seconds: float) -> None:
        """Wait, as httpcore does between attempts."""
        await self._network.sleep(seconds)

    async def _checked_addresses(self, host: str, port: int, wait: float | None) -> list[str]:
        name = host.lower().rstrip(".")
        try:
            async with asyncio.timeout(wait):
                found = await self._resolve(host, port)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"{host} could not be looked up in time") from error
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} could not be looked up: {error}") from error
        if not found:
            raise httpcore.ConnectError(f"{host} has no address")
        if name in self._allowed_hosts or f"{name}:{port}" in self._allowed_hosts:
            return list(found)
        checked = [a for a in found if is_allowed(ip_address(a), allow_private=self._allow_private)]
        if not checked:
            # The address itself stays out of the message: it would map the inner network for the caller.
            raise InvalidInput(
                f"{host} is not a public address, so it is not called. Give an address that can be reached "
                f"from the internet, or let the operator of this server allow {name}:{port} with "
                "PINAKES_OUTBOUND_HOSTS and start it again.",
                details={"host": name, "port": port},
            )
        return checked


class GuardedTransport(httpx.AsyncHTTPTransport):
    """httpx's transport over guarded connections, with a bound on what it will read."""

    def __init__(self, network: GuardedNetwork, *, max_bytes: int, ssl_context: ssl.SSLContext) -> None:
        super().__init__(verify=ssl_context, trust_env=False)
        self._max_bytes = max_bytes
        # httpx offers no argument for the network backend. Connections are pooled by name, so TLS verifies
        # the name and never serves two names over one connection.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl_context, max_connections=100, keepalive_expiry=5, network_backend=network
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response, refused if it is over the limit or in an encoding whose size cannot be bounded."""
        if request.url.scheme not in ("http", "https"):
            raise InvalidInput(
                f"Only http and https addresses can be used, not {request.url.scheme!r}.",
                details={"scheme": request.url.scheme},
            )
        response = await super().handle_async_request(request)
        encoding = response.headers.get("content-encoding", "identity").strip().lower()
        if encoding not in ("identity", "gzip"):
            await response.aclose()
            raise InvalidInput(
                f"{request.url.host} answered with the encoding {encoding!r}. Let it answer plainly or with gzip.",
                details={"host": request.url.host},
            )
        gzipped = encoding == "gzip"
        return httpx.Response(
            response.status_code,
            headers=_without_coding(response.headers) if gzipped else response.headers,
            stream=BoundedBody(response, host=request.url.host, max_bytes=self._max_bytes, gzipped=gzipped),
            extensions=response.extensions,
        )


class BoundedBody(httpx.AsyncByteStream):
    """A response's body, decoded here because a small gzip may hold a body of any size."""

    def __init__(self, response: httpx.Response, *, host: str, max_bytes: int, gzipped: bool) -> None:
        self._response = response
        self._host = host
        self._max_bytes = max_bytes
        self._inflate = zlib.decompressobj(wbits=31) if gzipped else None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The parts of the body, until it ends or is too large."""
        room = self._max_bytes
        complete = True
        async for part in self._response.aiter_raw():
            data = self._decoded(part, room + 1)
            complete = self._inflate is None or self._inflate.eof
            room -= len(data)
            if room < 0:
                raise InvalidInput(
                    f"{self._host} answered with more than {self._max_bytes:,} bytes. Point to a smaller resource.",
                    details={"host": self._host, "maxBytes": self._max_bytes},
                )
            yield data
        if not complete:
            raise httpx.RemoteProtocolError(f"{self._host} stopped in the middle of its answer")

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._response.aclose()

    def _decoded(self, part: bytes, limit: int) -> bytes:
        if self._inflate is None:
            return part
        try:
            return self._inflate.decompress(part, limit)
        except zlib.error as error:
            raise httpx.DecodingError(f"{self._host} sent a damaged gzip body") from error


def _without_coding(headers: httpx.Headers) -> list[tuple[bytes, bytes]]:
    described = (b"content-encoding", b"content-length")
    return [(name, value) for name, value in headers.raw if name.lower() not in described]
