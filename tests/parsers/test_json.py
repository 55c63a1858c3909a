"""JSON, JSON lines and notebooks: what a person would want to read, with the path to it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from pinakes.domain.chunking import chunk_document
from pinakes.domain.errors import DocumentFault
from pinakes.domain.parsing import ParsedDocument
from pinakes.domain.place import Place
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.parsers.text.json_text import parse_json, parse_jsonl
from pinakes.providers.parsers.text.notebook import parse_notebook

_LONG = "word " * 100


@pytest.fixture
async def pool() -> AsyncIterator[ParserPool]:
    """A pool of one child."""
    pool = ParserPool(size=1, limits=ParserLimits())
    yield pool
    await pool.close()


def read(value: Any) -> ParsedDocument:
    """What becomes of this value."""
    return parse_json(json.dumps(value).encode())


def paths(parsed: ParsedDocument) -> list[tuple[str, ...]]:
    """The headings of each section."""
    return [part.headings for part in parsed.sections]


def make_notebook(*cells: dict[str, Any], **metadata: Any) -> bytes:
    """A notebook with these cells."""
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode()


def test_a_small_object_is_lines_of_keys_and_values() -> None:
    # K1, K5
    parsed = read({"title": "Setup", "größe": "15 µm", "on": True, "none": None, "tags": ["a", "b"], "db": {"port": 1}})
    assert parsed.text == "title: Setup\ngröße: 15 µm\non: true\nnone: null\ntags: a, b\ndb:\n  port: 1\n\n"
    assert parsed.title == "Setup"


def test_numbers_stay_as_they_are_written() -> None:
    # K1
    text = parse_json(b'{"a": 0.10, "b": 12345678901234567890.123456789, "c": 1e400, "d": -0}').text
    assert text == "a: 0.10\nb: 12345678901234567890.123456789\nc: 1e400\nd: -0\n\n"


def test_larger_members_stand_under_their_keys_and_items_under_their_names() -> None:
    # K5
    articles = [{"name": "First", "body": _LONG}, {"id": 7, "body": _LONG}, {"body": _LONG}]
    parsed = read({"kind": "x", "articles": articles, "after": 1})
    assert paths(parsed) == [(), ("articles", "First"), ("articles", "7"), ("articles", "articles 3")]
    assert parsed.text.startswith("kind: x\nafter: 1\n\n# articles\n\n## First\n\nname: First\n\nbody: word")


def test_flat_objects_become_a_table_whose_header_is_repeated() -> None:
    # K5
    rows = [{"id": number, "name": f"name {number} with | in it", "ok": number % 2 == 0} for number in range(300)]
    parsed = read({"rows": rows})
    (section,) = parsed.sections
    assert section.header == "| id | name | ok |\n| --- | --- | --- |\n"
    assert "| 299 | name 299 with \\| in it | false |\n" in parsed.text
    assert section.headings == ("rows",)


def test_both_values_of_a_repeated_key_are_kept() -> None:
    # K1
    assert parse_json(b'{"a": 1, "a": 2}').text == "a: 1\na': 2\n\n"


def test_encoded_data_is_named_and_not_indexed() -> None:
    # K1
    assert (
        read({"image": "data:image/png;base64," + "iVBOR" * 400}).text
        == "image: (2,022 characters of encoded data)\n\n"
    )


def test_what_is_no_json_is_read_as_plain_text_with_a_remark() -> None:
    # K1, K3
    parsed = parse_json(b'{"a": 1, // comment\n}')
    assert parsed.text == '{"a": 1, // comment\n}'
    assert "not valid JSON" in parsed.remarks[0]


def test_json_lines_in_a_json_file_are_read_as_such() -> None:
    # K1
    assert parse_json(b'{"a": 1}\n{"a": 2}\n').text == "a: 1\na: 2"


@pytest.mark.parametrize(
    "content",
    [b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000, b"[" * 150 + b"1" + b"]" * 150],
)
def test_deep_nesting_fails_in_words(content: bytes) -> None:
    # K3
    with pytest.raises(DocumentFault, match="nested more than 100 levels"):
        parse_json(content)


@pytest.mark.parametrize("content", [b"{}", b"[]", b'""', b"[[], {}]"])
def test_json_without_any_text_fails_for_having_none(content: bytes) -> None:
    # K3
    with pytest.raises(DocumentFault, match="no text"):
        parse_json(content)


def test_records_of_the_same_keys_are_rows_cited_by_their_lines() -> None:
    # K5
    parsed = parse_jsonl(b"".join(b'{"n": %d, "word": "w%d"}\n' % (number, number) for number in range(1, 60)))
    chunks = chunk_document(parsed, max_tokens=100, count_tokens=lambda text: len(text) // 4)
    assert len(chunks) > 1
    assert all(chunk.preface == "| n | word |\n| --- | --- |\n" for chunk in chunks)
    assert [chunk.place and chunk.place.first_row for chunk in chunks] == [
        int(chunk.content.split("|")[1]) for chunk in chunks
    ]


def test_mixed_records_keep_one_line_each_and_strays_are_kept_with_a_remark() -> None:
    # K3, K5
    parsed = parse_jsonl(b'{"a": 1, "b": {"c": [1, 2]}}\r\n\nnot json\n"x"\n')
    assert parsed.text == "a: 1; b: {c: [1, 2]}\n\nnot json\nx"
    assert parsed.sections[0].place == Place("sheet", 1, first_row=1)
    assert parsed.remarks == ("Lines that are not valid JSON (1) were kept as they are.",)


def test_records_of_long_texts_stand_under_headings() -> None:
    # K5
    lines = [json.dumps({"title": f"T{number}", "text": f"One.\n\n{_LONG}"}) for number in (1, 2)]
    parsed = parse_jsonl("\n".join(lines).encode())
    assert paths(parsed) == [("record 1: T1",), ("record 2: T2",)]
    assert "One.\n\nword" in parsed.text


def test_a_notebook_is_its_markdown_its_code_and_bounded_outputs() -> None:
    # K1, K5
    parsed = parse_notebook(
        make_notebook(
            {"cell_type": "markdown", "source": ["# Study\n", "Intro"]},
            {
                "cell_type": "code",
                "source": "# no heading\nprint('```')",
                "outputs": [
                    {"output_type": "stream", "text": ["\x1b[31mred\x1b[0m\n"]},
                    {"output_type": "execute_result", "data": {"text/plain": "42", "image/png": "iVBO"}},
                    {"output_type": "error", "ename": "ValueError", "evalue": "bad", "traceback": ["noise"]},
                ],
            },
            {"cell_type": "markdown", "source": "## End\n\nDone"},
            {"cell_type": "code", "source": "x", "outputs": [{"output_type": "stream", "text": "y" * 9_000}]},
            language_info={"name": "python"},
        )
    )
    assert parsed.title == "Study"
    assert paths(parsed) == [("Study",), ("Study", "End")]
    assert "````python\n# no heading\nprint('```')\n````" in parsed.text
    assert "Output:\n\n```\nred\n42\nValueError: bad\n```" in parsed.text
    assert "iVBO" not in parsed.text
    assert len(parsed.text) < 5_000
    assert parsed.remarks == ("Long outputs of cells (1) were shortened.",)


def test_a_notebook_of_the_old_kind_is_read() -> None:
    # K1
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "print(1)"}]
    parsed = parse_notebook(json.dumps({"worksheets": [{"cells": cells}]}).encode())
    assert parsed.text == "## Old\n\n```\nprint(1)\n```"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"cells": [', "damaged"),
        (b'{"a": 1}', "no list of cells"),
        (b'{"cells": [1, {}]}', "no text"),
        (b'{"worksheets": [1, {"cells": 3}]}', "no text"),
    ],
)
def test_what_is_no_notebook_fails_in_words(content: bytes, words: str) -> None:
    # K3
    with pytest.raises(DocumentFault, match=words):
        parse_notebook(content)


async def test_a_confined_child_reads_them_all(pool: ParserPool) -> None:
    # K1
    notebook = make_notebook({"cell_type": "markdown", "source": "# Study"})
    assert (await pool.parse("application/json", b'{"a": "\\u00e4"}')).text == "a: ä\n\n"
    assert (await pool.parse("application/jsonl", b'{"a": 1}\n{"b": 2}')).text == "a: 1\nb: 2"
    assert (await pool.parse("application/x-ipynb+json", notebook)).title == "Study"
    with pytest.raises(DocumentFault, match="nested more than 100 levels"):
        await pool.parse("application/json", b"[" * 1_000_000)
