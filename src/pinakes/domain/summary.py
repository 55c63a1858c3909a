"""What a document is about, in its own words: its most telling sentences, and phrases that would do as tags."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pinakes.domain.analysis import UNSPACED, analyse, language_of, telling_terms
from pinakes.domain.languages import GRAMMAR
from pinakes.domain.sentences import split_sentences

MAX_SUMMARY = 500
MAX_SUGGESTED_TAGS = 5
_SUMMARY_SENTENCES = 3
# What a document is about shows early; reading all of a book for it would cost more than indexing it.
_CHARS_READ = 60_000
_CHARS_TELLING = 4_000  # its language shows earlier still
_SHORTEST, _LONGEST = 5, 350  # terms and characters of a sentence worth quoting
_EARLY = 3  # what stands first counts nearly twice
_SAME_SHARE = 0.6  # sentences that share so many of their terms say the same
_LONGEST_PHRASE = 3
_MENTIONS = 2
# Bounded, and tried only where a run begins: uploaded text is hostile, and this runs where nobody can kill it.
_MARKUP = re.compile(r"[#>|]++|\[([^\[\]\n]{0,200})\]\([^()\s]{0,500}\)|https?://\S++")
_EMPHASIS = re.compile(r"[*`]++|(?<!\w)_++|(?<!_)_++(?!\w)")
# What neither of them can do without: most sentences have none, and looking for that is far quicker.
_ANY_MARK = re.compile(r"[#>|\[:*`_]")
_NO_SENTENCE = re.compile(r"\s*(?:\||#|```|~~~|[-=*_]{3,}\s*$)")
_ITEM = re.compile(r"\A\s*(?:[-*+•]|\d+[.)])\s+")
_WORD = re.compile(rf"[{UNSPACED}]{{2,}}|[^\W\d_][\w'’-]*[^\W_]|[^\w\s]|\n\n")
_UNSPACED_RUN = re.compile(rf"[{UNSPACED}]")
# Words too general for a tag, in the languages that documents mostly come in.
_GENERAL_WORDS = """
after again against all almost along already although always among another around away back because become before
below best better between beyond both come during each either else enough even every few first five found four full
further general get give given go good great here high however instead just keep kept kind know known large largest
last later least less let like little long look made main make many may means might more most much must name near need
neither never new next none nor not nothing now number often old once one only other others otherwise out over own
part per perhaps place possible put rather really right run said same say second see seen several show shown since
small something still take taken ten thing think third three through thus time together two under until up upon use
used uses using way well while whole will within without work years yet also bzw mehr sehr zwischen comme deux même
peut plus tous tout très vers été otra otro todo todos degli ed daar не التى
他们 我们 你们 它们 这个 那个 一个 这些 那些 可以 没有 因为 所以 但是 如果 以及 或者 并且
其中 之后 之前 成为 进行 由于
"""
_GENERAL = GRAMMAR | frozenset(_GENERAL_WORDS.split())
_NOT_TELLING = frozenset(analyse(_GENERAL_WORDS, "english"))


@dataclass(frozen=True, slots=True)
class Summary:
    """A few of the document's sentences in their order, and phrases it keeps coming back to."""

    text: str
    suggested_tags: tuple[str, ...]


def summarise(passages: Iterable[str], *, title: str | None = None) -> Summary:
    """What these passages, in order, are about; nothing that does not stand in them."""
    text = _first_chars(passages)
    sentences = list(_sentences(text))
    return Summary(_choose_sentences(sentences, text), _choose_phrases(text, title))


def _first_chars(passages: Iterable[str]) -> str:
    taken: list[str] = []
    room = _CHARS_READ
    for passage in passages:
        taken.append(passage[:room])
        room -= len(passage)
        if room <= 0:
            break
    return "\n\n".join(taken)


def _sentences(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    language = language_of(text[:_CHARS_TELLING])
    for start, end in split_sentences(text):
        raw = text[start:end]
        if _NO_SENTENCE.match(raw):
            continue
        sentence = _plain(raw)
        if len(sentence) > _LONGEST:
            continue
        terms = frozenset(telling_terms(sentence, language))
        if len(terms) >= _SHORTEST:
            yield sentence, terms


def _plain(markup: str) -> str:
    text = _ITEM.sub("", markup)
    if _ANY_MARK.search(text):
        text = _MARKUP.sub(lambda found: found[1] or " ", _EMPHASIS.sub("", text))
    return " ".join(text.split())


def _choose_sentences(sentences: Sequence[tuple[str, frozenset[str]]], text: str) -> str:
    if not sentences:
        return _shorten(_plain(text))
    counts = Counter(term for _, terms in sentences for term in terms)
    ranked = sorted(
        range(len(sentences)),
        key=lambda at: -_centrality(sentences[at][1], counts, len(sentences)) * (1 + _EARLY / (_EARLY + at)),
    )
    chosen: list[int] = []
    length = 0
    for at in ranked:
        sentence, terms = sentences[at]
        repeated = any(len(terms & sentences[other][1]) > _SAME_SHARE * len(terms) for other in chosen)
        if not repeated and length + len(sentence) < MAX_SUMMARY:
            chosen.append(at)
            length += len(sentence) + 1
        if len(chosen) == _SUMMARY_SENTENCES:
            break
    return " ".join(sentences[at][0] for at in sorted(chosen))


def _centrality(terms: frozenset[str], counts: Counter[str], total: int) -> float:
    """How much of what the document keeps talking about is in a sentence; what every sentence has says nothing."""
    weight = sum(counts[term] * math.log(1 + total / counts[term]) for term in terms if counts[term] > 1)
    return weight / math.sqrt(len(terms))


def _shorten(text: str) -> str:
    if len(text) <= MAX_SUMMARY:
        return text
    return text[: MAX_SUMMARY - 1].rsplit(" ", 1)[0] + "…"


def _choose_phrases(text: str, title: str | None) -> tuple[str, ...]:
    counts = Counter(phrase for run in _runs(f"{title or ''}\n\n{text}") for phrase in _phrases(run))
    scored = sorted(
        (phrase for phrase, count in counts.items() if count >= _MENTIONS),
        key=lambda phrase: (-counts[phrase] * _worth(phrase), phrase),
    )
    chosen: list[str] = []
    for phrase in scored:
        if not any(_overlap(phrase, other) for other in chosen):
            chosen.append(phrase)
        if len(chosen) == MAX_SUGGESTED_TAGS:
            break
    return tuple(chosen)


def _runs(text: str) -> Iterator[list[str]]:
    """Words that follow each other with neither punctuation nor a word of grammar between them.

    What is written without spaces is a run by itself.
    """
    words: list[str] = _WORD.findall(_MARKUP.sub(lambda found: found[1] or " . ", text).casefold())
    telling = set(filter(_is_telling, set(words)))
    unspaced = set(filter(_UNSPACED_RUN.match, telling))
    run: list[str] = []
    for word in words:
        if word in telling and word not in unspaced:
            run.append(word)
            continue
        if run:
            yield run
            run = []
        if word in unspaced:
            yield [word]
    if run:
        yield run


def _is_telling(word: str) -> bool:
    if not word[0].isalpha() or word in _GENERAL:
        return False
    if _UNSPACED_RUN.match(word):
        return True
    return len(word) > 2 and not _NOT_TELLING.issuperset(analyse(word, "english"))


def _phrases(run: Sequence[str]) -> Iterator[str]:
    if _UNSPACED_RUN.match(run[0]):
        word = run[0]
        grams = (word[at : at + size] for size in (2, 3, 4) for at in range(len(word) - size + 1))
        yield from (gram for gram in grams if gram not in _GENERAL)
        return
    for size in range(1, min(_LONGEST_PHRASE, len(run)) + 1):
        for start in range(len(run) - size + 1):
            yield " ".join(run[start : start + size])


def _worth(phrase: str) -> float:
    """A phrase says more than its words, but is rarer: the score has to make up for that."""
    return float(len(phrase)) if _UNSPACED_RUN.match(phrase) else 1.0 + 1.6 * phrase.count(" ") + len(phrase) / 20


def _overlap(one: str, other: str) -> bool:
    if _UNSPACED_RUN.match(one):
        return one in other or other in one or bool(set(one) & set(other))
    return bool(set(analyse(one, "english")) & set(analyse(other, "english")))
