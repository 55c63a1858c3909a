"""Opening the source: every format at the cited place, a long PDF in parts, and nothing in a document ever runs."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from harness import Server, Workspace, data_of
from page.conftest import ARGUMENTS, CHROMIUM, enter
from page.looking import NARROW, WIDE, Visit, look, look_dark
from page.viewer_files import (
    CITED_LINE,
    CITED_PAGE,
    CODE,
    HOSTILE_HTML,
    HOSTILE_SVG,
    LAST_PAGES,
    MARKDOWN,
    make_chinese_pdf,
    make_letter,
    make_long_pdf,
    make_sheet,
    make_slides,
)

FILES: dict[str, str | bytes] = {
    "oaks.md": MARKDOWN,
    "growth.py": CODE,
    "park.pptx": make_slides(),
    "costs.xlsx": make_sheet(),
    "larches.eml": make_letter(),
    "beeches.html": HOSTILE_HTML,
    "hornbeams.xml": HOSTILE_SVG,
    "银杏.pdf": make_chinese_pdf(),
}


@pytest.fixture(scope="module")
def library(server: Server) -> Workspace:
    """A workspace with a file of every kind."""
    workspace = server.new_workspace("Trees")
    kb = workspace.make_kb("Trees")
    made = [data_of(workspace.upload(kb, name, content))["document"]["id"] for name, content in FILES.items()]
    for document_id in made:
        assert workspace.settle(document_id)["status"] == "indexed"
    return workspace


def address_of(workspace: Workspace, question: str, name: str) -> str:
    """Where the best passage of a document is opened."""
    hits = workspace.search(question, topK=20)
    hit: dict[str, Any] = next(hit for hit in hits if hit["documentName"] == name)
    return f"/documents/{hit['documentId']}/view?chunk={hit['chunkId']}"


PLACES = [
    ("oaks.md", "How old do oaks get?", "thousand years", "Lightning strikes"),
    ("growth.py", "height of an oak after years", "height *= 1.01", "6"),
    ("park.pptx", "When was the plane tree planted?", "Planted in 1789", "slide 3"),
    ("costs.xlsx", "What does stump grinding cost?", "Stump grinding", "sheet Notes"),
    ("larches.eml", "When did the larches turn golden?", "golden in October", "measures.txt"),
    ("beeches.html", "What grows below beeches?", "deep shadow", "Beech trees"),
]


def test_every_format_opens_at_the_passage(visit: Visit, server: Server, library: Workspace) -> None:
    # K5
    page = enter(visit(), server, library, "/search")
    for name, question, marked, beside in PLACES:
        page.goto(address_of(library, question, name))
        passage = page.get_by_label("The passage that was cited")
        expect(passage).to_contain_text(marked)
        expect(passage).to_be_in_viewport()
        expect(page.get_by_role("region", name="Text of")).to_contain_text(beside)
        assert page.evaluate("window.ran") is None
        look(page, f"viewer-{name.rpartition('.')[2]}")


def test_a_sheet_is_a_table_with_its_own_row_numbers(visit: Visit, server: Server, library: Workspace) -> None:
    # K5
    page = enter(visit(NARROW), server, library, address_of(library, "stump grinding", "costs.xlsx"))
    row = page.get_by_role("row", name=re.compile("Stump grinding"))
    expect(row.get_by_role("rowheader")).to_have_text("3")
    expect(page.get_by_role("columnheader", name="Euro")).to_be_visible()
    look(page, "viewer-xlsx-380")


def test_a_chinese_pdf_shows_its_letters_and_the_passage_is_marked(
    visit: Visit, server: Server, library: Workspace
) -> None:
    # K5, E8
    address = address_of(library, "银杏的寿命", "银杏.pdf")
    page = enter(visit(language="zh-CN"), server, library, address)
    page.locator("[data-mark]").first.wait_for()
    expect(page.get_by_role("textbox", name="页")).to_have_value("2")
    expect(page.locator(".textLayer").filter(has_text="三千年")).to_be_visible()
    page.wait_for_timeout(300)
    look(page, "viewer-pdf-zh")
    # An ink that is there: letters whose font is not in the file need character maps and a font of the system.
    dark = page.evaluate(
        """() => [...document.querySelectorAll(".pdf-place canvas")].some((canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return data.some((value, at) => at % 4 === 0 && value < 60 && data[at + 3] > 200);
        })"""
    )
    assert dark


def test_a_pdf_of_300_pages_opens_at_page_200_without_being_loaded(
    visit: Visit, server: Server, workspace: Workspace
) -> None:
    # K5, E8
    content = make_long_pdf()
    workspace.add(workspace.make_kb(), "atlas.pdf", content)
    page = visit()
    fetched: list[int] = []

    def count(request: Request) -> None:
        if "/api/originals" in request.url:
            response = request.response()
            assert response is not None
            assert response.status == 206
            fetched.append(int(response.headers["content-length"]))

    page.on("requestfinished", count)
    enter(page, server, workspace, address_of(workspace, "Who found the Wollemi pine?", "atlas.pdf"))
    page.locator("[data-mark]").first.wait_for()
    expect(page.get_by_role("textbox", name="Page")).to_have_value(str(CITED_PAGE))
    expect(page.get_by_text(CITED_LINE)).to_be_in_viewport()
    expect(page.get_by_text(f"of {LAST_PAGES}")).to_be_visible()
    page.wait_for_timeout(500)
    look(page, "viewer-pdf")
    look_dark(page, "viewer-pdf")
    assert sum(fetched) < len(content) / 4, f"{sum(fetched)} of {len(content)} bytes in {len(fetched)} parts"
    assert page.locator(".pdf-place").count() < 8
    turn_pages(page)
    assert sum(fetched) < len(content) / 3


def turn_pages(page: Page) -> None:
    """Through the pages and closer to them, by the controls and by the keyboard."""
    field = page.get_by_role("textbox", name="Page")
    page.get_by_role("button", name="Next page").click()
    expect(field).to_have_value(str(CITED_PAGE + 1))
    field.fill("300")
    field.press("Enter")
    expect(page.get_by_role("group", name="Page 300")).to_be_in_viewport()
    field.fill("1")
    field.press("Enter")
    expect(field).to_have_value("1")
    expect(page.get_by_role("button", name="Previous page")).to_be_disabled()
    page.get_by_role("button", name="Larger").click()
    fit = page.get_by_role("button", name="Fit the width")
    expect(fit).to_have_attribute("aria-pressed", "false")
    fit.click()
    expect(fit).to_have_attribute("aria-pressed", "true")
    page.get_by_role("region", name="Pages of").focus()
    page.keyboard.press("End")
    expect(page.get_by_role("group", name="Page 300")).to_be_in_viewport()


def test_beside_a_scroll_bar_a_pdf_fits_the_width(browser: Browser, server: Server, library: Workspace) -> None:
    # E8: scroll bars take room in most people's browsers; one under test hides them unless told not to
    usual = browser.browser_type.launch(
        executable_path=CHROMIUM, args=ARGUMENTS, ignore_default_args=["--hide-scrollbars"]
    )
    page = usual.new_page(base_url=server.url, locale="en-GB", viewport={"width": WIDE, "height": 757})
    enter(page, server, library, address_of(library, "银杏的寿命", "银杏.pdf"))
    page.locator("[data-mark]").first.wait_for()
    page.wait_for_timeout(300)
    pages = page.get_by_role("region", name="Pages of")
    assert pages.evaluate("box => box.offsetWidth - box.clientWidth") > 5
    assert pages.evaluate("box => box.scrollWidth - box.clientWidth") <= 0
    usual.close()


def test_on_a_phone_a_pdf_fits_the_width(visit: Visit, server: Server, library: Workspace) -> None:
    # E8
    page = enter(visit(NARROW, scheme="dark"), server, library, address_of(library, "银杏的寿命", "银杏.pdf"))
    page.locator("[data-mark]").first.wait_for()
    page.wait_for_timeout(300)
    look(page, "viewer-pdf-380-dark")


def test_a_passage_of_an_earlier_version_says_so_and_the_document_is_shown(
    visit: Visit, server: Server, library: Workspace
) -> None:
    # K5
    address = address_of(library, "How old do oaks get?", "oaks.md")
    page = enter(visit(), server, library, address.partition("chunk=")[0] + "chunk=chk_none")
    page.get_by_text("The cited passage is not there any more").wait_for()
    page.get_by_text("Lightning strikes").wait_for()
    look(page, "viewer-gone")
    page.goto("/documents/doc_none/view")
    page.get_by_role("alert").get_by_text("There is no document").wait_for()


def test_the_original_is_downloaded_under_its_name(visit: Visit, server: Server, library: Workspace) -> None:
    # K5
    page = enter(visit(), server, library, address_of(library, "larches golden", "larches.eml"))
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "larches.eml"


@pytest.mark.parametrize("name", ["beeches.html", "hornbeams.xml"])
def test_what_a_document_brings_along_never_runs_in_our_origin(
    name: str, visit: Visit, server: Server, library: Workspace
) -> None:
    # F2
    (document_id,) = {
        hit["documentId"] for hit in library.search("trees leaves shadow", topK=20) if hit["documentName"] == name
    }
    page = enter(visit(), server, library, f"/documents/{document_id}/view")
    page.get_by_role("region", name="Text of").wait_for()
    assert page.evaluate("window.ran") is None
    link = data_of(library.client.get(f"/api/documents/{document_id}/download"))["url"]
    # Opened by its address it is a file to keep, not a page.
    with page.expect_download():
        page.evaluate("link => { location.href = link }", link)
    assert page.url.startswith(f"{server.url}/documents/")
    # Nor does it run in a frame, which our policy refuses, or as a picture.
    page.evaluate(
        """link => new Promise((done) => {
            const picture = new Image();
            picture.onload = picture.onerror = done;
            picture.src = link;
            document.body.append(picture);
        })""",
        link,
    )
    assert page.evaluate("window.ran") is None
