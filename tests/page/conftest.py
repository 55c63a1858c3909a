"""A real Chromium on the real page. Where either is missing, these tests say so and are skipped."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from harness import Server, Workspace, data_of
from page.looking import EXPECTED_NOISE, WIDE, Visit
from pinakes.api.page import BUILT

# The first is the same engine without a browser around it, and takes two thirds of the time.
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
# No sandbox: tests run as root in containers. The rest keeps the browser from talking to anybody but us.
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for the tests of a file; every test gets a fresh profile in it.

    Its driver keeps an event loop running, beside which no other file's asynchronous test could run.
    """
    if CHROMIUM is None:
        pytest.skip("No Chromium on this machine. On Debian: apt install chromium-headless-shell fonts-noto-cjk")
    if not (BUILT / "index.html").is_file():
        pytest.skip("The page is not built. Run: pip install -e .")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser: Browser, server: Server) -> Iterator[Visit]:
    """A way to open the page as somebody new; afterwards nothing may have broken or gone to another host."""
    opened: list[Page] = []
    troubles: list[str] = []

    def open_page(width: int = WIDE, language: str = "en-GB", scheme: str = "light") -> Page:
        context = browser.new_context(
            base_url=server.url,
            viewport={"width": width, "height": 900 if width == WIDE else 800},
            locale=language,
            color_scheme="dark" if scheme == "dark" else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(45_000)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(f"broke: {error}"))
        page.on("console", lambda said: troubles.append(f"said: {said.text}") if said.type == "error" else None)
        page.on(
            "request", lambda asked: troubles.append(f"asked {asked.url}") if _elsewhere(asked.url, server) else None
        )
        opened.append(page)
        return page

    yield open_page
    for page in opened:
        page.context.close()
    assert [trouble for trouble in troubles if not EXPECTED_NOISE.search(trouble)] == []


@pytest.fixture
def signed_in(visit: Visit, server: Server, workspace: Workspace) -> Page:
    """The page of the workspace's owner, at the knowledge of that workspace."""
    page = enter(visit(), server, workspace, "/knowledge")
    page.get_by_role("heading", name="Knowledge", level=1).wait_for()
    return page


def enter(page: Page, server: Server, workspace: Workspace, path: str) -> Page:
    """Go there signed in. What signing in itself looks like, others test: here the link is only asked for."""
    answer = page.context.request.get(sign_in_link(server), max_redirects=0)
    assert answer.status == 303, answer.text()
    page.context.add_init_script(f"localStorage['pinakes.workspace'] ??= {json.dumps(workspace.id)}")
    page.goto(path)
    return page


def sign_in_link(server: Server) -> str:
    """What `pinakes serve` prints."""
    with server.owner as owner:
        return data_of(owner.post("/api/sign-in-links"))["url"]


def _elsewhere(url: str, server: Server) -> bool:
    return not url.startswith((f"{server.url}/", "data:", f"blob:{server.url}/"))


@pytest.fixture(scope="session", autouse=True)
def screenshots() -> Path:
    """Where pictures of the last run are kept."""
    folder = Path(__file__).parent / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder
