"""The analyser: text to terms, the same for documents and questions."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import local
from typing import Protocol, cast

import Stemmer

ANALYSER_VERSION = 1
TERM_SPACE = 2**29

# Scripts written without spaces between words are indexed by character and by pairs of characters.
UNSPACED = (
    r"\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # kana, Han, Hangul
    r"\U00020000-\U0003134f"
)
_PIECE = re.compile(rf"([{UNSPACED}]+)|((?:(?![{UNSPACED}])[^\W_])+(?:['’](?:(?![{UNSPACED}])[^\W_])+)*)")
_STEMMER_BY_SCRIPT = {
    "LATIN": "english",
    "CYRILLIC": "russian",
    "GREEK": "greek",
    "ARABIC": "arabic",
    "DEVANAGARI": "hindi",
    "TAMIL": "tamil",
    "ARMENIAN": "armenian",
}
_stemmers = local()


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


def analyse(text: str) -> list[str]:
    """The terms of a text in order: stemmed words, and single characters and pairs of unspaced scripts."""
    return [term for run in _PIECE.finditer(unicodedata.normalize("NFKC", text).casefold()) for term in _terms(run)]


@lru_cache(maxsize=100_000)
def hash_term(term: str) -> int:
    """A term's place in the sparse vectors; 0 is kept for the count of all chunks."""
    digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) % (TERM_SPACE - 1) + 1


def _terms(run: re.Match[str]) -> Iterator[str]:
    unspaced, word = run.groups()
    if unspaced:
        yield from unspaced
        yield from (unspaced[i : i + 2] for i in range(len(unspaced) - 1))
    else:
        yield _stem(word.replace("’", "'").removesuffix("'s")[:64])


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    script = unicodedata.name(word[0], "").partition(" ")[0]
    language = _STEMMER_BY_SCRIPT.get(script)
    if language is None or any(character.isdigit() for character in word):
        return word
    # A stemmer is not thread-safe.
    stemmer: _Stemmer | None = getattr(_stemmers, language, None)
    if stemmer is None:
        stemmer = cast("_Stemmer", Stemmer.Stemmer(language))  # pyright: ignore[reportUnknownMemberType]
        setattr(_stemmers, language, stemmer)
    return stemmer.stemWord(word)


# English words that carry a question's grammar, not its subject; as terms, that is stemmed.
FUNCTION_WORDS = frozenset(
    analyse(
        """
        a about an and any are as at be been being but by can could did do does doing done for from had has have
        having he her hers him his how i if in into is it its me my of on or our ours shall she should so some such
        than that the their theirs them then there these they this those to too us very was we were what when where
        which who whom whose why with would you your yours
        """
    )
)
