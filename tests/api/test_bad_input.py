"""Bad input: a clear error that says what to do, and nothing stored."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from harness import Server, Workspace, data_of, failure_of
from parsers.pdf_files import make_pdf
from stored import Stored

LIMIT = 50 * 1024 * 1024
NUL = "a\0b"
LONE = "a\ud800b"
TEXT = "Owls hunt at night.\n"


@pytest.fixture(scope="module")
def workspace(server: Server) -> Workspace:
    """One for all: no test here leaves a trace."""
    return server.new_workspace()


@pytest.fixture(scope="module")
def kb(workspace: Workspace) -> str:
    """A knowledge base with one document."""
    kb = workspace.make_kb()
    assert workspace.add(kb, "owls.txt", TEXT)["status"] == "indexed"
    return kb


@contextmanager
def unchanged(stored: Stored, workspace: Workspace) -> Generator[None]:
    """Nothing of the workspace is more or less afterwards, in any table or in the store."""
    before = stored.footprint(workspace.id)
    assert before["document"]
    assert before["files"]
    yield
    assert stored.footprint(workspace.id) == before


def send(workspace: Workspace, method: str, path: str, body: Any) -> httpx.Response:
    """Send JSON as it is, lone surrogates and all, as escapes."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return workspace.client.request(method, path, content=content, headers={"content-type": "application/json"})


def multipart(name: str, content: bytes, fields: str = "") -> tuple[bytes, dict[str, str]]:
    """A form with one file, framed by hand."""
    head = f'{fields}--edge\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
    body = head.encode("utf-8", "surrogatepass") + content + b"\r\n--edge--\r\n"
    return body, {"content-type": "multipart/form-data; boundary=edge"}


def test_a_file_of_one_byte_over_the_limit_is_refused(workspace: Workspace, kb: str, stored: Stored) -> None:
    # K2
    with unchanged(stored, workspace):
        words = failure_of(workspace.upload(kb, "large.txt", b"x" * (LIMIT + 1)), 413, "FILE_TOO_LARGE")
    assert "50 MB" in words
    assert "PINAKES_MAX_FILE_BYTES" in words


@pytest.mark.parametrize("excess", [1, 3 * 1024 * 1024], ids=["one byte over", "far over"])
def test_a_file_that_does_not_say_how_long_it_is_has_the_same_limit(
    workspace: Workspace, kb: str, stored: Stored, excess: int
) -> None:
    # K2
    body, headers = multipart("large.txt", b"x" * (LIMIT + excess))
    pieces = (body[at : at + 1_000_000] for at in range(0, len(body), 1_000_000))
    with unchanged(stored, workspace):
        answer = workspace.client.post(f"/api/knowledge-bases/{kb}/documents", content=pieces, headers=headers)
        assert "50 MB" in failure_of(answer, 413, "FILE_TOO_LARGE")
    assert answer.request.headers["transfer-encoding"] == "chunked"


def test_a_body_that_says_it_is_too_long_is_refused_unread(workspace: Workspace, kb: str, stored: Stored) -> None:
    # K2
    with unchanged(stored, workspace):
        answer = workspace.upload(kb, "large.txt", b"x" * (LIMIT + 3 * 1024 * 1024))
        assert "50 MB" in failure_of(answer, 413, "FILE_TOO_LARGE")


def test_a_file_of_exactly_the_limit_is_not_too_large(server: Server) -> None:
    # K2
    workspace = server.new_workspace()
    content = b"%PDF-1.7\n".ljust(LIMIT, b"\n")
    answer = data_of(workspace.upload(workspace.make_kb(), "full.pdf", content))
    assert answer["document"]["sizeBytes"] == LIMIT
    assert "damaged" in workspace.settle(answer["document"]["id"])["error"]


@pytest.mark.parametrize(
    ("name", "content", "status", "code", "says"),
    [
        ("empty.txt", b"", 422, "INVALID_REQUEST", "is empty"),
        ("really.pdf", TEXT.encode(), 415, "UNSUPPORTED_FILE_TYPE", "content is plain text"),
        ("really.txt", make_pdf("x"), 415, "UNSUPPORTED_FILE_TYPE", "content is a PDF"),
        ("really.md", b"\x89PNG\r\n\x1a\n" + bytes(100), 415, "UNSUPPORTED_FILE_TYPE", "image/png"),
        ("program.exe", b"MZ\x90\x00", 415, "UNSUPPORTED_FILE_TYPE", "Supported: PDF (.pdf)"),
        ("noextension", TEXT.encode(), 415, "UNSUPPORTED_FILE_TYPE", "has no extension"),
        ("nul.txt", b"text\0with\0nul", 415, "UNSUPPORTED_FILE_TYPE", "Supported:"),
        ("../../etc/passwd.txt", TEXT.encode(), 422, "INVALID_REQUEST", "Send the bare file name"),
        ("folder/owls2.txt", TEXT.encode(), 422, "INVALID_REQUEST", "contains a path"),
        ("..\\\\owls2.txt", TEXT.encode(), 422, "INVALID_REQUEST", "contains a path"),
        ("..", TEXT.encode(), 422, "INVALID_REQUEST", "contains a path"),
        (f"{'x' * 300}.txt", TEXT.encode(), 422, "INVALID_REQUEST", "255 bytes"),
        ("a\0b.txt", TEXT.encode(), 422, "INVALID_REQUEST", "control characters"),
        ("invoice\u202egnp.txt", TEXT.encode(), 422, "INVALID_REQUEST", "control characters"),
        ("a\ud800b.txt", TEXT.encode(), 422, "INVALID_REQUEST", "control characters"),
        ("a\u2028Sources: b.txt", TEXT.encode(), 422, "INVALID_REQUEST", "control characters"),
        ("owls.txt", b"Other owls.", 409, "DUPLICATE_FILE", "Upload with replace"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_in_words(
    workspace: Workspace, kb: str, stored: Stored, name: str, content: bytes, status: int, code: str, says: str
) -> None:
    # K1, K2, K4
    body, headers = multipart(name, content)
    with unchanged(stored, workspace):
        answer = workspace.client.post(f"/api/knowledge-bases/{kb}/documents", content=body, headers=headers)
        assert says in failure_of(answer, status, code)


@pytest.mark.parametrize(
    ("form", "says"),
    [
        ({"tags": [f"n{n}=v" for n in range(21)]}, "at most 20"),
        ({"tags": "a\0b"}, "control characters"),
        ({"tags": "=x"}, "1 to 100 characters"),
        ({"tags": "x" * 101}, "1 to 100 characters"),
        ({"tags": '[{"tagName": "a"}]'}, "JSON list"),
        ({"tags": "[1"}, "JSON list"),
        ({"tags": '["a"]'}, "JSON list"),
        ({"tags": "[1, 2]"}, "JSON list"),
        ({"tags": '[{"tagName": "a", "tagValue": "\\ud800"}]'}, "control characters"),
        ({"tags": "a\u202eb"}, "control characters"),
        ({"title": "a\0b"}, "control characters"),
        ({"title": "a\u202eb"}, "control characters"),
        ({"title": "x" * 201}, "200"),
        ({"replace": "perhaps"}, "replace"),
    ],
)
def test_fields_of_an_upload_that_are_not_valid_are_refused(
    workspace: Workspace, kb: str, stored: Stored, form: dict[str, Any], says: str
) -> None:
    # K2, K7
    with unchanged(stored, workspace):
        assert says in failure_of(workspace.upload(kb, "new.txt", "Something new.", **form), 422)


def test_an_upload_that_is_no_form_or_has_no_file_is_refused(workspace: Workspace, kb: str, stored: Stored) -> None:
    path = f"/api/knowledge-bases/{kb}/documents"
    body, headers = multipart("new.txt", b"text")
    with unchanged(stored, workspace):
        assert "file" in failure_of(send(workspace, "POST", path, {"file": "text"}), 422)
        assert "file" in failure_of(workspace.client.post(path, data={"title": "x"}), 422)
        failure_of(workspace.client.post(path, content=body[:40], headers=headers), 422)
        failure_of(workspace.client.post(path, content=body, headers={"content-type": "multipart/form-data"}), 400)
        fields = '--edge\r\ncontent-disposition: form-data; name="title"\r\n\r\n' + "x" * 1_500_000 + "\r\n"
        body, headers = multipart("new.txt", b"text", fields)
        failure_of(workspace.client.post(path, content=body, headers=headers), 400)


UNKNOWN = ["kb_nothere", "No such name", "a\0b", "\ud800", "../..", "x" * 5000, "%", "'; DROP TABLE chunk; --"]


@pytest.mark.parametrize("reference", UNKNOWN, ids=lambda name: ascii(name)[:24])
def test_an_unknown_knowledge_base_or_document_is_not_found(
    workspace: Workspace, kb: str, stored: Stored, reference: str
) -> None:
    segment = "".join(f"%{byte:02X}" for byte in reference.encode("utf-8", "surrogatepass"))
    with unchanged(stored, workspace):
        for answer in (
            workspace.upload(segment, "new.txt", "Something new."),
            workspace.client.get(f"/api/knowledge-bases/{segment}"),
            workspace.client.get(f"/api/knowledge-bases/{segment}/documents"),
            workspace.client.patch(f"/api/knowledge-bases/{segment}", json={"name": "x"}),
            workspace.client.delete(f"/api/knowledge-bases/{segment}", params={"confirm": "true"}),
            workspace.client.get(f"/api/documents/{segment}"),
            workspace.client.patch(f"/api/documents/{segment}", json={"title": "x"}),
            workspace.client.delete(f"/api/documents/{segment}"),
            workspace.client.get(f"/api/documents/{segment}/chunks"),
            workspace.client.get(f"/api/documents/{segment}/download"),
            workspace.client.post(f"/api/documents/{segment}/retry"),
            workspace.client.get(f"/api/operations/{segment}"),
            send(workspace, "POST", "/api/search", {"query": "owls", "knowledgeBaseIds": [reference]}),
        ):
            # What no id can contain may also be called invalid; it must not be called our fault.
            assert answer.status_code in ({404, 422} if reference in {"a\0b", "\ud800"} else {404}), answer.text
            failure_of(answer, answer.status_code)


@pytest.mark.parametrize("path", ["/api/search", "/api/ask"])
@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"query": ""}, "empty"),
        ({"query": " \n\t "}, "empty"),
        ({"query": "owl " * 25_000}, "at most 10000"),
        ({"query": NUL}, "NUL or broken Unicode"),
        ({"query": LONE}, "query"),
        ({"query": None}, "query"),
        ({"query": ["owls"]}, "query"),
        ({"query": json.loads("[" * 900 + "]" * 900)}, "query"),
        ({"topK": 0}, "topK"),
        ({"topK": 21}, "topK"),
        ({"topK": "many"}, "topK"),
        ({"topK": 10**40}, "topK"),
        ({"minScore": 2}, "minScore"),
        ({"minScore": -0.1}, "minScore"),
        ({"minScore": float("nan")}, "minScore"),
        ({"maxTokens": 0}, "maxTokens"),
        ({"ordering": "alphabet"}, "ordering"),
        ({"kinds": ["song"]}, "kinds"),
        ({"updatedFrom": "yesterday"}, "updatedFrom"),
        ({"updatedFrom": "2024-01-01T00:00:00"}, "updatedFrom"),
        ({"tagFilters": [{"tagName": "x"}]}, "tagFilters"),
        ({"tagFilters": [{"tagName": "x", "tagValue": LONE}]}, "tagFilters"),
        ({"tagFilters": [{"tagName": NUL, "tagValue": NUL}]}, "NUL"),
        ({"knowledgeBaseIds": ["x"] * 101}, "knowledgeBaseIds"),
        ({"topk": 3}, "topk"),
        ({LONE: 3}, ""),
    ],
    ids=lambda value: ascii(value)[:50],
)
def test_a_question_that_cannot_be_asked_is_refused_and_the_error_names_the_field(
    workspace: Workspace, path: str, fields: dict[str, Any], says: str
) -> None:
    # K6
    answer = send(workspace, "POST", path, {"query": "owls", **fields})
    assert says in failure_of(answer, 422, "INVALID_REQUEST")
    assert len(answer.content) < 2_000


@pytest.mark.parametrize("body", [b"", b"{", b"{'query': 'owls'}", b'{"query": "owls",}', b"\xff\xfe\x00"])
def test_malformed_json_is_refused(workspace: Workspace, kb: str, stored: Stored, body: bytes) -> None:
    with unchanged(stored, workspace):
        for method, path in (
            ("POST", "/api/search"),
            ("POST", "/api/knowledge-bases"),
            ("PATCH", f"/api/knowledge-bases/{kb}"),
        ):
            answer = send(workspace, method, path, body)
            failure_of(answer, 400 if body else 422)


@pytest.mark.parametrize("body", [b"[]", b'"owls"', b"3", b"null", b"true", b"[" * 100_000 + b"]" * 100_000])
def test_json_of_another_shape_is_refused(workspace: Workspace, body: bytes) -> None:
    answer = send(workspace, "POST", "/api/search", body)
    failure_of(answer, 400 if len(body) > 100 else 422)
    assert len(answer.content) < 2_000


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(workspace: Workspace, chunked: bool) -> None:
    body = b'{"query": "' + b"x" * 3_000_000 + b'"}'
    content = (body[at : at + 500_000] for at in range(0, len(body), 500_000)) if chunked else body
    answer = workspace.client.post("/api/search", content=content, headers={"content-type": "application/json"})
    assert "2 MB" in failure_of(answer, 413)


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": "  "},
        {"name": "x" * 201},
        {"name": NUL},
        {"name": LONE},
        {"name": 7},
        {"name": "Fine", "description": NUL},
        {"name": "Fine", "description": LONE},
        {"name": "Fine", "description": "x" * 2001},
        {"name": "Fine", "lifecycleDays": -1},
        {"name": "Fine", "lifecycleDays": 10**12},
        {"name": "Fine", "lifecycledays": 1},
        {},
    ],
    ids=lambda fields: ascii(fields)[:50],
)
def test_a_knowledge_base_that_cannot_be_is_refused_when_made_and_when_changed(
    workspace: Workspace, kb: str, stored: Stored, fields: dict[str, Any]
) -> None:
    with unchanged(stored, workspace):
        before = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}"))
        failure_of(send(workspace, "POST", "/api/knowledge-bases", fields), 422, "INVALID_REQUEST")
        if fields:
            failure_of(send(workspace, "PATCH", f"/api/knowledge-bases/{kb}", fields), 422, "INVALID_REQUEST")
        assert data_of(workspace.client.get(f"/api/knowledge-bases/{kb}")) == before


@pytest.mark.parametrize(
    "fields",
    [
        {"title": NUL},
        {"title": LONE},
        {"title": "x" * 201},
        {"tags": [{"tagName": "a", "tagValue": ""}]},
        {"tags": [{"tagName": NUL, "tagValue": "b"}]},
        {"tags": [{"tagName": "a", "tagValue": LONE}]},
        {"tags": "a=b"},
        {"name": "renamed.txt"},
    ],
    ids=lambda fields: ascii(fields)[:50],
)
def test_a_change_of_a_document_that_is_not_valid_changes_nothing(
    workspace: Workspace, kb: str, fields: dict[str, Any]
) -> None:
    (before,) = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))["items"]
    failure_of(send(workspace, "PATCH", f"/api/documents/{before['id']}", fields), 422, "INVALID_REQUEST")
    assert data_of(workspace.client.get(f"/api/documents/{before['id']}")) == before


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=501", "limit=-1", "limit=x", f"limit={10**30}", "offset=-1", f"offset={10**30}", "limit=%00"],
)
def test_absurd_pages_are_refused(workspace: Workspace, kb: str, query: str) -> None:
    (document,) = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))["items"]
    for path in (
        "/api/knowledge-bases",
        f"/api/knowledge-bases/{kb}/documents",
        f"/api/documents/{document['id']}/chunks",
        "/api/operations",
    ):
        words = failure_of(workspace.client.get(f"{path}?{query}"), 422, "INVALID_REQUEST")
        assert query.partition("=")[0] in words


def test_a_filter_by_a_tag_that_cannot_be_finds_an_error_or_nothing(workspace: Workspace, kb: str) -> None:
    path = f"/api/knowledge-bases/{kb}/documents"
    failure_of(workspace.client.get(f"{path}?tag=a%00b"), 422, "INVALID_REQUEST")
    assert data_of(workspace.client.get(f"{path}?tag=%ED%A0%80"))["items"] == []
    failure_of(workspace.client.get(f"{path}?status=lost"), 422, "INVALID_REQUEST")
