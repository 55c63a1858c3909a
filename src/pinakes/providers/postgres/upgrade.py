"""A cluster of an older PostgreSQL becomes one of ours; killed at any point, it is begun anew or was done."""

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from pinakes.providers.postgres.cluster import (
    DATABASE,
    OWNER_ROLE,
    ClusterError,
    init_draft,
    prepare_socket_dir,
    remove_drafts,
    require_passwords,
    run_program,
    run_single,
    server_environment,
)
from pinakes.providers.postgres.layout import KEPT_PREFIX, POSTGRES_MAJOR, Layout, kept_clusters, made_by, read_json
from pinakes.providers.postgres.processes import postmaster_of, stop_leftovers

_ROOM = 1.1
_UPDATE_EXTENSION = (
    "DO $$ BEGIN IF EXISTS (SELECT FROM pg_extension WHERE extname = 'vector') THEN "
    "ALTER EXTENSION vector UPDATE; END IF; END $$"
)


def upgrade_cluster(layout: Layout, begin: Callable[[], None]) -> None:
    """Puts an upgraded copy in the place of an older cluster, which is kept beside it as it was.

    Where the older programs are missing nothing happens; whoever starts the cluster says what to do then.
    """
    _undo_half_a_swap(layout)
    version = made_by(layout.folder)
    if version is None or version == POSTGRES_MAJOR or layout.old_bin is None:
        return
    kept = layout.folder / f"{KEPT_PREFIX}{version}"
    if kept.exists():
        raise ClusterError(f"{kept} is in the way: an earlier upgrade left it. Move it elsewhere, then start again.")
    begin()
    remove_drafts(layout)
    stop_leftovers(layout.data)
    # A killed program leaves this, and while anything has its pid, be it a zombie, nothing else would start.
    if postmaster_of(layout.data) is None:
        (layout.data / "postmaster.pid").unlink(missing_ok=True)
    _require_room(layout)
    draft = _upgrade_copy(layout, layout.old_bin)
    layout.data.rename(kept)
    draft.rename(layout.data)


def _undo_half_a_swap(layout: Layout) -> None:
    """Killed between the two renames: nothing is in the cluster's place, and what belongs there is beside it."""
    kept = kept_clusters(layout.folder)
    if kept and not layout.data.exists():
        kept[-1].rename(layout.data)


def _require_room(layout: Layout) -> None:
    size = sum(path.lstat().st_size for path in layout.data.rglob("*") if path.is_file())
    free = shutil.disk_usage(layout.folder).free
    if free < size * _ROOM:
        raise ClusterError(
            f"To upgrade the database to PostgreSQL {POSTGRES_MAJOR} a copy of it is made, which needs "
            f"{size * _ROOM / 1e9:.1f} GB in {layout.folder}; {free / 1e9:.1f} GB are free. Make room and start again."
        )


def _upgrade_copy(layout: Layout, old_bin: Path) -> Path:
    """The cluster that pg_upgrade makes out of the old one; the old one is read only."""
    # A server that was killed left its last changes in the log; this replays them and stops in order.
    run_single(layout, layout.data, "template1", [], programs=old_bin)
    checksums = "--data-checksums" if _has_checksums(layout, old_bin) else "--no-data-checksums"
    draft = init_draft(layout, checksums)
    sockets = prepare_socket_dir(layout)
    arguments = ["-b", str(old_bin), "-B", str(layout.bin), "-d", str(layout.data), "-D", str(draft)]
    password = str(read_json(layout.passwords).get(OWNER_ROLE, ""))
    run_program(
        layout,
        [str(layout.bin / "pg_upgrade"), *arguments, "-U", OWNER_ROLE, "-s", str(sockets)],
        variables={"PGPASSWORD": password},
        folder=sockets,
    )
    require_passwords(draft)
    run_single(layout, draft, DATABASE, [_UPDATE_EXTENSION])
    run_program(layout, [str(layout.bin / "initdb"), "--sync-only", "-D", str(draft)])
    return draft


def _has_checksums(layout: Layout, old_bin: Path) -> bool:
    told = subprocess.run(  # noqa: S603
        [str(old_bin / "pg_controldata"), "-D", str(layout.data)],
        capture_output=True,
        text=True,
        env=server_environment(),
        check=False,
    ).stdout
    found = re.search(r"Data page checksum version:\s*(\d+)", told)
    if found is None:
        raise ClusterError(f"{layout.data} cannot be read by the programs of the PostgreSQL that made it.")
    return found[1] != "0"
