"""Tokens are counted as the tokenizer's own package counts them."""

import subprocess
import sys

import pytest

from pinakes.providers.token_counting import count_tokens

TEXTS = (
    "",
    "Oaks can live for a thousand years.",
    "ἀριθμοί, 数字, أرقام, 🏛️📜",
    "def f(x):\n\treturn x  # <|endoftext|> is plain text here\r\n\r\n",
    "no spaces" * 40_000,
)


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_text_has_as_many_tokens_as_the_package_says(text: str) -> None:
    # K6
    import bpe_openai  # noqa: PLC0415 - slow, that is the point # pyright: ignore[reportMissingTypeStubs]

    assert count_tokens(text) == len(bpe_openai.get_encoding("o200k_base").encode_ordinary(text))


def test_counting_does_not_read_the_vocabularies_into_python() -> None:
    # K6
    code = "import sys; from pinakes.providers.token_counting import count_tokens as c; c('x'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "bpe_openai.compat" not in done.stdout.split()
