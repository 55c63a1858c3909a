"""ZIP archives of documents."""

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from harness import Workspace, data_of, failure_of


def make_zip(files: dict[str, bytes | str], **options: Any) -> bytes:
    """A ZIP archive with these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def send(workspace: Workspace, kb: str, content: bytes, name: str = "papers.zip", **form: Any) -> Any:
    """The raw answer to an archive."""
    path = f"/api/knowledge-bases/{kb}/archives"
    return workspace.client.post(path, files={"file": (name, content)}, data=form)


def outcomes(data: Any) -> dict[str, str]:
    """What became of each file."""
    return {item["name"]: item["status"] for item in data["items"]}


def test_every_file_of_an_archive_becomes_a_document(workspace: Workspace) -> None:  # K1
    kb = workspace.make_kb()
    content = make_zip(
        {"a.txt": "Oaks are trees.", "2024/b.md": "# Elms\n\nElms are trees.", "__MACOSX/a.txt": "x", ".DS_Store": "y"}
    )
    data = data_of(send(workspace, kb, content, tags="project=trees"))
    assert outcomes(data) == {"a.txt": "accepted", "2024 › b.md": "accepted"}
    for item in data["items"]:
        document = workspace.settle(item["document"]["id"])
        assert document["status"] == "indexed"
        assert document["tags"] == [{"tagName": "project", "tagValue": "trees"}]


def test_one_bad_file_does_not_keep_the_others_out(workspace: Workspace) -> None:  # K1
    kb = workspace.make_kb()
    inner = make_zip({"deep.txt": "words"})
    files = {
        "good.txt": "Good words.",
        "photo.jpg": b"\xff\xd8\xff",
        "inner.zip": inner,
        "../up.txt": "x",
        "no.txt": "",
    }
    data = data_of(send(workspace, kb, make_zip(files)))
    found = outcomes(data)
    assert found.pop("good.txt") == "accepted"
    assert set(found.values()) == {"refused"}
    assert all(item["reason"] for item in data["items"] if item["status"] == "refused")
    assert (data["accepted"], data["refused"]) == (1, 4)


def test_an_archive_can_be_sent_again(workspace: Workspace) -> None:  # K4
    kb = workspace.make_kb()
    data_of(send(workspace, kb, make_zip({"a.txt": "First.", "b.txt": "Same."})))
    again = make_zip({"a.txt": "Second.", "b.txt": "Same."})
    data = data_of(send(workspace, kb, again))
    assert outcomes(data) == {"a.txt": "refused", "b.txt": "unchanged"}
    assert data["items"][0]["errorCode"] == "DUPLICATE_FILE"
    assert outcomes(data_of(send(workspace, kb, again, replace="true"))) == {"a.txt": "accepted", "b.txt": "unchanged"}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: b"no archive", "not a ZIP"),
        (lambda: make_zip({}), "no file"),
        (lambda: make_zip({"a.txt": "words " * 10_000})[:-200], "damaged"),
        (lambda: make_zip({f"{n}.txt": "x" for n in range(1_001)}), "1,000"),
        (lambda: make_zip({f"{n}.txt": bytes(5_000_000) for n in range(30)}), "bomb"),
    ],
    ids=["text", "empty", "truncated", "too many", "bomb"],
)
def test_what_is_no_sound_archive_is_refused_as_a_whole(
    workspace: Workspace, make: Callable[[], bytes], told: str
) -> None:
    # K1
    kb = workspace.make_kb()
    response = send(workspace, kb, make())
    assert response.status_code in {415, 422}
    assert told in failure_of(response, response.status_code)
    assert data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))["total"] == 0


def test_an_encrypted_archive_says_so(workspace: Workspace) -> None:  # K1
    content = bytearray(make_zip({"a.txt": "words"}))
    # The lowest flag bit, in the file's own header and in the directory, says that it is encrypted.
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    assert "password" in failure_of(send(workspace, workspace.make_kb(), bytes(content)), 415)


def test_an_archive_of_zeros_inside_a_file_is_bounded(workspace: Workspace) -> None:  # K1
    big = make_zip({"a.txt": "words", "zeros.txt": b"0" * 60_000_000})
    data = send(workspace, workspace.make_kb(), big)
    assert data.status_code == 415
