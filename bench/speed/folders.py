"""Folders to measure in that leave nothing behind."""

import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def temporary_folder() -> Generator[Path]:
    """An empty folder; gone at the end, with the databases of any data folders in it, which may lie elsewhere."""
    folder = Path(tempfile.mkdtemp(prefix="pinakes-bench-"))
    try:
        yield folder
    finally:
        for engine in [folder / "postgres", *folder.glob("*/postgres")]:
            if engine.is_symlink():
                shutil.rmtree(engine.resolve(), ignore_errors=True)
        shutil.rmtree(folder, ignore_errors=True)
