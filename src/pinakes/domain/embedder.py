"""An embedding model that a workspace brings itself, served by any OpenAI-compatible endpoint."""

from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from pinakes.domain.errors import InvalidInput
from pinakes.domain.knowledge_base import KEYWORDS_ONLY, clean_name

PREFIX = "emb"
BUILT_IN = "builtin"
MAX_DIMS = 4_000
FEWEST_TOKENS, MOST_TOKENS, DEFAULT_TOKENS = 64, 8_000, 400
MAX_URL = 2_000
MAX_MODEL = 200
MAX_KEY = 4_000
# Of a shorter key the last characters would give too much away.
_SHORTEST_HINTED_KEY = 16
_KEY_ADVICE = "Copy it again as the provider shows it."


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


def clean_base_url(text: str) -> str:
    """The address as it is stored: http or https, without `/embeddings` or a slash at the end."""
    text = text.strip()
    advice = "Give one such as https://api.example.com/v1."
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InvalidInput(f"The base URL is no address. {advice}") from error
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or len(text) > MAX_URL:
        raise InvalidInput(f"The base URL is no http or https address. {advice}")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise InvalidInput(f"The base URL must not hold a user, a password or a query. {advice}")
    if not text.isprintable() or " " in text:
        raise InvalidInput(f"The base URL contains spaces or control characters. {advice}")
    return text.rstrip("/").removesuffix("/embeddings").rstrip("/")


def clean_model(text: str) -> str:
    """The model's name as the endpoint knows it."""
    text = text.strip()
    if not text or len(text) > MAX_MODEL or not text.isprintable():
        raise InvalidInput(f"The model's name must have 1 to {MAX_MODEL} visible characters.")
    return text


def clean_key(text: str) -> str | None:
    """The API key as it is sent; None for an empty one."""
    text = text.strip()
    if not text:
        return None
    if len(text) > MAX_KEY:
        raise InvalidInput(f"The API key has {len(text)} characters; at most {MAX_KEY} are allowed. {_KEY_ADVICE}")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidInput(f"The API key contains spaces or characters that no key has. {_KEY_ADVICE}")
    return text


def hint_of(key: str) -> str:
    """How a key ends, so that its owner knows which one it is."""
    return f"…{key[-4:]}" if len(key) >= _SHORTEST_HINTED_KEY else "…"


def check_numbers(dims: int | None, max_tokens: int) -> None:
    """Raise InvalidInput for a size that cannot be indexed."""
    if dims is not None and not 1 <= dims <= MAX_DIMS:
        raise InvalidInput(f"A model of {dims} dimensions cannot be used; at most {MAX_DIMS:,} can be searched.")
    if not FEWEST_TOKENS <= max_tokens <= MOST_TOKENS:
        raise InvalidInput(f"maxTokens must be {FEWEST_TOKENS} to {MOST_TOKENS}.")
