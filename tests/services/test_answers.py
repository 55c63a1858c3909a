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


def ask(workspace: Workspace, question: str) -> dict[str, Any]:
    return data_of(workspace.client.post("/api/ask", json={"query": question}))


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
