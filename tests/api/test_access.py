"""API keys, roles and the last owner."""

import hashlib
import socket
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx
import pytest

from api.people import join, make_key, user_id_of, with_key
from harness import Server, Workspace, data_of, failure_of
from pinakes.providers.postgres.engine import EngineUrls
from store.catalogue import connect


def test_a_key_names_its_workspace_and_is_shown_once(workspace: Workspace) -> None:
    # F2
    made = make_key(workspace.client, "read", "write")
    prefix, name, secret = made["key"].split("_")
    assert (prefix, f"ws_{name}") == ("pk", workspace.id)
    assert len(secret) == 32
    assert secret.endswith(made["hint"])
    listed = workspace.client.get("/api/keys")
    assert made["id"] in listed.text
    assert secret not in listed.text


def test_of_a_key_only_a_hash_is_stored(workspace: Workspace, database_urls: EngineUrls) -> None:
    # F2
    made = make_key(workspace.client)
    secret = made["key"].rpartition("_")[2]
    with connect(database_urls.migrate_url) as connection:
        row = connection.execute(
            "SELECT secret_hash, k::text AS everything FROM api_key k WHERE key_id = %s", [made["id"]]
        ).fetchone()
    assert row is not None
    assert row["secret_hash"] == hashlib.sha256(secret.encode()).digest()
    assert secret not in row["everything"]


def test_a_key_does_what_both_its_scopes_and_its_makers_role_allow(server: Server, workspace: Workspace) -> None:
    # F2
    editor = join(server, workspace, "editor")
    program = with_key(server, make_key(editor, "read", "write")["key"])
    assert data_of(program.get("/api/me"))["scopes"] == ["read", "write"]
    assert program.post("/api/knowledge-bases", json={"name": "Mine"}).status_code == 201
    failure_of(program.get("/api/invitations"), 403, "FORBIDDEN")
    # The role is looked up at every request: a key follows its maker down and up again.
    for role, scopes in (("viewer", ["read"]), ("owner", ["read", "write"])):
        data_of(workspace.client.patch(f"/api/members/{user_id_of(editor)}", json={"role": role}))
        me = data_of(program.get("/api/me"))
        assert (me["role"], me["scopes"]) == (role, scopes)
    write_only = with_key(server, make_key(workspace.client, "write")["key"])
    failure_of(write_only.get("/api/knowledge-bases"), 403, "FORBIDDEN")


@pytest.mark.parametrize(
    ("role", "asked"), [("viewer", ["write"]), ("viewer", ["read", "admin"]), ("editor", ["admin"])]
)
def test_nobody_makes_a_key_that_may_more_than_they_do(
    role: str, asked: list[str], server: Server, workspace: Workspace
) -> None:
    # F2
    person = join(server, workspace, role)
    answer = person.post("/api/keys", json={"name": "more", "scopes": asked})
    assert "scope" in failure_of(answer, 403, "FORBIDDEN")
    assert data_of(person.get("/api/keys")) == []


def test_a_key_makes_and_revokes_keys_only_with_admin_scope(server: Server, workspace: Workspace) -> None:
    # F2: a key that expires must not live on in another one
    kept = make_key(workspace.client)
    made = make_key(workspace.client, "read", "write")
    weak = with_key(server, made["key"])
    failure_of(weak.post("/api/keys", json={"name": "heir", "scopes": ["read"]}), 403, "FORBIDDEN")
    failure_of(weak.delete(f"/api/keys/{kept['id']}"), 403, "FORBIDDEN")
    data_of(weak.delete(f"/api/keys/{made['id']}"))
    failure_of(weak.get("/api/me"), 401, "UNAUTHENTICATED")
    strong = with_key(server, make_key(workspace.client, "admin")["key"])
    failure_of(strong.post("/api/keys", json={"name": "more", "scopes": ["write"]}), 403, "FORBIDDEN")
    data_of(strong.delete(f"/api/keys/{kept['id']}"))


@pytest.mark.parametrize("scopes", [[], ["everything"], "read", None])
def test_scopes_that_make_no_sense_are_refused(scopes: object, workspace: Workspace) -> None:
    # F2
    failure_of(workspace.client.post("/api/keys", json={"name": "odd", "scopes": scopes}), 422, "INVALID_REQUEST")


def test_an_expired_key_is_refused(server: Server, workspace: Workspace, database_urls: EngineUrls) -> None:
    # F2
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    made = make_key(workspace.client, expires_at=soon)
    program = with_key(server, made["key"])
    data_of(program.get("/api/me"))
    with connect(database_urls.migrate_url) as connection:
        connection.execute("UPDATE api_key SET expires_at = now() WHERE key_id = %s", [made["id"]])
    assert "expired" in failure_of(program.get("/api/me"), 401, "UNAUTHENTICATED")
    past = {"name": "late", "expiresAt": (datetime.now(UTC) - timedelta(seconds=1)).isoformat()}
    assert "past" in failure_of(workspace.client.post("/api/keys", json=past), 422)
    failure_of(workspace.client.post("/api/keys", json={"name": "x", "expiresAt": "2099-01-01T00:00:00"}), 422)


def test_a_revoked_key_is_refused_at_once_and_stays_listed(server: Server, workspace: Workspace) -> None:
    # F2
    made = make_key(workspace.client)
    program = with_key(server, made["key"])
    data_of(program.get("/api/me"))
    data_of(workspace.client.delete(f"/api/keys/{made['id']}"))
    failure_of(program.get("/api/me"), 401, "UNAUTHENTICATED")
    (listed,) = [key for key in data_of(workspace.client.get("/api/keys")) if key["id"] == made["id"]]
    assert listed["revokedAt"]
    assert listed["lastUsedAt"]
    data_of(workspace.client.delete(f"/api/keys/{made['id']}"))
    again = [key for key in data_of(workspace.client.get("/api/keys")) if key["id"] == made["id"]]
    assert again == [listed]


def test_people_revoke_their_own_keys_and_see_no_others(server: Server, workspace: Workspace) -> None:
    # F2
    viewer, other = join(server, workspace, "viewer"), join(server, workspace, "editor")
    mine, theirs = make_key(viewer), make_key(other)
    assert [key["id"] for key in data_of(viewer.get("/api/keys"))] == [mine["id"]]
    failure_of(viewer.delete(f"/api/keys/{theirs['id']}"), 403, "FORBIDDEN")
    data_of(viewer.delete(f"/api/keys/{mine['id']}"))
    assert {mine["id"], theirs["id"]} < {key["id"] for key in data_of(workspace.client.get("/api/keys"))}


def test_removing_a_member_ends_their_keys_and_their_way_in(server: Server, workspace: Workspace) -> None:
    # F2
    editor = join(server, workspace, "editor")
    program = with_key(server, make_key(editor, "read", "write")["key"])
    data_of(program.get("/api/me"))
    data_of(workspace.client.delete(f"/api/members/{user_id_of(editor)}"))
    failure_of(program.get("/api/me"), 401, "UNAUTHENTICATED")
    failure_of(editor.get("/api/me"), 404, "NOT_FOUND")
    assert data_of(editor.get("/api/workspaces")) == []


def test_malformed_and_borrowed_keys_are_refused(server: Server, workspace: Workspace) -> None:
    # F2
    _, name, secret = workspace.key.split("_")
    other = server.new_workspace().key.split("_")
    bad = [
        "pk",
        "pk_",
        "pk__",
        f"pk_{name}",
        f"pk_{name}_",
        f"pk__{secret}",
        f"pk_{name}_{secret[:-1]}",
        f"pk_{name}_{secret}0",
        f"pk_{name}_{secret.upper()}",
        f"pk_{name.upper()}_{secret}",
        f"pk_{workspace.id}_{secret}",
        f"pk_{other[1]}_{secret}",
        f"pk_{name}_{other[2]}",
        f"pk_%_{secret}",
        f"pk_{name}' OR '1'='1_{secret}",
        f"pk_{name}_{secret}\u00e9",
        f"pk_\u00e9_{secret}",
        f"pk_{'x' * 5000}_{secret}",
        secret,
        f"PK_{name}_{secret}",
    ]
    for key in bad:
        header = f"Bearer {key}".encode("latin-1")
        answer = httpx.get(f"{server.url}/api/me", headers={b"Authorization": header})
        assert "key" in failure_of(answer, 401, "UNAUTHENTICATED"), "whoever mistyped a key reads of keys"
        assert secret not in answer.text
    for header in ("Bearer", f"Basic {workspace.key}", workspace.key):
        failure_of(httpx.get(f"{server.url}/api/me", headers={"Authorization": header}), 401)
    assert data_of(workspace.client.get("/api/me"))["workspaceId"] == workspace.id


def test_each_role_does_what_it_is_for(server: Server, workspace: Workspace) -> None:
    # F2
    expected = {"viewer": (200, 403, 403), "editor": (200, 201, 403), "owner": (200, 201, 201)}
    for role, statuses in expected.items():
        person = join(server, workspace, role)
        me = data_of(person.get("/api/me"))
        assert (me["role"], me["keyId"]) == (role, None)
        tried = (
            person.get("/api/knowledge-bases"),
            person.post("/api/knowledge-bases", json={"name": f"Of the {role}"}),
            person.post("/api/invitations", json={"name": "Friend"}),
        )
        assert tuple(answer.status_code for answer in tried) == statuses


def test_a_new_role_counts_at_once(server: Server, workspace: Workspace) -> None:
    # F2
    person = join(server, workspace, "viewer", "Grace")
    member = f"/api/members/{user_id_of(person)}"
    assert data_of(workspace.client.patch(member, json={"role": "editor"}))["role"] == "editor"
    assert person.post("/api/knowledge-bases", json={"name": "Now"}).status_code == 201
    failure_of(person.patch(member, json={"role": "owner"}), 403, "FORBIDDEN")
    failure_of(workspace.client.patch(member, json={"role": "emperor"}), 422, "INVALID_REQUEST")
    listed = {entry["name"]: entry["role"] for entry in data_of(person.get("/api/members"))}
    assert listed["Grace"] == "editor"


def test_the_last_owner_can_neither_leave_nor_be_demoted(server: Server, workspace: Workspace) -> None:
    # F2
    (owner,) = data_of(workspace.client.get("/api/members"))
    path = f"/api/members/{owner['userId']}"
    assert "last owner" in failure_of(workspace.client.delete(path), 409, "CONFLICT")
    assert "last owner" in failure_of(workspace.client.patch(path, json={"role": "editor"}), 409, "CONFLICT")
    assert data_of(workspace.client.patch(path, json={"role": "owner"}))["role"] == "owner"
    second = join(server, workspace, "owner")
    data_of(second.patch(path, json={"role": "viewer"}))
    assert "last owner" in failure_of(second.delete(f"/api/members/{user_id_of(second)}"), 409, "CONFLICT")


def test_two_owners_who_leave_at_the_same_moment_do_not_both_get_away(server: Server) -> None:
    # F2
    for _ in range(5):
        workspace = server.new_workspace()
        owners = [join(server, workspace, "owner"), join(server, workspace, "owner")]
        (first,) = [m for m in data_of(workspace.client.get("/api/members")) if m["name"] != "Ada"]
        data_of(workspace.client.patch(f"/api/members/{first['userId']}", json={"role": "viewer"}))
        paths = [f"/api/members/{user_id_of(owner)}" for owner in owners]
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(httpx.Client.delete, owners, paths))
        assert sorted(answer.status_code for answer in answers) == [200, 409]


def test_anyone_may_leave_and_nobody_but_an_owner_may_send_others_away(server: Server, workspace: Workspace) -> None:
    # F2
    viewer, editor = join(server, workspace, "viewer"), join(server, workspace, "editor")
    failure_of(editor.delete(f"/api/members/{user_id_of(viewer)}"), 403, "FORBIDDEN")
    data_of(viewer.delete(f"/api/members/{user_id_of(viewer)}"))
    failure_of(viewer.get("/api/me"), 404, "NOT_FOUND")
    data_of(editor.get("/api/me"))


def test_a_key_cannot_act_as_a_person(workspace: Workspace) -> None:
    # F2
    for method, path in (("GET", "/api/workspaces"), ("POST", "/api/workspaces"), ("POST", "/api/sign-in-links")):
        answer = workspace.client.request(method, path, json={"name": "x"})
        assert "Sign in as a person" in failure_of(answer, 403, "FORBIDDEN")


def test_a_deleted_workspace_is_gone_with_its_keys(server: Server, workspace: Workspace) -> None:
    # F2, K12
    program = with_key(server, make_key(workspace.client)["key"])
    path = f"/api/workspaces/{workspace.id}"
    failure_of(workspace.client.delete(path), 422, "CONFIRMATION_REQUIRED")
    data_of(program.get("/api/me"))
    data_of(workspace.client.delete(path, params={"confirm": True}))
    failure_of(program.get("/api/me"), 401, "UNAUTHENTICATED")
    with server.owner as owner:
        assert workspace.id not in owner.get("/api/workspaces").text
        failure_of(owner.get("/api/me", headers={"X-Pinakes-Workspace": workspace.id}), 404, "NOT_FOUND")


def beginning_of_upload(server: Server, path: str, credential: str) -> bytes:
    """How a large upload is answered of which only the beginning was sent."""
    address = urlsplit(server.url)
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\n{credential}\r\nContent-Length: 40000000\r\n"
        "Content-Type: multipart/form-data; boundary=part\r\n\r\n--part\r\n"
        'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nOnly the beginning.'
    )
    with socket.create_connection((address.hostname or "", address.port or 0), timeout=5) as connection:
        connection.sendall(head.encode())
        return connection.recv(20)


def test_nobody_unknown_is_listened_to_for_long(server: Server, workspace: Workspace) -> None:
    # F2: else a made-up key would be enough to fill the disk with gigabytes that are refused afterwards.
    kb = data_of(workspace.client.post("/api/knowledge-bases", json={"name": "Uploads"}))["id"]
    reader = make_key(workspace.client, "read")["key"]
    for part in (f"{kb}/documents", f"{kb}/archives", "import"):
        path = f"/api/knowledge-bases/{part}"
        for credential in ("Authorization: Bearer x", f"Authorization: Bearer {workspace.key}0", "Cookie: a=b"):
            assert beginning_of_upload(server, path, credential).startswith(b"HTTP/1.1 401"), (path, credential)
        refused = beginning_of_upload(server, path, f"Authorization: Bearer {reader}")
        assert refused.startswith(b"HTTP/1.1 403"), path
