"""The sample: loaded, asked and removed, and never more than itself."""

from typing import Any

from harness import Workspace, data_of, failure_of, wait_for


def sample(workspace: Workspace) -> dict[str, Any]:
    """The sample as the workspace has it."""
    return data_of(workspace.client.get("/api/sample"))


def test_the_sample_is_loaded_answers_its_questions_and_is_removed(workspace: Workspace) -> None:
    # K5
    none = sample(workspace)
    assert (none["knowledgeBaseId"], none["documentCount"], none["ownDocumentCount"]) == (None, 0, 0)
    failure_of(workspace.client.delete("/api/sample"), 404, "NOT_FOUND")
    loaded = data_of(workspace.client.post("/api/sample"))
    assert loaded["documentCount"] == 5
    assert loaded["ownDocumentCount"] == 0
    wait_for(lambda: sample(workspace)["indexedCount"] == 5, "the sample is not indexed")
    for question in loaded["questions"]:
        assert data_of(workspace.client.post("/api/ask", json={"query": question}))["sources"]
    failure_of(workspace.client.post("/api/sample"), 409, "NAME_EXISTS")
    freed = data_of(workspace.client.delete("/api/sample"))
    assert (freed["documents"], sample(workspace)) == (5, none)


def test_what_somebody_made_is_never_taken_for_the_sample(workspace: Workspace) -> None:
    # K5, E4
    own = workspace.make_kb("Sample")
    workspace.add(own, "welcome-to-pinakes.md", "# Mine")
    assert (sample(workspace)["knowledgeBaseId"], sample(workspace)["ownDocumentCount"]) == (None, 1)
    failure_of(workspace.client.delete("/api/sample"), 404, "NOT_FOUND")
    data_of(workspace.client.delete(f"/api/knowledge-bases/{own}", params={"confirm": True}))
    loaded = data_of(workspace.client.post("/api/sample"))
    workspace.add(loaded["knowledgeBaseId"], "mine.txt", "Not of the sample.")
    assert (sample(workspace)["documentCount"], sample(workspace)["ownDocumentCount"]) == (5, 1)
    words = failure_of(workspace.client.delete("/api/sample"), 409, "NOT_ONLY_SAMPLE")
    assert "1 document" in words
