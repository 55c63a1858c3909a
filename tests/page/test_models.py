"""Embedding models and re-rankers of one's own: added, tested, edited, chosen and deleted."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from embedding_server import EmbeddingServer, serving
from harness import Workspace
from page.looking import NARROW, SCREENSHOTS, look, look_day_and_night


@pytest.fixture
def endpoint() -> Iterator[EmbeddingServer]:
    """An endpoint that wants a key."""
    with serving(key="sk-secret-0123456789-1234") as endpoint:
        yield endpoint


def open_models(page: Page) -> None:
    page.goto("/settings/models")
    page.get_by_role("heading", name="Embedding models", exact=True).wait_for()


def choose(page: Page, name: str, act: str | re.Pattern[str]) -> None:
    """An act in the menu of a model."""
    page.get_by_role("button", name=f"Actions: {name}").click()
    page.get_by_role("menuitem", name=act).click()
    expect(page.get_by_role("menu")).to_have_count(0)


def test_an_embedding_model_is_added_tested_edited_and_deleted(signed_in: Page, endpoint: EmbeddingServer) -> None:
    # K5, K9
    page = signed_in
    open_models(page)
    page.get_by_text("No embedding models of your own").wait_for()
    look(page, "models-empty")
    page.get_by_role("button", name="Add an embedding model").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("House model")
    dialog.get_by_label("Address").fill(endpoint.url)
    dialog.get_by_role("textbox", name="Model", exact=True).fill("bag-of-words")
    dialog.get_by_role("button", name="Add").click()
    dialog.get_by_role("alert").wait_for()
    look(page, "models-refused")
    # In a low window the reason comes into sight by itself, and does so every time.
    page.set_viewport_size({"width": 1280, "height": 480})
    dialog.get_by_label("Name").scroll_into_view_if_needed()
    dialog.get_by_label("Name").press("Enter")
    expect(dialog.get_by_role("alert")).to_be_in_viewport(ratio=0.9)
    page.screenshot(path=SCREENSHOTS / "models-refused-low.png")
    page.set_viewport_size({"width": 1280, "height": 900})
    dialog.get_by_label("API key").fill("sk-secret-0123456789-1234")
    dialog.get_by_role("button", name="Add").click()
    page.get_by_role("cell", name="House model", exact=True).wait_for()
    page.get_by_role("button", name="Test House model").click()
    page.get_by_text(re.compile("House model (works|answers)")).wait_for()
    choose(page, "House model", "Edit")
    dialog.get_by_text("The key …1234 is kept").wait_for()
    dialog.get_by_label("Name").fill("Our model")
    dialog.get_by_role("button", name="Save").click()
    page.get_by_role("cell", name="Our model", exact=True).wait_for()
    choose(page, "Our model", re.compile("Delete"))
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_text("No embedding models of your own").wait_for()


def test_a_reranker_is_added_made_the_default_and_deleted(
    signed_in: Page, workspace: Workspace, endpoint: EmbeddingServer
) -> None:
    # K5, K9
    page = signed_in
    body = {
        "name": "House model",
        "baseUrl": endpoint.url,
        "model": "bag-of-words",
        "apiKey": "sk-secret-0123456789-1234",
    }
    assert workspace.client.post("/api/embedders", json=body).is_success
    open_models(page)
    page.get_by_role("button", name="Add a re-ranker").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("Careful reader")
    dialog.get_by_label("Address").fill(endpoint.url)
    dialog.get_by_role("textbox", name="Model", exact=True).fill("bag-of-words")
    dialog.get_by_label("API key").fill("sk-secret-0123456789-1234")
    look(page, "models-new-reranker")
    dialog.get_by_role("button", name="Add").click()
    page.get_by_role("cell", name="Careful reader", exact=True).wait_for()
    choose(page, "Careful reader", "Use Careful reader for every search")
    expect(page.get_by_role("cell", name="Careful reader default", exact=True)).to_be_visible()
    page.get_by_text("is used by every search now").wait_for()
    look_day_and_night(page, "models")
    page.set_viewport_size({"width": NARROW, "height": 800})
    look(page, f"models-{NARROW}")
    choose(page, "Careful reader", "Stop using Careful reader")
    page.get_by_text("in their own order now").wait_for()
    choose(page, "Careful reader", re.compile("Delete"))
    dialog.get_by_role("button", name="Delete").click()
    page.get_by_text("No re-rankers").wait_for()
