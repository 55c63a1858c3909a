"""An embedding model that a workspace brings itself, served by any OpenAI-compatible endpoint."""

from dataclasses import dataclass, field
from datetime import datetime

from pinakes.domain.calibration import Scale
from pinakes.domain.errors import InvalidInput
from pinakes.domain.knowledge_base import KEYWORDS_ONLY, clean_name

PREFIX = "emb"
BUILT_IN = "builtin"
MAX_DIMS = 4_000
FEWEST_TOKENS, MOST_TOKENS, DEFAULT_TOKENS = 64, 8_000, 400


@dataclass(frozen=True, slots=True)
class EmbeddingEndpoint:
    """Where a model is served and how it is asked; of its API key only the sealed form and a hint are known."""

    embedder_id: str
    name: str
    base_url: str
    model: str
    dims: int
    dims_given: bool
    max_tokens: int
    sealed_key: bytes | None = field(repr=False)
    key_hint: str | None
    scale: Scale | None
    created_at: datetime
    updated_at: datetime


def is_remote(embedder: str) -> bool:
    """Whether an index was built with a workspace's own embedder rather than the built-in one or none."""
    return embedder.startswith(f"{PREFIX}_")


def clean_embedder_name(name: str) -> str:
    """A name that cannot be taken for an id, for the built-in model or for none."""
    cleaned = clean_name(name)
    folded = cleaned.casefold()
    if folded in {KEYWORDS_ONLY, BUILT_IN} or folded.startswith((f"{PREFIX}_", f"{BUILT_IN}:")):
        raise InvalidInput(f"'{cleaned}' means something else already. Choose another name.")
    return cleaned


def check_numbers(dims: int | None, max_tokens: int) -> None:
    """Raise InvalidInput for a size that cannot be indexed."""
    if dims is not None and not 1 <= dims <= MAX_DIMS:
        raise InvalidInput(f"A model of {dims} dimensions cannot be used; at most {MAX_DIMS:,} can be searched.")
    if not FEWEST_TOKENS <= max_tokens <= MOST_TOKENS:
        raise InvalidInput(f"maxTokens must be {FEWEST_TOKENS} to {MOST_TOKENS}.")
