"""Notes that somebody wrote to hang or break the server: refused or read in no time."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from pinakes.domain.errors import InvalidInput, LimitExceeded
from pinakes.domain.note import ContentType, choose_title, read_note
from pinakes.domain.template import Template, fill_template

LIMIT = 100_000
# On a busy machine; what is meant here took minutes.
SOON = 2.0


def seconds(work: Callable[[], object]) -> float:
    """How long it takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


@pytest.mark.parametrize("mark", ["*", "_", "`", "*_`#"])
def test_a_title_is_made_of_any_line_in_no_time(mark: str) -> None:
    # D1, K5
    line = (mark * LIMIT)[: LIMIT - 1] + "x"
    assert seconds(lambda: choose_title(None, line)) < SOON
    assert choose_title(None, "## **Ships** and `boats` ##") == "Ships and boats"


def test_a_template_cannot_grow_beyond_the_longest_note() -> None:
    # D7, K5: this one would fill the memory of most machines
    bomb = Template("b", "Bomb", "", "", "{{a}}" * (LIMIT // 5))
    with pytest.raises(LimitExceeded, match="content is too long: 20,000,000,000 characters"):
        fill_template(bomb, {"a": "x" * 1_000_000}, "2026-01-01", LIMIT)
    title = Template("t", "Title", "", "{{a}}" * 40, "{{a}}")
    with pytest.raises(LimitExceeded, match="title is too long"):
        fill_template(title, {"a": "x" * LIMIT}, "2026-01-01", LIMIT)
    assert fill_template(title, {"a": "x"}, "2026-01-01", LIMIT).title == "x" * 40


@pytest.mark.parametrize(
    "block",
    [
        {"type": "list", "items": ["x"] * 3_000_000},
        {"type": "code", "text": "` " * 10_000_000},
        {"type": "table", "header": ["x"], "rows": [["x"]] * 1_000_000},
    ],
)
def test_blocks_that_are_far_too_long_are_not_rendered_first(block: dict[str, Any]) -> None:
    # D1, K5
    def refuse() -> None:
        with pytest.raises(LimitExceeded, match="content is too long"):
            read_note([block], ContentType.BLOCKS, LIMIT)

    assert seconds(refuse) < SOON


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"\\u0000"', '"\\ud800"', "[[[[]]]]", "true"])
def test_an_item_of_a_checklist_has_no_fields_that_could_not_be_stored(value: str) -> None:
    # D1, D8
    blocks = f'[{{"type": "checklist", "items": [{{"text": "moor", "due": {value}}}]}}]'
    with pytest.raises(InvalidInput, match=r"Block 1 \(checklist\): unknown field due. An item has: text, checked."):
        read_note(blocks, ContentType.BLOCKS, LIMIT)


def test_a_level_may_be_written_as_programs_write_numbers() -> None:
    # D1
    assert read_note([{"type": "heading", "text": "x", "level": 3.0}], ContentType.BLOCKS, LIMIT).markdown == "### x\n"
    for level in (2.5, 0, 7, float("nan"), True, "2", [2]):
        with pytest.raises(InvalidInput, match="level must be 1 to 6"):
            read_note([{"type": "heading", "text": "x", "level": level}], ContentType.BLOCKS, LIMIT)
