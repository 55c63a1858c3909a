"""People who join a workspace in a browser, and what there is in a workspace to be found or harmed."""

import re
from urllib.parse import parse_qs, urlsplit

import httpx

from embedding_server import shared_endpoint
from harness import DEADLINE, Server, Workspace, data_of

COOKIE = "pinakes_session"
# What these find in a workspace that was just filled is nothing they could do their work on.
NOT_AS_IT_IS = {
    "retryDocument": 409,
    "refetchDocument": 409,
    "uploadArchive": 415,
    "addUrl": 422,
    "switchGeneration": 409,
    "dropGeneration": 409,
    "cancelOperation": 409,
    "retryOperation": 409,
    # For people alone, and for those who have an issuer.
    "linkIdentity": 404,
    "removeIdentity": 403,
}


def visitor(server: Server) -> httpx.Client:
    """A browser nobody is signed in with."""
    return httpx.Client(base_url=server.url, timeout=DEADLINE)


def invite(workspace: Workspace, role: str = "viewer", name: str = "Ada") -> str:
    """An invitation's link."""
    return data_of(workspace.client.post("/api/invitations", json={"name": name, "role": role}))["url"]


def join(server: Server, workspace: Workspace, role: str, name: str = "Ada") -> httpx.Client:
    """The browser of a new member, signed in by cookie, who works in this workspace."""
    person = visitor(server)
    opened = person.get(invite(workspace, role, name))
    assert opened.status_code == 303, opened.text
    person.headers["X-Pinakes-Workspace"] = workspace.id
    return person


def user_id_of(person: httpx.Client) -> str:
    """Who this is."""
    return data_of(person.get("/api/me"))["userId"]


def token_in(link: str) -> str:
    """The secret a link carries."""
    (token,) = parse_qs(urlsplit(link).query)["token"]
    assert re.fullmatch(r"[0-9a-z]{32}", token)
    return token


def make_key(client: httpx.Client, *scopes: str, expires_at: str | None = None) -> dict[str, str]:
    """A new API key, with its text."""
    body = {"name": "test", "scopes": list(scopes or ["read"]), "expiresAt": expires_at}
    return data_of(client.post("/api/keys", json=body))


def with_key(server: Server, key: str) -> httpx.Client:
    """A program with this key."""
    return httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=DEADLINE)


def fill(server: Server, workspace: Workspace) -> dict[str, str]:
    """One of everything an address or a body can name, by the name of the parameter."""
    name = f"Papers of {workspace.id}"
    kb = workspace.make_kb(name)
    document = workspace.add(kb, "trees.txt", "Oaks can live for a thousand years.")
    member = join(server, workspace, "viewer", "Zoe")
    invite(workspace)
    endpoint = {"name": "Mine", "baseUrl": shared_endpoint().url, "model": "bag-of-words"}
    note = data_of(workspace.client.post("/api/notes", json={"content": "Beeches are felled in autumn."}))["note"]
    workspace.settle(note["id"])
    template = {"name": f"Template of {workspace.id}", "content": "Nothing to fill in."}
    return {
        "noteId": note["id"],
        "templateId": data_of(workspace.client.post("/api/templates", json=template))["id"],
        "workspaceId": workspace.id,
        "knowledgeBaseId": kb,
        "documentId": document["id"],
        "chunkId": data_of(workspace.client.get(f"/api/documents/{document['id']}/chunks"))["items"][0]["id"],
        "generationId": data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/generations"))[0]["id"],
        "operationId": document["operationId"],
        "userId": user_id_of(member),
        "invitationId": data_of(workspace.client.get("/api/invitations"))[0]["id"],
        "keyId": make_key(member)["id"],
        "embedderId": data_of(workspace.client.post("/api/embedders", json=endpoint))["id"],
        "rerankerId": data_of(workspace.client.post("/api/rerankers", json=endpoint | {"style": "jina"}))["id"],
        "identityId": "idn_01m7ffa38r2n85cxkt96vprj56",
        "baseUrl": endpoint["baseUrl"],
    }
