"""`pinakes kb calibrate`, and a search that finds nothing, from a person's point of view."""

import subprocess
from collections.abc import Callable

from embedding_server import serving

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_calibration_is_told_in_words_and_a_weak_embedder_is_named_as_one(cli: Run) -> None:
    # K8
    with serving() as endpoint:
        cli("embedders", "add", "Bag", "--base-url", endpoint.url, "--model", "bag-of-words")
        assert "keywords decide the scores" in " ".join(cli("embedders", "test", "Bag").stdout.split())
        cli("kb", "create", "Papers", "--embedder", "Bag")
        told = " ".join(cli("kb", "calibrate", "Papers").stdout.split())
    assert "0 passages are too few to measure on" in told
    assert "hardly tells what answers from other passages" in told
    assert "scores 0.7: none (before: none)." in told


def test_a_search_that_finds_nothing_says_why(cli: Run) -> None:
    # K8
    cli("kb", "create", "Papers")
    told = " ".join(cli("search", "How old do oaks get?", "--kb", "Papers").stdout.split())
    assert told == (
        "Nothing was found. No passage matches: nothing is there yet, or nothing with a word of the question."
    )
    assert "No passage matches" in cli("ask", "How old do oaks get?", "--kb", "Papers").stdout
