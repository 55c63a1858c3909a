"""What every embedder promises: texts in, unit vectors out, and how much of a text it understands."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors whose inner product tells how near they are in meaning."""

    @property
    def name(self) -> str:
        """Names provider and model; vectors of different names must never be compared."""
        ...

    @property
    def dims(self) -> int:
        """The length of every vector."""
        ...

    @property
    def max_tokens(self) -> int:
        """How many tokens of a text count, special tokens included; the rest is cut off."""
        ...

    @property
    def cache_identity(self) -> str:
        """What else tells its vectors apart: a hash of its base URL and credential, or `local`."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """One vector of length 1 a text, in order; raises ProviderFault when it cannot."""
        ...

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a question, or ProviderFault soon: somebody is waiting for it."""
        ...

    def count_tokens(self, text: str) -> int:
        """How many tokens the whole text has, special tokens excluded."""
        ...

    def unknown_share(self, text: str) -> float:
        """How much of the text the model does not know, from 0 (all known) to 1."""
        ...

    async def close(self) -> None:
        """Give back threads and connections; embedding afterwards raises ProviderFault."""
        ...
