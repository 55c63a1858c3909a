"""Calibrated scores: the same for two embedders, refreshed from own passages, and silent where nothing answers."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embedding_server import Call, EmbeddingServer, Reply, serving
from harness import Server, Workspace, data_of, failure_of
from pinakes.domain.probes import PROBES
from pinakes.providers.minilm.embedder import load_minilm
from pinakes.providers.minilm.install import model_folder

FOREIGN = "Which chess opening did the grandmaster prepare for the tournament?"


@pytest.fixture(scope="module")
def squeezed() -> Iterator[EmbeddingServer]:
    """The built-in model over HTTP, but with a direction that all texts share: its cosines lie between 0.7 and 1."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "pinakes"
    model = load_minilm(model_folder(cache), threads=1)

    def answer(call: Call) -> Reply:
        vectors = [np.append(vector, 3**0.5) for vector in asyncio.run(model.embed(call.texts))]
        return Reply(200, {"data": [{"embedding": vector.tolist()} for vector in vectors]})

    with serving(fault=answer) as endpoint:
        yield endpoint
    asyncio.run(model.close())


@pytest.fixture(scope="module")
def two(server: Server, squeezed: EmbeddingServer) -> tuple[Workspace, str, str]:
    """The same passages in two knowledge bases, one with the built-in model and one with the other."""
    workspace = server.new_workspace()
    body = {"name": "Squeezed", "baseUrl": squeezed.url, "model": "squeezed", "apiKey": None}
    data_of(workspace.client.post("/api/embedders", json=body))
    kbs = workspace.make_kb("Plain"), workspace.make_kb("Served", embedder="Squeezed")
    added: list[Any] = []
    for kb in kbs:
        for number, each in enumerate(PROBES):
            added.append(data_of(workspace.upload(kb, f"{number}.txt", each.passage))["document"]["id"])
    for document_id in added:
        assert workspace.settle(document_id)["status"] == "indexed"
    return workspace, *kbs


def find(workspace: Workspace, kb: str, query: str, **options: Any) -> dict[str, Any]:
    body = {"query": query, "knowledgeBaseIds": [kb], **options}
    return data_of(workspace.client.post("/api/search", json=body))


def test_a_score_means_the_same_for_two_embedders_whose_cosines_do_not(two: tuple[Workspace, str, str]) -> None:
    # K8
    workspace, plain, served = two
    kept = dict.fromkeys((plain, served), 0)
    for each in PROBES[::3]:
        one, other = (find(workspace, kb, each.question)["results"] for kb in (plain, served))
        assert [hit["content"] for hit in one[:1]] == [hit["content"] for hit in other[:1]] == [each.passage]
        for mine, theirs in zip(one, other, strict=True):
            assert mine["similarity"] == pytest.approx(theirs["similarity"], abs=0.06)
            assert theirs["metadata"]["dense"] > 0.6
        for kb in kept:
            kept[kb] += bool(find(workspace, kb, each.question, minScore=0.7)["results"])
    assert abs(kept[plain] - kept[served]) <= 1
    assert min(kept.values()) >= 2


def test_a_question_about_something_else_gets_nothing_and_is_told_why(two: tuple[Workspace, str, str]) -> None:
    # K8
    workspace, plain, served = two
    for kb in (plain, served):
        found = find(workspace, kb, FOREIGN, minScore=0.7)
        assert found["results"] == []
        best = find(workspace, kb, FOREIGN)["results"][0]["similarity"]
        assert best < 0.5
        assert found["note"].startswith(f"The best of {len(PROBES)} passages found has a score of 0.")
        assert found["note"].endswith("below the minimum of 0.7.")
        assert find(workspace, kb, FOREIGN)["note"] is None
    answer = data_of(workspace.client.post("/api/ask", json={"query": FOREIGN, "knowledgeBaseIds": [plain]}))
    assert answer["sources"] == []
    assert "below the minimum of 0.3" in answer["note"]


def test_where_nothing_is_there_the_answer_says_so(workspace: Workspace) -> None:
    # K8
    kb = workspace.make_kb("Empty")
    assert "nothing is there yet" in find(workspace, kb, FOREIGN)["note"]
    filters = {"tagFilters": [{"tagName": "tag", "tagValue": "absent"}]}
    assert "filters" in find(workspace, kb, FOREIGN, **filters)["note"]


def test_a_refresh_measures_the_knowledge_bases_own_passages(two: tuple[Workspace, str, str]) -> None:
    # K8
    workspace, _, served = two
    question = PROBES[3].question
    before = find(workspace, served, question)["results"][0]["similarity"]
    done = data_of(workspace.client.post(f"/api/knowledge-bases/{served}/calibration"))
    assert done["passages"] == len(PROBES)
    assert f"Measured on {len(PROBES)} of its own passages" in done["explanation"]
    assert done["after"]["neededCosine"] == pytest.approx(done["before"]["neededCosine"], abs=0.02)
    assert done["after"] != done["before"]
    after = find(workspace, served, question)["results"][0]["similarity"]
    assert after == pytest.approx(before, abs=0.06)
    again = data_of(workspace.client.post(f"/api/knowledge-bases/{served}/calibration"))
    assert again["before"] == done["after"]


def test_with_too_few_passages_a_refresh_falls_back_to_the_texts_that_ship(
    two: tuple[Workspace, str, str],
) -> None:
    # K8
    workspace, _, _ = two
    kb = workspace.make_kb("Small", embedder="Squeezed")
    assert workspace.add(kb, "one.txt", PROBES[0].passage)["status"] == "indexed"
    done = data_of(workspace.client.post(f"/api/knowledge-bases/{kb}/calibration"))
    assert done["passages"] == 0
    assert "too few" in done["explanation"]
    assert done["after"] == done["before"]


def test_the_built_in_model_keeps_its_numbers_and_keywords_alone_have_none(two: tuple[Workspace, str, str]) -> None:
    # K8
    workspace, plain, _ = two
    done = data_of(workspace.client.post(f"/api/knowledge-bases/{plain}/calibration"))
    assert done["after"] == done["before"]
    kb = workspace.make_kb("Words", embedder="none")
    assert "keywords only" in failure_of(workspace.client.post(f"/api/knowledge-bases/{kb}/calibration"), 422)


def test_a_switch_brings_the_calibration_of_the_embedder_it_leads_to(two: tuple[Workspace, str, str]) -> None:
    # K8, K10
    workspace, _, _ = two
    kb = workspace.make_kb("Switched")
    assert workspace.add(kb, "one.txt", PROBES[0].passage)["status"] == "indexed"
    operation = data_of(workspace.client.post(f"/api/knowledge-bases/{kb}/generations", json={"embedder": "Squeezed"}))
    while operation["status"] in {"pending", "running"}:
        operation = data_of(workspace.client.get(f"/api/operations/{operation['id']}"))
    assert operation["status"] == "completed"
    (hit,) = find(workspace, kb, FOREIGN)["results"]
    assert hit["metadata"]["dense"] > 0.6
    assert hit["similarity"] < 0.3


def test_an_embedder_that_tells_nothing_apart_is_told_of(workspace: Workspace) -> None:
    # K8
    with serving() as endpoint:
        body = {"name": "Bag", "baseUrl": endpoint.url, "model": "bag-of-words"}
        made = data_of(workspace.client.post("/api/embedders", json=body))
        assert data_of(workspace.client.post(f"/api/embedders/{made['id']}/test"))["separates"] is False
