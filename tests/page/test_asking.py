"""Asking and reading: answers with citations, filters in the address, and nothing that needs a mouse."""

import re

import pytest
from playwright.sync_api import expect

from harness import Server, Workspace, data_of, wait_for
from page.conftest import enter
from page.looking import NARROW, Visit, look, look_dark
from page.viewer_files import MARKDOWN, make_sheet
from parsers.pdf_files import make_pdf

PLANES = "The plane tree in the market square was planted in 1789.\nIts roots reach below the town hall."
QUESTION = "How long can oaks live?"


@pytest.fixture(scope="module")
def library(server: Server) -> Workspace:
    """A workspace that knows something about trees."""
    workspace = server.new_workspace("Trees")
    kb = workspace.make_kb("Trees of the town and of the forests around it, as far as anybody has written them down")
    workspace.add(kb, "oaks.md", MARKDOWN, tags=["topic=oaks", "checked"])
    workspace.add(kb, "planes.txt", PLANES, title="Plane trees")
    workspace.add(kb, "costs.xlsx", make_sheet())
    other = workspace.make_kb("Walks")
    workspace.add(other, "walks.pdf", make_pdf("A walk in the park.", "Page two: old oaks stand on the hill above it."))
    return workspace


def test_a_question_is_answered_with_citations_that_lead_to_the_source(
    visit: Visit, server: Server, library: Workspace
) -> None:
    # K5, A8
    page = enter(visit(), server, library, "/search")
    box = page.get_by_label("What do you want to know?")
    expect(box).to_be_focused()
    look(page, "search-empty")
    box.fill(QUESTION)
    box.press("Enter")
    answer = page.get_by_role("region", name="Answer")
    answer.get_by_text("thousand years").wait_for()
    expect(answer.get_by_role("link", name=re.compile("^Source 1: oaks.md"))).to_be_visible()
    first = page.get_by_role("article").first
    expect(first.get_by_role("link", name="Oaks")).to_be_visible()
    expect(first.locator("mark").first).to_have_text(re.compile("oaks|live", re.IGNORECASE))
    expect(first.get_by_text(re.compile("^(very )?likely$"))).to_be_visible()
    first.get_by_role("button", name="Why this?").click()
    first.get_by_text("how probably this answers").wait_for()
    look(page, "search-answer")
    look_dark(page, "search-answer")
    answer.get_by_role("link", name=re.compile("^Source 1")).click()
    page.get_by_role("heading", name="Oaks", level=1).wait_for()
    expect(page.get_by_label("The passage that was cited")).to_contain_text("thousand years")
    page.get_by_text("Passage 1 of").wait_for()
    page.get_by_role("button", name="Next passage").click()
    page.get_by_text("Passage 2 of").wait_for()
    page.get_by_role("link", name="Back to the results").click()
    page.get_by_role("region", name="Answer").wait_for()
    expect(page).to_have_url(re.compile(r"/search\?q=How"))


def test_filters_and_options_are_in_the_address_and_back_undoes_them(
    visit: Visit, server: Server, library: Workspace
) -> None:
    # K5, A9
    page = enter(visit(), server, library, "/search?q=oaks")
    page.get_by_role("article").first.wait_for()
    page.get_by_role("button", name="Filters").click()
    page.get_by_label("Files").check()
    page.get_by_role("combobox", name="Tags").fill("topic=oaks")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=oaks&kind=file&tag=topic%3Doaks")
    look(page, "search-filters")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="walks.pdf")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Options")).click()
    page.get_by_label("Second step").check()
    page.get_by_text("Much").click()
    page.wait_for_url("**hop=1**diversity=0.7")
    look(page, "search-options")
    page.keyboard.press("Escape")
    page.go_back()
    page.wait_for_url("**hop=1")
    page.get_by_role("button", name="Clear").click()
    page.wait_for_url("**/search?q=oaks")
    page.get_by_role("combobox", name="Knowledge bases to search").click()
    page.get_by_role("option", name="Walks").click()
    page.wait_for_url("**/search?q=oaks&kb=walks")
    expect(page.get_by_role("article")).to_have_count(2)
    page.keyboard.press("Escape")
    look(page, "search-chosen-base")


def test_without_a_result_the_server_says_why(visit: Visit, server: Server, library: Workspace) -> None:
    # K5, A8
    page = enter(visit(NARROW), server, library, "/search?q=oaks&from=2100-01-01")
    page.get_by_role("heading", name="Nothing was found").wait_for()
    look(page, "search-nothing")
    page.goto("/search?q=oaks&kb=no-such-base")
    alert = page.get_by_role("alert")
    alert.get_by_text("no-such-base").wait_for()
    look(page, "search-failed")
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("article").first.wait_for()


def test_an_empty_workspace_says_what_to_do_next(visit: Visit, server: Server, workspace: Workspace) -> None:
    # K5
    page = enter(visit(), server, workspace, "/search")
    page.get_by_role("link", name="Add documents").wait_for()
    look(page, "search-no-documents")


def test_the_sample_offers_questions_that_it_answers(visit: Visit, server: Server, workspace: Workspace) -> None:
    # K5
    loaded = data_of(workspace.client.post("/api/sample"))["documentCount"]
    wait_for(lambda: data_of(workspace.client.get("/api/sample"))["indexedCount"] == loaded, "the sample answers")
    page = enter(visit(), server, workspace, "/search")
    question = page.get_by_role("button", name="How many scrolls did the Pinakes")
    question.wait_for()
    look(page, "search-suggestions")
    question.click()
    page.get_by_role("region", name="Answer").get_by_text("120 scrolls").wait_for()
    expect(page.get_by_label("What do you want to know?")).to_have_value(re.compile("^How many scrolls"))


def test_the_keyboard_alone_asks_reads_and_comes_back(visit: Visit, server: Server, library: Workspace) -> None:
    # E8
    page = enter(visit(), server, library, "/knowledge")
    page.get_by_role("heading", name="Knowledge", level=1).wait_for()
    page.keyboard.press("/")
    box = page.get_by_label("What do you want to know?")
    expect(box).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Answer").wait_for()
    page.keyboard.press("Tab")
    page.keyboard.press("/")
    expect(box).to_be_focused()
    source = page.get_by_role("link", name=re.compile("^Source 1"))
    for _ in range(12):
        page.keyboard.press("Tab")
        if source.evaluate("link => link === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.get_by_label("The passage that was cited").wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Back to the results")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("region", name="Answer").wait_for()


def test_in_chinese_by_lamplight_on_a_phone(visit: Visit, server: Server, library: Workspace) -> None:
    # E8
    page = enter(visit(NARROW, "zh-CN", "dark"), server, library, "/search?q=oaks")
    page.get_by_role("region", name="答案").wait_for()
    page.get_by_role("article").first.get_by_role("button", name="为什么?").click()
    look(page, "search-zh-dark-380")
    page.get_by_role("button", name="选项").click()
    look(page, "search-options-zh-dark-380")
    page.keyboard.press("Escape")
    page.get_by_role("article").first.get_by_role("link").first.click()
    page.get_by_label("被引用的段落").wait_for()
    look(page, "viewer-zh-dark-380")
