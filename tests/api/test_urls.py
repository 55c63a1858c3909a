"""Documents from the web."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from harness import Workspace, data_of, failure_of

PAGE = "<html><head><title>Tides</title></head><body><main><h1>Tides</h1><p>The moon pulls the sea.</p></main></body>"


@dataclass
class Web:
    """A small web of our own: paths, and what they answer with."""

    url: str
    pages: dict[str, tuple[int, dict[str, str], bytes]] = field(
        default_factory=dict[str, tuple[int, dict[str, str], bytes]]
    )

    def serve(self, path: str, body: str | bytes, status: int = 200, /, **headers: str) -> str:
        """Let a path answer; its address."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.pages[path] = (status, named, body.encode() if isinstance(body, str) else body)
        return self.url + path


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    """A web server on this machine."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = served.pages.get(self.path.partition("?")[0], (404, {}, b"gone"))
            if self.path == "/slow":
                time.sleep(0.5)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Web(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield served
    server.shutdown()


def _add(workspace: Workspace, kb: str, url: str, **fields: Any) -> Any:
    return workspace.client.post(f"/api/knowledge-bases/{kb}/urls", json={"url": url, **fields})


def test_a_page_is_fetched_indexed_and_knows_where_it_came_from(workspace: Workspace, web: Web) -> None:  # K1
    url = web.serve("/sea/tides", PAGE, content_type="text/html; charset=utf-8")
    tags = [{"tagName": "topic", "tagValue": "sea"}]
    added = data_of(_add(workspace, workspace.make_kb(), url + "#top", tags=tags))
    document = workspace.settle(added["document"]["id"])
    assert document["status"] == "indexed"
    assert document["source"] == url
    assert document["name"] == "127.0.0.1 › sea › tides.html"
    assert document["title"] == "Tides"
    assert document["tags"] == tags
    assert "moon" in workspace.search("what pulls the sea")[0]["content"]


@pytest.mark.parametrize(
    ("path", "headers", "name"),
    [
        ("/", {"content_type": "text/html"}, "127.0.0.1 › index.html"),
        ("/notes.txt", {"content_type": "text/plain"}, "127.0.0.1 › notes.txt"),
        ("/notes?page=2", {"content_type": "text/plain"}, "127.0.0.1 › notes (page=2).txt"),
        ("/get/7", {"content_disposition": 'attachment; filename="../a b.txt"'}, "127.0.0.1 › get › a b.txt"),
        ("/a%20b/c.md", {"content_type": "text/markdown"}, "127.0.0.1 › a b › c.md"),
    ],
)
def test_the_name_tells_host_path_and_kind(
    workspace: Workspace, web: Web, path: str, headers: dict[str, str], name: str
) -> None:  # K1
    web.serve(path.partition("?")[0], "Some words to be found.", **headers)
    added = data_of(_add(workspace, workspace.make_kb(), web.url + path))
    assert added["document"]["name"] == name


def test_a_page_is_fetched_again_on_demand(workspace: Workspace, web: Web) -> None:  # K4
    url = web.serve("/news", "<p>Monday: rain.</p>", content_type="text/html")
    kb = workspace.make_kb()
    document = workspace.settle(data_of(_add(workspace, kb, url))["document"]["id"])
    again = f"/api/documents/{document['id']}/refetch"
    assert data_of(workspace.client.post(again))["unchanged"] is True
    web.serve("/news", "<p>Tuesday: snow.</p>", content_type="text/html")
    assert data_of(workspace.client.post(again))["unchanged"] is False
    document = workspace.settle(document["id"])
    assert (document["version"], document["status"], document["source"]) == (2, "indexed", url)
    assert "snow" in workspace.search("snow")[0]["content"]
    failure_of(_add(workspace, kb, url), 409, "DUPLICATE_FILE")
    assert data_of(_add(workspace, kb, url, replace=True))["unchanged"] is True


def test_what_was_not_fetched_cannot_be_fetched_again(workspace: Workspace) -> None:
    document = workspace.add(workspace.make_kb(), "a.txt", "words")
    assert "web" in failure_of(workspace.client.post(f"/api/documents/{document['id']}/refetch"), 409)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:1/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0.0.0.0/",
        "http://2130706433/",
    ],
)
def test_private_addresses_are_not_called(workspace: Workspace, url: str) -> None:  # F3
    reason = failure_of(_add(workspace, workspace.make_kb(), url), 422)
    assert "not a public address" in reason or "cannot be reached" in reason


def test_a_redirect_into_a_private_network_is_not_followed(workspace: Workspace, web: Web) -> None:  # F3
    url = web.serve("/away", "", 302, location=web.url.replace("127.0.0.1", "localhost") + "/secret")
    web.serve("/secret", "secret words")
    assert "not a public address" in failure_of(_add(workspace, workspace.make_kb(), url), 422)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("ftp://example.org/a", "https://"),
        ("file:///etc/passwd", "https://"),
        ("no address", "https://"),
        ("https://user:secret@example.org/", "password"),
        ("http://", "https://"),
        ("http://xn--/", "https://"),
    ],
)
def test_what_is_no_web_address_is_refused(workspace: Workspace, url: str, told: str) -> None:
    reason = failure_of(_add(workspace, workspace.make_kb(), url), 422)
    assert told in reason
    assert "secret" not in reason


def test_what_cannot_be_fetched_says_why_and_stores_nothing(workspace: Workspace, web: Web) -> None:  # K1
    kb = workspace.make_kb()
    assert "404" in failure_of(_add(workspace, kb, web.url + "/missing"), 422, "FETCH_FAILED")
    assert "redirects" in failure_of(_add(workspace, kb, web.serve("/loop", "", 302, location="/loop")), 422)
    picture = web.serve("/cat.jpg", b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(200), content_type="image/jpeg")
    failure_of(_add(workspace, kb, picture), 415, "UNSUPPORTED_FILE_TYPE")
    assert "nothing" in failure_of(_add(workspace, kb, web.serve("/empty.txt", "")), 422)
    listed = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))
    assert listed["total"] == 0
