"""The analyser: text to terms, the same for documents and questions."""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from pinakes.domain.languages import UNSPACED_GRAMMAR, detect_language, guess_languages, is_grammar, stem

ANALYSER_VERSION = 2
TERM_SPACE = 2**29

# Scripts written without spaces between words are indexed by character and by pairs of characters.
UNSPACED = (
    r"\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # kana, Han, Hangul
    r"\U00020000-\U0003134f"
)
_LETTERS = rf"[^\W_{UNSPACED}]++"
_PIECE = re.compile(rf"([{UNSPACED}]+)|({_LETTERS}(?:['’]{_LETTERS})*)")
# What programs and makers name things with: max_tokens, os.path, 3.11.7, ORA-00942, AB-1234/x, std::move.
_JOINED = re.compile(rf"(?<![^\W_]){_LETTERS}(?:(?:_++|::|[.\-/:#]){_LETTERS})+")
_NAMES_A_THING = re.compile(r"[\d_]|::|\w\.\w+\.\w")
_CAMEL_WORD = re.compile(r"\b[A-Za-z](?=[A-Z\d]*[a-z])[a-z\d]*+[A-Z][A-Za-z\d]*")
_CAMEL = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[A-Z][a-z])")
_LONGEST = 64


def analyse(text: str, language: str | None = None) -> list[str]:
    """The terms of a passage: words stemmed in its language, parts and wholes of names, characters and pairs."""
    text = unicodedata.normalize("NFKC", text)
    pieces = _find_pieces(text.casefold())
    if language is None:
        language = detect_language([word for _, word in pieces if word])
    terms = [term for run, word in pieces for term in (_run_terms(run) if run else [_word_term(word, language)])]
    return terms + _name_terms(text, language)


def ask(question: str) -> list[tuple[str, ...]]:
    """The terms a question asks for, each with the forms it may have in passages of other languages.

    Words that only make it a question are left out. In a large collection their weight would be next to nothing; in
    a small one they may be the rarest of all, and a good answer would seem to lack most of what was asked.
    """
    question = unicodedata.normalize("NFKC", question)
    pieces = _find_pieces(question.casefold())
    languages = guess_languages([word for _, word in pieces if word])
    telling = [(run, word) for run, word in pieces if run or not is_grammar(word, languages[0])]
    asked = [form for run, word in telling for form in _asked_forms(run, word, languages)]
    if not asked:
        asked = [(term,) for term in analyse(question)]
    return asked + [(term,) for term in _name_terms(question, languages[0])]


def telling_terms(text: str, language: str | None = None) -> list[str]:
    """The terms of a passage without those that only carry its grammar."""
    text = unicodedata.normalize("NFKC", text).casefold()
    pieces = _find_pieces(text)
    language = language or detect_language([word for _, word in pieces if word])
    kept = [(run, word) for run, word in pieces if run or not is_grammar(word, language)]
    return [term for run, word in kept for term in (_run_terms(run) if run else [_word_term(word, language)])]


def language_of(text: str) -> str:
    """The language whose rules a text's words in Latin letters follow."""
    text = unicodedata.normalize("NFKC", text).casefold()
    return detect_language([word for _, word in _find_pieces(text) if word])


@lru_cache(maxsize=100_000)
def hash_term(term: str) -> int:
    """A term's place in the sparse vectors; 0 is kept for the count of all chunks."""
    digest = hashlib.blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) % (TERM_SPACE - 1) + 1


def _find_pieces(text: str) -> list[tuple[str, str]]:
    """Runs of a script without spaces and words, in order: of each pair one is empty."""
    return _PIECE.findall(text)


def _asked_forms(run: str, word: str, languages: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if not run:
        yield tuple(dict.fromkeys(_word_term(word, language) for language in languages))
        return
    for part in UNSPACED_GRAMMAR.split(run):
        yield from ((term,) for term in _run_terms(part))


def _run_terms(run: str) -> list[str]:
    return [*run, *(run[at : at + 2] for at in range(len(run) - 1))]


def _word_term(word: str, language: str) -> str:
    return stem(word.replace("’", "'").removesuffix("'s")[:_LONGEST], language)


def _name_terms(text: str, language: str) -> list[str]:
    """What a name adds to its words: the whole of one that is joined, the parts of one in camelCase."""
    terms: list[str] = []
    for joined in _JOINED.finditer(text):
        whole = joined.group().casefold()
        if _NAMES_A_THING.search(whole):
            # People write the same version with and without its v.
            terms.append((whole[1:] if re.match(r"v\d", whole) else whole)[:_LONGEST])
    for word in _CAMEL_WORD.finditer(text):
        parts = _CAMEL.sub(lambda match: f"{match.group()} ", word.group()).casefold().split()
        terms += [stem(part[:_LONGEST], language) for part in parts if len(parts) > 1 and len(part) > 1]
    return terms
