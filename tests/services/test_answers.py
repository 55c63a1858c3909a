"""Extractive answers hold what was asked for: the sample's own questions, and what a sentence may be."""

import json
from pathlib import Path
from typing import Any

import pytest

import pinakes.sample
from harness import Server, Workspace, data_of

SAMPLE = Path(pinakes.sample.__file__).parent
QUESTIONS: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text())["questions"]


@pytest.fixture(scope="module")
def library(server: Server) -> Workspace:
    """A workspace with the sample's documents in it."""
    workspace = server.new_workspace()
    kb = workspace.make_kb()
    files = [path for path in sorted(SAMPLE.iterdir()) if path.suffix in {".md", ".txt", ".pdf"}]
    uploaded = [data_of(workspace.upload(kb, path.name, path.read_bytes()))["document"]["id"] for path in files]
    assert {workspace.settle(document_id)["status"] for document_id in uploaded} == {"indexed"}
    return workspace


def ask(workspace: Workspace, question: str, **options: Any) -> dict[str, Any]:
    return data_of(workspace.client.post("/api/ask", json={"query": question, **options}))


# B12
@pytest.mark.parametrize("entry", QUESTIONS, ids=lambda entry: entry["question"])
def test_a_suggested_question_is_answered_from_its_document(library: Workspace, entry: dict[str, Any]) -> None:
    answer = ask(library, entry["question"])
    assert entry["answer"] in answer["answer"]
    places = {(source["source"]["documentName"], source["source"]["page"]) for source in answer["sources"]}
    assert (entry["document"], entry["page"]) in places


# B12
@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who wrote the Pinakes?", "Callimachus wrote"),
        ("How were scribes paid?", "paid by the line"),
        ("When was the Serapeum demolished?", "391"),
        ("Who calculated the circumference of the Earth?", "Eratosthenes"),
        ("What did Ptolemy III leave in Athens as a deposit?", "fifteen talents"),
    ],
)
def test_a_question_in_other_words_is_answered(library: Workspace, question: str, words: str) -> None:
    assert words in ask(library, question)["answer"]


# B12
def test_a_title_is_never_given_as_an_answer(workspace: Workspace) -> None:
    kb = workspace.make_kb()
    text = "Watering the ferns\n\nThey get a litre of rain water every second morning, and none in winter.\n"
    assert workspace.add(kb, "ferns.txt", text)["status"] == "indexed"
    assert ask(workspace, "Watering the ferns")["answer"] == (
        "They get a litre of rain water every second morning, and none in winter. [1]"
    )


# B12
def test_a_word_that_stands_in_every_sentence_does_not_decide(workspace: Workspace) -> None:
    kb = workspace.make_kb()
    text = (
        "The harbour office of Port Ellery issues the Port Ellery harbour permits. "
        "The harbour master of Port Ellery lives in the old harbour house. "
        "Boats longer than twelve metres pay a fee of 40 crowns in Port Ellery harbour.\n"
    )
    assert workspace.add(kb, "port.txt", text)["status"] == "indexed"
    answer = ask(workspace, "What is the fee for boats in the harbour of Port Ellery?")["answer"]
    assert answer.startswith("Boats longer than twelve metres pay a fee of 40 crowns")


# B12
@pytest.mark.parametrize(
    ("question", "words"),
    [("Who compiled the Pinakes?", "Callimachus"), ("How many scrolls did the Pinakes fill?", "120 scrolls")],
)
def test_the_passage_that_answers_best_comes_first(library: Workspace, question: str, words: str) -> None:
    assert words in ask(library, question)["answer"].partition(" [1]")[0]


NOTES = """# Weekly notes

We met at nine, and the antennas are ordered.

We talked about the sampling rate for a long time. In the end we settled on 250 Hz during the field season
and decided for 500 Hz in the lab. The boat needs a new battery.
"""
MOTOR = """# Kestrel motor

| Property | Value |
|---|---|
| mass | 4.2 kg |
| torque | 55 Nm |
| voltage | 48 V |
"""
MINUTES = """# Meeting on the harbour wall

Date: 3 May
Present: Ana, Bo, Chidi.

The wall will be mended in autumn. Stones come from the old quarry.
"""
GUIDE = """# Kestrel tools

## Installation

### Windows

Download the installer and run it. To install for all users, run the installer as administrator.

### Linux

Run `sudo apt install kestrel-tools` and reboot.

## Use

Start the program and choose a device.
"""
PUMP = """Care of the pump

Lubrication
The main bearing must be greased every 500 hours of operation with lithium grease.
Seals
Replace the shaft seal once a year, or when it leaks more than ten drops a minute.
"""
CHINESE = "主轴承每五百小时润滑一次。密封圈每年更换一次。泵的最大压力是六巴。冬天要把水放掉。\n"
PACKING = """# What to pack

- two tents
- **rope**, 30 metres
- a stove with three gas bottles
"""


# B12
@pytest.mark.parametrize(
    ("name", "text", "question", "expected"),
    [
        ("motor.md", MOTOR, "What is the torque?", "Property: torque; Value: 55 Nm [1]"),
        ("guide.md", GUIDE, "How do I install on Linux?", "Run `sudo apt install kestrel-tools` and reboot. [1]"),
        ("pump-zh.txt", CHINESE, "泵的最大压力是多少？", "泵的最大压力是六巴。 [1]"),
        ("packing.md", PACKING, "What about the rope in metres?", "- **rope**, 30 metres [1]"),
        (
            "pump.txt",
            PUMP,
            "Lubrication",
            "The main bearing must be greased every 500 hours of operation with lithium grease. [1]",
        ),
    ],
)
def test_a_row_a_line_and_a_section_answer_in_their_own_words(
    workspace: Workspace, name: str, text: str, question: str, expected: str
) -> None:
    assert workspace.add(workspace.make_kb(), name, text)["status"] == "indexed"
    assert ask(workspace, question, minScore=0)["answer"] == expected


# B12
def test_what_the_next_sentence_tells_belongs_to_the_answer(workspace: Workspace) -> None:
    assert workspace.add(workspace.make_kb(), "notes.md", NOTES)["status"] == "indexed"
    answer = ask(workspace, "What did we decide about the sampling rate?")
    assert answer["answer"] == (
        "We talked about the sampling rate for a long time. In the end we settled on 250 Hz during the field season "
        "and decided for 500 Hz in the lab. [1]"
    )
    assert [source["number"] for source in answer["sources"]] == [1]


# B12
def test_a_short_labelled_line_may_answer(workspace: Workspace) -> None:
    assert workspace.add(workspace.make_kb(), "minutes.md", MINUTES)["status"] == "indexed"
    assert "Present: Ana, Bo, Chidi." in ask(workspace, "Who attended the meeting?", minScore=0)["answer"]


# B12
def test_sentences_without_spaces_between_them_stay_as_they_are_written(workspace: Workspace) -> None:
    assert workspace.add(workspace.make_kb(), "pump.txt", CHINESE)["status"] == "indexed"
    answer = ask(workspace, "密封圈每年更换一次 泵的最大压力", minScore=0)["answer"]
    assert answer == "密封圈每年更换一次。泵的最大压力是六巴。 [1]"


# B12
def test_the_same_words_are_not_given_twice(workspace: Workspace) -> None:
    kb = workspace.make_kb()
    for name in ("first.txt", "second.txt"):
        assert (
            workspace.add(kb, name, f"The ferry to Skerry leaves at noon.\n\nKept in {name}.\n")["status"] == "indexed"
        )
    assert ask(workspace, "When does the ferry to Skerry leave?")["answer"] == "The ferry to Skerry leaves at noon. [1]"


# B12
def test_a_question_that_the_documents_do_not_know_is_not_answered(library: Workspace, server: Server) -> None:
    question = "How do I repair a bicycle tyre?"
    unanswered = ask(library, question)
    assert (unanswered["answer"], unanswered["sources"]) == ("Nothing was found that answers this question.", [])
    assert ask(library, question, minScore=0)["sources"]
    key = {"PINAKES_API_KEY": library.key}
    assert json.loads(server.run("ask", question, "--json", environment=key).stdout)["sources"] == []
    assert json.loads(server.run("ask", question, "--min-score", "0", "--json", environment=key).stdout)["sources"]
