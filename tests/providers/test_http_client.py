"""The guarded HTTP client against a real server on the loopback address and made-up names."""

import asyncio
import gzip
import ssl
import tracemalloc
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from pinakes.domain.errors import InvalidInput
from pinakes.providers.http_client import Resolver, guarded_client, is_allowed

PUBLIC = "93.184.215.14"


@dataclass
class Server:
    """A server that answers every path from a table and remembers what it was asked."""

    port: int = 0
    answers: dict[str, bytes] = field(default_factory=dict[str, bytes])
    heads: list[str] = field(default_factory=list[str])

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        writer.write(self.answers.get(head.split()[1], reply(b"hello")))
        await writer.drain()
        writer.close()


def reply(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + body


@asynccontextmanager
async def running_server(tls: ssl.SSLContext | None = None) -> AsyncGenerator[Server]:
    server = Server()
    listener = await asyncio.start_server(server.answer, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    async with listener:
        yield server


def names(**table: Sequence[str]) -> Resolver:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return table[host.split(".", maxsplit=1)[0]]

    return resolve


# C10
@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.1.2.3",
        "100.64.0.1",
        "100.100.100.200",
        "127.0.0.1",
        "127.9.9.9",
        "169.254.169.254",
        "172.31.0.1",
        "192.0.0.192",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "168.63.129.16",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:8.8.8.8",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "5f00::1",
    ],
)
def test_an_address_that_is_not_globally_routable_is_refused(address: str) -> None:
    assert not is_allowed(ip_address(address), allow_private=False)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "172.32.0.1", "2606:4700::6810:85e5", "2a00:1450::1"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_allowed(ip_address(address), allow_private=False)


# C10
@pytest.mark.parametrize(
    "address", ["169.254.169.254", "::ffff:169.254.169.254", "0.0.0.0", "fd00:ec2::254", "100.100.100.200"]
)
def test_metadata_services_stay_refused_where_private_addresses_are_allowed(address: str) -> None:
    assert not is_allowed(ip_address(address), allow_private=True)


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.8", "192.168.0.2", "100.64.0.1", "::1", "fd12::1"])
def test_private_addresses_are_allowed_on_request(address: str) -> None:
    assert is_allowed(ip_address(address), allow_private=True)


# C10
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0x7f.1", "127.1", "0"])
async def test_this_machine_is_refused_however_it_is_written(host: str) -> None:
    async with running_server() as server, guarded_client() as client:
        with pytest.raises(InvalidInput, match="not a public address") as caught:
            await client.get(f"http://{host}:{server.port}/")
        assert "allow" in caught.value.message
        assert server.heads == []


async def test_a_private_server_answers_when_private_addresses_are_allowed() -> None:
    async with running_server() as server, guarded_client(allow_private=True) as client:
        assert (await client.get(f"http://127.0.0.1:{server.port}/")).text == "hello"


@pytest.mark.parametrize("form", ["Inner.Example", "inner.example:{port}"])
async def test_a_host_the_operator_named_is_reached(form: str) -> None:
    async with running_server() as server:
        allowed = frozenset({form.format(port=server.port)})
        async with guarded_client(allowed_hosts=allowed, resolve=names(inner=["127.0.0.1"])) as client:
            assert (await client.get(f"http://INNER.example:{server.port}/")).text == "hello"


async def test_a_host_allowed_on_one_port_is_refused_on_another() -> None:
    allowed = frozenset({"inner.example:1"})
    async with (
        running_server() as server,
        guarded_client(allowed_hosts=allowed, resolve=names(inner=["127.0.0.1"])) as client,
    ):
        with pytest.raises(InvalidInput):
            await client.get(f"http://inner.example:{server.port}/")


# C10
async def test_a_name_that_points_inwards_is_refused_without_saying_where() -> None:
    async with guarded_client(resolve=names(evil=["10.20.30.40", "fd00::5"])) as client:
        with pytest.raises(InvalidInput) as caught:
            await client.get("http://evil.example/")
    assert "10.20.30.40" not in caught.value.message
    assert caught.value.details == {"host": "evil.example", "port": 80}


# C10
async def test_a_name_that_changes_its_address_after_the_check_gains_nothing() -> None:
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["192.0.2.1"] if len(asked) > 1 else ["127.0.0.1"]

    async with running_server() as server, guarded_client(allow_private=True, resolve=rebinding) as client:
        assert (await client.get(f"http://twice.example:{server.port}/")).text == "hello"
    assert asked == ["twice.example"]
    assert f"host: twice.example:{server.port}" in server.heads[0].lower()


async def test_only_the_checked_addresses_of_a_name_are_tried() -> None:
    mixed = names(mixed=["169.254.169.254", "127.0.0.1"])
    async with running_server() as server, guarded_client(allow_private=True, resolve=mixed) as client:
        assert (await client.get(f"http://mixed.example:{server.port}/")).text == "hello"


async def test_the_next_address_is_tried_when_one_does_not_answer() -> None:
    two = names(two=["127.0.0.2", "127.0.0.1"])
    async with running_server() as server, guarded_client(allow_private=True, resolve=two) as client:
        assert (await client.get(f"http://two.example:{server.port}/")).text == "hello"


async def test_an_unknown_name_is_a_connection_error_that_may_be_tried_again() -> None:
    async def unknown(host: str, port: int) -> Sequence[str]:
        raise OSError("Name or service not known")

    async with guarded_client(resolve=unknown) as client:
        with pytest.raises(httpx.ConnectError, match="looked up"):
            await client.get("http://nowhere.example/")


# C10
async def test_redirects_are_not_followed_unless_asked_for() -> None:
    async with running_server() as server, guarded_client(allow_private=True) as client:
        server.answers["/"] = reply(b"", "Location: /next", status="302 Found")
        answer = await client.get(f"http://127.0.0.1:{server.port}/")
    assert answer.status_code == 302
    assert len(server.heads) == 1


# C10
async def test_each_redirect_is_checked_again() -> None:
    resolve = names(front=["127.0.0.1"], inner=["127.0.0.1"])
    async with running_server() as server:
        allowed = frozenset({"front.example"})
        target = f"http://inner.example:{server.port}/secret"
        server.answers["/"] = reply(b"", f"Location: {target}", status="302 Found")
        async with guarded_client(allowed_hosts=allowed, max_redirects=3, resolve=resolve) as client:
            with pytest.raises(InvalidInput, match=r"inner\.example"):
                await client.get(f"http://front.example:{server.port}/")
        assert len(server.heads) == 1


async def test_a_chain_of_redirects_ends() -> None:
    async with running_server() as server, guarded_client(allow_private=True, max_redirects=2) as client:
        server.answers["/"] = reply(b"", "Location: /", status="302 Found")
        with pytest.raises(httpx.TooManyRedirects):
            await client.get(f"http://127.0.0.1:{server.port}/")
        assert len(server.heads) == 3


# C10
@pytest.mark.parametrize("url", ["ftp://example.com/x", "file:///etc/passwd", "ws://example.com/"])
async def test_only_http_and_https_are_spoken(url: str) -> None:
    async with guarded_client() as client:
        with pytest.raises(InvalidInput, match="Only http and https"):
            await client.get(url)


# C10
async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running_server() as server:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
        monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
        async with guarded_client(allow_private=True) as client:
            assert (await client.get(f"http://127.0.0.1:{server.port}/")).text == "hello"


# F3
async def test_cookies_are_not_carried_from_one_request_to_the_next() -> None:
    async with running_server() as server, guarded_client(allow_private=True) as client:
        server.answers["/"] = reply(b"hello", "Set-Cookie: session=of-another-workspace")
        await client.get(f"http://127.0.0.1:{server.port}/")
        await client.get(f"http://127.0.0.1:{server.port}/")
    assert "of-another-workspace" not in server.heads[1]


@pytest.mark.parametrize(("size", "fits"), [(1000, True), (1001, False)])
async def test_a_body_is_read_up_to_the_limit(size: int, fits: bool) -> None:
    async with running_server() as server, guarded_client(allow_private=True, max_bytes=1000) as client:
        server.answers["/"] = reply(b"x" * size)
        url = f"http://127.0.0.1:{server.port}/"
        if fits:
            assert len((await client.get(url)).content) == size
        else:
            with pytest.raises(InvalidInput, match="1,000 bytes"):
                await client.get(url)


async def test_a_body_without_a_length_is_bounded_too() -> None:
    async with running_server() as server, guarded_client(allow_private=True, max_bytes=1000) as client:
        server.answers["/"] = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + b"x" * 5000
        with pytest.raises(InvalidInput, match="1,000 bytes"):
            await client.get(f"http://127.0.0.1:{server.port}/")


async def test_a_compressed_body_is_decoded_and_its_decoded_size_counts() -> None:
    async with running_server() as server, guarded_client(allow_private=True, max_bytes=1_000_000) as client:
        server.answers["/small"] = reply(gzip.compress(b"hello again"), "Content-Encoding: gzip")
        server.answers["/bomb"] = reply(gzip.compress(b"0" * 200_000_000), "Content-Encoding: gzip")
        assert (await client.get(f"http://127.0.0.1:{server.port}/small")).text == "hello again"
        tracemalloc.start()
        try:
            with pytest.raises(InvalidInput, match="1,000,000 bytes"):
                await client.get(f"http://127.0.0.1:{server.port}/bomb")
            assert tracemalloc.get_traced_memory()[1] < 8_000_000
        finally:
            tracemalloc.stop()


async def test_a_damaged_or_cut_off_gzip_body_is_an_error_of_the_transfer() -> None:
    whole = gzip.compress(bytes(range(256)) * 40)
    async with running_server() as server, guarded_client(allow_private=True) as client:
        server.answers["/cut"] = reply(whole[:-20], "Content-Encoding: gzip")
        server.answers["/damaged"] = reply(b"not gzip at all", "Content-Encoding: gzip")
        for path in ("cut", "damaged"):
            with pytest.raises(httpx.HTTPError):
                await client.get(f"http://127.0.0.1:{server.port}/{path}")


async def test_an_encoding_whose_size_cannot_be_bounded_is_refused() -> None:
    async with running_server() as server, guarded_client(allow_private=True) as client:
        server.answers["/"] = reply(b"...", "Content-Encoding: br")
        with pytest.raises(InvalidInput, match="gzip"):
            await client.get(f"http://127.0.0.1:{server.port}/")
        assert "accept-encoding: gzip\r\n" in server.heads[0].lower()


def certificate_for(name: str, folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's TLS context for a name, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, secret = folder / "certificate.pem", folder / "key.pem"
    pem.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    serving.load_cert_chain(pem, secret)
    return serving, ssl.create_default_context(cafile=str(pem))


# C10
async def test_tls_verifies_the_name_although_the_address_is_pinned(tmp_path: Path) -> None:
    serving, trusting = certificate_for("right.example", tmp_path)
    resolve = names(right=["127.0.0.1"], wrong=["127.0.0.1"])
    async with (
        running_server(serving) as server,
        guarded_client(allow_private=True, resolve=resolve, ssl_context=trusting) as client,
    ):
        assert (await client.get(f"https://right.example:{server.port}/")).text == "hello"
        with pytest.raises(httpx.ConnectError, match="certificate"):
            await client.get(f"https://wrong.example:{server.port}/")
