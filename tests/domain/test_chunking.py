"""Chunks: within the budget, in place, and together the whole text."""

import random
import re
import time
from itertools import pairwise

import pytest

from pinakes.domain.chunk import Chunk
from pinakes.domain.chunking import chunk_document
from pinakes.domain.parsing import ParsedDocument, Section
from pinakes.domain.place import Place

_TOKEN = re.compile(r"\w{1,4}|[^\w\s]")
_ALPHABET = [*"abcdefghij\t   \né漢字。`", "👩‍👧", "\r\n", "\n\n", ". ", "# ", "- "]


def count(text: str) -> int:
    """Two tokens a text, and one for every four letters or sign, as a subword tokenizer does."""
    return 2 + len(_TOKEN.findall(text))


def chunk(parsed: ParsedDocument, max_tokens: int = 64) -> list[Chunk]:
    """The chunks, after checking what must hold for every document."""
    chunks = chunk_document(parsed, max_tokens=max_tokens, count_tokens=count)
    covered = [False] * len(parsed.text)
    for ordinal, piece in enumerate(chunks):
        assert piece.ordinal == ordinal
        assert piece.content == parsed.text[piece.start : piece.end]
        assert piece.content == piece.content.strip() != ""
        assert piece.tokens == count(piece.index_text) <= max_tokens
        assert piece.start_line == parsed.text.count("\n", 0, piece.start) + 1
        assert piece.end_line == parsed.text.count("\n", 0, piece.end) + 1
        assert any(part.start <= piece.start and piece.end <= part.end for part in parsed.sections)
        assert not any(covered[piece.start : piece.end])
        covered[piece.start : piece.end] = [True] * (piece.end - piece.start)
    for section in parsed.sections:
        for at in range(section.start, section.end):
            assert covered[at] or parsed.text[at].isspace()
    assert [piece.start for piece in chunks] == sorted(piece.start for piece in chunks)
    return chunks


def whole(text: str, *, markdown: bool = False, headings: tuple[str, ...] = ()) -> ParsedDocument:
    """A document of one section."""
    return ParsedDocument(text, (Section(0, len(text), headings=headings),), markdown=markdown)


@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_random_texts_are_covered_once_within_the_budget_and_their_sections(seed: int, markdown: bool) -> None:
    # K5
    dice = random.Random(seed)
    text = "".join(dice.choices(_ALPHABET, k=dice.randint(1, 6_000)))
    cuts = sorted({0, len(text), *(dice.randrange(len(text) + 1) for _ in range(dice.randint(0, 6)))})
    sections = tuple(
        Section(start, end, place=Place("page", number), headings=("Head",) * dice.randint(0, 3))
        for number, (start, end) in enumerate(pairwise(cuts), start=1)
    )
    chunk(ParsedDocument(text, sections, markdown=markdown), max_tokens=dice.choice([16, 40, 200]))


def test_a_short_section_is_one_chunk_with_its_page_headings_and_lines() -> None:
    # K5
    text = "Intro\n\nFirst page.\n\f\nSecond\nand last page.  \n"
    parsed = ParsedDocument(
        text,
        (
            Section(0, 18, place=Place("page", 1), headings=("A",)),
            Section(21, len(text), place=Place("page", 2), headings=("A", "B")),
        ),
    )
    first, second = chunk(parsed)
    assert (first.place, first.headings, first.start_line, first.end_line) == (Place("page", 1), ("A",), 1, 3)
    assert (second.place, second.headings, second.start_line, second.end_line) == (Place("page", 2), ("A", "B"), 5, 6)
    assert second.content == "Second\nand last page."
    assert second.index_text.startswith("A > B\n")


def test_a_run_of_fifty_thousand_letters_without_a_space_is_cut_by_characters() -> None:
    # K5
    chunks = chunk(whole("abcdefghij" * 5_000))
    assert len(chunks) > 100


def test_a_run_that_the_tokenizer_takes_for_one_token_is_still_cut() -> None:
    # K5
    chunks = chunk_document(whole("x" * 50_000), max_tokens=64, count_tokens=lambda _: 3)
    assert all(len(piece.content) <= 64 * 8 for piece in chunks)
    assert sum(len(piece.content) for piece in chunks) == 50_000


def test_chinese_text_is_cut_at_sentence_ends() -> None:
    # K5, K9
    chunks = chunk(whole("这是一个关于知识库的句子。它后面还有另外一个句子！" * 200))
    ended = sum(piece.content[-1] in "。！" for piece in chunks)
    assert ended > len(chunks) * 0.8


def test_windows_line_ends_are_kept_and_counted() -> None:
    # K5
    text = "\r\n".join(f"Line {number} of the file." for number in range(200))
    chunks = chunk(whole(text))
    assert chunks[0].start_line == 1
    assert chunks[-1].end_line == 200
    assert "\r\n" in chunks[0].content


def test_a_code_fence_that_fits_is_not_broken() -> None:
    # K5
    fence = "```python\n" + "\n".join(f"call_number({n})" for n in range(6)) + "\n```"
    prose = " ".join(["Some words about it."] * 10)
    text = f"{prose}\n\n{fence}\n\n{prose}\n\n{fence}\n\n{prose}\n"
    chunks = chunk(whole(text, markdown=True), max_tokens=80)
    assert sum(fence in piece.content for piece in chunks) == 2


def test_a_long_heading_path_keeps_only_its_last_headings() -> None:
    # K5
    headings = ("An outer heading that is far too long to be repeated " * 5, "Chapter", "Part")
    chunks = chunk(whole("Words of the text. " * 50, headings=headings))
    assert {piece.headings for piece in chunks} == {("Chapter", "Part")}
    assert {piece.headings for piece in chunk(whole("Words.", headings=headings[:1]))} == {()}


def test_no_few_words_are_left_alone_at_the_end() -> None:
    # K5
    for sentences in range(20, 60):
        chunks = chunk(whole("This is a sentence of some words. " * sentences + "Bye now."))
        assert min(piece.tokens for piece in chunks) >= 64 // 6


def test_blank_sections_and_an_empty_document_give_no_chunks() -> None:
    # K5
    assert chunk(whole(" \n\t\n")) == []
    assert chunk(ParsedDocument("", ())) == []


def test_a_budget_too_small_to_hold_anything_is_refused() -> None:
    # K5
    with pytest.raises(ValueError, match="at least"):
        chunk_document(whole("text"), max_tokens=4, count_tokens=count)


@pytest.mark.parametrize("unit", ["- a\n  - b\n", "漢字", "` ``a", "word ", "word. \n\n"])
def test_a_megabyte_of_any_shape_does_not_take_long(unit: str) -> None:
    # K3
    text = unit * (1_000_000 // len(unit))
    began = time.perf_counter()
    chunk_document(whole(text, markdown=True), max_tokens=256, count_tokens=lambda part: len(part) // 4 + 1)
    # About a second where nothing else runs; the splitter alone took half a minute for some of these shapes.
    assert time.perf_counter() - began < 10


def test_a_heading_stands_above_its_text_and_never_alone_even_where_the_text_is_cut() -> None:
    # K5
    title = "A title that is long enough to be taken for a passage of its own"
    text = f"# {title}\n\n" + "Many words follow it here. " * 60
    first, *rest = chunk(whole(text, markdown=True, headings=(title,)), max_tokens=120)
    assert first.content.startswith(f"# {title}\n\nMany words")
    assert first.index_text.count(title) == 1
    assert rest
    assert all(piece.index_text.startswith(f"{title}\nMany words") for piece in rest)


def test_a_heading_over_nothing_goes_with_the_next_one_below_it() -> None:
    # K5
    text = "# Guide\n\n## Install\n\nRun it.\n\n# Appendix\n"
    parts = (
        Section(0, 9, headings=("Guide",)),
        Section(9, 30, headings=("Guide", "Install")),
        Section(30, len(text), headings=("Appendix",)),
    )
    found = chunk_document(ParsedDocument(text, parts, markdown=True), max_tokens=64, count_tokens=count)
    assert [piece.content for piece in found] == ["# Guide\n\n## Install\n\nRun it.", "# Appendix"]
    assert [piece.index_text for piece in found] == ["Guide > Install\nRun it.", "Appendix\n"]
