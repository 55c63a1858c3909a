"""What happens in the background: seen live, stopped, tried again, and told in the navigation."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from api.generations import Gate, add_embedder, book
from embedding_server import EmbeddingServer, serving
from harness import DEADLINE, Workspace, data_of
from page.looking import NARROW, look, look_day_and_night
from parsers.pdf_files import make_pdf

BARGES = book(6)
BROKEN = b"%PDF-1.7 and nothing else"
# Trying again may help: OCR could be switched on meanwhile.
SCANNED = make_pdf("")
LONG_NAME = "minutes-of-the-meeting-of-the-society-for-the-study-of-very-long-file-names-" * 2 + "1871.pdf"


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An embedding endpoint that can be made to wait."""
    with serving() as endpoint:
        yield endpoint


def tab(page: Page, name: str, count: int) -> None:
    """Open a tab once it counts as many."""
    page.get_by_role("tab", name=re.compile(rf"^{name}\s*{count}$")).click()


def test_nothing_done_yet_says_what_to_do(signed_in: Page) -> None:
    # K5
    signed_in.goto("/operations")
    signed_in.get_by_text("Nothing has been done yet").wait_for()
    look_day_and_night(signed_in, "operations-empty")
    signed_in.get_by_role("link", name="Add documents").click()
    signed_in.wait_for_url("**/knowledge")


def test_failures_say_why_and_are_retried_alone_and_together(signed_in: Page, workspace: Workspace) -> None:
    # K3, K5
    papers, letters = workspace.make_kb("Papers"), workspace.make_kb("Letters of the Society, 1780–1871")
    workspace.add(papers, "oaks.md", "# Oaks\n\nOaks can live for a thousand years.")
    workspace.add(papers, "report.pdf", SCANNED)
    workspace.add(letters, LONG_NAME, SCANNED)
    workspace.add(letters, "broken.pdf", BROKEN)
    page = signed_in
    page.goto("/operations")
    expect(page.get_by_role("tab", selected=True)).to_have_accessible_name(re.compile("Failed"))
    expect(page.get_by_role("listitem")).to_have_count(3)
    page.get_by_text("The PDF is damaged").wait_for()
    expect(page.get_by_role("link", name="Operations")).to_have_accessible_name(re.compile("3 have failed"))
    # A damaged file would fail again.
    expect(page.get_by_role("button", name=re.compile("^Retry .*pdf"))).to_have_count(2)
    expect(page.get_by_role("button", name="Retry broken.pdf")).to_have_count(0)
    look_day_and_night(page, "operations-failed")
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"operations-failed-{NARROW}")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Retry report.pdf").click()
    page.get_by_text("report.pdf is being tried again.").wait_for()
    page.get_by_role("button", name="Retry 2 of 3").click()
    page.get_by_text("2 are being tried again.").wait_for()
    # What failed again is one failure, not two.
    expect(page.get_by_role("tab", name=re.compile("Failed"))).to_have_accessible_name(re.compile("3$"))
    page.get_by_role("combobox", name="Knowledge base").click()
    page.get_by_role("option", name="Papers").click()
    page.get_by_role("button", name="Retry 1", exact=True).wait_for()
    tab(page, "Done", 1)
    page.get_by_role("link", name="oaks.md").wait_for()
    look(page, "operations-done")
    expect(page).to_have_url(re.compile("kb="))
    page.go_back()
    expect(page.get_by_role("tab", selected=True)).to_have_accessible_name(re.compile("Failed"))


def test_work_is_watched_stopped_and_taken_up_again(
    signed_in: Page, workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K3, K5
    add_embedder(workspace, endpoint)
    kb, plain = workspace.make_kb("Barges", embedder="Mine"), workspace.make_kb("Plain", embedder="none")
    workspace.add(plain, "long.txt", BARGES)
    page = signed_in
    page.goto("/operations")
    endpoint.fault = gate = Gate()
    workspace.upload(kb, "barges.txt", BARGES)
    data_of(workspace.client.post(f"/api/knowledge-bases/{plain}/generations", json={"embedder": "Mine"}))
    assert gate.reached.wait(DEADLINE)
    tab(page, "Running", 2)
    # Nothing was reloaded: the page heard of it.
    page.get_by_text("Switch Plain to Mine").wait_for()
    expect(page.get_by_role("progressbar")).to_have_count(2)
    expect(page.get_by_role("link", name="Operations")).to_have_accessible_name(re.compile("running or waiting"))
    look_day_and_night(page, "operations-running")
    page.get_by_role("button", name="Cancel Plain").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_text("goes on answering").wait_for()
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    look(page, "operations-stop-switch")
    dialog.get_by_role("button", name="Stop the switch").click()
    dialog.wait_for(state="hidden")
    page.get_by_role("button", name="Cancel barges.txt").click()
    page.get_by_text("Nothing is running").wait_for()
    gate.open.set()
    tab(page, "Done", 3)
    expect(page.get_by_text("cancelled", exact=True)).to_have_count(2)
    # What a cancelled switch had built is gone, so there is nothing to take up.
    expect(page.get_by_role("button", name="Retry Plain")).to_have_count(0)
    page.get_by_role("button", name="Retry barges.txt").click()
    expect(page.get_by_role("tab", name=re.compile("Done"))).to_have_accessible_name(re.compile("4$"), timeout=30_000)
    # What was tried again offers no second retry.
    expect(page.get_by_role("button", name="Retry barges.txt")).to_have_count(0)
    look_day_and_night(page, "operations-cancelled")
