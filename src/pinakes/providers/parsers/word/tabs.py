"""Tabs with blanks around them."""

import re

# Only where a run begins: from every blank of a long run on, the search for a tab would start again.
_BLANKS = re.compile(r"(?<![ \t])[ \t]++")


def join_tabs(text: str) -> str:
    """Every run of blanks that has a tab in it as one tab."""
    return _BLANKS.sub(lambda run: "\t" if "\t" in run[0] else run[0], text) if "\t" in text else text
