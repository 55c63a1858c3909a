"""The rows of the catalog contract that need limits within reach, or a catalog that knows no meaning."""

import base64
from collections.abc import Iterator
from dataclasses import replace

import pytest

from harness import Server, remove_home
from tools.agents import Agent, make_agent
from tools.ways import WAYS


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with low limits."""
    limits = {"PINAKES_MAX_FILE_BYTES": str(1024 * 1024), "PINAKES_MAX_KNOWLEDGE_BASES": "2"}
    server = Server(tmp_path_factory.mktemp("small") / "home", environment=limits).start()
    yield server
    server.stop()
    remove_home(server.home)


@pytest.fixture
def agent(small: Server) -> Agent:
    """An agent that may call everything."""
    return make_agent(small)


def on_every_way(agent: Agent) -> list[Agent]:
    """The same agent, on one interface after the other."""
    return [replace(agent, way=way) for way in sorted(WAYS)]


def test_over_a_limit_nothing_is_made_and_the_limit_is_named(agent: Agent) -> None:
    # B11, K2
    catalog = agent.do("create_catalog", catalog_name="One")["catalog_id"]
    agent.do("create_catalog", catalog_name="Two")
    # Just over the limit, and far over it.
    files = [base64.b64encode(b"a" * size).decode() for size in (1024 * 1024 + 1, 1_400_000)]
    for each in on_every_way(agent):
        refused = each.call("create_catalog", catalog_name="Three").error
        assert refused == ("CATALOG_LIMIT_REACHED", "Error: Maximum catalog limit (2) reached"), each.way
        for content in files:
            refused = each.call("upload_to_catalog", catalog_id=catalog, filename="a.txt", file_content=content).error
            assert refused == ("FILE_TOO_LARGE", "Error: File exceeds 1MB limit"), each.way
    assert agent.do("list_catalogs")["catalog_count"] == 2
    assert agent.do("list_catalog_documents", catalog_id=catalog)["document_count"] == 0


def test_a_question_that_nothing_matches_is_told_so(agent: Agent) -> None:
    # B7, B11
    kb = agent.workspace.make_kb("Words only", embedder="none")
    agent.workspace.add(kb, "herons.txt", "The grey heron eats fish.")
    for each in on_every_way(agent):
        refused = each.call("query_catalog", query="quantum chromodynamics", catalog_id=kb).error
        assert refused == ("NO_RESULTS", "Error: No relevant information found for your query"), each.way
        assert "fish" in each.do("query_catalog", query="heron", catalog_id=kb)["answer"]
