"""Extractive answers: sentences of the sources, each with the number of its source."""

import re
from typing import Any

import pytest

from harness import Server, Workspace, data_of
from parsers.pdf_files import make_pdf

SENTENCE = re.compile(r"\s*(.+?) \[(\d+)\]", re.DOTALL)


@pytest.fixture(scope="module")
def workspace(server: Server) -> Workspace:
    """Some documents to ask about."""
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    workspace.add(
        kb,
        "lighthouses.md",
        "# Lighthouses\n\nThe lighthouse at Skerry was first lit in 1844. It was built of granite.\n\n"
        "## Keepers\n\nThe last keeper of Skerry left in 1972. Since then the lamp is\nautomatic.\n",
    )
    workspace.add(kb, "tea.txt", "Green tea is steeped at 80 degrees. Black tea wants boiling water.\n")
    workspace.add(kb, "almanac.pdf", make_pdf("Basalt columns form when lava cools slowly.", "A page about nothing."))
    workspace.add(kb, "茶.txt", "抹茶は茶筅で点てます。煎茶は急須で淹れます。\n")
    return workspace


def ask(workspace: Workspace, query: str, **options: Any) -> dict[str, Any]:
    return data_of(workspace.client.post("/api/ask", json={"query": query, **options}))


@pytest.mark.parametrize(
    ("question", "expected", "citation"),
    [
        ("When was the Skerry lighthouse first lit?", "1844", "lighthouses.md (section Lighthouses)"),
        ("When did the last keeper leave?", "1972", "lighthouses.md (section Lighthouses > Keepers)"),
        ("How hot should water for green tea be?", "80 degrees", "tea.txt (line 1)"),
        ("How do basalt columns form?", "lava cools slowly", "almanac.pdf (page 1)"),
        ("煎茶", "急須", "茶.txt (line 1)"),
    ],
)
def test_every_sentence_of_an_answer_stands_in_the_source_of_its_number(
    workspace: Workspace, question: str, expected: str, citation: str
) -> None:
    # B12
    found = ask(workspace, question)
    sources = {source["number"]: source["source"] for source in found["sources"]}
    parts = SENTENCE.findall(found["answer"])
    assert "".join(f"{text} [{number}]" for text, number in parts).replace(" ", "") == found["answer"].replace(" ", "")
    for text, number in parts:
        assert flat(text) in flat(sources[int(number)]["content"])
    assert sorted({int(number) for _, number in parts}) == list(range(1, len(sources) + 1)) == sorted(sources)
    assert next(number for _, number in parts) == "1"
    assert expected in found["answer"]
    assert citation in {source["citation"] for source in sources.values()}


def test_where_nothing_is_found_the_answer_says_so(workspace: Workspace, server: Server) -> None:
    # B12
    found = ask(workspace, "Who won the chess championship in Reykjavik?", minScore=0.7)
    assert (found["answer"], found["sources"]) == ("Nothing was found that answers this question.", [])
    empty = ask(server.new_workspace(), "Anything at all?")
    assert (empty["answer"], empty["sources"]) == ("Nothing was found that answers this question.", [])


def test_an_answer_cites_nothing_that_did_not_fit(workspace: Workspace) -> None:
    # A9, B12
    found = ask(workspace, "When was the Skerry lighthouse first lit?", maxTokens=30)
    assert len(found["sources"]) <= 1
    for text, number in SENTENCE.findall(found["answer"]):
        assert flat(text) in flat(found["sources"][int(number) - 1]["source"]["content"])


def flat(text: str) -> str:
    return " ".join(text.split())


def test_a_row_of_a_table_is_read_out_with_the_names_of_its_columns(server: Server) -> None:
    # B12
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    workspace.add(kb, "stock.csv", "part,shelf,price\nsprocket,A7,12.50\nwashing|machine,B2,399\n")
    answer = data_of(workspace.client.post("/api/ask", json={"query": "On which shelf is the sprocket?"}))
    assert answer["answer"] == "part: sprocket; shelf: A7; price: 12.50 [1]"
