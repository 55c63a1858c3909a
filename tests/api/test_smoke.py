"""The shortest way through everything."""

from harness import Workspace, data_of


def test_a_document_goes_in_and_a_cited_passage_comes_out(workspace: Workspace) -> None:
    # K3, K5, K6
    kb = workspace.make_kb()
    document = workspace.add(kb, "trees.md", "# Trees\n\n## Oak\n\nOaks can live for a thousand years.\n")
    assert document["status"] == "indexed"
    hit = workspace.search("How old do oaks get?", knowledgeBaseIds=[kb])[0]
    assert hit["citation"] == "trees.md (section Trees > Oak)"
    assert data_of(workspace.client.get("/api/me"))["workspaceId"] == workspace.id
