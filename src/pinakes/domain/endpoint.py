"""Where a model is served over HTTP: its address, its name there and its API key, as they are stored."""

from urllib.parse import urlsplit

from pinakes.domain.errors import InvalidInput

MAX_URL = 2_000
MAX_MODEL = 200
MAX_KEY = 4_000
# Of a shorter key the last characters would give too much away.
_SHORTEST_HINTED_KEY = 16
_KEY_ADVICE = "Copy it again as the provider shows it."


def clean_base_url(text: str, *, ending: str = "") -> str:
    """The address as it is stored: http or https, without a slash or this ending, such as `/embeddings`."""
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
    return text.rstrip("/").removesuffix(ending).rstrip("/")


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


def same_origin(one: str, other: str) -> bool:
    """Whether two addresses are of the same server, so that a key for one may be sent to the other."""
    return urlsplit(one)[:2] == urlsplit(other)[:2]
