"""The analyser: what counts as the same word."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from pinakes.domain.analysis import TERM_SPACE, analyse, ask, hash_term, language_of
from pinakes.domain.bm25 import MAX_TERMS, AskedTerm, make_posting, query_terms


def test_words_are_stemmed_and_their_case_does_not_count() -> None:
    # K6
    assert analyse("Indexing INDEXES") == analyse("index indexed") == ["index", "index"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Owl's", "owl"),
        ("owl’s", "owl"),
        ("ＡＢＣ", "abc"),
        ("ﬁle", "file"),
        ("Straße", "STRASSE"),
        ("cafe\u0301", "café"),
        ("книги", "книга"),
        ("δρόμος", "δρόμοι"),
    ],
)
def test_what_a_reader_takes_for_the_same_word_is_the_same_term(one: str, other: str) -> None:
    # K6
    assert analyse(one) == analyse(other) != []


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("max_tokens", "max token max_tokens"),
        ("maxTokens", "maxtoken max token"),
        ("HTTPServer", "httpserver http server"),
        ("XK-7731-QZ", "xk 7731 qz xk-7731-qz"),
        ("AB-1234/x", "ab 1234 x ab-1234/x"),
        ("v2.10.4", "v2 10 4 2.10.4"),
        ("2.10.4", "2 10 4 2.10.4"),
        ("std::move", "std move std::move"),
        ("os.path.join", "os path join os.path.join"),
        ("0xDEADBEEF", "0xdeadbeef"),
        ("ISO8601s mp3s", "iso8601s mp3s"),
        ("well-known and/or", "well known and or"),
    ],
)
def test_names_of_things_are_found_as_a_whole_and_by_their_parts(name: str, terms: str) -> None:
    # K6
    assert analyse(name, "english") == terms.split()


def test_words_are_stemmed_in_the_language_of_their_text() -> None:
    # K6
    german = "Die Häuser und ihre Preise sind in der Stadt sehr verschieden, und das ist nicht neu."
    assert {"haus", "preis", "stadt"} <= set(analyse(german))
    assert language_of(german) == "german"
    assert language_of("Les maisons de la ville sont chères et les prix ne baissent pas.") == "french"
    assert language_of("The houses of the city are dear, and that is not new.") == "english"
    assert language_of("SELECT id FROM t; 404 x") == "english"


@pytest.mark.parametrize("question", ["Was kosten die Häuser in der Stadt?", "Häuser Stadt", "HÄUSER"])
def test_a_question_finds_a_word_whatever_language_it_was_stemmed_in(question: str) -> None:
    # K6: three words of keywords do not say what language they are in
    assert any("haus" in forms for forms in ask(question))


def test_words_that_only_make_a_question_are_left_out_unless_there_are_no_others() -> None:
    # K6
    assert ask("What is the price of an owl?") == [("price",), ("owl",)]
    assert [forms[0] for forms in ask("Wie hoch ist der Preis einer Eule?")] == ["hoch", "preis", "eul"]
    assert [forms[0] for forms in ask("图书馆在哪里？")] == ["图", "书", "馆", "图书", "书馆"]
    assert ask("Who is it?") == [("who",), ("is",), ("it",)]


@pytest.mark.parametrize("text", ["図書館", "图书馆", "도서관", "หอสมุด"])
def test_scripts_without_spaces_are_found_by_characters_and_pairs(text: str) -> None:
    # K9
    terms = analyse(text)
    pairs = [text[at : at + 2] for at in range(len(text) - 1)]
    assert sorted(terms) == sorted([*text, *pairs])


def test_a_word_inside_a_longer_run_shares_its_terms() -> None:
    # K9
    for run, word in (("東京都立図書館", "図書館"), ("北京大学图书馆", "图书馆"), ("หอสมุดแห่งชาติ", "หอสมุด")):
        assert set(analyse(word)) <= set(analyse(run))


def test_scripts_may_be_mixed_without_spaces() -> None:
    # K9
    assert analyse("使用Python3编程") == ["使", "用", "使用", "python3", "编", "程", "编程"]


@pytest.mark.parametrize("text", ["", " \n", "!?… — ***", "🦉🦉", "\u0301", "___"])
def test_what_has_no_words_has_no_terms(text: str) -> None:
    assert analyse(text) == []


def test_a_word_of_any_length_is_one_term_of_bounded_length() -> None:
    (term,) = analyse("x" * 100_000)
    assert len(term) <= 64


def test_a_term_has_its_place_for_ever_and_never_the_one_of_the_total() -> None:
    # Stored postings hold these numbers: another one would lose every document indexed before.
    assert [hash_term(term) for term in ("owl", "図書")] == [450460299, 235507091]
    places = {hash_term(f"word{n}") for n in range(20_000)}
    assert min(places) > 0
    assert max(places) < TERM_SPACE
    assert len(places) > 19_990


def test_threads_get_the_same_terms() -> None:
    texts = [f"running runners ran happily {n} книги" for n in range(200)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(analyse, texts)) == [analyse(text) for text in texts]


def test_a_posting_holds_each_term_once_in_order_and_saturates() -> None:
    # K6
    posting = make_posting("owl " * 50 + "fox", 120.0)
    assert posting.terms == sorted({hash_term("owl"), hash_term("fox")})
    weights = dict(zip(posting.terms, posting.weights, strict=True))
    assert 0 < weights[hash_term("fox")] < weights[hash_term("owl")] < 2.2


def test_a_posting_is_never_longer_than_the_database_takes() -> None:
    posting = make_posting(" ".join(f"word{n}" for n in range(MAX_TERMS + 500)), 120.0)
    assert len(posting.terms) == len(posting.weights) == MAX_TERMS


def test_a_question_counts_its_terms_and_ends_somewhere() -> None:
    assert query_terms("the owl, a fox, the owl") == (
        AskedTerm(hash_term("owl"), 2, 0),
        AskedTerm(hash_term("fox"), 1, 1),
    )
    assert len(query_terms(" ".join(f"word{n}" for n in range(1000)))) == 256
