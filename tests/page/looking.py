"""How a test looks at the page: pictures for people, and axe for whoever cannot see."""

import re
from pathlib import Path
from typing import Any, Literal, Protocol

import pytest
from playwright.sync_api import Page, expect

WIDE, NARROW = 1280, 380
SCREENSHOTS = Path(__file__).parent / "screenshots"
# The browser reports every refused request; that a visitor is not signed in yet is no fault.
EXPECTED_NOISE = re.compile(r"status of (401|403|404|409|415|422)")
_AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


class Visit(Protocol):
    """Opens the page as somebody new."""

    def __call__(self, width: int = WIDE, language: str = "en-GB", scheme: str = "light") -> Page: ...


def look(page: Page, name: str) -> None:
    """A picture, and what every page must be once it has settled."""
    expect(page.locator(".earlier")).to_have_count(0)
    shoot(page, name)
    assert_fits(page)
    assert_accessible(page)


def look_dark(page: Page, name: str) -> None:
    """The same by lamplight."""
    light_up(page, "dark")
    look(page, f"{name}-dark")
    light_up(page, "light")


def look_day_and_night(page: Page, name: str) -> None:
    """The same in both schemes."""
    look(page, name)
    look_dark(page, name)


def light_up(page: Page, scheme: Literal["light", "dark"]) -> None:
    """Change the scheme and wait until the page has, so that nothing is looked at halfway."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_function("scheme => document.documentElement.dataset.mantineColorScheme === scheme", arg=scheme)
    page.wait_for_timeout(100)


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the page as it is now."""
    page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


def assert_accessible(page: Page) -> None:
    """No serious or critical violation that axe can find."""
    if not _AXE.is_file():
        pytest.skip("axe-core is not installed. Run: python web/npm.py ci")
    if not page.evaluate("'axe' in window"):
        page.evaluate(_AXE.read_text())
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await axe.run({ resultTypes: ['violations'], elementRef: false })).violations"
    )
    serious = [
        f"{violation['id']}: {violation['help']} – {[node['html'][:200] for node in violation['nodes'][:3]]}"
        for violation in found
        if violation["impact"] in {"serious", "critical"}
    ]
    assert not serious, "\n".join(serious)


def assert_fits(page: Page) -> None:
    """The page itself never scrolls sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.evaluate("window.innerWidth")
