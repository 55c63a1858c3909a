"""Names: what passages call the things that other passages are about."""

import re
import unicodedata
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|[\n()\[\]{}\"“”«»|]")
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
# What stands in the midst of a name, in the languages that write names with capitals.
_LINKS = frozenset(
    "of the de du des la le les da do dos di del della von van der den and et y und in on for to".split()  # noqa: SIM905
)

# What is named in brackets or quotation marks where a script has no capitals.
_QUOTED = re.compile(r"[《「『“]([^》」』”]{2,40})[》」』”]")
_LONGEST = 6
_SHORTEST = 3
_MOST = 200


def name_key(heading: str) -> str:
    """The form under which a heading is found as a name; what it says in brackets at its end is left out."""
    words = _WORD.findall(_IN_BRACKETS.sub("", unicodedata.normalize("NFKC", heading)))
    return " ".join(words).casefold()


def find_names(text: str) -> frozenset[str]:
    """The keys of what may be names in a text: runs of capitalised words and every part of them."""
    text = unicodedata.normalize("NFKC", text)
    found: dict[str, None] = dict.fromkeys(name_key(quoted) for quoted in _QUOTED.findall(text))
    for sentence in _SENTENCE_END.split(text):
        run: list[str] = []
        for word in [*_WORD.findall(sentence), ""]:
            if word and (not word[0].islower() or (run and word.casefold() in _LINKS)):
                run.append(word)
            else:
                found.update(dict.fromkeys(_parts(run)))
                run = []
    return frozenset(name for name in list(found)[:_MOST] if len(name) >= _SHORTEST)


def _parts(run: list[str]) -> Iterable[str]:
    """The stretches of a run that begin and end with a word of weight, whole runs first."""
    weighty = [at for at, word in enumerate(run) if word.casefold() not in _LINKS]
    spans = [(start, end + 1) for at, start in enumerate(weighty) for end in weighty[at : at + _LONGEST]]
    for start, end in sorted(spans, key=lambda span: span[0] - span[1]):
        yield " ".join(run[start:end]).casefold()
