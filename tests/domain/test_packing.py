"""Packing results into a budget, counted with the real tokenizer."""

import random
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest

from pinakes.domain.packing import SEPARATOR, Ordering, Packed, Passage, pack
from pinakes.providers.token_counting import count_tokens

NOW = datetime(2026, 8, 1, tzinfo=UTC)
LATIN = "The library of Alexandria kept its scrolls in niches along the walls of a covered walk. "
CHINESE = "亚历山大图书馆收藏了许多卷轴，学者们在那里编写目录。"


def passage(key: str, text: str, similarity: float = 0.5, days_old: float = 0) -> Passage:
    return Passage(key, text, similarity, NOW - timedelta(days=days_old))


def packed(
    passages: Sequence[Passage],
    max_tokens: int = 4000,
    ordering: Ordering = Ordering.SIMILARITY,
    count: Callable[[str], int] = count_tokens,
) -> Packed:
    return pack(passages, max_tokens=max_tokens, ordering=ordering, now=NOW, count_tokens=count)


def keys(result: Packed) -> list[str]:
    return [p.key for p in result.passages]


def joined(result: Packed) -> str:
    return SEPARATOR.join(p.text for p in result.passages)


# A9
def test_everything_that_fits_goes_in_whole() -> None:
    result = packed([passage("a", "One.", 0.9), passage("b", "Two.", 0.8)])
    assert [(p.key, p.text, p.truncated, p.kept_chars) for p in result.passages] == [
        ("a", "One.", False, 4),
        ("b", "Two.", False, 4),
    ]
    assert result.omitted_count == 0
    assert result.total_tokens == count_tokens("One.\n\nTwo.")


# A9
@pytest.mark.parametrize(
    ("ordering", "expected"),
    [
        (Ordering.SIMILARITY, ["old and close", "middling", "new and far"]),
        (Ordering.RECENCY, ["new and far", "middling", "old and close"]),
        (Ordering.BALANCED, ["middling", "old and close", "new and far"]),
    ],
)
def test_passages_come_in_the_order_asked_for(ordering: Ordering, expected: list[str]) -> None:
    passages = [
        passage("new and far", "x", 0.4, days_old=0),
        passage("old and close", "y", 0.9, days_old=365),
        passage("middling", "z", 0.8, days_old=73),
    ]
    # Balanced: 0.58, 0.63 and 0.8.
    assert keys(packed(passages, ordering=ordering)) == expected


# A9
def test_recency_falls_in_a_straight_line_over_365_days() -> None:
    # Half a year costs 0.3 * 0.5 = 0.15, as much as 0.214 of similarity.
    new = passage("new", "x", 0.5)
    for similarity, first in ((0.713, "new"), (0.716, "old")):
        old = passage("old", "y", similarity, days_old=182.5)
        assert keys(packed([old, new], ordering=Ordering.BALANCED))[0] == first


# A9
def test_beyond_a_year_and_in_the_future_recency_is_at_its_ends_and_similarity_decides() -> None:
    old = [passage("far", "x", 0.2, days_old=400), passage("close", "y", 0.3, days_old=4000)]
    assert keys(packed(old, ordering=Ordering.RECENCY)) == ["close", "far"]
    ahead = [passage("far", "x", 0.2, days_old=-9), passage("close", "y", 0.3, days_old=0)]
    assert keys(packed(ahead, ordering=Ordering.RECENCY)) == ["close", "far"]


def test_equal_passages_keep_the_order_they_came_in() -> None:
    assert keys(packed([passage(k, k) for k in "dacb"])) == ["d", "a", "c", "b"]


# A9
def test_the_first_that_does_not_fit_is_cut_at_a_sentence_end_and_is_the_last() -> None:
    passages = [passage("a", LATIN * 5, 0.9), passage("b", LATIN * 50, 0.8), passage("c", "Tiny.", 0.7)]
    result = packed(passages, max_tokens=400)
    assert keys(result) == ["a", "b"]
    cut = result.passages[1]
    assert cut.truncated
    assert cut.text.endswith("covered walk....")
    assert cut.text[:-3] == passages[1].text[: cut.kept_chars]
    assert result.omitted_count == 1
    assert 300 < result.total_tokens <= 400


# A9
def test_a_chinese_passage_is_cut_behind_its_full_stop() -> None:
    result = packed([passage("a", CHINESE * 100)], max_tokens=200)
    assert result.passages[0].text.endswith("目录。...")
    assert 150 < result.total_tokens <= 200


# A9
def test_without_a_sentence_end_in_the_last_fifth_it_is_cut_at_a_word() -> None:
    text = "One sentence. " + "papyrus " * 1000
    cut = packed([passage("a", text)], max_tokens=300).passages[0]
    assert re.fullmatch(r"One sentence\. (papyrus )+papyrus\.\.\.", cut.text)
    assert text[cut.kept_chars] == " "
    assert cut.tokens > 290


# A9
@pytest.mark.parametrize("text", ["図書館" * 2000, "ห้องสมุดเก็บหนังสือ" * 300, "x" * 20_000, "👩‍👩‍👧" * 3000])
def test_text_without_spaces_is_cut_near_the_limit(text: str) -> None:
    result = packed([passage("a", text)], max_tokens=300)
    assert 250 < result.total_tokens <= 300
    assert result.passages[0].text[:-3] == text[: result.passages[0].kept_chars]


def test_a_letter_is_not_parted_from_its_mark() -> None:
    text = "ที่นี่" * 2000
    for budget in range(150, 160):
        kept = packed([passage("a", text)], max_tokens=budget).passages[0].kept_chars
        assert text[kept] == "ท" or text[kept] == "น"


# A9
def test_with_a_hundred_tokens_or_fewer_left_nothing_is_cut() -> None:
    first = passage("a", LATIN * 5, 0.9)
    used = count_tokens(first.text)
    for room, expected in ((100, ["a"]), (101, ["a", "b"])):
        result = packed([first, passage("b", LATIN * 50, 0.8), passage("c", "Tiny.", 0.7)], used + room)
        assert keys(result) == expected
        assert result.omitted_count == 3 - len(expected)


# A9
@pytest.mark.parametrize("max_tokens", [0, 1, 50, 100])
def test_a_budget_too_small_for_the_first_gives_nothing(max_tokens: int) -> None:
    result = packed([passage("a", LATIN * 50)], max_tokens)
    assert result == Packed((), 0, 1)


def test_no_passages_give_an_empty_pack() -> None:
    assert packed([]) == Packed((), 0, 0)


# A9
def test_a_passage_that_fills_the_budget_to_the_token_is_not_cut() -> None:
    texts = [LATIN * 3, LATIN * 4, "Short. "]
    budget = count_tokens(SEPARATOR.join(texts))
    passages = [passage(str(i), text, 1 - i / 10) for i, text in enumerate(texts)]
    exact = packed(passages, budget)
    assert (exact.total_tokens, exact.omitted_count) == (budget, 0)
    assert packed(passages, budget - 1).omitted_count == 1


def random_text(source: random.Random) -> str:
    pieces = [
        *(
            "word ",
            "Sentence end. ",
            "\n",
            "\n\n",
            "   ",
            "\t\n ",
            "\r\n",
            "...",
            "1234567 ",
            "ABCdef",
            "'s ",
            "/",
        ),
        *("# Heading\n", "- item\n", "```\n", "| a | b |\n", "<|endoftext|>"),
        *("。", "漢字", "é̀", "🙂", "\u200d", "ไทย", "한국어 "),
    ]
    return "".join(source.choices(pieces, k=source.choice([0, 1, 3, 30, 300])))


def lumpy(text: str) -> int:
    """A tokenizer under which texts cost more together than apart, as real ones may in odd places."""
    return len(text.split()) + 3 * text.count("\n\n") + len(re.findall(r"\S\n\n\S", text)) * 5


# A9
@pytest.mark.parametrize("count", [count_tokens, lumpy])
@pytest.mark.parametrize("seed", range(150))
def test_the_budget_is_never_exceeded_and_nothing_is_invented(seed: int, count: Callable[[str], int]) -> None:
    source = random.Random(seed)
    passages = [
        passage(str(i), random_text(source), source.random(), source.randrange(800))
        for i in range(source.randrange(1, 40))
    ]
    budget = source.choice([1, 5, 20, 90, 101, 120, 150, 200, 400, 900, 4000])
    result = packed(passages, budget, source.choice(list(Ordering)), count)
    assert result.total_tokens == count(joined(result)) <= budget
    assert result.omitted_count == len(passages) - len(result.passages)
    originals = {p.key: p.text for p in passages}
    for p in result.passages:
        assert p.tokens == count(p.text)
        assert p.text == originals[p.key][: p.kept_chars] + ("..." if p.truncated else "")
        assert p.truncated == (p.kept_chars < len(originals[p.key]))
    assert not any(p.truncated for p in result.passages[:-1])


# A9
def test_cutting_a_long_text_counts_little_of_it() -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return count_tokens(text)

    packed([passage("a", LATIN * 20_000)], max_tokens=1000, count=counting)
    assert sorted(counted)[-2] < 20_000
    assert len(counted) < 30


# A9
def test_a_thousand_small_passages_are_not_counted_over_and_over() -> None:
    counted: list[int] = []

    def counting(text: str) -> int:
        counted.append(len(text))
        return count_tokens(text)

    packed([passage(str(i), "Tiny.") for i in range(1000)], max_tokens=3000, count=counting)
    assert sum(counted) < 40_000


# A9
def test_token_counts_take_any_text() -> None:
    assert count_tokens("") == 0
    assert count_tokens("hello world") == 2
    assert count_tokens("<|endoftext|>") > 1
    assert count_tokens("lone \ud800 surrogate") > 0
    assert count_tokens("word " * 300_000) >= 300_000
