"""Questions of two steps, and passages that stand in several places."""

from harness import Workspace, data_of

FILM = """# Kiss and Tell (1945 film)

Kiss and Tell is a comedy about a girl named Corliss Archer. The part was played by Shirley Temple, and the
audience loved it from the first evening on.
"""
ACTRESS = """# Shirley Temple

The former child star served as United States ambassador to Ghana, and later as Chief of Protocol.
"""
OTHERS = {
    "ambassadors.md": "# Ambassadors\n\nAn ambassador is a diplomat of the highest rank who is sent abroad.\n",
    "comedy.md": "# Comedy\n\nA comedy wants to make its audience laugh, on a stage or in a film.\n",
    "archers.md": "# Archery\n\nArchers shoot with bow and arrow at a mark of straw.\n",
}
QUESTION = "What did the woman do who played Corliss Archer in the comedy Kiss and Tell?"


def test_a_second_hop_reaches_the_passage_about_what_the_first_one_names(workspace: Workspace) -> None:
    # K6
    kb = workspace.make_kb()
    for name, text in {"film.md": FILM, "actress.md": ACTRESS, **OTHERS}.items():
        workspace.add(kb, name, text)
    asked = {"query": QUESTION, "knowledgeBaseIds": [kb], "topK": 5}
    plain = data_of(workspace.client.post("/api/search", json=asked))["results"]
    hopped = data_of(workspace.client.post("/api/search", json={**asked, "multiHop": True}))["results"]
    assert [hit["documentName"] for hit in hopped[:2]] == ["film.md", "actress.md"]
    assert hopped[1]["metadata"]["via"] == hopped[0]["chunkId"]
    before = next((hit["similarity"] for hit in plain if hit["documentName"] == "actress.md"), 0.0)
    assert hopped[1]["similarity"] > before
    assert [hit["similarity"] for hit in hopped] == sorted((hit["similarity"] for hit in hopped), reverse=True)
    assert all(hit["metadata"]["via"] is None for hit in plain)


def test_a_second_hop_keeps_to_the_filters_and_the_workspace(workspace: Workspace) -> None:
    # K6, K7, F2
    kb = workspace.make_kb()
    workspace.add(kb, "film.md", FILM, tags="shelf=a")
    workspace.add(kb, "actress.md", ACTRESS, tags="shelf=b")
    found = data_of(
        workspace.client.post(
            "/api/search",
            json={
                "query": QUESTION,
                "knowledgeBaseIds": [kb],
                "multiHop": True,
                "tagFilters": [{"tagName": "shelf", "tagValue": "a"}],
            },
        )
    )
    assert [hit["documentName"] for hit in found["results"]] == ["film.md"]


def test_a_passage_that_stands_in_two_files_is_one_result_that_names_both(workspace: Workspace) -> None:
    # K6
    kb = workspace.make_kb()
    workspace.add(kb, "first.md", FILM)
    workspace.add(kb, "copy.md", FILM + "\n")
    workspace.add(kb, "comedy.md", OTHERS["comedy.md"])
    found = data_of(workspace.client.post("/api/search", json={"query": "Kiss and Tell", "knowledgeBaseIds": [kb]}))
    names = [hit["documentName"] for hit in found["results"]]
    assert len(names) == 2
    (copy,) = found["results"][0]["metadata"]["alsoIn"]
    assert {names[0], copy.partition(" ")[0]} == {"first.md", "copy.md"}


def test_diversity_is_asked_for_between_none_and_full(workspace: Workspace) -> None:
    # K6
    kb = workspace.make_kb()
    workspace.add(kb, "film.md", FILM)
    workspace.add(kb, "longer.md", FILM + "\nIt was shown again in many towns of the north in the year after.\n" * 3)
    workspace.add(kb, "comedy.md", OTHERS["comedy.md"])
    asked = {"query": "the comedy Kiss and Tell", "knowledgeBaseIds": [kb], "topK": 2}
    plain = data_of(workspace.client.post("/api/search", json=asked))["results"]
    diverse = data_of(workspace.client.post("/api/search", json={**asked, "diversity": 1}))["results"]
    assert {hit["documentName"] for hit in plain} == {"film.md", "longer.md"}
    assert "comedy.md" in {hit["documentName"] for hit in diverse}
    assert workspace.client.post("/api/search", json={**asked, "diversity": 1.5}).status_code == 422
