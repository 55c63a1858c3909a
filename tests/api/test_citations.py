"""Citations: what is quoted stands at the place that is named."""

import codecs
from typing import Any

import pytest

from harness import Workspace, data_of
from parsers.pdf_files import make_pdf

PROSE = "\n\n".join(
    f"Paragraph {n} is about station {n}. " + f"The keeper of station {n} logged {n * 3} ships. " * 12 for n in range(9)
)
MARKDOWN = "Before any heading.\n\n# Stations\n\nAn overview.\n\n" + "\n".join(
    f"## Station {n}\n\n" + f"The keeper of station {n} logged {n * 3} ships.\n" * 40 for n in range(4)
)
EMOJI = "🦉 An owl.\n\n👩‍👩‍👧 A family 🇨🇭 of three stations.\n\n" + "Zażółć 🌊 gęślą station jaźń. " * 150
CJK = "東京の駅。\n\n" + "駅長は船を三隻記録した。station も有る。\n" * 80 + "\n한국어 역장은 배를 기록했다.\n"
FILES: dict[str, tuple[bytes, str]] = {
    "prose.txt": (PROSE.encode(), PROSE),
    "crlf.txt": (PROSE.replace("\n", "\r\n").encode(), PROSE.replace("\n", "\r\n")),
    "bom.txt": (codecs.BOM_UTF8 + PROSE.encode(), PROSE),
    "utf16.txt": (PROSE.encode("utf-16"), PROSE),
    "utf16-be.txt": (codecs.BOM_UTF16_BE + CJK.encode("utf-16-be"), CJK),
    "emoji.txt": (EMOJI.encode(), EMOJI),
    "cjk.txt": (CJK.encode(), CJK),
    "latin.txt": ("Die Brücke über den Fluss heißt station. ".encode("cp1252") * 90, ""),
    "stations.md": (MARKDOWN.encode(), MARKDOWN),
    "crlf.md": (MARKDOWN.replace("\n", "\r\n").encode(), MARKDOWN.replace("\n", "\r\n")),
    "bom.md": (codecs.BOM_UTF8 + MARKDOWN.encode(), MARKDOWN),
    "utf16.md": (MARKDOWN.encode("utf-16"), MARKDOWN),
    "cjk.md": (f"# 駅\n\n{CJK}\n\n## 🦉 역\n\n{EMOJI}".encode(), f"# 駅\n\n{CJK}\n\n## 🦉 역\n\n{EMOJI}"),
}
FILES["latin.txt"] = (FILES["latin.txt"][0], FILES["latin.txt"][0].decode("cp1252"))


def assert_stands_there(text: str, place: dict[str, Any]) -> None:
    start, end = place["startOffset"], place["endOffset"]
    assert text[start:end] == place["content"]
    assert place["startLine"] == text.count("\n", 0, start) + 1
    assert place["endLine"] == text.count("\n", 0, end) + 1


def all_chunks(workspace: Workspace, document_id: str) -> list[dict[str, Any]]:
    chunks: list[dict[str, Any]] = []
    while True:
        page = data_of(
            workspace.client.get(f"/api/documents/{document_id}/chunks", params={"limit": 7, "offset": len(chunks)})
        )
        chunks += page["items"]
        if len(chunks) == page["total"]:
            return chunks


def test_the_text_that_offsets_refer_to_can_be_read(workspace: Workspace) -> None:
    # K5
    document = workspace.add(workspace.make_kb(), "table.csv", "name,age\nAna,31\nBo,42\n")
    text = data_of(workspace.client.get(f"/api/documents/{document['id']}/text"))["text"]
    for chunk in all_chunks(workspace, document["id"]):
        assert text[chunk["startOffset"] : chunk["endOffset"]] == chunk["content"]


def test_lines_are_cited_only_where_the_file_has_them(workspace: Workspace) -> None:
    # K5
    kb = workspace.make_kb()
    workspace.add(kb, "page.html", "<p>Herons wait for fish.</p>")
    workspace.add(kb, "note.txt", "Storks nest on chimneys.")
    cited = {hit["citation"] for hit in workspace.search("herons and storks")}
    assert cited == {"page.html (passage 1)", "note.txt (line 1)"}


@pytest.mark.parametrize("name", FILES)
def test_every_passage_stands_at_its_offsets_and_lines(workspace: Workspace, name: str) -> None:
    # K5
    content, text = FILES[name]
    kb = workspace.make_kb()
    document = workspace.add(kb, name, content)
    assert document["status"] == "indexed", document["error"]
    chunks = all_chunks(workspace, document["id"])
    assert len(chunks) == document["chunkCount"] > 1
    assert [chunk["index"] for chunk in chunks] == list(range(len(chunks)))
    for chunk in chunks:
        assert_stands_there(text, chunk)
    covered = "".join(chunk["content"] for chunk in chunks)
    assert "".join(covered.split()) == "".join(text.split())
    hits = workspace.search("keeper of the station 駅長 역장", topK=20, maxTokens=100_000)
    assert hits
    known = {chunk["id"]: chunk for chunk in chunks}
    for hit in hits:
        assert_stands_there(text, hit)
        assert hit["content"] == known[hit["chunkId"]]["content"]
        assert hit["chunkIndex"] == known[hit["chunkId"]]["index"]
        assert hit["section"] == known[hit["chunkId"]]["section"]
        assert hit["citation"].startswith(f"{name} (")


def test_a_passage_that_is_cut_ends_where_its_offsets_say(workspace: Workspace) -> None:
    # A9, K5
    kb = workspace.make_kb()
    workspace.add(kb, "stations.md", MARKDOWN)
    (cut,) = workspace.search("keeper of the station", topK=20, maxTokens=130)
    assert cut["metadata"]["truncated"] is True
    assert cut["content"].endswith("...")
    assert_stands_there(MARKDOWN, cut | {"content": cut["content"].removesuffix("...")})


def test_markdown_is_cited_by_section_and_plain_text_by_line(workspace: Workspace) -> None:
    # K5
    kb = workspace.make_kb()
    workspace.add(kb, "stations.md", MARKDOWN)
    workspace.add(kb, "notes.txt", "First line.\nThe zebra crossed here.\n")
    hit = workspace.search("keeper of station 3", topK=1)[0]
    assert (hit["section"], hit["page"]) == ("Stations > Station 3", None)
    assert hit["citation"] == "stations.md (section Stations > Station 3)"
    assert "station 3 logged 9 ships" in hit["content"]
    assert workspace.search("zebra", topK=1)[0]["citation"] == "notes.txt (lines 1–2)"


def test_each_fact_of_a_pdf_is_cited_with_its_page(workspace: Workspace) -> None:
    # K5
    facts = {
        1: "The lighthouse at Skerry was lit in 1844.",
        2: "Basalt columns form when lava cools slowly.",
        3: "",
        4: "A kilogram of saffron needs 150000 flowers.",
        5: "The abbot brewed the beer himself.",
        6: "Glaciers carve valleys in the shape of a U.",
    }
    filler = "\n".join(f"Line {n} of an ordinary page about ordinary things." for n in range(30))
    pages = [f"{fact}\n{filler}" if fact else "" for fact in facts.values()]
    document = workspace.add(workspace.make_kb(), "almanac.pdf", make_pdf(*pages))
    assert document["status"] == "indexed", document["error"]
    for chunk in all_chunks(workspace, document["id"]):
        for page, fact in facts.items():
            if fact and fact in chunk["content"]:
                assert chunk["page"] == page
    assert {chunk["page"] for chunk in all_chunks(workspace, document["id"])} == {1, 2, 4, 5, 6}
    for page, fact in facts.items():
        if fact:
            hit = workspace.search(fact, topK=1)[0]
            assert fact in hit["content"]
            assert (hit["page"], hit["citation"]) == (page, f"almanac.pdf (page {page})")
