"""Originals are handed out whole or in parts, and never as something that a browser would run."""

import hashlib
import os

import httpx
import pytest

from harness import Server, Workspace, data_of, failure_of

CONTENT = b"Bats hang upside down. " + os.urandom(300_000).hex().encode()


@pytest.fixture(scope="module")
def link(server: Server) -> str:
    """Where an original of 600 kB can be fetched."""
    workspace = server.new_workspace()
    made = data_of(workspace.upload(workspace.make_kb(), "bats.txt", CONTENT))["document"]["id"]
    return data_of(workspace.client.get(f"/api/documents/{made}/download"))["url"]


def fetch(link: str, **headers: str) -> httpx.Response:
    return httpx.get(link, headers={name.replace("_", "-"): value for name, value in headers.items()})


def test_the_whole_original_says_that_it_can_be_had_in_parts(link: str) -> None:
    # K5
    whole = fetch(link)
    assert (whole.status_code, whole.content) == (200, CONTENT)
    assert whole.headers["accept-ranges"] == "bytes"
    assert whole.headers["content-length"] == str(len(CONTENT))
    assert whole.headers["etag"] == f'"{hashlib.sha256(CONTENT).hexdigest()}"'


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-3", 0, 3),
        ("bytes=70000-300000", 70_000, 300_000),
        ("bytes=599000-", 599_000, len(CONTENT) - 1),
        ("bytes=-10", len(CONTENT) - 10, len(CONTENT) - 1),
        ("bytes=-99999999", 0, len(CONTENT) - 1),
        ("bytes=5-99999999", 5, len(CONTENT) - 1),
    ],
)
def test_a_range_is_answered_with_just_these_bytes(link: str, asked: str, first: int, last: int) -> None:
    # K5
    part = fetch(link, range=asked)
    assert (part.status_code, part.content) == (206, CONTENT[first : last + 1])
    assert part.headers["content-range"] == f"bytes {first}-{last}/{len(CONTENT)}"
    assert part.headers["content-length"] == str(last - first + 1)
    assert part.headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize("asked", ["bytes=9-5", "bytes=0-1,5-9", "bytes=-", "lines=1-2", "bytes=a-b", ""])
def test_a_range_that_makes_no_sense_is_not_heard(link: str, asked: str) -> None:
    # K5
    assert fetch(link, range=asked).status_code == 200


@pytest.mark.parametrize("asked", ["bytes=700000-", "bytes=700000-800000", "bytes=-0"])
def test_a_range_past_the_end_is_refused(link: str, asked: str) -> None:
    # K5
    refused = fetch(link, range=asked)
    failure_of(refused, 416, "RANGE_NOT_SATISFIABLE")
    assert refused.headers["content-range"] == f"bytes */{len(CONTENT)}"


def test_a_part_of_another_file_is_never_mixed_in(link: str) -> None:
    # K5
    tag = fetch(link, range="bytes=0-0").headers["etag"]
    assert fetch(link, range="bytes=0-9", if_range=tag).status_code == 206
    assert fetch(link, range="bytes=0-9", if_range='"of another file"').status_code == 200


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", "<html><body><script>alert(document.cookie)</script><p>A page about bats.</p></body></html>"),
        (
            "drawing.xml",
            '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><text>Bats fly.</text></svg>',
        ),
    ],
)
def test_what_a_browser_could_run_is_handed_out_as_a_file_to_keep(
    workspace: Workspace, name: str, content: str
) -> None:
    # F2
    document = workspace.add(workspace.make_kb(), name, content)
    fetched = fetch(data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))["url"])
    assert fetched.headers["content-disposition"].startswith("attachment;")
    assert fetched.headers["x-content-type-options"] == "nosniff"
    assert fetched.headers["content-type"] == "application/octet-stream"
    assert fetched.headers["content-security-policy"].startswith("sandbox;")


def test_one_passage_is_found_by_its_id_within_its_document(workspace: Workspace) -> None:
    # K5
    kb = workspace.make_kb()
    one, other = (
        workspace.add(kb, name, f"# {name}\n\nBats sleep.\n\n# More\n\nThey fly.") for name in ("a.md", "b.md")
    )
    chunks = data_of(workspace.client.get(f"/api/documents/{one['id']}/chunks"))["items"]
    assert len(chunks) == 2
    for chunk in chunks:
        assert data_of(workspace.client.get(f"/api/documents/{one['id']}/chunks/{chunk['id']}")) == chunk
    words = failure_of(workspace.client.get(f"/api/documents/{other['id']}/chunks/{chunks[0]['id']}"), 404, "NOT_FOUND")
    assert "earlier version" in words
