"""An OpenAI-compatible embedding endpoint and a re-ranker on the loopback address, with faults on demand.

Its vectors are real ones of a simple kind: a bag of hashed words, in which words of several languages that mean the
same fall together.
"""

import base64
import hashlib
import json
import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIMS = 96
RERANK_PATHS = ("/v2/rerank", "/v1/rerank", "/rerank")
TEI_BATCH = 32
MEANINGS = {
    "owl": ("owl", "owls", "eule", "eulen", "梟", "ふくろう", "올빼미", "นกฮูก"),
    "night": ("night", "nights", "nachts", "nacht", "夜", "밤", "กลางคืน"),
    "ship": ("ship", "ships", "vessel", "barge", "schiff", "船", "배", "เรือ"),
}
_CONCEPTS = {word: concept for concept, words in MEANINGS.items() for word in words}
_WORD = re.compile("|".join(sorted(map(re.escape, _CONCEPTS), key=len, reverse=True)) + r"|[^\W_]+")


def _concept(word: str) -> str:
    return _CONCEPTS.get(word, word)


def embed(text: str, dims: int = DIMS) -> list[float]:
    """A vector that is near those of texts with the same words, or with words that mean the same."""
    vector = np.zeros(dims)
    for word in _WORD.findall(text.casefold()):
        digest = hashlib.sha256(_concept(word).encode()).digest()
        vector[int.from_bytes(digest[:4]) % dims] += 1.0
    return [float(x) for x in (vector if vector.any() else vector + 1)]


def nearness(query: str, text: str) -> float:
    """From 0 to 1, by the words two texts share."""
    one, other = np.array(embed(query)), np.array(embed(text))
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@dataclass(frozen=True)
class Call:
    """One request to the endpoint."""

    path: str
    authorization: str | None
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """What was to be embedded."""
        return self.body["input"]


@dataclass(frozen=True)
class Reply:
    """An answer in place of the right one."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    seconds: float = 0


@dataclass
class EmbeddingServer:
    """The endpoint; `fault` may answer a call in its place, `longest` is what it takes of one text."""

    key: str | None = None
    dims: int = DIMS
    longest: int = 1_000_000
    encoding: str = "float"
    relevance: Callable[[str, str], float] = lambda query, text: nearness(query, text)
    fault: Callable[[Call], Reply | None] = lambda _: None
    calls: list[Call] = field(default_factory=list[Call])
    texts: list[str] = field(default_factory=list[str])
    http: ThreadingHTTPServer | None = None
    port: int = 0

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> "EmbeddingServer":
        """Listen, after a stop on the same port again."""
        self.http = ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, args=[0.02], daemon=True).start()
        return self

    def stop(self) -> None:
        """Be gone: connections are refused."""
        if self.http is not None:
            self.http.shutdown()
            self.http.server_close()
            self.http = None

    def answer(self, call: Call) -> Reply:
        """What the endpoint says to a call."""
        self.calls.append(call)
        fault = self.fault(call)
        if fault is not None:
            return fault
        if call.path not in {"/v1/embeddings", *RERANK_PATHS}:
            return Reply(404, {"error": {"message": "no such route"}})
        if self.key is not None and call.authorization != f"Bearer {self.key}":
            return Reply(401, {"error": {"message": f"Incorrect API key provided: {call.authorization}"}})
        if call.path in RERANK_PATHS:
            return self._rerank(call.body)
        if any(len(text) > self.longest for text in call.texts):
            return Reply(400, {"error": {"message": "This model's maximum context length is exceeded."}})
        self.texts += call.texts
        dims = call.body.get("dimensions", self.dims)
        vectors = [self._encode(embed(text, dims)) for text in call.texts]
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        # Out of order, as the format allows.
        return Reply(200, {"object": "list", "model": call.body["model"], "data": data[::-1]})

    def _rerank(self, body: dict[str, Any]) -> Reply:
        """Best first and each with its place, as every style has it."""
        is_tei = "texts" in body
        texts: list[str] = body["texts" if is_tei else "documents"]
        if is_tei and len(texts) > TEI_BATCH:
            return Reply(422, {"error": f"batch size {len(texts)} > maximum allowed batch size {TEI_BATCH}"})
        name = "score" if is_tei else "relevance_score"
        entries = [{"index": at, name: self.relevance(body["query"], text)} for at, text in enumerate(texts)]
        entries.sort(key=lambda entry: -entry[name])
        return Reply(200, entries if is_tei else {"id": "1", "results": entries[: body["top_n"]]})

    def _encode(self, vector: list[float]) -> list[float] | str:
        return vector if self.encoding == "float" else base64.b64encode(np.array(vector, "<f4").tobytes()).decode()


def _handler(server: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Speaks HTTP for the endpoint."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if server.http is None:
                # A connection that was kept open outlives the listener; whoever is gone answers nobody.
                self.close_connection = True
                return
            reply = server.answer(Call(self.path, self.headers["authorization"], json.loads(body)))
            time.sleep(reply.seconds)
            content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            try:
                self.send_response(reply.status)
                for name, value in {**reply.headers, "content-length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)
            except OSError:
                self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    return Handler


@contextmanager
def serving(**options: Any) -> Generator[EmbeddingServer]:
    """An endpoint for as long as the block runs."""
    server = EmbeddingServer(**options).start()
    try:
        yield server
    finally:
        server.stop()


@cache
def shared_endpoint() -> EmbeddingServer:
    """One for the whole run, for tests that need any that works; it ends with the process."""
    return EmbeddingServer().start()
