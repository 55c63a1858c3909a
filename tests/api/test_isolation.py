"""Nothing crosses a workspace, and nobody does more than they may: tried on every operation the API publishes."""

import json
import re
import threading
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from psycopg import sql

from api.contract import Contract, Operation, read_contract
from api.people import NOT_AS_IT_IS, fill, join, make_key, visitor, with_key
from harness import Server, Workspace, data_of, failure_of
from pinakes.providers.postgres.engine import EngineUrls
from store.catalogue import connect, tenant_tables

# What needs no credential, and why.
OPEN = {
    "fetchOriginal": "the signed token in the link is the credential",
    "signOut": "whoever is not signed in is signed out already",
    "signInWithKey": "the key in the body is the credential",
}
# What is no GET and yet changes nothing in the workspace, or only what is the caller's own.
READING = {
    "search": "a question; it has a body because it may be long",
    "ask": "a question",
    "callTool": "what each tool needs is tried tool by tool",
    "signOut": "ends the caller's own session; a key has none",
    "signInWithKey": "gives a browser a cookie for a key it holds",
}
ENDLESS = {"watchEvents", "watchCalls"}
OWN = READING | {
    "createWorkspace": "a workspace of one's own is another workspace",
    "renameMe": "the caller's own name",
    "makeSignInLink": "signs in the caller and nobody else",
    "linkIdentity": "says who the caller is elsewhere, with the proof of it",
    "removeIdentity": "the caller's own",
    "createApiKey": "a key for the caller, with the caller's rights at most",
}


@dataclass(frozen=True)
class Tenant:
    """A workspace with one of everything in it."""

    workspace: Workspace
    ids: dict[str, str]


@pytest.fixture(scope="module")
def contract(server: Server) -> Contract:
    """What the server publishes."""
    return read_contract(server)


@pytest.fixture(scope="module")
def tenant(server: Server) -> Tenant:
    """The workspace that others try to get at."""
    workspace = server.new_workspace("Victim")
    return Tenant(workspace, fill(server, workspace))


@pytest.fixture(scope="module")
def strangers(server: Server) -> dict[str, httpx.Client]:
    """Callers who may do everything, in another workspace: a program and a person."""
    other = server.new_workspace("Other")
    return {"key": other.client, "session": join(server, other, "owner")}


def row_texts(urls: EngineUrls, workspace_id: str) -> dict[str, list[str]]:
    """Every row of a workspace in every table; when its keys were last used does not count."""
    with connect(urls.migrate_url) as connection:
        rows: dict[str, list[str]] = {}
        for table in [*tenant_tables(connection), "sign_in_link"]:
            query = sql.SQL("SELECT (to_jsonb(t) - 'last_used_at')::text AS row FROM {} t WHERE workspace_id = %s")
            found = connection.execute(query.format(sql.Identifier(table)), [workspace_id])
            rows[table] = sorted(row["row"] for row in found)
    return rows


def names_something(contract: Contract, operation: Operation) -> bool:
    """Whether a path or a body names something of a workspace."""
    bodies = json.dumps([contract.resolve(schema) for schema in operation.body_types.values()])
    return bool(operation.path_parameters) or re.search(r'\w+Ids?"', bodies) is not None


def works_in_a_workspace(operation: Operation) -> bool:
    """Whether it is done in a workspace; what is not is for people alone."""
    return any(p["name"] == "x-pinakes-workspace" for p in operation.spec.get("parameters", []))


@pytest.mark.parametrize("stranger", ["key", "session"])
def test_ids_of_another_workspace_are_not_found_on_any_operation_and_nothing_changes(
    stranger: str, contract: Contract, tenant: Tenant, strangers: dict[str, httpx.Client], database_urls: EngineUrls
) -> None:
    # F3
    before = row_texts(database_urls, tenant.workspace.id)
    assert before["document"]
    tried = [operation for operation in contract.operations if names_something(contract, operation)]
    assert {"search", "ask", "deleteDocument", "uploadDocument", "renameWorkspace"} <= {o.id for o in tried}
    for operation in tried:
        answer = strangers[stranger].request(**contract.request(operation, tenant.ids))
        people_only = stranger == "key" and operation.id == "removeIdentity"
        expected = (403, "FORBIDDEN") if people_only else (404, "NOT_FOUND")
        assert (answer.status_code, answer.json()["errorCode"]) == expected, f"{operation}: {answer.text}"
    assert row_texts(database_urls, tenant.workspace.id) == before


def test_what_is_elsewhere_and_what_is_nowhere_look_the_same(
    contract: Contract, tenant: Tenant, strangers: dict[str, httpx.Client]
) -> None:
    # F3
    nowhere = {name: real[:-8] + "00000000" if name.endswith("Id") else real for name, real in tenant.ids.items()}
    assert all(nowhere[name] != real for name, real in tenant.ids.items() if name.endswith("Id"))
    for operation in contract.operations:
        if not names_something(contract, operation):
            continue
        answers: list[str] = []
        for ids in (tenant.ids, nowhere):
            text = strangers["key"].request(**contract.request(operation, ids)).text
            for value in ids.values():
                text = text.replace(value, "ID")
            answers.append(text)
        assert answers[0] == answers[1], operation


def test_a_knowledge_base_of_another_workspace_is_not_found_by_name_or_slug(
    contract: Contract, tenant: Tenant, strangers: dict[str, httpx.Client]
) -> None:
    # F3
    kb = data_of(tenant.workspace.client.get(f"/api/knowledge-bases/{tenant.ids['knowledgeBaseId']}"))
    for reference in (kb["name"], kb["slug"]):
        ids = tenant.ids | {"knowledgeBaseId": reference}
        for operation in contract.operations:
            if "knowledgeBaseId" in operation.path_parameters or operation.id in {"search", "ask"}:
                request = contract.request(operation, ids)
                if operation.method == "GET":
                    assert tenant.workspace.client.request(**request).status_code == 200
                failure_of(strangers["key"].request(**request), 404, "NOT_FOUND")


def test_naming_another_workspace_in_the_header_opens_nothing(
    contract: Contract, tenant: Tenant, strangers: dict[str, httpx.Client], database_urls: EngineUrls
) -> None:
    # F3
    before = row_texts(database_urls, tenant.workspace.id)
    header = {"X-Pinakes-Workspace": tenant.workspace.id}
    tried = 0
    for operation in contract.operations:
        if works_in_a_workspace(operation):
            tried += 1
            request = contract.request(operation, tenant.ids)
            failure_of(strangers["session"].request(**request, headers=header), 404, "NOT_FOUND")
    assert tried > 20
    # A key belongs to one workspace, whatever the header says.
    me = data_of(strangers["key"].get("/api/me", headers=header))
    assert me["workspaceId"] != tenant.workspace.id
    assert row_texts(database_urls, tenant.workspace.id) == before


def test_lists_and_searches_show_nothing_of_another_workspace(
    contract: Contract, tenant: Tenant, strangers: dict[str, httpx.Client]
) -> None:
    # F3
    for operation in contract.operations:
        if operation.method != "GET" or operation.path_parameters or operation.id in {*ENDLESS, *OPEN, "openLink"}:
            continue
        for stranger in strangers.values():
            text = stranger.get(operation.path).text
            assert not [value for value in tenant.ids.values() if value in text], operation
    for path in ("/api/search", "/api/ask"):
        mine = tenant.workspace.client.post(path, json={"query": "How old do oaks get?"}).text
        assert tenant.ids["documentId"] in mine
        theirs = strangers["key"].post(path, json={"query": "How old do oaks get?"}).text
        assert tenant.ids["documentId"] not in theirs


def test_live_events_are_those_of_ones_own_workspace(server: Server) -> None:
    # F3, K3
    mine, other = server.new_workspace(), server.new_workspace()
    seen: list[dict[str, Any]] = []
    listening, done = threading.Event(), threading.Event()

    def listen() -> None:
        with mine.client.stream("GET", "/api/events") as stream:
            listening.set()
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    seen.append(json.loads(line.removeprefix("data: ")))
                if line == "event: done":
                    done.set()
                if done.is_set() and line == "":
                    return

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert listening.wait(10)
    theirs = other.add(other.make_kb(), "theirs.txt", "Not for your eyes.")
    document = mine.add(mine.make_kb(), "mine.txt", "For your eyes.")
    assert done.wait(10)
    thread.join(10)
    assert {event["documentId"] for event in seen} == {document["id"]}
    assert theirs["id"] != document["id"]


def test_every_operation_needs_a_credential_that_is_good(contract: Contract, tenant: Tenant, server: Server) -> None:
    # F2
    callers = {
        "nobody": visitor(server),
        "made-up key": with_key(server, "pk_00000000000000000000000000_" + "0" * 32),
        "made-up session": with_key(server, "0" * 32),
        "made-up cookie": httpx.Client(base_url=server.url, cookies={"pinakes_session": "0" * 32}),
    }
    tried = [o for o in contract.operations if o.path.startswith("/api/") and o.id not in OPEN]
    assert len(tried) > 30
    for name, caller in callers.items():
        for operation in tried:
            answer = caller.request(**contract.request(operation, tenant.ids))
            if name == "made-up key" and not works_in_a_workspace(operation):
                failure_of(answer, 403, "FORBIDDEN")
            else:
                failure_of(answer, 401, "UNAUTHENTICATED")
                assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("credential", ["a read key of an owner", "a viewer's session", "a viewer's key"])
def test_whoever_may_only_read_changes_nothing(
    credential: str, contract: Contract, tenant: Tenant, server: Server, database_urls: EngineUrls
) -> None:
    # F2
    viewer = join(server, tenant.workspace, "viewer")
    callers = {
        "a read key of an owner": lambda: with_key(server, make_key(tenant.workspace.client, "read")["key"]),
        "a viewer's session": lambda: viewer,
        "a viewer's key": lambda: with_key(server, make_key(viewer, "read")["key"]),
    }
    reader = callers[credential]()
    ids = tenant.ids | {"keyId": make_key(tenant.workspace.client, "read")["id"]}
    before = row_texts(database_urls, tenant.workspace.id)
    allowed = OWN if credential == "a viewer's session" else READING
    for operation in contract.operations:
        if operation.method == "GET" or operation.id in allowed:
            continue
        failure_of(reader.request(**contract.request(operation, ids)), 403, "FORBIDDEN")
    assert row_texts(database_urls, tenant.workspace.id) == before
    assert data_of(reader.get(f"/api/documents/{ids['documentId']}"))["id"] == ids["documentId"]


def test_the_requests_above_do_what_they_say_in_ones_own_workspace(contract: Contract, server: Server) -> None:
    # F3: otherwise a 404 would prove nothing
    workspace = server.new_workspace()
    ids = fill(server, workspace)
    named = [operation for operation in contract.operations if operation.path_parameters]
    # What is inside something else goes before it.
    for operation in sorted(named, key=lambda o: (o.method == "DELETE", -len(o.path_parameters), o.path)):
        answer = workspace.client.request(**contract.request(operation, ids))
        expected = NOT_AS_IT_IS.get(operation.id)
        assert answer.is_success or answer.status_code == expected, f"{operation}: {answer.text}"
