"""Token counts as the models' own tokenizer (o200k) gives them, from a vocabulary inside the package."""

from functools import cache
from typing import Protocol

# The tokenizer refuses a million characters; a longer text is counted in parts, which can only err by a few.
_PART = 200_000


class _Tokenizer(Protocol):
    def encode_ordinary(self, text: str) -> list[int]: ...


def count_tokens(text: str) -> int:
    """How many tokens a model reads in this text; names of special tokens count as ordinary text."""
    tokenizer = _tokenizer()
    parts = range(0, len(text), _PART)
    return sum(len(tokenizer.encode_ordinary(text[at : at + _PART])) for at in parts)


@cache
def _tokenizer() -> _Tokenizer:
    # Importing reads three vocabularies, half a second that a command which counts nothing should not pay.
    import bpe_openai  # noqa: PLC0415 # pyright: ignore[reportMissingTypeStubs]

    return bpe_openai.get_encoding("o200k_base")
