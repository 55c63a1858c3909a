"""The line over which a page hears of what happens: shared fairly among tabs, and found again."""

from playwright.sync_api import Browser, Page, Route, expect

from harness import Server, Workspace
from page.conftest import enter

# More than the six connections that a browser opens to one server.
TABS = 8
# Every page under test is in sight, whatever lies above it.
HIDE = """() => {
    Object.defineProperty(document, "visibilityState", { get: () => "hidden", configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
SHOW = """() => {
    delete document.visibilityState;
    document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_many_tabs_leave_room_for_one_more(browser: Browser, server: Server, workspace: Workspace) -> None:
    # E4
    workspace.make_kb("Trees")
    context = browser.new_context(base_url=server.url, locale="en-GB")
    first = enter(context.new_page(), server, workspace, "/knowledge")
    first.get_by_role("link", name="Trees").wait_for()
    before = first
    for _ in range(TABS):
        before.evaluate(HIDE)
        before = context.new_page()
        before.goto("/knowledge", timeout=20_000)
        before.get_by_role("link", name="Trees").wait_for()
    before.evaluate(HIDE)
    workspace.make_kb("Shrubs")
    first.evaluate(SHOW)
    first.get_by_role("link", name="Shrubs").wait_for()
    context.close()


def test_what_got_no_answer_is_asked_again_by_itself(browser: Browser, server: Server, workspace: Workspace) -> None:
    # E4
    workspace.add(workspace.make_kb("Trees"), "oaks.md", "# Oaks\n\nOaks can live for a thousand years.")
    context = browser.new_context(base_url=server.url, locale="en-GB")
    page = enter(context.new_page(), server, workspace, "/search")
    question = page.get_by_label("What do you want to know?")
    question.fill("How old do oaks get?")
    _cut(page)
    page.get_by_role("button", name="Search").click()
    page.get_by_text("The server does not answer").wait_for()
    page.unroute("**/api/**")
    page.evaluate(HIDE)
    page.evaluate(SHOW)
    expect(page.get_by_text("oaks.md").first).to_be_visible(timeout=45_000)
    context.close()


def _cut(page: Page) -> None:
    """The server is gone: what is asked fails on its way, and the line that was open breaks."""

    def fail(route: Route) -> None:
        route.abort()

    page.route("**/api/**", fail)
    page.evaluate(HIDE)
    page.evaluate(SHOW)
    page.get_by_text("The connection to the server is lost").wait_for()
