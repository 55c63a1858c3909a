"""Names in passages, and the headings they lead to."""

import time

import pytest

from pinakes.domain.bm25 import make_posting, name_term
from pinakes.domain.names import find_names, name_key


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It was shot near Leland, North Carolina in 1986.", "north carolina"),
        ("She met President Barack Obama there.", "barack obama"),
        ("He studied at the University of Oxford.", "university of oxford"),
        ("Das Haus von Johann Wolfgang von Goethe steht noch.", "johann wolfgang von goethe"),
        ("Boeing 747 and others", "boeing 747"),
        ("他写了《红楼梦》。", "红楼梦"),
        ("See “Kiss and Tell” for more.", "kiss and tell"),
    ],
)
def test_a_passage_names_what_it_writes_with_capitals_or_in_quotation_marks(text: str, name: str) -> None:
    # K6
    assert name in find_names(text)


def test_a_name_ends_with_its_sentence_and_ordinary_words_are_none() -> None:
    assert find_names("it rains. and then it stops") == frozenset()
    assert "leland north carolina" not in find_names("Near Leland. North Carolina is far.")


def test_a_heading_is_found_by_its_name_without_what_it_adds_in_brackets() -> None:
    # K6
    assert name_key("Kiss and Tell (1945 film)") == "kiss and tell"
    assert name_term("kiss and tell") in make_posting("Some text.", 120, ("Films", "Kiss and Tell (1945 film)")).terms
    assert name_term("") not in make_posting("Some text.", 120, ("***",)).terms


def test_a_text_of_nothing_but_names_takes_no_time_and_gives_no_end_of_them() -> None:
    began = time.perf_counter()
    assert len(find_names("Aa Bb " * 5_000)) <= 200
    assert time.perf_counter() - began < 2
