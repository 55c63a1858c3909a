"""Probing: on which scale an embedder's cosines lie, found out without judged questions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pinakes.domain.calibration import Scale
from pinakes.domain.probes import PROBES
from pinakes.providers.embedding import Embedder


@dataclass(frozen=True, slots=True)
class Probed:
    """What an embedder showed of itself: the length of its vectors and the scale of their cosines."""

    dims: int
    scale: Scale


async def probe(embedder: Embedder) -> Probed:
    """What one call with the probes that ship with us brings to light."""
    return await measure(embedder, [p.question for p in PROBES], [p.passage for p in PROBES])


async def measure(embedder: Embedder, questions: Sequence[str], passages: Sequence[str]) -> Probed:
    """The same with these questions, each of which the passage in the same place answers; at least two of them."""
    texts = [cut_to_fit(embedder, text) for text in (*questions, *passages)]
    vectors = np.stack(await embedder.embed(texts))
    return Probed(vectors.shape[1], scale_of(vectors[: len(questions)] @ vectors[len(questions) :].T))


def scale_of(cosines: NDArray[np.floating]) -> Scale:
    """The scale in a square of cosines: a row a question, with what answers it on the diagonal."""
    others = cosines[~np.eye(len(cosines), dtype=bool)]
    return Scale(
        matching=float(np.diagonal(cosines).mean()), other=float(others.mean()), spread=float(others.std(dtype=float))
    )


def cut_to_fit(embedder: Embedder, text: str) -> str:
    """As much of a text as the embedder takes."""
    while (tokens := embedder.count_tokens(text)) > embedder.max_tokens - 2:
        text = text[: len(text) * (embedder.max_tokens - 2) // tokens]
    return text
