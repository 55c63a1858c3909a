"""Runs the built-in model on the processor: one text a call, a few calls at a time."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import onnxruntime as ort  # pyright: ignore[reportMissingTypeStubs]
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from pinakes.domain.errors import ProviderFault
from pinakes.providers.embedding import Embedder
from pinakes.providers.minilm.install import ADVICE, MODEL, verify_model

DIMS = 384
MAX_TOKENS = 256
_QUESTIONS = 4096
READ_CHARACTERS = 20_000  # far more than 256 tokens of any text take; bounds the time for a text of megabytes


def load_minilm(folder: Path, *, threads: int) -> Embedder:
    """Load the model installed in `folder`, to run `threads` texts at once; blocks for about 0.1 s."""
    verify_model(folder)
    try:
        session: _Session = ort.InferenceSession(
            folder / "model.onnx", _session_options(), providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # both libraries raise their own, undocumented kinds
        raise ProviderFault(f"The embedding model in {folder} cannot be loaded ({error}): {ADVICE}.") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True  # a text that spells "[SEP]" is still only text
    return _MiniLM(session, tokenizer, threads)


def _session_options() -> Any:
    options = cast("Any", ort.SessionOptions())  # pyright: ignore[reportUnknownMemberType]
    options.intra_op_num_threads = 1  # two texts side by side are faster than two threads in one text
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # a plan for every length of text is memory that is never given back
    options.log_severity_level = 3
    return options


class _Session(Protocol):
    """The part of the runtime's session, which is untyped, that is used here."""

    def run(self, output_names: None, input_feed: Mapping[str, NDArray[np.int64]], /) -> Sequence[Any]:
        """The outputs of the graph for these inputs."""
        ...


class _MiniLM:
    """An Embedder; the session and the tokenizer are shared by all threads, which both allow."""

    name = f"builtin:{MODEL}"
    dims = DIMS
    max_tokens = MAX_TOKENS
    cache_identity = "local"

    def __init__(self, session: _Session, tokenizer: Tokenizer, threads: int) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._threads = threads
        self._unknown_share = lru_cache(_QUESTIONS)(self._measure_unknown_share)
        # One more than a single call may use, so that a question does not wait behind a book of passages.
        self._pool = ThreadPoolExecutor(threads + 1, thread_name_prefix="minilm")

    async def embed(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """One vector of length 1 a text, in order, the same whatever the other texts are."""
        gate = asyncio.Semaphore(self._threads)
        return await asyncio.gather(*(self._embed_one(text, gate) for text in texts))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question."""
        return (await self.embed([text]))[0]

    async def _embed_one(self, text: str, gate: asyncio.Semaphore) -> NDArray[np.float32]:
        async with gate:
            try:
                return await asyncio.get_running_loop().run_in_executor(self._pool, self._compute, text)
            except Exception as error:  # the runtime raises its own kinds, a closed pool RuntimeError
                raise ProviderFault(f"The embedding model failed: {error}") from error

    def _compute(self, text: str) -> NDArray[np.float32]:
        ids = self._ids(text[:READ_CHARACTERS], special=True)
        if len(ids) > MAX_TOKENS:
            ids = [*ids[: MAX_TOKENS - 1], ids[-1]]
        return self._session.run(None, {"ids": np.array(ids, np.int64)})[0]

    def count_tokens(self, text: str) -> int:
        """How many tokens the whole text has, special tokens excluded."""
        return len(self._ids(text, special=False))

    def unknown_share(self, text: str) -> float:
        """By letters: a word that is one token is known, one in tokens of two letters or fewer is not."""
        return self._unknown_share(_printable(text[:READ_CHARACTERS]))

    def _measure_unknown_share(self, text: str) -> float:
        return _unknown_share(text, self._tokenizer.encode(text, add_special_tokens=False))

    async def close(self) -> None:
        """Wait for the texts that the threads hold and end the threads."""
        await asyncio.to_thread(self._pool.shutdown, wait=True)

    def _ids(self, text: str, *, special: bool) -> list[int]:
        # As a batch of one, since only those let other threads run meanwhile.
        return self._tokenizer.encode_batch_fast([_printable(text)], add_special_tokens=special)[0].ids


def _printable(text: str) -> str:
    """Lone surrogates, which the tokenizer refuses, become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _unknown_share(text: str, encoding: Encoding) -> float:
    unknown = letters = 0.0
    pieces = zip(encoding.word_ids, encoding.tokens, encoding.offsets, strict=True)
    for _, group in groupby(pieces, key=lambda piece: piece[0]):
        word = list(group)
        start, end = word[0][2][0], word[-1][2][1]
        if any(letter.isalnum() for letter in text[start:end]):
            letters += end - start
            unknown += (end - start) * _word_unknown([token for _, token, _ in word], end - start)
    return unknown / letters if letters else 0.0


def _word_unknown(tokens: Sequence[str], letters: int) -> float:
    """From 0 for a word in one token to 1 for one cut into tokens of two letters or fewer.

    The vocabulary holds other scripts letter by letter, so that their words come out at 1 by the same
    measure; where one letter is a word by itself, as in Chinese, only a Latin one counts as known.
    """
    if tokens[0] == "[UNK]":
        return 1.0
    if letters == 1:
        return 0.0 if tokens[0].isascii() else 1.0
    return min(1.0, 2 * (len(tokens) - 1) / (letters - 1))
