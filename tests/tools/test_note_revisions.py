"""What an agent read and a person changed meanwhile is not overwritten, whichever way the agent came."""

from typing import Any

import pytest

from harness import Server, data_of
from tools.agents import Agent, make_agent
from tools.ways import WAYS

CHANGED = "Somebody else changed this note meanwhile. Read it again, and change what it says now."


@pytest.fixture(params=sorted(WAYS))
def agent(request: pytest.FixtureRequest, server: Server) -> Agent:
    """An agent, one for each interface."""
    return make_agent(server, request.param)


def test_an_agent_is_told_that_a_person_was_faster_and_changes_what_the_note_says_now(agent: Agent) -> None:
    # D2, K5
    note = agent.do("create_knowledge", content="Elms are rare.", title="Elms")["id"]
    stale = agent.do("fetch", id=note)["metadata"]["revision"]
    by_person = {"content": "Elms are rare in the north."}
    data_of(agent.workspace.client.patch(f"/api/notes/{note}", json=by_person))
    code, words = agent.call("update_knowledge", id=note, content="Elms are gone.", revision=stale).error
    assert (code, words) == ("NOTE_CHANGED", f"Error: {CHANGED}")
    # What the person wrote is read at once, be it indexed or not, with the revision that belongs to it.
    read = agent.do("fetch", id=note)
    assert "Elms are rare in the north." in read["text"]
    revision = read["metadata"]["revision"]
    changed = agent.do("update_knowledge", id=note, tags=["trees"], revision=revision)
    # Every change tells the revision for the next one.
    again = agent.do("update_knowledge", id=note, content="Elms are gone.", title="Elm", revision=changed["revision"])
    now = data_of(agent.workspace.client.get(f"/api/notes/{note}"))
    assert (now["content"], now["title"], now["revision"]) == ("Elms are gone.", "Elm", again["revision"])


def test_a_new_note_tells_its_revision_and_none_need_be_given(agent: Agent) -> None:
    # D1, D2
    created = agent.do("create_knowledge", content="Elms are rare.")
    assert created["revision"] == data_of(agent.workspace.client.get(f"/api/notes/{created['id']}"))["revision"]
    assert agent.do("update_knowledge", id=created["id"], title="Elms")["revision"] != created["revision"]
    agent.do("update_knowledge", id=created["id"], content="Elms are gone.")


@pytest.mark.parametrize(
    ("revision", "code"),
    [
        (5, "INVALID_ARGUMENTS"),
        (10**300, "INVALID_ARGUMENTS"),
        (["x"], "INVALID_ARGUMENTS"),
        ("x" * 100_000, "NOTE_CHANGED"),
    ],
    ids=["number", "huge number", "list", "long"],
)
def test_what_is_no_revision_changes_nothing_and_the_answer_stays_short(agent: Agent, revision: Any, code: str) -> None:
    # D8, K5
    note = agent.do("create_knowledge", content="Elms are rare.")["id"]
    told, words = agent.call("update_knowledge", id=note, content="Elms are gone.", revision=revision).error
    assert (told, len(words) < 300) == (code, True)
    assert data_of(agent.workspace.client.get(f"/api/notes/{note}"))["content"] == "Elms are rare."


def test_a_revision_opens_no_note_of_another_workspace(agent: Agent) -> None:
    # F3
    note = agent.do("create_knowledge", content="Elms are rare.")
    stranger = make_agent(agent.server, agent.way)
    right, wrong = (
        stranger.call("update_knowledge", id=note["id"], content="Mine.", revision=revision).error
        for revision in (note["revision"], "x")
    )
    # The same in both cases: it is not told whether the revision is right.
    assert right == wrong
    assert right[0] == "NOT_FOUND"
