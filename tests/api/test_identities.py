"""Access tokens of an issuer on REST and on `/mcp`: who comes with one, what they may do, and where clients get one."""

import json
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import OAuthClientMetadata

from api.people import COOKIE, join, make_key, user_id_of
from harness import DEADLINE, Server, Workspace, data_of, failure_of, remove_home, wait_for
from pinakes.api.application import open_api
from pinakes.cli.examination import examine_issuer
from pinakes.providers.access_tokens import OpenIdIssuer
from pinakes.providers.postgres.engine import EngineUrls
from pinakes.services.resources import Resources
from pinakes.settings import Settings
from pinakes.store.database import Database
from pinakes.wiring import App
from store.catalogue import connect
from token_issuer import AUDIENCE, TokenIssuer, sign_by_hand, token_issuer
from token_issuer import make_key as make_signing_key

METADATA = "/.well-known/oauth-protected-resource"
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
RPC_HEADERS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[TokenIssuer]:
    """Somebody who vouches for people."""
    with token_issuer() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def lobby(server: Server) -> Workspace:
    """The workspace that newcomers join."""
    return server.new_workspace("Lobby")


@pytest.fixture(scope="module")
def trusting(
    server: Server,
    issuer: TokenIssuer,
    lobby: Workspace,
    database_urls: EngineUrls,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Server]:
    """A second server on the same database and store, which trusts the issuer."""
    environment = {
        "PINAKES_DATABASE_URL": database_urls.app_url,
        "PINAKES_MIGRATE_URL": database_urls.migrate_url,
        "PINAKES_ORIGINALS": str(server.home / "originals"),
        "PINAKES_OIDC_ISSUER": issuer.url,
        "PINAKES_OIDC_AUDIENCE": AUDIENCE,
        "PINAKES_OIDC_WORKSPACE": lobby.id,
        "PINAKES_OIDC_ROLE": "editor",
    }
    home = tmp_path_factory.mktemp("trusting") / "home"
    trusting = Server(home, environment, ("--no-sample", "--no-worker")).start()
    yield trusting
    trusting.stop()
    remove_home(home)


@pytest.fixture
def ada(server: Server, trusting: Server, workspace: Workspace) -> Iterator[httpx.Client]:
    """An owner of a workspace, signed in by cookie on the server that trusts the issuer."""
    joined = join(server, workspace, "owner", "Ada")
    cookies = {COOKIE: joined.cookies[COOKIE]}
    with httpx.Client(base_url=trusting.url, cookies=cookies, timeout=DEADLINE) as person:
        yield person


def bearer(server: Server, token: str, **headers: str) -> httpx.Client:
    """A program with this token."""
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {token}", **headers}, timeout=DEADLINE)


def link(person: httpx.Client, token: str) -> dict[str, Any]:
    """Let a person say that a token's subject is them."""
    return data_of(person.post("/api/me/identities", json={"token": token}))


def list_tools(program: httpx.Client) -> httpx.Response:
    """The protocol's list of tools; the raw answer."""
    return program.post("/mcp", json=LIST_TOOLS, headers=RPC_HEADERS)


def test_a_linked_subject_is_that_person_on_rest_and_over_mcp(
    trusting: Server, issuer: TokenIssuer, ada: httpx.Client, workspace: Workspace
) -> None:
    # F2, F1
    made = link(ada, issuer.token("ada"))
    assert (made["issuer"], made["subject"]) == (issuer.url, "ada")
    assert data_of(ada.get("/api/me/identities")) == [made]
    program = bearer(trusting, issuer.token("ada"))
    me = data_of(program.get("/api/me"))
    assert (me["userId"], me["workspaceId"]) == (user_id_of(ada), workspace.id)
    assert (me["role"], me["scopes"], me["keyId"]) == ("owner", ["admin", "read", "write"], None)
    assert data_of(program.post("/api/knowledge-bases", json={"name": "By token"}))["name"] == "By token"
    assert "search" in list_tools(program).text
    # Linking again changes nothing; a link that is removed counts no more, at once and for good.
    assert link(ada, issuer.token("ada")) == made
    data_of(ada.delete(f"/api/me/identities/{made['id']}"))
    assert data_of(ada.get("/api/me/identities")) == []
    assert "identities link" in failure_of(program.get("/api/me"), 403, "IDENTITY_UNKNOWN")
    failure_of(list_tools(program), 403, "IDENTITY_UNKNOWN")
    failure_of(ada.delete(f"/api/me/identities/{made['id']}"), 404, "NOT_FOUND")


def test_a_token_narrows_what_its_person_may_do(trusting: Server, issuer: TokenIssuer, ada: httpx.Client) -> None:
    # F2
    link(ada, issuer.token("narrow"))
    reader = bearer(trusting, issuer.token("narrow", scope="openid pinakes:read"))
    assert data_of(reader.get("/api/me"))["scopes"] == ["read"]
    failure_of(reader.post("/api/knowledge-bases", json={"name": "No"}), 403, "FORBIDDEN")
    writer = bearer(trusting, issuer.token("narrow", scp=["pinakes:write"]))
    failure_of(writer.get("/api/knowledge-bases"), 403, "FORBIDDEN")
    failure_of(writer.get("/api/invitations"), 403, "FORBIDDEN")


def test_a_token_without_the_scope_is_told_which_to_ask_for(
    trusting: Server, issuer: TokenIssuer, ada: httpx.Client
) -> None:
    # F1, F2: as RFC 6750 and the protocol have it, with the scopes it has, so that it loses none
    link(ada, issuer.token("stepping"))
    reader = bearer(trusting, issuer.token("stepping", scope="pinakes:read"))
    for refused in (
        reader.post("/api/notes", json={"content": "x"}),
        reader.post("/api/tools/create_catalog", json={}),
    ):
        assert "'pinakes:write'" in failure_of(refused, 403, "FORBIDDEN")
        wanted = 'Bearer error="insufficient_scope", scope="pinakes:read pinakes:write"'
        assert refused.headers["www-authenticate"] == f'{wanted}, resource_metadata="{trusting.url}{METADATA}"'
    # Where another token would change nothing, nobody is sent to get one: a role that is too low, a key, a switch.
    editor = bearer(trusting, issuer.token("editor")).get("/api/invitations")
    key = bearer(trusting, make_key(ada, "read")["key"]).post("/api/notes", json={"content": "x"})
    off = bearer(trusting, issuer.token("stepping")).post("/api/tools/create_catalog", json={})
    for refused in (editor, key, off):
        assert (refused.status_code, refused.headers.get("www-authenticate")) == (403, None)
    # Over the protocol it is a call that is refused, and the request is answered.
    call: dict[str, Any] = {**LIST_TOOLS, "method": "tools/call", "params": {"name": "create_catalog", "arguments": {}}}
    called = reader.post("/mcp", json=call, headers=RPC_HEADERS)
    assert ("'pinakes:write'" in called.text, called.headers.get("www-authenticate")) == (True, None)


def test_a_token_never_does_what_only_people_do(trusting: Server, issuer: TokenIssuer, ada: httpx.Client) -> None:
    # F2: an agent must not make a session, another identity or rights of its own out of a token
    link(ada, issuer.token("agent"))
    program = bearer(trusting, issuer.token("agent"))
    for method, path, body in (
        ("POST", "/api/sign-in-links", None),
        ("GET", "/api/me/identities", None),
        ("POST", "/api/me/identities", {"token": issuer.token("more")}),
        ("PATCH", "/api/me", {"name": "Somebody else"}),
        ("PATCH", "/api/tools/create_catalog", {"isOn": True}),
    ):
        failure_of(program.request(method, path, json=body), 403, "FORBIDDEN")
    failure_of(program.post("/api/tools/create_catalog", json={"catalog_name": "x"}), 403, "TOOL_OFF")
    reader = bearer(trusting, issuer.token("agent", scope="pinakes:read"))
    failure_of(reader.post("/api/keys", json={"name": "heir", "scopes": ["read"]}), 403, "FORBIDDEN")
    # In a cookie it is nothing at all.
    cookies = {COOKIE: issuer.token("agent")}
    failure_of(httpx.get(f"{trusting.url}/api/me", cookies=cookies), 401, "UNAUTHENTICATED")


def test_a_token_works_where_its_person_is_a_member_and_nowhere_else(
    server: Server, trusting: Server, issuer: TokenIssuer, ada: httpx.Client, workspace: Workspace
) -> None:
    # F3
    link(ada, issuer.token("member"))
    elsewhere = server.new_workspace().id
    own = data_of(ada.post("/api/workspaces", json={"name": "Second"}))["id"]
    failure_of(bearer(trusting, issuer.token("member"), **{"X-Pinakes-Workspace": elsewhere}).get("/api/me"), 404)
    failure_of(list_tools(bearer(trusting, issuer.token("member"), **{"X-Pinakes-Workspace": elsewhere})), 404)
    second = bearer(trusting, issuer.token("member"), **{"X-Pinakes-Workspace": own})
    assert data_of(second.get("/api/me"))["workspaceId"] == own
    first = bearer(trusting, issuer.token("member"), **{"X-Pinakes-Workspace": workspace.id})
    data_of(first.get("/api/me"))
    data_of(workspace.client.delete(f"/api/members/{user_id_of(ada)}"))
    failure_of(first.get("/api/me"), 404, "NOT_FOUND")


def test_newcomers_join_the_workspace_that_is_there_for_them(
    trusting: Server, issuer: TokenIssuer, lobby: Workspace, ada: httpx.Client
) -> None:
    # F2
    token = issuer.token("grace", name="Grace Hopper")
    program = bearer(trusting, token)
    with ThreadPoolExecutor(8) as threads:
        mes = [data_of(answer) for answer in threads.map(program.get, ["/api/me"] * 8)]
    assert len({me["userId"] for me in mes}) == 1
    assert (mes[0]["name"], mes[0]["workspaceId"], mes[0]["role"]) == ("Grace Hopper", lobby.id, "editor")
    # Somebody who is taken out stays out, and whoever proves to be them may then be them elsewhere.
    assert "somebody else" in failure_of(ada.post("/api/me/identities", json={"token": token}), 409, "CONFLICT")
    data_of(lobby.client.delete(f"/api/members/{mes[0]['userId']}"))
    failure_of(program.get("/api/me"), 404, "NOT_FOUND")
    link(ada, token)
    assert data_of(program.get("/api/me"))["userId"] == user_id_of(ada)


def test_a_deleted_person_is_not_let_in_again_as_a_newcomer(
    trusting: Server, issuer: TokenIssuer, database_urls: EngineUrls
) -> None:
    # F2
    program = bearer(trusting, issuer.token("leaver", name="\u200b"))
    me = data_of(program.get("/api/me"))
    assert me["name"] == "Member"
    with connect(database_urls.migrate_url) as connection:
        connection.execute("DELETE FROM app_user WHERE user_id = %s", [me["userId"]])
    failure_of(program.get("/api/me"), 403, "IDENTITY_UNKNOWN")


def test_identities_are_ones_own(server: Server, trusting: Server, issuer: TokenIssuer, ada: httpx.Client) -> None:
    # F3
    theirs = link(ada, issuer.token("private"))
    with httpx.Client(base_url=trusting.url, headers=server.owner.headers) as owner:
        assert theirs["id"] not in owner.get("/api/me/identities").text
        failure_of(owner.delete(f"/api/me/identities/{theirs['id']}"), 404, "NOT_FOUND")
        failure_of(owner.post("/api/me/identities", json={"token": issuer.token("private")}), 409, "CONFLICT")
    assert data_of(ada.get("/api/me/identities")) == [theirs]
    bad = ada.post("/api/me/identities", json={"token": issuer.token("private", aud="https://elsewhere.test")})
    assert AUDIENCE in failure_of(bad, 422, "INVALID_REQUEST")


def test_tokens_that_are_not_good_are_refused_and_told_where_to_get_one(
    trusting: Server, issuer: TokenIssuer, ada: httpx.Client
) -> None:
    # F2, F1
    link(ada, issuer.token("refused"))
    claims = {"iss": issuer.url, "sub": "refused", "aud": AUDIENCE, "exp": 4102444800}
    bad = {
        "audience": issuer.token("refused", aud="https://elsewhere.test"),
        "come from": issuer.token("refused", iss="https://elsewhere.test"),
        "expired": issuer.token("refused", exp=1_700_000_000),
        "another kind": issuer.token("refused", headers={"typ": "JWT"}, nonce="n", at_hash="h"),
        "signed with 'none'": sign_by_hand(claims, kid="first"),
        "signed with 'HS256'": sign_by_hand(claims, json.dumps(issuer.keys[0].public).encode(), kid="first"),
        "not signed by the issuer": issuer.token("refused", key=make_signing_key("first")),
    }
    for words, token in bad.items():
        for path, answer in (
            ("", bearer(trusting, token).get("/api/me")),
            ("/mcp", list_tools(bearer(trusting, token))),
        ):
            assert words in failure_of(answer, 401, "UNAUTHENTICATED")
            told = f'Bearer error="invalid_token", resource_metadata="{trusting.url}{METADATA}{path}"'
            assert answer.headers["www-authenticate"] == told
    nobody = httpx.post(f"{trusting.url}/mcp", json=LIST_TOOLS, headers=RPC_HEADERS)
    assert nobody.status_code == 401
    assert nobody.headers["www-authenticate"] == f'Bearer resource_metadata="{trusting.url}{METADATA}/mcp"'


def test_keys_and_sessions_are_as_ever_beside_tokens(trusting: Server, ada: httpx.Client) -> None:
    # F2
    key = make_key(ada, "read")["key"]
    assert data_of(bearer(trusting, key).get("/api/me"))["scopes"] == ["read"]
    assert "search" in list_tools(bearer(trusting, key)).text
    assert "search" in list_tools(bearer(trusting, ada.cookies[COOKIE])).text
    failure_of(bearer(trusting, key).get("/api/me/identities"), 403, "FORBIDDEN")


def test_the_metadata_tell_who_issues_tokens_for_what(trusting: Server, issuer: TokenIssuer) -> None:
    # F1
    api, mcp = (httpx.get(f"{trusting.url}{METADATA}{path}").json() for path in ("", "/mcp"))
    assert (api["resource"], mcp["resource"]) == (trusting.url, f"{trusting.url}/mcp")
    assert api["authorization_servers"] == mcp["authorization_servers"] == [issuer.url]
    assert api["bearer_methods_supported"] == ["header"]
    assert mcp["scopes_supported"] == ["pinakes:read", "pinakes:write"]
    assert api["scopes_supported"] == [*mcp["scopes_supported"], "pinakes:admin"]


def test_without_an_issuer_there_is_nothing_of_it(server: Server, issuer: TokenIssuer, workspace: Workspace) -> None:
    # F1, F2
    for path in (METADATA, f"{METADATA}/mcp", "/.well-known/oauth-authorization-server"):
        failure_of(httpx.get(f"{server.url}{path}"), 404, "NOT_FOUND")
    for answer in (bearer(server, issuer.token()).get("/api/me"), list_tools(bearer(server, issuer.token()))):
        assert "session" in failure_of(answer, 401, "UNAUTHENTICATED")
        assert answer.headers["www-authenticate"] == "Bearer"
    person = join(server, workspace, "viewer")
    assert data_of(person.get("/api/me/identities")) == []
    told = failure_of(person.post("/api/me/identities", json={"token": issuer.token()}), 404, "NOT_FOUND")
    assert "PINAKES_OIDC_ISSUER" in told


async def test_the_doctor_asks_the_issuer(issuer: TokenIssuer) -> None:
    # F6
    good = await examine_issuer(Settings(oidc_issuer=issuer.url, oidc_audience=AUDIENCE))
    assert (good.check, good.state) == ("Issuer", "ok")
    wrong = await examine_issuer(Settings(oidc_issuer=f"{issuer.url}/", oidc_audience=AUDIENCE))
    assert (wrong.state, "Set PINAKES_OIDC_ISSUER to exactly that" in wrong.detail) == ("warning", True)


class Kept:
    """What the SDK's client remembers."""

    def __init__(self) -> None:
        self.tokens: Any = None
        self.client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


async def test_the_sdks_client_finds_its_way_from_a_refusal_to_a_token(trusting: Server, issuer: TokenIssuer) -> None:
    # F1: 401, our metadata, the issuer's, registration, sign-in, token, tools
    opened: list[str] = []

    async def open_browser(url: str) -> None:
        opened.append(url)

    async def come_back() -> AuthorizationCodeResult:
        async with httpx.AsyncClient() as browser:
            back = parse_qs(urlsplit((await browser.get(opened[-1])).headers["location"]).query)
        return AuthorizationCodeResult(code=back["code"][0], state=back["state"][0])

    about = OAuthClientMetadata.model_validate({"redirect_uris": ["http://localhost/back"], "client_name": "Test"})
    auth = OAuthClientProvider(f"{trusting.url}/mcp", about, Kept(), open_browser, come_back)
    async with (
        httpx2.AsyncClient(auth=auth, timeout=30) as http,
        Client(streamable_http_client(f"{trusting.url}/mcp", http_client=http)) as client,
    ):
        assert "search" in {tool.name for tool in (await client.list_tools()).tools}
    asked = parse_qs(urlsplit(opened[0]).query)
    assert opened[0].startswith(f"{issuer.url}/authorize?")
    assert asked["resource"] == [f"{trusting.url}/mcp"]
    assert asked["scope"] == ["pinakes:read pinakes:write"]


@pytest.fixture
async def closed(database_urls: EngineUrls, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """The application in this process, trusting the issuer but with no workspace for newcomers."""
    database = Database(database_urls.app_url, size=2)
    await database.open()
    trusted = OpenIdIssuer(issuer.url, AUDIENCE)
    known = SimpleNamespace(database=database, count_tokens=len, issuer=trusted, newcomers=None)
    settings = Settings(oidc_issuer=issuer.url, oidc_audience=AUDIENCE)
    async with open_api(App(settings, cast("Resources", known), None)) as api:
        transport = httpx.ASGITransport(app=api)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client
    await trusted.close()
    await database.close()


async def test_a_subject_nobody_knows_is_refused_in_words_that_help(
    closed: httpx.AsyncClient, issuer: TokenIssuer
) -> None:
    # F2
    header = {"Authorization": f"Bearer {issuer.token('stranger')}"}
    told = failure_of(await closed.get("/api/me", headers=header), 403, "IDENTITY_UNKNOWN")
    assert "'stranger'" in told
    assert "pinakes identities link" in told


async def test_while_the_issuer_is_away_everything_but_its_tokens_goes_on(
    closed: httpx.AsyncClient, issuer: TokenIssuer, workspace: Workspace
) -> None:
    # F2
    issuer.is_down = True
    header = {"Authorization": f"Bearer {issuer.token('ada')}"}
    told = failure_of(await closed.get("/api/me", headers=header), 503, "ISSUER_UNAVAILABLE")
    issuer.is_down = False
    assert issuer.url in told
    data_of(await closed.get("/api/me", headers={"Authorization": f"Bearer {workspace.key}"}))


def test_a_new_key_of_the_issuer_is_found(trusting: Server, issuer: TokenIssuer, ada: httpx.Client) -> None:
    # F2. Last here: it changes the issuer's keys.
    link(ada, issuer.token("rotating"))
    known = bearer(trusting, issuer.token("rotating"))
    issuer.keys = [make_signing_key("second", "EdDSA")]
    fresh = bearer(trusting, issuer.token("rotating"))
    wait_for(lambda: fresh.get("/api/me").is_success, "the new key was not found")
    assert "no such key" in failure_of(known.get("/api/me"), 401, "UNAUTHENTICATED")
