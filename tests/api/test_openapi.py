"""The published description is complete and true."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from fastapi import APIRouter, FastAPI
from starlette.routing import BaseRoute, Mount

from api.contract import Contract, Schema, read_contract
from api.people import NOT_AS_IT_IS, fill, make_key, with_key
from harness import Server, Workspace, data_of, failure_of
from pinakes.api.application import open_api
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.providers.query_cache import make_query_cache
from pinakes.services.resources import Resources
from pinakes.settings import Settings
from pinakes.store.database import Database
from pinakes.wiring import App

# Not part of the API: pages for people, and the description itself.
PAGES = {
    *("/{path:page}", "/assets/{name}", "/docs", "/docs/assets", "/api/openapi.json", "/sign-in/agreed", "/mcp"),
    *("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"),
}
# What does not answer with an envelope, and with what instead.
NO_ENVELOPE = {
    "fetchOriginal": "application/octet-stream",
    "exportKnowledgeBase": "application/zip",
    "watchEvents": "text/event-stream",
    "watchCalls": "text/event-stream",
    "metrics": "text/plain",
    "openLink": None,
}
# What is done by people who are signed in, never with a key.
PEOPLE_ONLY = {
    *("listWorkspaces", "createWorkspace", "makeSignInLink", "listIdentities"),
    *("switchTool", "switchSeveralTools"),
}


@pytest.fixture(scope="module")
def contract(server: Server) -> Contract:
    """What the server publishes."""
    return read_contract(server)


@pytest.fixture
async def api(database_urls: EngineUrls) -> AsyncIterator[FastAPI]:
    """The application itself, in this process, with nothing behind it but the database."""
    database = Database(database_urls.app_url, size=2)
    await database.open()
    cache = make_query_cache(None)
    resources = cast("Resources", SimpleNamespace(database=database, count_tokens=len, query_cache=cache))
    async with open_api(App(Settings(), resources, None)) as api:
        yield api
    await database.close()


def objects(schema: Any) -> Iterator[Schema]:
    """Every object anywhere inside a schema."""
    if isinstance(schema, dict):
        schema = cast("Schema", schema)
        if isinstance(schema.get("properties"), dict):
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in cast("list[Any]", schema):
            yield from objects(value)


def flat(routes: Sequence[BaseRoute]) -> Iterator[BaseRoute]:
    """Routes, those of included routers too."""
    for route in routes:
        router = getattr(route, "original_router", None)
        if isinstance(router, APIRouter):
            yield from flat(router.routes)
        else:
            yield route


async def test_every_route_is_described_and_everything_described_is_a_route(api: FastAPI, contract: Contract) -> None:
    # A1
    routed: set[tuple[str, str]] = set()
    for route in flat(api.routes):
        path: str = getattr(route, "path", "")
        if path in PAGES:
            continue
        assert not isinstance(route, Mount), f"{path}: say that it is no part of the API, or describe it"
        routed |= {(method, path) for method in getattr(route, "methods", ())}
    assert routed == {(operation.method, operation.path) for operation in contract.operations}
    assert len(routed) > 30


async def test_beyond_this_machine_metrics_need_a_key(api: FastAPI, workspace: Workspace) -> None:
    # F4
    transport = httpx.ASGITransport(app=api, client=("192.0.2.7", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as remote:
        failure_of(await remote.get("/metrics"), 401, "UNAUTHENTICATED")
        header = {"Authorization": f"Bearer {workspace.key}"}
        assert "pinakes_jobs" in (await remote.get("/metrics", headers=header)).text
        # A proxy's word about where a request came from is not taken.
        claimed = {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1"}
        failure_of(await remote.get("/metrics", headers=claimed), 401, "UNAUTHENTICATED")


def test_every_operation_has_a_summary_a_description_and_a_name_of_its_own(contract: Contract) -> None:
    # A1
    names = Counter(operation.id for operation in contract.operations)
    assert [name for name, count in names.items() if count > 1] == []
    for operation in contract.operations:
        assert re.fullmatch(r"[a-z][a-zA-Z]*", operation.id), operation
        assert operation.spec["summary"], operation
        assert operation.spec["description"], operation
        assert operation.spec["tags"], operation


def test_every_operation_declares_what_it_answers(contract: Contract) -> None:
    # A1
    for operation in contract.operations:
        responses = dict(operation.spec["responses"])
        for failures in ("4XX", "5XX"):
            schema = responses.pop(failures)["content"]["application/json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Failure"}, operation
        ((status, success),) = responses.items()
        if operation.id in NO_ENVELOPE:
            assert success.get("content", {}).keys() == {NO_ENVELOPE[operation.id]} - {None}, operation
            assert status == ("303" if operation.id == "openLink" else "200")
            continue
        assert status in {"200", "201", "202"}, operation
        envelope = contract.resolve(success["content"]["application/json"]["schema"])
        assert set(envelope["required"]) == {"success", "data"}, operation
        assert envelope["properties"]["success"]["const"] is True, operation


def test_every_operation_that_needs_a_credential_says_so(contract: Contract) -> None:
    # F2
    bare = {operation.id for operation in contract.operations if not operation.spec.get("security")}
    assert bare == {"fetchOriginal", "signInWithKey", "healthz", "readyz", "metrics"}


def test_every_property_is_in_camel_case(contract: Contract) -> None:
    # A1
    seen: set[str] = set()
    for schema in objects(contract.document):
        seen |= set(schema["properties"])
    assert {"knowledgeBaseId", "errorCode", "sizeBytes"} <= seen
    assert [name for name in seen if not re.fullmatch(r"[a-z][a-zA-Z0-9]*", name)] == []


def test_a_misspelt_property_is_refused_in_every_body(contract: Contract, server: Server, workspace: Workspace) -> None:
    # A1: a described body is the whole body
    ids = fill(server, workspace)
    tried = 0
    for operation in contract.operations:
        if "application/json" not in operation.body_types or operation.id in {
            "createWorkspace",
            "renameMe",
            "callTool",
            "linkIdentity",
        }:
            continue
        request = contract.request(operation, ids)
        request["json"]["mis_spelt"] = 1
        failure = failure_of(workspace.client.request(**request), 422, "INVALID_REQUEST")
        assert "mis_spelt" in failure, operation
        tried += 1
    assert tried >= 8


def test_answers_are_what_the_description_says(contract: Contract, server: Server) -> None:
    # A1
    workspace = server.new_workspace()
    ids = fill(server, workspace)
    with_all = workspace.client
    checked: set[str] = set()
    ordered = sorted(contract.operations, key=lambda o: (o.method == "DELETE", o.method != "GET", o.path))
    with server.owner as owner:
        owner.headers["X-Pinakes-Workspace"] = workspace.id
        for operation in ordered:
            if operation.id in {*NO_ENVELOPE, "importBundle", "renameMe", "signInWithKey", "signOut", *NOT_AS_IT_IS}:
                continue
            answer = (owner if operation.id in PEOPLE_ONLY else with_all).request(**contract.request(operation, ids))
            declared = operation.spec["responses"].get(str(answer.status_code))
            assert declared, f"{operation}: {answer.status_code} is not declared: {answer.text}"
            schema = declared["content"]["application/json"]["schema"]
            assert list(contract.faults(schema, answer.json())) == [], operation
            checked.add(operation.id)
    assert {"listDocuments", "listChunks", "getOperation", "search", "ask", "listMembers", "readyz"} <= checked


def test_an_answer_with_results_is_what_the_description_says(contract: Contract, workspace: Workspace) -> None:
    # A1, K6
    workspace.add(workspace.make_kb(), "oaks.md", "# Oaks\n\nOaks can live for a thousand years.", tags=["topic=trees"])
    for name in ("search", "ask"):
        answer = workspace.client.post(f"/api/{name}", json={"query": "How old do oaks get?"})
        data = data_of(answer)
        assert data.get("results") or data.get("sources")
        schema = contract.operation(name).spec["responses"]["200"]["content"]["application/json"]["schema"]
        assert list(contract.faults(schema, answer.json())) == []


def test_failures_of_every_kind_have_the_envelope(contract: Contract, server: Server, workspace: Workspace) -> None:
    # A1
    client, kb = workspace.client, workspace.make_kb("Taken")
    json_header = {"Content-Type": "application/json"}
    reader = with_key(server, make_key(client, "read")["key"])
    answers = {
        400: client.post("/api/search", content=b"{", headers=json_header),
        401: httpx.get(f"{server.url}/api/me"),
        403: reader.post("/api/knowledge-bases", json={"name": "x"}),
        404: client.get("/api/documents/doc_none"),
        405: client.put("/api/me"),
        409: client.post("/api/knowledge-bases", json={"name": "Taken"}),
        413: client.post("/api/search", content=b" " * 3_000_000, headers=json_header),
        415: workspace.upload(kb, "x.pdf", b"\x7fELF not a PDF"),
        421: client.get("/api/me", headers={"Host": "evil.example"}),
        422: client.post("/api/search", json={"query": "x", "topK": 0}),
    }
    failure = {"$ref": "#/components/schemas/Failure"}
    for status, answer in answers.items():
        assert answer.status_code == status, answer.text
        assert list(contract.faults(failure, answer.json())) == [], status
        assert re.fullmatch(r"[A-Z][A-Z_]+", answer.json()["errorCode"])
    failure_of(client.get("/api/nowhere"), 404, "NOT_FOUND")


def test_the_checker_of_answers_finds_what_is_wrong(contract: Contract) -> None:
    # A1: otherwise the tests above would prove nothing
    schema = {"$ref": "#/components/schemas/MemberOut"}
    good = {"userId": "usr_1", "name": "Ada", "role": "owner", "createdAt": "2026-01-01T00:00:00Z"}
    assert list(contract.faults(schema, good)) == []
    cases: list[Any] = [
        {**good, "role": "emperor"},
        {**good, "name": 1},
        {**good, "name": None},
        {**good, "created_at": "2026-01-01T00:00:00Z"},
        {**good, "createdAt": "2026-01-01T00:00:00"},
        {name: value for name, value in good.items() if name != "userId"},
        [],
    ]
    for wrong in cases:
        assert len(list(contract.faults(schema, wrong))) == 1, wrong
