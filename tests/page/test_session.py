"""Signing in and finding one's way: by link and by key, in both languages, light and dark, wide and narrow."""

import re

import pytest
from playwright.sync_api import Page, expect

from api.people import invite, join
from harness import Server, Workspace
from page.conftest import enter, sign_in_link
from page.looking import NARROW, WIDE, Visit, look, look_day_and_night


def sign_in_with(page: Page, key: str) -> None:
    page.get_by_label("API key").fill(key)
    page.get_by_role("button", name="Sign in").click()


def open_section(page: Page, name: str) -> None:
    """Through the bar at the side, or through the drawer where there is none."""
    burger = page.get_by_role("button", name="Open the menu")
    if burger.is_visible():
        burger.click()
    page.get_by_role("link", name=name).click()
    page.get_by_role("heading", name=name, level=1).wait_for()


def test_a_link_leads_a_newcomer_to_the_welcome(visit: Visit, server: Server) -> None:
    # K5
    page = visit()
    page.goto(sign_in_link(server))
    page.get_by_role("heading", name="Welcome to Pinakes", level=1).wait_for()
    assert "token" not in page.url
    expect(page).to_have_title("Welcome to Pinakes · Pinakes")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_key_signs_in_and_every_section_can_be_used(visit: Visit, workspace: Workspace, width: int) -> None:
    # K5, E8
    kb = workspace.make_kb("Field notes", description="What was seen, where and when")
    workspace.add(kb, "oaks.md", "# Oaks\n\nOaks can live for a thousand years.")
    workspace.upload(kb, "broken.pdf", b"%PDF-1.7 and nothing else")
    page = visit(width)
    page.goto("/")
    page.wait_for_url("**/welcome")
    look(page, f"sign-in-{width}")
    sign_in_with(page, "pk_wrong_key")
    page.get_by_role("alert").get_by_text("not valid").wait_for()
    sign_in_with(page, workspace.key)
    page.get_by_role("row", name=re.compile("Field notes")).wait_for()
    look(page, f"knowledge-{width}")
    open_section(page, "Search")
    page.get_by_label("What do you want to know?").fill("How old do oaks get?")
    page.get_by_role("button", name="Search").click()
    page.get_by_text("oaks.md").first.wait_for()
    look(page, f"search-{width}")
    open_section(page, "Operations")
    page.get_by_text("broken.pdf").wait_for()
    look(page, f"operations-{width}")


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_members_are_invited_and_keys_made_and_revoked(signed_in: Page, width: int) -> None:
    # K5, F2
    page = signed_in
    page.set_viewport_size({"width": width, "height": 900})
    open_section(page, "Settings")
    page.get_by_role("cell", name="Local owner").wait_for()
    page.get_by_role("button", name="Invite").click()
    page.get_by_label("Name to know them by").fill("Ada")
    look(page, f"invite-{width}")
    page.get_by_role("button", name="Make a link").click()
    page.get_by_text("/sign-in?token=").wait_for()
    look(page, f"invited-{width}")
    page.get_by_role("button", name="Close").click()
    page.get_by_role("cell", name="Ada").wait_for()
    look(page, f"members-{width}")
    page.get_by_role("tab", name="API keys").click()
    page.get_by_role("button", name="New key").click()
    page.get_by_label("What is it for?").fill("Notebook")
    page.get_by_label("write").check()
    look(page, f"new-key-{width}")
    page.get_by_role("button", name="Create").click()
    page.get_by_text(re.compile("^pk_")).wait_for()
    look(page, f"key-made-{width}")
    page.get_by_role("button", name="Close").click()
    row = page.get_by_role("row", name=re.compile("Notebook"))
    row.get_by_role("button", name="Revoke").click()
    page.get_by_text("loses access at once").wait_for()
    look(page, f"revoke-{width}")
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    row.get_by_text("revoked").wait_for()
    look(page, f"keys-{width}")
    page.get_by_role("tab", name="Workspace").click()
    page.get_by_label("Name of the workspace").fill("Herbarium")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved.").wait_for()
    page.get_by_role("button", name=re.compile("Workspace: Herbarium")).wait_for()
    look(page, f"workspace-{width}")


def test_language_and_appearance_are_chosen_and_kept(signed_in: Page) -> None:
    # E8
    page = signed_in
    page.get_by_role("button", name=re.compile("Account of")).click()
    look(page, "user-menu")
    page.get_by_text("中文").click()
    page.get_by_role("heading", name="知识", level=1).wait_for()
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    page.get_by_text("深色").click()
    look(page, "user-menu-zh-dark")
    page.reload()
    page.get_by_role("heading", name="知识", level=1).wait_for()
    assert page.evaluate("document.documentElement.dataset.mantineColorScheme") == "dark"
    look(page, "knowledge-zh-dark")
    for path in ("search", "operations", "settings/members", "settings/keys", "settings/workspace"):
        page.goto(f"/{path}")
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_load_state("load")
        look(page, f"{path.replace('/', '-')}-zh-dark")


def test_a_spent_link_says_so_in_words(visit: Visit, server: Server) -> None:
    # F2
    link = sign_in_link(server)
    visit().goto(link)
    page = visit(NARROW)
    page.goto(link)
    page.get_by_text("This link is of no use any more").wait_for()
    look(page, "spent-link")


ENGLISH = ["Use this link?", "Stay as I am", "Use the link", "You are a member of “Herbarium”", "viewer"]
CHINESE = ["要使用此链接吗?", "保持现状", "使用链接", "您是“Herbarium”的成员", "查看者"]


@pytest.mark.parametrize(("width", "language", "words"), [(WIDE, "en-GB", ENGLISH), (NARROW, "zh-CN", CHINESE)])
def test_a_link_that_a_page_leads_to_asks_and_an_invitation_says_what_was_joined(
    visit: Visit, server: Server, width: int, language: str, words: list[str]
) -> None:
    # F2, E8
    title, stay, use, joined, role = words
    herbarium = server.new_workspace("Herbarium")
    link = invite(herbarium)
    page = visit(width, language)
    page.goto(invite(server.new_workspace("Home")))
    page.get_by_role("status").filter(has_text="Home").wait_for()
    page.evaluate("link => { location.href = link }", link)
    page.get_by_role("heading", name=title, level=1).wait_for()
    look_day_and_night(page, f"use-link-{width}")
    page.get_by_role("link", name=stay).click()
    page.wait_for_url(re.compile("/$"))
    assert "Herbarium" not in page.content()
    page.evaluate("link => { location.href = link }", link)
    page.get_by_role("button", name=use).click()
    notice = page.get_by_role("status").filter(has_text=joined)
    notice.get_by_text(role).wait_for()
    look_day_and_night(page, f"joined-{width}")
    notice.get_by_role("button", name=re.compile("Herbarium")).click()
    page.get_by_role("button", name=re.compile("Herbarium")).wait_for()
    notice.wait_for(state="hidden")


def test_the_last_owner_is_told_why_they_cannot_leave(visit: Visit, server: Server) -> None:
    # K5, F2
    workspace = server.new_workspace("Herbarium")
    page = enter(visit(), server, workspace, "/settings/members")
    leave = page.get_by_role("button", name="Leave")
    expect(leave).to_be_disabled()
    expect(leave).to_have_accessible_description("The last owner cannot leave. Make somebody else an owner first.")
    expect(page.get_by_role("combobox", name="Role of Local owner")).to_be_disabled()
    look_day_and_night(page, "last-owner")
    page.set_viewport_size({"width": NARROW, "height": 800})
    expect(leave).to_be_in_viewport(ratio=1)
    first, last = (page.get_by_role("tab", name=name).bounding_box() for name in ("Members", "Workspace"))
    assert first
    assert last
    assert first["y"] == last["y"]
    join(server, workspace, "owner")
    page.reload()
    page.get_by_role("cell", name="Ada").wait_for()
    expect(leave).to_be_enabled()


def test_an_ended_session_leads_to_the_sign_in_and_back(visit: Visit, workspace: Workspace) -> None:
    # F2
    page = visit()
    page.goto("/settings/keys")
    page.get_by_text("Sign in to go on where you were").wait_for()
    sign_in_with(page, workspace.key)
    page.wait_for_url("**/settings/keys")
    page.get_by_role("cell", name="test").first.wait_for()
    page.context.clear_cookies()
    page.get_by_role("link", name="Knowledge").click()
    page.wait_for_url("**/welcome?next=%2Fknowledge")
    sign_in_with(page, workspace.key)
    page.get_by_role("heading", name="Knowledge", level=1).wait_for()
    page.get_by_role("button", name=re.compile("Account of")).click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/welcome")
    page.goto("/knowledge")
    page.wait_for_url("**/welcome?next=%2Fknowledge")


def test_the_keyboard_reaches_the_content_first(signed_in: Page) -> None:
    # E8
    page = signed_in
    page.reload()
    page.get_by_role("heading", name="Knowledge", level=1).wait_for()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Operations").click()
    page.get_by_role("heading", name="Operations", level=1).wait_for()
    expect(page.locator("#main")).to_be_focused()


def test_an_address_that_leads_nowhere_says_so(signed_in: Page) -> None:
    # K5
    signed_in.goto("/nowhere/at/all")
    signed_in.get_by_role("heading", name="There is nothing here").wait_for()
    look(signed_in, "not-found")
