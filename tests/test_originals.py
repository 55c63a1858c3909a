"""The store of originals belongs to one installation."""

from pathlib import Path

import pytest

from harness import remove_home
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings
from pinakes.wiring import open_app


async def test_a_store_of_another_installation_is_not_touched(tmp_path: Path) -> None:  # K13
    shared = tmp_path / "originals"
    one, other = (
        Settings(home=tmp_path / name, originals=str(shared), database_url=None, migrate_url=None)
        for name in ("one", "other")
    )
    try:
        async with open_app(one):
            pass
        (shared / "ws_of_one").mkdir()
        (shared / "ws_of_one" / "file").write_text("precious")
        with pytest.raises(InvalidInput, match="another installation"):
            async with open_app(other):
                pass
        async with open_app(one):
            pass
        assert (shared / "ws_of_one" / "file").read_text() == "precious"
    finally:
        for settings in (one, other):
            remove_home(settings.home_folder)
