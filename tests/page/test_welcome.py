"""The first minutes: an empty product says what to do, the sample answers at once, and leaves with one click."""

import json
import re

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from harness import Server, Workspace
from page.conftest import enter
from page.looking import NARROW, WIDE, Visit, look, look_day_and_night, shoot

ENGLISH = ["More for your knowledge", "Load the sample", "Remove the sample"]
CHINESE = ["更多操作", "加载示例", "移除示例"]


def test_an_empty_workspace_leads_from_the_sample_to_ones_own(
    visit: Visit, server: Server, workspace: Workspace
) -> None:
    # K5
    page = visit()
    enter(page, server, workspace, "/")
    page.get_by_role("heading", name="Welcome to Pinakes").wait_for()
    look(page, "welcome-without-sample")
    page.get_by_role("button", name="Load the sample").click()
    question = page.get_by_role("link", name=re.compile("How many scrolls"))
    question.wait_for(timeout=60_000)
    look_day_and_night(page, "welcome")
    expect(page.get_by_role("link", name="Choose the program")).to_have_attribute("href", "/connect")
    question.click()
    page.wait_for_url("**/search?q=How+many*")
    page.get_by_text("callimachus-and-the-pinakes.md").first.wait_for()
    page.get_by_role("link", name="Pinakes", exact=True).click()
    page.get_by_role("button", name="Remove the sample").click()
    page.get_by_role("button", name="Load the sample").wait_for()
    workspace.add(workspace.make_kb(), "mine.txt", "Oaks are old.")
    page.goto("/")
    page.wait_for_url("**/knowledge")


def test_documents_that_come_later_do_not_take_the_welcome_away(
    visit: Visit, server: Server, workspace: Workspace
) -> None:
    # K5
    page = visit()
    enter(page, server, workspace, "/")
    page.get_by_role("heading", name="Welcome to Pinakes").wait_for()
    # Until the page has heard of it: it asks anew what there is.
    with page.expect_response(lambda answer: "/api/sample" in answer.url and '"ownDocumentCount":1' in answer.text()):
        workspace.add(workspace.make_kb(), "mine.txt", "Oaks are old.")
    page.wait_for_timeout(300)
    expect(page.get_by_role("heading", name="Welcome to Pinakes")).to_be_visible()
    # Whoever comes anew is led to what there is now.
    page.get_by_role("link", name="Pinakes", exact=True).click()
    page.wait_for_url("**/knowledge")


@pytest.mark.parametrize(("width", "language", "words"), [(WIDE, "en-GB", ENGLISH), (NARROW, "zh-CN", CHINESE)])
def test_the_sample_comes_and_goes_where_there_is_knowledge_of_ones_own(
    visit: Visit, server: Server, workspace: Workspace, width: int, language: str, words: list[str]
) -> None:
    # K5, E8
    more, load, remove = words
    workspace.add(workspace.make_kb(), "mine.txt", "Oaks are old.")
    page = visit(width, language)
    enter(page, server, workspace, "/")
    page.wait_for_url("**/knowledge")
    page.get_by_role("button", name=more).click()
    page.get_by_role("menuitem", name=load).wait_for()
    shoot(page, f"knowledge-sample-{width}")
    page.get_by_role("menuitem", name=load).click()
    sample = page.get_by_role("link", name="Sample", exact=True)
    sample.wait_for()
    page.get_by_role("button", name=more).click()
    page.get_by_role("menuitem", name=remove).click()
    sample.wait_for(state="hidden")


def test_the_welcome_in_chinese_on_a_phone(visit: Visit, server: Server, workspace: Workspace) -> None:
    # K5, E8
    page = visit(NARROW, "zh-CN")
    workspace.client.post("/api/sample")
    enter(page, server, workspace, "/")
    page.get_by_role("heading", name="欢迎使用 Pinakes").wait_for()
    page.get_by_role("link", name=re.compile("How many scrolls")).wait_for(timeout=60_000)
    look_day_and_night(page, f"welcome-zh-{NARROW}")


def test_a_missing_model_is_told_with_how_to_install_it(signed_in: Page) -> None:
    # E4
    checks = {"embedder": "keywords only", "database": "ok"}
    answer = json.dumps({"success": True, "data": {"ready": True, "checks": checks}})
    signed_in.route("**/readyz", lambda route: route.fulfill(body=answer, content_type="application/json"))
    signed_in.reload()
    notice = signed_in.get_by_role("status").filter(has_text="pinakes model install")
    notice.wait_for()
    look_day_and_night(signed_in, "notice-keywords-only")
    signed_in.get_by_role("button", name="Hide this notice").click()
    notice.wait_for(state="hidden")


def test_trouble_with_the_server_is_told_and_passes_by_itself(
    browser: Browser, server: Server, workspace: Workspace
) -> None:
    # E4: on a page of its own, for a browser reports what is refused here as an error
    context = browser.new_context(base_url=server.url, locale="en-GB", reduced_motion="reduce")
    page = context.new_page()
    enter(page, server, workspace, "/")

    def refuse(route: Route) -> None:
        words = {"success": False, "error": "Not ready. database: does not answer", "errorCode": "NOT_READY"}
        route.fulfill(status=503, body=json.dumps(words), content_type="application/json")

    page.route("**/readyz", refuse)
    page.reload()
    page.get_by_text("Not ready. database: does not answer").wait_for()
    look_day_and_night(page, "notice-not-ready")
    page.unroute("**/readyz")
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("The server is not ready").wait_for(state="hidden")
    page.route("**/api/events", lambda route: route.abort())
    page.reload()
    lost = page.get_by_text("The connection to the server is lost")
    lost.wait_for()
    look(page, "notice-lost")
    page.unroute("**/api/events")
    expect(lost).to_be_hidden(timeout=20_000)
    context.close()
