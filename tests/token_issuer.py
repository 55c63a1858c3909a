"""An OpenID Connect issuer on the loopback address: discovery, keys, a sign-in that asks nobody, and tokens as told."""

import base64
import hmac
import json
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

AUDIENCE = "https://pinakes.test/mcp"
PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@dataclass(frozen=True)
class SigningKey:
    """A key with its name and what it signs with."""

    kid: str
    algorithm: str
    private: PrivateKey

    @property
    def public(self) -> dict[str, Any]:
        """As an issuer publishes it; without `alg`, as some do."""
        known = jwt.get_algorithm_by_name(self.algorithm).to_jwk(self.private.public_key(), as_dict=True)
        return {**{name: value for name, value in known.items() if name != "key_ops"}, "kid": self.kid, "use": "sig"}


def make_key(kid: str, algorithm: str = "ES256") -> SigningKey:
    """A new key."""
    if algorithm == "EdDSA":
        return SigningKey(kid, algorithm, ed25519.Ed25519PrivateKey.generate())
    if algorithm.startswith("ES"):
        curve = {"ES256": ec.SECP256R1, "ES384": ec.SECP384R1, "ES512": ec.SECP521R1}[algorithm]()
        return SigningKey(kid, algorithm, ec.generate_private_key(curve))
    return SigningKey(kid, algorithm, rsa.generate_private_key(65537, 2048))


@dataclass
class TokenIssuer:
    """What it publishes is in `keys`; `is_down` has it answer nothing but faults; `asked` are the paths asked for."""

    keys: list[SigningKey] = field(default_factory=lambda: [make_key("first")])
    is_down: bool = False
    asked: list[str] = field(default_factory=list[str])
    configuration: dict[str, Any] = field(default_factory=dict[str, Any])
    url: str = ""

    def token(self, subject: str | None = "ada", key: SigningKey | None = None, lives: int = 300, **claims: Any) -> str:
        """A token that is good unless told otherwise; None takes a claim out, `headers` adds to the header."""
        key = key or self.keys[0]
        headers = {"kid": key.kid, "typ": "at+jwt", **claims.pop("headers", {})}
        now = int(time.time())
        said = {"iss": self.url, "sub": subject, "aud": AUDIENCE, "iat": now, "exp": now + lives, **claims}
        kept = {name: value for name, value in said.items() if value is not None}
        return jwt.encode(kept, key.private, key.algorithm, {name: v for name, v in headers.items() if v is not None})

    def answer(self, path: str, form: dict[str, list[str]]) -> tuple[int, Any]:
        """What stands at a path."""
        self.asked.append(path)
        if self.is_down:
            return 503, {}
        known = {
            "/.well-known/openid-configuration": self._describe,
            "/keys": lambda: {"keys": [key.public for key in self.keys]},
            "/register": lambda: {"client_id": "some-client", "redirect_uris": ["http://localhost/back"]},
            "/token": lambda: {
                "access_token": self.token("sdk", scope="pinakes:read", aud=[AUDIENCE, *form.get("resource", [])]),
                "token_type": "Bearer",
                "expires_in": 300,
            },
        }
        return (200, known[path]()) if path in known else (404, {})

    def _describe(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "jwks_uri": f"{self.url}/keys",
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "registration_endpoint": f"{self.url}/register",
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        } | self.configuration


@contextmanager
def token_issuer() -> Generator[TokenIssuer]:
    """A running issuer."""
    issuer = TokenIssuer()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                asked = parse_qs(parts.query)
                back = urlencode({"code": "a-code", "state": asked["state"][0]})
                self.send_response(302)
                self.send_header("location", f"{asked['redirect_uri'][0]}?{back}")
                self.send_header("content-length", "0")
                self.end_headers()
                return
            self._send(*issuer.answer(parts.path, {}))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
            self._send(*issuer.answer(self.path, parse_qs(body)))

        def _send(self, status: int, body: Any) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's interface
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield issuer
    server.shutdown()
    server.server_close()
    thread.join()


def sign_by_hand(claims: dict[str, Any], secret: bytes | None = None, **header: Any) -> str:
    """A token that the library would not make: with a secret as its key, or with no signature at all."""
    said = {"alg": "HS256" if secret else "none", "typ": "JWT", **header}
    text = f"{_encode(json.dumps(said).encode())}.{_encode(json.dumps(claims).encode())}"
    return f"{text}.{_encode(hmac.digest(secret, text.encode(), 'sha256')) if secret else ''}"


def _encode(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()
