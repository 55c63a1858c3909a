"""Notes in the browser: written, previewed, found, filled in from templates; agents' notes appear by themselves."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from harness import Server, Workspace, data_of
from page.conftest import enter
from page.looking import NARROW, Visit, look, look_day_and_night

OAKS = """# Oaks

Oaks can live for a **thousand** years. See [the society](https://example.org/oaks).

- [x] measured
- [ ] drawn

| Tree | Age |
| --- | --- |
| Oak | 1000 |

![a picture](https://example.org/spy.png)
<img src="https://example.org/spy.png" onerror="document.title='broken into'">
<script>document.title = 'broken into'</script> [never](javascript:alert(1))
"""


def write(workspace: Workspace, content: str, **fields: Any) -> str:
    """A note's id."""
    made = workspace.client.post("/api/notes", json={"content": content, **fields})
    note_id: str = data_of(made)["note"]["id"]
    workspace.settle(note_id)
    return note_id


def text_of(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Text in Markdown")


def test_a_note_is_written_by_keyboard_with_a_preview_that_runs_nothing(signed_in: Page, workspace: Workspace) -> None:
    # K5
    page = signed_in
    page.goto("/notes")
    page.get_by_text("No notes yet").wait_for()
    look(page, "notes-empty")
    page.get_by_role("link", name="New note").focus()
    page.keyboard.press("Enter")
    page.get_by_role("textbox", name="Title").focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("combobox", name="Knowledge base")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Trees of the park")
    page.keyboard.press("Enter")
    dialog.wait_for(state="hidden")
    expect(page.get_by_role("combobox", name="Knowledge base")).to_have_value("Trees of the park")
    page.get_by_role("combobox", name="Tags").focus()
    page.keyboard.type("wood")
    page.keyboard.press("Enter")
    page.keyboard.type("year=2024")
    page.keyboard.press("Enter")
    page.keyboard.press("Control+s")
    expect(text_of(page)).to_have_accessible_description("Write something first.")
    text_of(page).fill(OAKS)
    preview = page.get_by_role("region", name="Preview")
    expect(preview.get_by_role("heading", name="Oaks")).to_be_visible()
    link = preview.get_by_role("link", name="the society")
    expect(link).to_have_attribute("rel", re.compile("noopener noreferrer"))
    expect(preview.locator("img, script")).to_have_count(0)
    expect(preview.get_by_role("link")).to_have_count(1)
    look_day_and_night(page, "notes-editor")
    page.keyboard.press("Control+s")
    # Saved for the first time, one is still in the text.
    page.wait_for_url(re.compile(r"/notes/doc_[^/]+/edit$"))
    expect(page.get_by_role("heading", name="Edit “Oaks”", level=1)).to_be_visible()
    expect(page.get_by_role("textbox", name="Title")).to_have_value("Oaks")
    expect(text_of(page)).to_be_focused()
    page.get_by_role("link", name="Close").click()
    expect(page.get_by_role("heading", name="Oaks", level=1)).to_be_visible()
    page.get_by_text("ready").wait_for()
    look_day_and_night(page, "notes-note")
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"notes-note-{NARROW}")
    assert "broken" not in page.title()
    note = data_of(workspace.client.get("/api/notes"))["items"][0]
    assert (note["resource"], len(note["tags"])) == ("trees-of-the-park", 2)


def test_unsaved_text_is_not_lost_by_leaving_nor_by_somebody_else(signed_in: Page, workspace: Workspace) -> None:
    # K5
    note = write(workspace, "# Elms\n\nElms are rare.", title="Elms")
    page = signed_in
    page.goto(f"/notes/{note}/edit")
    text_of(page).fill("# Elms\n\nElms are very rare.")
    expect(page.get_by_role("status").filter(has_text="Not saved")).to_be_visible()
    page.get_by_role("link", name="Search").click()
    dialog = page.get_by_role("dialog", name="Leave without saving?")
    look(page, "notes-leaving")
    dialog.get_by_role("button", name="Cancel").click()
    expect(text_of(page)).to_have_value(re.compile("very rare"))
    # Somebody else is faster with a title, of which no event tells, and nothing is overwritten.
    page.get_by_role("textbox", name="Title").fill("Rare elms")
    path = f"/api/notes/{note}"
    assert workspace.client.patch(path, json={"title": "Many elms"}).is_success
    with page.expect_response(lambda answer: answer.request.method == "PATCH") as told:
        page.keyboard.press("Control+s")
    assert told.value.status == 409
    page.get_by_role("alert").get_by_text("Somebody else changed this note").wait_for()
    now = data_of(workspace.client.get(path))
    assert (now["title"], now["content"]) == ("Many elms", "# Elms\n\nElms are rare.")
    look_day_and_night(page, "notes-clash")
    page.get_by_role("button", name="Go on with mine").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("article").get_by_text("Elms are very rare.").wait_for()
    now = data_of(workspace.client.get(path))
    assert (now["title"], now["content"]) == ("Rare elms", "# Elms\n\nElms are very rare.")
    # What is only read follows by itself.
    assert workspace.client.patch(path, json={"content": "# Elms\n\nNobody counted."}).is_success
    page.get_by_role("article").get_by_text("Nobody counted.").wait_for()
    page.get_by_role("button", name="Delete").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    look(page, "notes-delete")
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_text("No notes yet").wait_for()
    page.goto(f"/notes/{note}")
    page.get_by_text("This note is not there").wait_for()
    look(page, "notes-gone")


def test_a_note_that_an_agent_writes_appears_by_itself(signed_in: Page, server: Server, workspace: Workspace) -> None:
    # K5
    workspace.make_kb("Minutes")
    write(workspace, "# Oaks\n\nOld trees.", tags=["wood", "year=2024"])
    write(workspace, "Budget was agreed. " * 3, title="Meeting about " + "a very long matter " * 8, resource="minutes")
    page = signed_in
    page.goto("/notes")
    expect(page.get_by_role("row")).to_have_count(3)
    with server.owner as owner:
        on = owner.patch(
            "/api/tools/create_knowledge", json={"isOn": True}, headers={"X-Pinakes-Workspace": workspace.id}
        )
    assert on.is_success, on.text
    arguments = {"content": "Beeches have smooth bark.", "title": "Beeches", "tags": ["wood"]}
    answer = workspace.client.post("/api/tools/create_knowledge", json=arguments)
    assert data_of(answer)["status"] == "success", answer.text
    # Nothing was reloaded: the page heard of it.
    expect(page.get_by_role("link", name="Beeches")).to_be_visible()
    expect(page.get_by_text("ready")).to_have_count(6)
    look_day_and_night(page, "notes-list")
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"notes-list-{NARROW}")
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Only notes with the tag wood").first.click()
    expect(page.get_by_role("row")).to_have_count(3)
    page.get_by_role("searchbox", name="Find by title").fill("beech")
    expect(page.get_by_role("row")).to_have_count(2)
    expect(page).to_have_url(re.compile("tag=wood"))
    page.get_by_role("searchbox", name="Find by title").fill("no such note")
    page.get_by_text("No note matches").wait_for()
    look(page, "notes-no-match")
    page.get_by_role("button", name="Show all notes").click()
    page.get_by_role("combobox", name="Knowledge base").click()
    page.get_by_role("option", name="Minutes").click()
    expect(page.get_by_role("row")).to_have_count(2)


def test_templates_are_made_filled_in_and_deleted(visit: Visit, server: Server, workspace: Workspace) -> None:
    # K5
    page = enter(visit(), server, workspace, "/notes/templates")
    page.get_by_role("button", name="New template").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Walk")
    dialog.get_by_label("Title of its notes").fill("{{date}} {{place}}")
    dialog.get_by_role("textbox", name="Text in Markdown").fill("# {{place}}\n\n{{what_was_seen}}")
    look(page, "notes-new-template")
    dialog.get_by_role("button", name="Create").click()
    page.get_by_text("Asks for: date, place, what_was_seen").wait_for()
    look_day_and_night(page, "notes-templates")
    page.get_by_role("button", name="Use “Walk”").click()
    dialog.get_by_label("Date").fill("2026-01-02")
    dialog.get_by_label("Place").fill("The {{date}} park")
    look(page, "notes-fill-template")
    dialog.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("textbox", name="Title")).to_have_value("2026-01-02 The {{date}} park")
    text_of(page).press_sequentially("x")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name="2026-01-02 The {{date}} park", level=1).wait_for()
    page.goto("/notes/templates")
    page.get_by_role("button", name="Delete “Walk”").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Use “Walk”")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("^Delete"))).to_have_count(0)


def test_the_pages_of_notes_speak_chinese_on_a_small_screen_by_lamplight(
    visit: Visit, server: Server, workspace: Workspace
) -> None:
    # K5, K9
    note = write(workspace, "# 橡树\n\n橡树可以活**一千年**。", tags=["树木"])
    page = enter(visit(NARROW, "zh-CN", "dark"), server, workspace, "/notes")
    page.get_by_role("link", name="橡树").wait_for()
    look(page, "notes-list-zh-dark-380")
    page.goto(f"/notes/{note}/edit")
    page.get_by_role("textbox", name="Markdown 正文").wait_for()
    look(page, "notes-editor-zh-dark-380")
    page.get_by_text("预览", exact=True).click()
    page.get_by_role("region", name="预览").get_by_text("一千年").wait_for()
    look(page, "notes-preview-zh-dark-380")
    page.goto("/notes/templates")
    page.get_by_role("button", name=re.compile("使用")).first.wait_for()
    look(page, "notes-templates-zh-dark-380")
