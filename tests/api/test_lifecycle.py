"""Documents that expire, and what indexing finds out about them."""

import asyncio
from datetime import datetime

from harness import Server, data_of, wait_for
from pinakes.services.sweeping import sweep
from pinakes.settings import Settings
from pinakes.wiring import open_app
from stored import look_into

OAK = "Oaks grow slowly and can live for a thousand years. An old oak shelters hundreds of kinds of beetles."
ELM = "Elms line many streets. The elm disease killed most of the elm trees of Europe."


def _age(server: Server, document_id: str, days: int) -> None:
    with look_into(server) as stored:
        stored.connection.execute(
            "UPDATE document SET updated_at = now() - make_interval(days => %s) WHERE document_id = %s",
            [days, document_id],
        )


def _sweep(server: Server) -> None:
    async def run() -> None:
        async with open_app(Settings(home=server.home)) as app:
            await sweep(app.resources)

    asyncio.run(run())


def test_an_expired_document_stops_answering_at_once_and_is_then_deleted(server: Server) -> None:  # K11
    workspace = server.new_workspace()
    kb = workspace.make_kb("News", lifecycleDays=7)
    old = workspace.add(kb, "old.txt", OAK)
    new = workspace.add(kb, "new.txt", ELM)
    lasts = datetime.fromisoformat(new["expiresAt"]) - datetime.fromisoformat(new["updatedAt"])
    assert lasts.days == 7
    assert {hit["documentName"] for hit in workspace.search("old trees")} == {"old.txt", "new.txt"}
    _age(server, old["id"], 8)
    assert {hit["documentName"] for hit in workspace.search("old trees")} == {"new.txt"}
    _sweep(server)
    assert workspace.client.get(f"/api/documents/{old['id']}").status_code == 404
    with look_into(server) as stored:
        assert len(stored.files(workspace.id)) == 1
        assert stored.rows("SELECT count(*) FROM chunk WHERE workspace_id = %s", workspace.id) == [(1,)]


def test_without_a_cycle_nothing_expires(server: Server) -> None:  # K11
    workspace = server.new_workspace()
    document = workspace.add(workspace.make_kb(), "old.txt", OAK)
    assert document["expiresAt"] is None
    _age(server, document["id"], 30_000)
    _sweep(server)
    assert workspace.search("oaks")


def test_a_new_version_or_a_longer_cycle_gives_a_document_more_time(server: Server) -> None:  # K11
    workspace = server.new_workspace()
    kb = workspace.make_kb("News", lifecycleDays=7)
    first, second = workspace.add(kb, "a.txt", OAK), workspace.add(kb, "b.txt", ELM)
    _age(server, first["id"], 8)
    _age(server, second["id"], 8)
    assert workspace.search("trees") == []
    # The name of an expired document is free.
    workspace.add(kb, "a.txt", OAK + " Squirrels bury acorns.")
    wait_for(lambda: workspace.search("acorns"), "the new version does not answer")
    assert {hit["documentName"] for hit in workspace.search("trees")} == {"a.txt"}
    data_of(workspace.client.patch(f"/api/knowledge-bases/{kb}", json={"lifecycleDays": 9}))
    assert {hit["documentName"] for hit in workspace.search("trees")} == {"a.txt", "b.txt"}


def test_every_document_gets_a_summary_and_suggested_tags(server: Server) -> None:  # K14
    workspace = server.new_workspace()
    document = workspace.add(workspace.make_kb(), "elms.txt", ELM)
    assert "elm disease" in document["summary"]
    assert document["suggestedTags"]
    assert document["tags"] == []
    assert document["remarks"] == []


def test_a_catalog_that_a_thread_selected_is_forgotten_once_nobody_asked_it_for_30_days(server: Server) -> None:  # B6
    workspace = server.new_workspace()
    catalog = workspace.make_kb()

    def call(tool: str, **arguments: str) -> str | None:
        return data_of(workspace.client.post(f"/api/tools/{tool}", json=arguments))["metadata"].get("error_code")

    ages = {"idle": 31, "in use": 31, "recent": 29}
    assert call("select_catalog", catalog_id=catalog) is None
    with look_into(server) as stored:
        stored.connection.execute(
            "UPDATE selected_catalog SET last_used_at = now() - interval '1 year' WHERE workspace_id = %s",
            [workspace.id],
        )
    for thread, days in ages.items():
        assert call("select_catalog", catalog_id=catalog, threadId=thread) is None
        with look_into(server) as stored:
            stored.connection.execute(
                "UPDATE selected_catalog SET last_used_at = now() - make_interval(days => %s) "
                "WHERE workspace_id = %s AND selector LIKE %s",
                [days, workspace.id, f"%/{thread}"],
            )
    call("query_catalog", query="Which trees are old?", threadId="in use")
    _sweep(server)
    answers = {thread: call("query_catalog", query="Which trees are old?", threadId=thread) for thread in ages}
    assert answers["idle"] == "NO_CATALOG_SELECTED"
    assert answers["in use"] == answers["recent"] != "NO_CATALOG_SELECTED"
    assert call("query_catalog", query="Which trees are old?") != "NO_CATALOG_SELECTED", "a key keeps its own"
    # What is selected anew is used, be it the same as before.
    call("select_catalog", catalog_id=catalog, threadId="recent")
    with look_into(server) as stored:
        used = (
            "SELECT count(*) FROM selected_catalog WHERE workspace_id = %s AND last_used_at > now() - interval '1 day'"
        )
        assert stored.rows(used, workspace.id) == [(3,)]


def test_a_job_whose_end_could_not_be_recorded_is_ended_by_the_sweep(server: Server) -> None:  # K3
    workspace = server.new_workspace()
    document = workspace.add(workspace.make_kb(), "oak.txt", OAK)
    job = "FROM procrastinate_jobs WHERE args ->> 'operation_id' = %s"
    with look_into(server) as stored:
        wait_for(
            lambda: stored.rows(f"SELECT status::text {job}", document["operationId"]) == [("succeeded",)], "not done"
        )
        stored.connection.execute(
            "UPDATE procrastinate_jobs SET status = 'doing' WHERE args ->> 'operation_id' = %s",
            [document["operationId"]],
        )
        _sweep(server)
        assert stored.rows(f"SELECT status::text {job}", document["operationId"]) == [("doing",)]
        stored.connection.execute(
            "UPDATE operation SET finished_at = now() - interval '1 minute' WHERE operation_id = %s",
            [document["operationId"]],
        )
        _sweep(server)
        assert stored.rows(f"SELECT status::text {job}", document["operationId"]) == [("succeeded",)]
