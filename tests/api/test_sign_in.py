"""Signing in with links and cookies, and what browsers of other sites cannot do."""

import hashlib
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from api.people import COOKIE, invite, join, make_key, token_in, user_id_of, visitor, with_key
from harness import Server, Workspace, data_of, failure_of
from pinakes.providers.postgres.engine import EngineUrls
from store.catalogue import connect


@pytest.fixture
def link(server: Server) -> str:
    """A link that signs the local owner in."""
    with server.owner as owner:
        return data_of(owner.post("/api/sign-in-links"))["url"]


@pytest.fixture
def member(server: Server, workspace: Workspace) -> Iterator[httpx.Client]:
    """Somebody signed in by cookie who may do everything in the workspace."""
    person = join(server, workspace, "owner")
    yield person
    person.close()


def expire(urls: EngineUrls, table: str, token: str) -> None:
    """Let the time of a link or a session run out."""
    with connect(urls.migrate_url) as connection:
        query = f"UPDATE {table} SET expires_at = now() WHERE token_hash = %s"
        assert connection.execute(query.encode(), [hashlib.sha256(token.encode()).digest()]).rowcount == 1


def test_a_link_signs_in_with_a_cookie_that_scripts_and_other_sites_do_not_get(server: Server, link: str) -> None:
    # F2
    browser = visitor(server)
    opened = browser.get(link)
    assert (opened.status_code, opened.headers["location"]) == (303, "/")
    attributes = {part.strip().lower() for part in opened.headers["set-cookie"].split(";")}
    assert {"httponly", "samesite=lax", "path=/"} <= attributes
    # Over plain HTTP on one's own machine a cookie marked as secure would not come back.
    assert "secure" not in attributes
    assert data_of(browser.get("/api/me"))["role"] == "owner"
    docs = browser.get("/docs")
    assert (docs.status_code, "swagger-ui" in docs.text) == (200, True)


def test_a_link_works_once(server: Server, link: str) -> None:
    # F2
    assert visitor(server).get(link).status_code == 303
    late = visitor(server).get(link)
    assert "used already" in failure_of(late, 401, "UNAUTHENTICATED")
    assert "set-cookie" not in late.headers


def test_a_spent_link_leads_a_browser_to_a_page_that_says_so(server: Server, link: str) -> None:
    # F2
    browser = visitor(server)
    browser.get(link)
    sent = {"Accept": "text/html,application/xhtml+xml"}
    late = visitor(server).get(link, headers=sent)
    assert (late.status_code, late.headers["location"]) == (303, "/welcome?problem=link")
    assert "set-cookie" not in late.headers
    # Whoever is signed in already is simply let through.
    assert browser.get(link, headers=sent).headers["location"] == "/"


def test_a_key_signs_a_browser_in_as_far_as_the_key_goes(server: Server, workspace: Workspace) -> None:
    # F2
    made = make_key(workspace.client, "read")
    browser = visitor(server)
    me = data_of(browser.post("/api/session", json={"key": f" {made['key']} "}))
    assert (me["workspaceId"], me["workspaceName"], me["keyId"]) == (workspace.id, "Test", made["id"])
    assert data_of(browser.get("/api/me")) == me
    failure_of(browser.post("/api/knowledge-bases", json={"name": "No"}), 403, "FORBIDDEN")
    failure_of(browser.get("/api/workspaces"), 403, "FORBIDDEN")
    failure_of(
        browser.post("/api/knowledge-bases", json={}, headers={"Sec-Fetch-Site": "cross-site"}), 403, "CROSS_SITE"
    )
    data_of(workspace.client.delete(f"/api/keys/{made['id']}"))
    failure_of(browser.get("/api/me"), 401, "UNAUTHENTICATED")
    data_of(browser.post("/api/sign-out"))
    assert COOKIE not in browser.cookies


def test_a_wrong_key_or_another_site_signs_nobody_in(server: Server, workspace: Workspace) -> None:
    # F2
    for key in ("x", "pk_x_y", "pk_" + "ü" * 20, workspace.key + "0"):
        answer = visitor(server).post("/api/session", json={"key": key})
        failure_of(answer, 401, "UNAUTHENTICATED")
        assert "set-cookie" not in answer.headers
    forged = visitor(server).post(
        "/api/session", json={"key": workspace.key}, headers={"Origin": "https://evil.example"}
    )
    failure_of(forged, 403, "CROSS_SITE")
    assert "set-cookie" not in forged.headers


def test_of_several_who_open_a_link_at_the_same_moment_one_gets_in(server: Server) -> None:
    # F2
    for _ in range(5):
        with server.owner as owner:
            link = data_of(owner.post("/api/sign-in-links"))["url"]
        browsers = [visitor(server) for _ in range(4)]
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(httpx.Client.get, browsers, [link] * 4))
        assert sorted(answer.status_code for answer in answers) == [303, 401, 401, 401]


def test_a_link_expires(server: Server, link: str, database_urls: EngineUrls) -> None:
    # F2
    with server.owner as owner:
        made = data_of(owner.post("/api/sign-in-links"))
    left = datetime.fromisoformat(made["expiresAt"]) - datetime.now(UTC)
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)
    expire(database_urls, "sign_in_link", token_in(link))
    assert "expired" in failure_of(visitor(server).get(link), 401, "UNAUTHENTICATED")


@pytest.mark.parametrize("token", ["", "0" * 32, "%00", "' OR '1'='1", "ü"])
def test_a_made_up_link_signs_nobody_in(token: str, server: Server) -> None:
    # F2
    answer = visitor(server).get("/sign-in", params={"token": token})
    failure_of(answer, 401, "UNAUTHENTICATED")
    assert "set-cookie" not in answer.headers


def test_neither_links_nor_sessions_are_stored_in_clear(server: Server, link: str, database_urls: EngineUrls) -> None:
    # F2
    browser = visitor(server)
    browser.get(link)
    with connect(database_urls.migrate_url) as connection:
        for table, secret in (("sign_in_link", token_in(link)), ("user_session", browser.cookies[COOKIE])):
            rows = connection.execute(f"SELECT t::text AS row FROM {table} t".encode()).fetchall()
            assert rows
            assert not [row for row in rows if secret in row["row"]]


def test_signing_out_ends_the_session_and_no_other(server: Server, link: str) -> None:
    # F2
    browser, other = visitor(server), visitor(server)
    browser.get(link)
    with server.owner as owner:
        other.get(data_of(owner.post("/api/sign-in-links"))["url"])
    session = browser.cookies[COOKIE]
    data_of(browser.post("/api/sign-out"))
    assert COOKIE not in browser.cookies
    stolen = httpx.get(f"{server.url}/api/me", cookies={COOKIE: session})
    failure_of(stolen, 401, "UNAUTHENTICATED")
    data_of(other.get("/api/me"))
    data_of(browser.post("/api/sign-out"))


def test_a_session_expires(server: Server, member: httpx.Client, database_urls: EngineUrls) -> None:
    # F2
    data_of(member.get("/api/me"))
    expire(database_urls, "user_session", member.cookies[COOKIE])
    assert "Sign in again" in failure_of(member.get("/api/me"), 401, "UNAUTHENTICATED")
    failure_of(with_key(server, member.cookies[COOKIE]).get("/api/me"), 401, "UNAUTHENTICATED")


def test_whoever_opens_an_invitation_joins_under_its_role(server: Server, workspace: Workspace) -> None:
    # F2
    person = visitor(server)
    assert person.get(invite(workspace, "editor", "Grace")).status_code == 303
    (joined,) = data_of(person.get("/api/workspaces"))
    assert (joined["id"], joined["role"]) == (workspace.id, "editor")
    me = data_of(person.get("/api/me"))
    assert (me["name"], me["workspaceId"], me["role"]) == ("Grace", workspace.id, "editor")
    assert data_of(workspace.client.get("/api/invitations")) == []


def test_someone_signed_in_joins_as_themself_and_keeps_the_role_they_have(
    server: Server, workspace: Workspace, member: httpx.Client
) -> None:
    # F2
    before = user_id_of(member)
    other = server.new_workspace("Elsewhere")
    assert member.get(invite(other, "viewer", "Somebody else")).status_code == 303
    roles = {entry["id"]: entry["role"] for entry in data_of(member.get("/api/workspaces"))}
    assert roles == {workspace.id: "owner", other.id: "viewer"}
    assert user_id_of(member) == before
    # An invitation with another role does not change a member's.
    assert member.get(invite(other, "owner")).status_code == 303
    assert {e["id"]: e["role"] for e in data_of(member.get("/api/workspaces"))} == roles


def test_an_invitation_that_was_used_withdrawn_or_has_expired_lets_nobody_in(
    server: Server, workspace: Workspace, database_urls: EngineUrls
) -> None:
    # F2
    used, withdrawn, expired = (invite(workspace, "owner", name) for name in ("used", "withdrawn", "expired"))
    assert visitor(server).get(used).status_code == 303
    ids = {entry["name"]: entry["id"] for entry in data_of(workspace.client.get("/api/invitations"))}
    assert set(ids) == {"withdrawn", "expired"}
    data_of(workspace.client.delete(f"/api/invitations/{ids['withdrawn']}"))
    failure_of(workspace.client.delete(f"/api/invitations/{ids['withdrawn']}"), 404, "NOT_FOUND")
    expire(database_urls, "sign_in_link", token_in(expired))
    assert data_of(workspace.client.get("/api/invitations")) == []
    members = data_of(workspace.client.get("/api/members"))
    for link in (used, withdrawn, expired):
        failure_of(visitor(server).get(link), 401, "UNAUTHENTICATED")
    assert data_of(workspace.client.get("/api/members")) == members


def test_the_list_of_invitations_does_not_give_their_links_away(workspace: Workspace) -> None:
    # F2
    token = token_in(invite(workspace, "owner"))
    listed = workspace.client.get("/api/invitations")
    assert data_of(listed)[0]["role"] == "owner"
    assert token not in listed.text
    assert hashlib.sha256(token.encode()).hexdigest() not in listed.text


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "{url}"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "{url}.evil.example"},
]
OURS: list[dict[str, str]] = [{}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}, {"Origin": "{url}"}]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_another_site_changes_nothing_with_our_cookie(
    headers: dict[str, str], server: Server, member: httpx.Client
) -> None:
    # F2
    sent = {name: value.replace("{url}", server.url) for name, value in headers.items()}
    kbs = data_of(member.get("/api/knowledge-bases"))
    me = user_id_of(member)
    for method, path in (
        ("POST", "/api/knowledge-bases"),
        ("POST", "/api/sign-out"),
        ("PATCH", f"/api/members/{me}"),
        ("DELETE", f"/api/members/{me}"),
    ):
        answer = member.request(method, path, json={"name": "Forged"} if method == "POST" else None, headers=sent)
        assert "another site" in failure_of(answer, 403, "CROSS_SITE")
    assert data_of(member.get("/api/knowledge-bases")) == kbs
    # A bearer is not sent by a browser on its own, so nothing can be forged with it.
    with with_key(server, member.cookies[COOKIE]) as program:
        assert program.post("/api/workspaces", json={"name": "Own"}, headers=sent).status_code == 201


@pytest.mark.parametrize("headers", OURS, ids=str)
def test_our_own_pages_work_with_the_cookie(headers: dict[str, str], server: Server, member: httpx.Client) -> None:
    # F2
    sent = {name: value.replace("{url}", server.url) for name, value in headers.items()}
    assert member.post("/api/knowledge-bases", json={"name": "Mine"}, headers=sent).status_code == 201


PLACES = ["/", "/docs", "/docs/assets/swagger-ui.css", "/healthz", "/readyz", "/metrics", "/api/openapi.json",
          "/api/me", "/api/events", "/sign-in?token=x", "/api/originals?token=x", "/nowhere"]  # fmt: skip


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "", "[::2]"])
def test_a_foreign_host_name_is_refused_on_every_kind_of_route(host: str, server: Server, workspace: Workspace) -> None:
    # F2: against DNS rebinding
    sent = {"Host": host.replace("{port}", server.url.rpartition(":")[2])}
    for place in PLACES:
        failure_of(workspace.client.get(place, headers=sent), 421, "HOST_NOT_ALLOWED")
    refused = workspace.client.post("/api/knowledge-bases", json={"name": "Rebound"}, headers=sent)
    failure_of(refused, 421, "HOST_NOT_ALLOWED")
    assert "Rebound" not in workspace.client.get("/api/knowledge-bases").text


@pytest.mark.parametrize("host", ["localhost", "localhost:{port}", "LocalHost:{port}", "127.0.0.1", "[::1]:{port}"])
def test_this_machines_own_names_are_answered(host: str, server: Server) -> None:
    # F2
    sent = {"Host": host.replace("{port}", server.url.rpartition(":")[2])}
    assert httpx.get(f"{server.url}/healthz", headers=sent).status_code == 200


def test_every_answer_carries_the_security_headers(server: Server, workspace: Workspace) -> None:
    # F2
    for place in PLACES:
        if place != "/api/events":
            headers = workspace.client.get(place).headers
            assert headers["x-content-type-options"] == "nosniff", place
            assert headers["x-frame-options"] == "DENY", place
            assert headers["referrer-policy"] == "no-referrer", place
            assert headers["cross-origin-opener-policy"] == "same-origin", place
            assert headers["cross-origin-resource-policy"] == "same-origin", place
            assert headers["x-request-id"], place
            assert "access-control-allow-origin" not in headers, place
    assert server.url.startswith("http://127.0.0.1:")


def test_the_documentation_page_loads_nothing_from_elsewhere(server: Server) -> None:
    # F2
    page = httpx.get(f"{server.url}/docs")
    loaded = re.findall(r"""(?:src|href)=["']([^"']+)""", page.text) + re.findall(r"url: '([^']+)'", page.text)
    assert len(loaded) >= 3
    for address in loaded:
        assert re.match(r"/(?!/)|data:", address), address
        if not address.startswith("data:"):
            assert httpx.get(server.url + address).status_code == 200, address
    policy = dict(part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    allowed = {source for sources in policy.values() for source in sources.split()}
    assert allowed <= {"'self'", "'none'", "'unsafe-inline'", "data:"}


def test_metrics_are_there_for_this_machine(server: Server, workspace: Workspace) -> None:
    # F4
    assert workspace.client.get("/api/me").status_code == 200
    metrics = httpx.get(f"{server.url}/metrics")
    assert metrics.headers["content-type"].startswith("text/plain")
    assert re.search(r'^pinakes_requests_total\{.*route="/api/me".*\} [1-9]', metrics.text, re.MULTILINE)
    assert workspace.id not in metrics.text
