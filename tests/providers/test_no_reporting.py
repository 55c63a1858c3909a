"""Nothing we run reports to anybody."""

import os
import subprocess
import sys
from pathlib import Path


def test_the_embedding_runtime_keeps_no_record_for_its_maker(tmp_path: Path) -> None:
    # F2: nothing leaves the machine unless told; the runtime would write what it wants to send into the cache folder
    subprocess.run(
        [sys.executable, "-c", "import pinakes.wiring"],
        env=os.environ | {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")},
        check=True,
    )
    assert list(tmp_path.rglob("*")) == []
