"""Whatever is killed, whenever: nothing is lost, doubled, stuck or left behind."""

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from bench.documents import make_documents
from bench.installation import VICTIMS, Installation
from bench.recovery import run_cycle
from bench.stock import Stock, compare, take_stock

from pinakes.services.sweeping import sweep
from pinakes.settings import Settings
from pinakes.store.database import fetch_all
from pinakes.wiring import open_app

DOCUMENTS = make_documents(12, seed=7)


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A server that is started again whenever it is killed."""
    installation = Installation(tmp_path_factory.mktemp("recovery") / "home")
    yield installation
    installation.stop()
    installation.remove()


@pytest.fixture(scope="module")
def undisturbed(installation: Installation) -> Stock:
    """What the documents come to when nobody kills anything."""
    calm = run_cycle(installation, DOCUMENTS, dice=random.Random(0), kills=0)
    installation.stop()
    return take_stock(installation, calm.workspace_id)


def test_killing_everything_at_random_while_documents_are_indexed_changes_nothing(
    installation: Installation, undisturbed: Stock
) -> None:
    # K3
    assert undisturbed.leftovers == {}
    assert len(undisturbed.documents) == len(DOCUMENTS)
    cycle = run_cycle(installation, DOCUMENTS, dice=random.Random(1), kills=len(VICTIMS), pause=(0.0, 0.8))
    assert set(cycle.kills) == set(VICTIMS)
    installation.stop()
    assert compare(undisturbed, take_stock(installation, cycle.workspace_id)) == []


@pytest.mark.parametrize("lost", ["documents", "terms", "counts"])
def test_the_comparison_would_notice_a_loss(undisturbed: Stock, lost: str) -> None:
    # K3
    entries: dict[object, int] = dict(getattr(undisturbed, lost))
    del entries[next(iter(entries))]
    assert compare(undisturbed, replace(undisturbed, **{lost: entries})) != []


async def test_a_sweep_removes_an_upload_that_was_interrupted_while_it_was_written(tmp_path: Path) -> None:
    # K3, K13
    home = tmp_path / "home"
    try:
        async with open_app(Settings(home=home, database_url=None, migrate_url=None)) as app:
            async with app.resources.database.transaction() as connection:
                workspace_id = (await fetch_all(connection, "SELECT * FROM workspace_ids() AS id"))[0]["id"]
            folder = home / "originals" / workspace_id / "kb_x"
            folder.mkdir(parents=True)
            (folder / "ver_draft#1").write_bytes(b"half of a fi")
            (folder / "ver_whole").write_bytes(b"a whole file that was never committed")
            async with app.resources.database.transaction(workspace_id) as connection:
                for name in ("ver_draft", "ver_whole", "ver_never_written"):
                    await connection.execute(
                        "INSERT INTO blob (workspace_id, blob_key, state) VALUES (%s, %s, 'intent')",
                        [workspace_id, f"{workspace_id}/kb_x/{name}"],
                    )
            await sweep(app.resources)
            assert len(list(folder.iterdir())) == 2, "an upload under way is left alone"
            await sweep(app.resources, intent_age=timedelta(0))
            async with app.resources.database.transaction(workspace_id) as connection:
                assert await fetch_all(connection, "SELECT blob_key FROM blob") == []
        left = [path.name for path in (home / "originals").rglob("*") if path.is_file()]
        assert left == ["installation"]
    finally:
        Installation(home).remove()
