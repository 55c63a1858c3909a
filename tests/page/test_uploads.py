"""Files on their way: refused, tried again, told apart from what is here already, and replaced."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from harness import Workspace
from page.adding import DAMAGED, OAKS, documents_of, drop, panel
from page.looking import NARROW, WIDE, look, look_dark


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_files_that_cannot_be_taken_are_not_offered_to_be_tried_again(
    signed_in: Page, workspace: Workspace, tmp_path: Path, width: int
) -> None:
    # K5
    page = signed_in
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/knowledge/{workspace.make_kb('Trees')}")
    page.get_by_role("heading", name="No documents yet").wait_for()
    refused = {"empty.txt": b"", "one.bin": b"\0\1\2\3" * 40, "two.bin": b"\3\2\1\0" * 40, "broken.pdf": DAMAGED}
    for name, content in refused.items():
        (tmp_path / name).write_bytes(content)
    drop(page, *(tmp_path / name for name in refused))
    panel(page).get_by_text("4 need your attention").wait_for()
    panel(page).get_by_text("'empty.txt' is empty.").wait_for()
    panel(page).get_by_text("Supported formats").click()
    expect(panel(page).get_by_text("Supported: PDF")).to_have_count(1)
    expect(panel(page).get_by_text("Supported: PDF")).to_be_visible()
    expect(panel(page).get_by_role("button", name=re.compile("again"))).to_have_count(0)
    look(page, f"knowledge-refused-{width}")
    look_dark(page, f"knowledge-refused-{width}")


def test_an_upload_for_which_there_was_no_room_is_tried_again(
    signed_in: Page, workspace: Workspace, tmp_path: Path
) -> None:
    # K5
    page = signed_in
    page.goto(f"/knowledge/{workspace.make_kb('Trees')}")
    page.get_by_role("heading", name="No documents yet").wait_for()
    (tmp_path / "oaks.md").write_text(OAKS)
    words = {"success": False, "error": "There is no room left.", "errorCode": "LIMIT_EXCEEDED"}
    page.route("**/documents", lambda route: route.fulfill(status=422, json=words), times=1)
    drop(page, tmp_path / "oaks.md")
    panel(page).get_by_text("There is no room left.").wait_for()
    panel(page).get_by_role("button", name="Try again").click()
    panel(page).get_by_text("1 document added").wait_for()


def test_what_is_here_already_is_told_apart_and_replaced_when_asked(
    signed_in: Page, workspace: Workspace, tmp_path: Path
) -> None:
    # K4, K5
    page = signed_in
    kb = workspace.make_kb("Trees")
    workspace.add(kb, "oaks.md", OAKS)
    workspace.add(kb, "elms.txt", "Elms are rare now.")
    (tmp_path / "oaks.md").write_text(OAKS)
    (tmp_path / "elms.txt").write_text("Elms are back.")
    page.goto(f"/knowledge/{kb}")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add files").click()
    chooser.value.set_files([tmp_path / "oaks.md", tmp_path / "elms.txt"])
    panel(page).get_by_text("is here already, the very same").wait_for()
    panel(page).get_by_text("Another document of this name").wait_for()
    look(page, "knowledge-duplicates")
    panel(page).get_by_role("button", name="Replace").click()
    panel(page).get_by_text("replaced the version before").wait_for()
    panel(page).get_by_text("1 document replaced").wait_for()
    # Made small it says the same, leaves the list free, and stays so.
    panel(page).get_by_role("button", name="Hide the list").click()
    panel(page).get_by_text("1 document replaced").wait_for()
    box = panel(page).bounding_box()
    assert box
    assert (box["width"], box["height"]) < (360, 60)
    look(page, "knowledge-uploads-small")
    panel(page).get_by_role("button", name="Close the list").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add files").click()
    chooser.value.set_files(tmp_path / "oaks.md")
    panel(page).get_by_role("button", name="Show the list").click()
    panel(page).get_by_text("is here already, the very same").wait_for()
    page.get_by_role("button", name="More ways to add").click()
    page.get_by_role("menuitem", name="Add web addresses").click()
    page.get_by_label("Addresses, one a line").fill("not an address")
    page.get_by_role("button", name="Add 1 address").click()
    page.get_by_text("This is no web address: not an address").wait_for()
    look(page, "knowledge-addresses")
    page.get_by_label("Addresses, one a line").fill("http://127.0.0.1:9/nobody")
    page.get_by_role("button", name="Add 1 address").click()
    panel(page).get_by_text("1 needs your attention").wait_for()
    look(page, "knowledge-address-failed")
    assert set(documents_of(workspace, kb).values()) == {"indexed"}
