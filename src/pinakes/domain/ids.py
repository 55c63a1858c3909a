"""Ids: a prefix that says what it names, then 26 characters that sort by the time they were made."""

import secrets
import time
from datetime import datetime

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def new_id(prefix: str) -> str:
    """A new id such as `doc_01k9…`: 48 bits of milliseconds, 80 random bits."""
    return f"{prefix}_{_encode(time.time_ns() // 1_000_000 << 80 | secrets.randbits(80))}"


def first_id(prefix: str, moment: datetime) -> str:
    """What sorts before every id made from this moment on, and after all made earlier."""
    # Before the first of them there is nothing.
    return f"{prefix}_{_encode(max(int(moment.timestamp() * 1000), 0) << 80)}"


def new_secret() -> str:
    """160 random bits for keys, links and sessions; only their hash is stored."""
    return _encode(secrets.randbits(160), length=32)


def _encode(number: int, length: int = 26) -> str:
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))
