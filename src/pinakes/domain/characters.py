"""Characters that a name of any kind may not hold."""

import unicodedata

_COMMANDS = frozenset({"Cc", "Cs", "Zl", "Zp"})
# With an override, `invoice` + RLO + `gnp.html` reads `invoicelmth.png`. Marks and embeddings, which people who write
# from right to left do use, cannot turn letters round.
_OVERRIDES = frozenset({"LRO", "RLO"})


def has_control_characters(text: str) -> bool:
    """Whether some of a text commands rather than shows: control characters, broken pairs, new lines, overrides."""
    return any(
        unicodedata.category(character) in _COMMANDS or unicodedata.bidirectional(character) in _OVERRIDES
        for character in text
    )
