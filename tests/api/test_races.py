"""What several people do at the same moment."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import httpx

from harness import Server, Workspace, data_of, failure_of, wait_for
from stored import Stored


def all_at_once(calls: list[Callable[[], httpx.Response]]) -> list[httpx.Response]:
    """Every call from a thread of its own, started together."""
    barrier = threading.Barrier(len(calls))

    def call(one: Callable[[], httpx.Response]) -> httpx.Response:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(call, calls))


def uploads(workspace: Workspace, kb: str, count: int, **form: str) -> list[Callable[[], httpx.Response]]:
    return [lambda n=n: workspace.upload(kb, f"{n}.txt", f"Text number {n} of many.", **form) for n in range(count)]


def test_a_knowledge_base_deleted_during_uploads_leaves_no_original_behind(
    workspace: Workspace, stored: Stored
) -> None:
    # K12: an upload either comes too late or goes with the rest
    for round_number in range(3):
        kb = workspace.make_kb(f"Short-lived {round_number}")
        delete = [lambda kb=kb: workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "true"})]
        answers = all_at_once(uploads(workspace, kb, 8) + delete)
        assert answers[-1].status_code == 200, answers[-1].text
        assert {answer.status_code for answer in answers} <= {200, 202, 404}, [
            answer.text for answer in answers if answer.status_code > 404
        ]
    assert not stored.rows("SELECT blob_key FROM blob WHERE workspace_id = %s AND state = 'live'", workspace.id)


def test_replacing_and_deleting_at_once_never_waits_for_each_other(workspace: Workspace) -> None:
    # K12
    kb = workspace.make_kb()
    for upload in uploads(workspace, kb, 6):
        assert upload().status_code == 202
    delete = [lambda: workspace.client.delete(f"/api/knowledge-bases/{kb}", params={"confirm": "true"})]
    answers = all_at_once(uploads(workspace, kb, 6, replace="true") + delete)
    assert {answer.status_code for answer in answers} <= {200, 202, 404}, [
        answer.text for answer in answers if answer.status_code > 404
    ]


def test_a_workspace_deleted_during_uploads_takes_its_originals_along(server: Server, stored: Stored) -> None:
    # K12, F3
    workspace = server.new_workspace("Short-lived")
    kb = workspace.make_kb()
    for upload in uploads(workspace, kb, 4):
        assert upload().status_code == 202
    delete = [lambda: workspace.client.delete(f"/api/workspaces/{workspace.id}", params={"confirm": "true"})]
    answers = all_at_once(uploads(workspace, kb, 6, replace="true") + delete)
    assert answers[-1].status_code == 200, answers[-1].text
    assert {answer.status_code for answer in answers} <= {200, 202, 401, 404}
    assert not stored.rows("SELECT 1 FROM workspace WHERE workspace_id = %s", workspace.id)
    wait_for(lambda: not stored.files(workspace.id), "originals are left", seconds=90)


def test_joining_another_workspace_does_not_change_the_default_one(server: Server) -> None:
    # F2: the other workspace is older than one's own
    elder = server.new_workspace("Elder")
    own = server.new_workspace("Own")
    link = data_of(own.client.post("/api/invitations", json={"name": "Guest", "role": "editor"}))["url"]
    with httpx.Client(base_url=server.url, follow_redirects=False) as guest:
        assert guest.get(link).status_code == 303
        assert data_of(guest.get("/api/me"))["workspaceId"] == own.id
        link = data_of(elder.client.post("/api/invitations", json={"name": "Guest", "role": "editor"}))["url"]
        assert guest.get(link).status_code == 303
        assert data_of(guest.get("/api/me"))["workspaceId"] == own.id


def test_a_name_means_the_knowledge_base_of_that_name_before_another_ones_slug(workspace: Workspace) -> None:
    # K12
    spaced, hyphened = workspace.make_kb("foo bar"), workspace.make_kb("foo-bar")
    assert data_of(workspace.client.get("/api/knowledge-bases/foo-bar"))["id"] == hyphened
    assert data_of(workspace.client.get("/api/knowledge-bases/foo bar"))["id"] == spaced


def test_nonsense_in_tags_and_origins_is_refused_in_words(server: Server, workspace: Workspace) -> None:
    # K2, F2
    kb = workspace.make_kb()
    assert "tags must be" in failure_of(workspace.upload(kb, "a.txt", "text", tags="[" * 100_000), 422)
    with httpx.Client(base_url=server.url, cookies={"pinakes_session": "x"}) as browser:
        answer = browser.post("/api/sign-in-links", headers={"Origin": "http://["})
        failure_of(answer, 403, "CROSS_SITE")


def test_a_small_file_does_not_wait_for_another_workspaces_large_ones(server: Server, workspace: Workspace) -> None:
    # K3
    other = server.new_workspace("Bulk")
    bulk = other.make_kb()
    large = "".join(f"Sentence {n} of a long story about nothing in particular.\n" for n in range(20_000))
    for number in range(6):
        data_of(other.upload(bulk, f"{number}.txt", f"Volume {number}\n{large}"))
    document = workspace.add(workspace.make_kb(), "note.txt", "The key is under the mat.")
    assert document["status"] == "indexed"
    unfinished = data_of(other.client.get(f"/api/knowledge-bases/{bulk}/documents"))["items"]
    assert any(one["status"] != "indexed" for one in unfinished)
    other.client.delete(f"/api/workspaces/{other.id}", params={"confirm": "true"})
