"""What a database can hold: JSON can spell characters that are no text."""

import re
from typing import LiteralString, cast

BROKEN_TEXT: LiteralString = "Contains NUL or broken Unicode characters. Remove them."
_BROKEN = re.compile("[\0\ud800-\udfff]")


def has_broken_text(value: object) -> bool:
    """Whether any text in a JSON value holds what cannot be stored."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str) and _BROKEN.search(part):
            return True
        if isinstance(part, dict):
            waiting += [*cast("dict[object, object]", part).keys(), *cast("dict[object, object]", part).values()]
        elif isinstance(part, list):
            waiting += cast("list[object]", part)
    return False
