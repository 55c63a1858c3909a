"""What the page knows of the API is what the API is."""

import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parents[2] / "web"


def test_the_pages_types_come_from_todays_api() -> None:
    # A1: the types themselves are compared with this file by `npm run check`
    told = subprocess.run([sys.executable, str(WEB / "openapi.py")], capture_output=True, text=True, check=True).stdout
    assert (WEB / "src" / "api" / "openapi.json").read_text() == told, "The API changed. Run: make types"
