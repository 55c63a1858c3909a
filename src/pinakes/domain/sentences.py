"""Where sentences begin and end, in Latin, Chinese, Japanese and Korean text and in Markdown."""

import re
from collections.abc import Iterator

Span = tuple[int, int]

# Quantifiers are possessive: uploaded text is hostile, and backtracking over it takes quadratic time.
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)")
# A line that stands for itself: heading, table row, rule. A list item starts a block and may run on.
_ALONE = re.compile(
    r" {0,3}#{1,6}+(?:\s|$)|\s*+\||\s*+(?:=++\s*+|-{2,}+\s*+|(?:-\s*+){3,}+|(?:\*\s*+){3,}+|(?:_\s*+){3,}+)$"
)
_ITEM = re.compile(r"\s*+(?:>\s*+)*+(?:[-*+•‣◦]|\d{1,3}+[.)]|\(?[a-z]\))\s++\S")

# "Present: Ana, Bo": a line that says what it is about, as in minutes and data sheets.
_LABEL = re.compile(r"\s*+[^\W\d_][\w /()-]{0,30}+:\s++\S")
_RUNS_ON = ",;:-–—("
# Lines of one paragraph differ, above all in PDF where letters have widths.
_FULL_SHARE = 0.7
_FIRST_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\S++")

_CLOSERS = "\"'”’»)\\]}」』）】》〉*_`"
_END = re.compile(rf"(?:(?P<wide>[。！？｡．।۔؟።]++[!?…]*+)|(?P<narrow>[.!?…]++))(?P<closers>[{_CLOSERS}]*+)")
_GAP = re.compile(r"\s*+")
_LAST_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[.'’-])*$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]")
# Only what seldom ends a sentence: "etc." and "Co." do, and are left out.
_BEFORE_A_NAME = re.compile(
    r"adm|approx|bros|bzw|ca|capt|cf|col|cmdr|dept|dr|eds?|esp|est|fr|gen|gov|hon|incl|jr|lt|ltd|maj|messrs"
    r"|mme|mlle|mrs?|ms|mt|mx|op|pres|prof|rep|rev|sen|sgt|sr|ste?|univ|viz|vs"
)
_BEFORE_A_NUMBER = re.compile(r"abs|art|bd|c|cap|ch|col|eq|figs?|fol|nos?|nr|pp?|par|pl|s|sec|tab|vol")
_LONGEST_ABBREVIATION = 24


def split_sentences(text: str) -> list[Span]:
    """The sentences as spans of the text, in order, without the space around them."""
    spans: list[Span] = []
    for block_start, block_end, whole in _blocks(text):
        stretches = [(block_start, block_end)] if whole else _between_breaks(text, block_start, block_end)
        for start, end in stretches:
            left = start
            for cut in [end] if whole else [*_sentence_ends(text, start, end), end]:
                span = _trimmed(text, left, cut)
                if span[0] < span[1]:
                    spans.append(span)
                left = cut
    return spans


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Stretches that no sentence crosses; True where the stretch is one sentence however it is punctuated."""
    open_start: int | None = None
    open_whole = False
    fence = ""
    for start, end in _lines(text):
        line = text[start:end]
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield open_start or 0, end, True
                open_start, fence = None, ""
            continue
        opening = _FENCE.match(line)
        item = _ITEM.match(line) is not None
        alone = _ALONE.match(line) is not None
        if open_start is not None and (opening or item or alone or not line.strip()):
            yield open_start, start, open_whole
            open_start = None
        if opening:
            open_start, fence = start, opening[1]
        elif alone:
            yield start, end, True
        elif line.strip() and open_start is None:
            open_start, open_whole = start, item
    if open_start is not None:
        yield open_start, len(text), open_whole or bool(fence)


def _between_breaks(text: str, start: int, end: int) -> Iterator[Span]:
    """The stretches of a block between line breaks that a writer made, such as the one below a title."""
    opened, line, width = start, "", 0
    for at, line_end in _lines(text, start, end):
        following = text[at:line_end].strip()
        width = max(width, len(following))
        if line and _is_break(line, following, width):
            yield opened, at
            opened = at
        line = following
    yield opened, end


def _is_break(line: str, following: str, width: int) -> bool:
    """Whether a line ended long before it was full: filled lines would have brought the next word up to it."""
    if line[-1] in _RUNS_ON or _END.fullmatch(line[-1]) or following[:1].islower() or following[:1].isdigit():
        return False
    word = _FIRST_WORD.match(following)
    return word is not None and (
        _LABEL.match(following) is not None or len(line) + 1 + len(word[0]) <= _FULL_SHARE * width
    )


def _lines(text: str, start: int = 0, stop: int | None = None) -> Iterator[Span]:
    stop = len(text) if stop is None else stop
    while start < stop:
        newline = text.find("\n", start, stop)
        end = stop if newline < 0 else newline + 1
        yield start, end
        start = end


def _sentence_ends(text: str, start: int, end: int) -> Iterator[int]:
    for match in _END.finditer(text, start, end):
        if match["wide"] is not None or _ends_sentence(text, match, end):
            yield match.end()


def _ends_sentence(text: str, match: re.Match[str], end: int) -> bool:
    gap = _GAP.match(text, match.end(), end)
    after = gap.end() if gap else match.end()
    if after == end:
        return True
    following = text[after]
    if after == match.end() or following.islower():
        return False
    if match["narrow"] != "." or match["closers"]:
        return True
    return not _is_abbreviation(text, match.start(), following)


def _is_abbreviation(text: str, stop: int, following: str) -> bool:
    """Whether the full stop at this place belongs to the word before it."""
    before = _LAST_WORD.search(text, max(0, stop - _LONGEST_ABBREVIATION), stop)
    if before is None:
        return False
    word = before[0].lower()
    if _BEFORE_A_NUMBER.fullmatch(word) and following.isdigit():
        return True
    if _BEFORE_A_NAME.fullmatch(word):
        return True
    # "I" ends sentences; other letters do too (plan B), but initials of names are far more common. Only
    # scripts with cases have initials: a Korean syllable is a word.
    return bool(_INITIALS.fullmatch(word)) and word.islower() and word != "i"


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
