"""Switching a knowledge base to another embedder, and looking at what became of it."""

import threading
from typing import Any

import httpx

from embedding_server import Call, EmbeddingServer, Reply
from harness import DEADLINE, Workspace, data_of, wait_for
from stored import Stored

OWLS, SHIPS = "Owls hunt mice at night.", "A barge carried salt up the river."


def book(entries: int) -> str:
    """A text of at least as many passages."""
    return "\n\n".join(f"Entry {n}. " + f"Barge {n} carried {n * 7} tons of salt. " * 25 for n in range(entries))


LONG = book(60)


class Gate:
    """Lets an endpoint answer nobody until it is opened."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.open = threading.Event()

    def __call__(self, call: Call) -> Reply | None:
        """Wait, then answer as ever."""
        self.reached.set()
        self.open.wait(DEADLINE)


def add_embedder(workspace: Workspace, endpoint: EmbeddingServer, name: str = "Mine", **fields: Any) -> str:
    """A new embedder's id."""
    body = {"name": name, "baseUrl": endpoint.url, "model": "bag-of-words"} | fields
    made = data_of(workspace.client.post("/api/embedders", json=body))["id"]
    endpoint.texts.clear()
    return made


def begin(workspace: Workspace, kb: str, embedder: str) -> httpx.Response:
    """Ask for a switch; the raw answer."""
    return workspace.client.post(f"/api/knowledge-bases/{kb}/generations", json={"embedder": embedder})


def ended(workspace: Workspace, operation: dict[str, Any]) -> dict[str, Any]:
    """The operation once it is over."""

    def over() -> dict[str, Any] | None:
        now = data_of(workspace.client.get(f"/api/operations/{operation['id']}"))
        return now if now["finishedAt"] else None

    return wait_for(over, "the switch does not end")


def switch(workspace: Workspace, kb: str, embedder: str) -> dict[str, Any]:
    """Switch and wait; the operation."""
    operation = ended(workspace, data_of(begin(workspace, kb, embedder)))
    assert operation["status"] == "completed", operation
    return operation


def generations(workspace: Workspace, kb: str) -> list[dict[str, Any]]:
    """The generations of a knowledge base, newest first."""
    return data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/generations"))


def states(workspace: Workspace, kb: str) -> dict[str, str]:
    """Which embedder is in which state."""
    return {generation["embedder"].partition(":")[0]: generation["state"] for generation in generations(workspace, kb)}


def check(stored: Stored, kb: str) -> int:
    """That the generation that answers has exactly what it should; how many passages there are."""
    ((index_id, dims),) = stored.rows(
        "SELECT i.index_id, i.dims FROM knowledge_base k JOIN kb_index i ON i.index_id = k.active_index_id "
        "WHERE k.kb_id = %s",
        kb,
    )
    chunks = stored.rows(
        "SELECT c.chunk_id FROM chunk c JOIN document d ON d.active_version_id = c.version_id WHERE d.kb_id = %s", kb
    )
    postings = stored.rows("SELECT chunk_id FROM chunk_posting WHERE index_id = %s", index_id)
    vectors = stored.rows("SELECT chunk_id FROM chunk_vector WHERE index_id = %s", index_id)
    assert sorted(postings) == sorted(chunks)
    assert sorted(vectors) == (sorted(chunks) if dims else [])
    # Of every generation, also of those that do not answer.
    counted: Any = stored.rows(
        "SELECT index_id, term, sum(chunks) FROM term_delta t JOIN kb_index i USING (index_id) WHERE i.kb_id = %s "
        "GROUP BY 1, 2 HAVING sum(chunks) <> 0",
        kb,
    )
    held = stored.rows(
        "SELECT index_id, term, count(*) FROM chunk_posting p JOIN kb_index i USING (index_id) "
        "CROSS JOIN unnest(p.terms || 0) AS term WHERE i.kb_id = %s GROUP BY 1, 2",
        kb,
    )
    assert sorted(counted) == sorted(held)
    return len(chunks)
