"""How files are added in the page, and what becomes of them."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from harness import Workspace, data_of
from page.looking import shoot

OAKS = "# Oaks\n\nOaks can live for a thousand years.\n\n## Acorns\n\nJays bury acorns and forget where.\n"
DAMAGED = b"%PDF-1.7 and nothing else"


def drop(page: Page, *paths: Path) -> None:
    """Drop files and folders onto the page, as a file manager does."""
    session: Any = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 200, "y": 400, "data": data})
    page.get_by_text("Drop to add to").wait_for()
    shoot(page, "knowledge-drop")
    session.send("Input.dispatchDragEvent", {"type": "drop", "x": 200, "y": 400, "data": data})


def panel(page: Page) -> Locator:
    """What is being added."""
    return page.get_by_role("region", name="Adding documents").first


def documents_of(workspace: Workspace, kb: str) -> dict[str, str]:
    """Every document's name and status."""
    page = data_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents"))
    return {item["name"]: item["status"] for item in page["items"]}
