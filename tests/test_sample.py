"""The sample knowledge base keeps its word: each suggested question is answered where it says."""

import json
import runpy
from pathlib import Path

import pypdfium2  # pyright: ignore[reportMissingTypeStubs]
import pytest

import pinakes.sample

SAMPLE = Path(pinakes.sample.__file__).parent
PDF = SAMPLE / "catalogues-through-the-ages.pdf"
QUESTIONS: list[dict[str, str | int | None]] = json.loads((SAMPLE / "questions.json").read_text())["questions"]


def text_of(name: str, page: int | None) -> str:
    if page is None:
        return " ".join((SAMPLE / name).read_text(encoding="utf-8").split())
    with pypdfium2.PdfDocument(SAMPLE / name) as pdf:
        return " ".join(pdf[page - 1].get_textpage().get_text_range().split())


# B12
@pytest.mark.parametrize("entry", QUESTIONS, ids=lambda entry: str(entry["question"]))
def test_each_question_is_answered_by_its_document_and_page(entry: dict[str, str | int | None]) -> None:
    page = entry["page"]
    assert page is None or isinstance(page, int)
    assert str(entry["answer"]) in text_of(str(entry["document"]), page)


# K5
def test_a_fact_stands_on_one_page_of_the_pdf_only() -> None:
    with pypdfium2.PdfDocument(PDF) as pdf:
        pages = [page.get_textpage().get_text_range() for page in pdf]
    assert len(pages) == 4
    for fact, place in (("Fihrist", 1), ("Nomenclator", 2), ("Panizzi", 3), ("Henriette Avram", 4)):
        assert [number for number, text in enumerate(pages, start=1) if fact in text] == [place]


def test_the_pdf_is_small_and_made_by_its_script_to_the_byte(tmp_path: Path) -> None:
    script = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "make_sample_pdf.py"))
    script["write_pdf"](tmp_path / "again.pdf")
    assert (tmp_path / "again.pdf").read_bytes() == PDF.read_bytes()
    assert PDF.stat().st_size < 60_000
