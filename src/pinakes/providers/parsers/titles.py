"""Which of a document's titles somebody chose."""

import re

_LONGEST_TITLE = 200
# What programs write when nobody chose a title.
_NO_TITLE = re.compile(
    r"untitled.*|unbenannt.*|\(?anonymous\)?|title|document\d*|microsoft \w+ - .*|slide \d+"
    r"|(?:power)?point presentation|powerpoint-präsentation|presentation\d*|book\d*|workbook\d*|mappe\d*|dokument\d*"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex|dvi|od[tps]|rtf|qxp|html?|txt)",
    re.IGNORECASE,
)


def choose_title(*candidates: str | None) -> str | None:
    """The first candidate that reads like a title, on one line; None if there is no such."""
    for candidate in candidates:
        title = " ".join((candidate or "").split())
        sensible = 2 <= len(title) <= _LONGEST_TITLE and not _NO_TITLE.fullmatch(title)
        if sensible and any(map(str.isalpha, title)):
            return title
    return None
