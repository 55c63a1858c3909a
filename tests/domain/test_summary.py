"""What a document is about, in its own words."""

import time

import pytest

from pinakes.domain.summary import MAX_SUGGESTED_TAGS, MAX_SUMMARY, summarise

TIDES = (
    "# Tides\n\nThe tide rises and falls because the moon pulls at the water of the oceans. Fishermen know it well. "
    "A spring tide comes when sun and moon pull in one line, and the water rises higher than at other times. "
    "A neap tide comes when sun and moon stand at right angles, and the water rises less.\n\n"
    "| port | spring tide |\n| --- | --- |\n| Dover | 6.0 m |\n\n"
    "- The tide tables of a port tell when a spring tide or a neap tide is due.\n\nIt rained on Monday."
)


def test_a_summary_quotes_whole_sentences_in_their_order() -> None:  # K14
    summary = summarise([TIDES])
    assert 0 < len(summary.text) <= MAX_SUMMARY
    flat = " ".join(TIDES.replace("- ", "").split())
    places = [flat.index(sentence.strip(" .")) for sentence in summary.text.split(". ")]
    assert places == sorted(places)
    assert "spring tide" in summary.text
    assert "It rained" not in summary.text
    assert "|" not in summary.text
    assert "#" not in summary.text


def test_tags_are_phrases_that_come_back() -> None:  # K14
    tags = summarise([TIDES]).suggested_tags
    assert "spring tide" in tags
    assert len(tags) <= MAX_SUGGESTED_TAGS
    assert all(tag in TIDES.casefold() for tag in tags)
    assert not {"the", "and", "when", "comes"} & set(tags)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("佩内塔在美国网球公开赛夺冠。佩内塔是意大利人。佩内塔击败了文奇。", "佩内塔"),
        ("Die Sozialversicherung hilft. Wer krank ist, den schützt die Sozialversicherung.", "sozialversicherung"),
        ("الذكاء الاصطناعي مفيد. يستخدم الذكاء الاصطناعي في الطب.", "الذكاء الاصطناعي"),
    ],
)
def test_other_languages_have_tags_too(text: str, phrase: str) -> None:  # K14
    assert phrase in summarise([text]).suggested_tags


def test_a_table_alone_is_summarised_by_its_beginning() -> None:  # K14
    assert summarise(["| name | age |\n| --- | --- |\n| Ana | 31 |"]).text.startswith("name age")


def test_a_long_document_costs_no_more_than_its_beginning() -> None:  # K14
    started = time.process_time()
    summarise([TIDES * 20_000])
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        *("[" * 60_000, "[[ x" * 15_000, "a" + "_" * 60_000 + "a", "](" * 30_000, "[a](" * 15_000, "`" * 60_000),
        *("_a" * 30_000, "a'" * 30_000, "-" * 60_000, "| " * 30_000, "1. " * 20_000, "A. " * 20_000, "http://" * 9_000),
        *("佩" * 60_000, "\n" * 60_000, "# " * 30_000, "a-" * 30_000, "…" * 60_000, '."' * 30_000, "a" * 60_000),
    ],
)
def test_hostile_text_costs_little_time(text: str) -> None:  # K14
    started = time.process_time()
    summarise([text])
    assert time.process_time() - started < 3


@pytest.mark.parametrize("text", ["", " \n", "!!!", "x"])
def test_next_to_nothing_has_next_to_no_summary(text: str) -> None:  # K14
    assert summarise([text]).suggested_tags == ()
    assert len(summarise([text]).text) <= len(text)
