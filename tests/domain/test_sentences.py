"""Sentences of prose in several scripts, and of Markdown."""

import random
import time

import pytest

from pinakes.domain.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


# A9
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It is 3.14 wide. Next", ["It is 3.14 wide.", "Next"]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ('"Really?" he asked. "Yes!"', ['"Really?" he asked.', '"Yes!"']),
        ("Wait... what? Nothing... Then it came.", ["Wait... what?", "Nothing...", "Then it came."]),
        ("A line\nthat runs on. And\nanother.", ["A line\nthat runs on.", "And\nanother."]),
        ("See pinakes.example.org for more. Done.", ["See pinakes.example.org for more.", "Done."]),
        ("It was **bold.** Then plain.", ["It was **bold.**", "Then plain."]),
        ("So did I. Then we left.", ["So did I.", "Then we left."]),
        ("In 1999. Then 2000.", ["In 1999.", "Then 2000."]),
        ("Привет, мир. Как дела? Хорошо.", ["Привет, мир.", "Как дела?", "Хорошо."]),
        ("안녕하세요. 이것은 책. 다음 문장.", ["안녕하세요.", "이것은 책.", "다음 문장."]),
        ("यह एक वाक्य है। यह दूसरा है।", ["यह एक वाक्य है।", "यह दूसरा है।"]),
        ("كيف حالك؟ أنا بخير.", ["كيف حالك؟", "أنا بخير."]),
    ],
)
def test_prose_is_split_behind_its_stops(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


# K9
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("图书馆很大。它在哪里？在埃及！", ["图书馆很大。", "它在哪里？", "在埃及！"]),
        ("東京は大きい。人口は1400万人です。", ["東京は大きい。", "人口は1400万人です。"]),
        ("「本当？」と彼は言った。はい。", ["「本当？」", "と彼は言った。", "はい。"]),
        ("真的！！！好。", ["真的！！！", "好。"]),
    ],
)
def test_chinese_and_japanese_need_no_space_behind_the_stop(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


# A9
@pytest.mark.parametrize(
    "text",
    [
        "Dr. Smith met Mrs. Jones and Prof. Lee.",
        "J. R. R. Tolkien wrote it.",
        "It grew in the U.S. Army.",
        "Use a database, e.g. Postgres, i.e. a real one.",
        "Callimachus wrote c. 245 BC in vol. 3 of the work, see p. 12 and Fig. 4.",
        "Alexandria vs. Pergamon.",
        "It took scrolls, codices, etc. and kept them.",
    ],
)
def test_an_abbreviation_does_not_end_a_sentence(text: str) -> None:
    assert sentences(text) == [text]


def test_a_word_that_abbreviates_only_before_a_number_ends_a_sentence_elsewhere() -> None:
    assert sentences("He said no. Then he left. No. 5 stayed.") == [
        "He said no.",
        "Then he left.",
        "No. 5 stayed.",
    ]


# A9
def test_headings_items_and_table_rows_are_sentences_of_their_own() -> None:
    text = (
        "# Title\nFirst sentence. Second\nsentence.\n"
        "- An item. With two stops.\n  And a second line.\n* Another\n1. Numbered\n2) Also numbered\n\n"
        "| Name | Year |\n|---|---|\n| A. B. | 1 |\n\n> Quoted. Twice.\n\n---\n## End"
    )
    assert sentences(text) == [
        "# Title",
        "First sentence.",
        "Second\nsentence.",
        "- An item. With two stops.\n  And a second line.",
        "* Another",
        "1. Numbered",
        "2) Also numbered",
        "| Name | Year |",
        "|---|---|",
        "| A. B. | 1 |",
        "> Quoted.",
        "Twice.",
        "---",
        "## End",
    ]


# A9
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Lubrication\nThe main bearing must be greased\nevery 500 hours. Wipe it.\nSeals\nReplace them yearly.",
            [
                "Lubrication",
                "The main bearing must be greased\nevery 500 hours.",
                "Wipe it.",
                "Seals",
                "Replace them yearly.",
            ],
        ),
        ("润滑\n主轴承每五百小时润滑一次。", ["润滑", "主轴承每五百小时润滑一次。"]),
        ("Date: 3 May\nPresent: Ana, Bo\nPlace: Oslo", ["Date: 3 May", "Present: Ana, Bo", "Place: Oslo"]),
    ],
)
def test_a_title_and_a_labelled_line_end_with_their_line(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


# A9
@pytest.mark.parametrize(
    "text",
    [
        "The lamp of the old lighthouse at\nSkerry went out in the autumn of\n1972 when the last keeper left.",
        "Bring apples,\nPears from the garden and whatever else is ripe.",
        "The letter was signed by Dr.\nSmith of the harbour office in the old town of Port Ellery.",
        "主轴承每五百小时润滑一次并且\n密封圈每年更换一次直到泵停止。",
    ],
)
def test_a_sentence_runs_on_over_filled_lines(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize("fence", ["```", "~~~~"])
def test_a_code_fence_is_kept_together(fence: str) -> None:
    code = f"{fence}python\nx = 1. # One. Two.\n\n# not a heading\n- y\n{fence}"
    assert sentences(f"Before. It:\n{code}\nAfter. End.") == ["Before.", "It:", code, "After.", "End."]


def test_a_fence_that_never_closes_runs_to_the_end() -> None:
    assert sentences("Text.\n```\na. B.\n\nc") == ["Text.", "```\na. B.\n\nc"]


@pytest.mark.parametrize("text", ["", " \n\t ", "\r\n\r\n"])
def test_nothing_has_no_sentences(text: str) -> None:
    assert split_sentences(text) == []


@pytest.mark.parametrize("seed", range(200))
def test_spans_are_in_order_trimmed_and_leave_out_only_space(seed: int) -> None:
    source = random.Random(seed)
    pieces = [
        "a",
        "B",
        ". ",
        "! ",
        "。",
        "\n",
        "\n\n",
        "```",
        "- ",
        "# ",
        "| ",
        "1. ",
        " ",
        "\r\n",
        "「",
        "」",
        "\u3000",
        "> ",
    ]
    text = "".join(source.choices(pieces, k=source.randrange(60)))
    at = 0
    for start, end in split_sentences(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    "text",
    [
        "." * 200_000 + "x",
        ".”" * 100_000,
        "***" + " " * 200_000 + "x",
        "> " * 100_000,
        "a." * 100_000 + " B",
        "\n" * 200_000,
        "```\n" * 50_000,
        "Ab\n" * 70_000,
        "Label" * 20_000 + "\n" + "A: b\n" * 20_000,
        "x" * 300_000 + ". Y",
    ],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    began = time.perf_counter()
    split_sentences(text)
    assert time.perf_counter() - began < 2
