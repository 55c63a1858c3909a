"""What a first visit costs: the bytes that come before anything can be seen."""

from playwright.sync_api import Page, Request, expect

from harness import Server
from page.conftest import sign_in_link
from page.looking import Visit

MOST_BYTES = 350_000


def test_the_first_page_comes_in_few_bytes(visit: Visit, server: Server) -> None:
    # E8
    page = visit()
    files: list[Request] = []
    page.on("requestfinished", lambda asked: files.append(asked) if "/api/" not in asked.url else None)
    page.goto(sign_in_link(server))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert bytes_of(page, files) <= MOST_BYTES


def bytes_of(page: Page, files: list[Request]) -> int:
    """What came over the wire, in total."""
    page.wait_for_load_state("load")
    assert any(asked.url.endswith(".js") for asked in files)
    return sum(asked.sizes()["responseBodySize"] for asked in files)
