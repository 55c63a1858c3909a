"""What lies where in an engine's folder, and how its small files are written and its locks taken."""

import contextlib
import fcntl
import json
import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

POSTGRES_MAJOR = "18"
KEPT_PREFIX = "data.old-"
_POLL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Layout:
    """An engine's folder, the binaries it runs on, and who Postgres must become (None: who we are).

    `old_bin` holds the programs of the older release that made the cluster, where there are any.
    """

    folder: Path
    bin: Path
    run_as: tuple[int, int] | None = None
    old_bin: Path | None = None

    @property
    def data(self) -> Path:
        """The database cluster."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the supervisor and Postgres say."""
        return self.folder / "log" / "engine.log"

    @property
    def state(self) -> Path:
        """What the supervisor last said about Postgres."""
        return self.folder / "state.json"

    @property
    def passwords(self) -> Path:
        """The passwords of both roles."""
        return self.folder / "passwords.json"

    @property
    def socket_record(self) -> Path:
        """Names the socket folder where it is not `run/`."""
        return self.folder / "socket_dir"

    @property
    def clients_lock(self) -> Path:
        """Every client holds it shared; who gets it exclusively knows that there is none."""
        return self.folder / "clients.lock"

    @property
    def start_lock(self) -> Path:
        """Held while somebody looks for a supervisor and starts one."""
        return self.folder / "start.lock"

    @property
    def supervisor_lock(self) -> Path:
        """The supervisor holds it for its life."""
        return self.folder / "supervisor.lock"


def made_by(folder: Path) -> str | None:
    """The major release that made this engine's cluster; None where there is none yet."""
    for name in ("data", f"{KEPT_PREFIX}*"):
        for cluster in folder.glob(name):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                return (cluster / "PG_VERSION").read_text().strip()
    return None


def kept_clusters(folder: Path) -> list[Path]:
    """Clusters of older releases that an upgrade has left as they were."""
    return sorted(folder.glob(f"{KEPT_PREFIX}*"))


def open_private(path: Path, flags: int) -> int:
    """Opens or makes a 0600 file that belongs to its folder's owner, never through a link."""
    descriptor = os.open(path, flags | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    give_to_owner(path)
    return descriptor


def give_to_owner(path: Path) -> None:
    """Root may be a guest in somebody's folder: what it leaves there must not shut the owner out."""
    owner = path.parent.stat()
    if os.geteuid() == 0 and path.lstat().st_uid != owner.st_uid:
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)


def write_private(path: Path, text: str) -> None:
    """Replaces a 0600 file in one step; it is on disk on return."""
    draft = path.with_name(f".{path.name}-{secrets.token_hex(4)}")
    with os.fdopen(open_private(draft, os.O_WRONLY | os.O_EXCL), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def read_json(path: Path) -> dict[str, Any]:
    """The file's object; empty where there is none or it cannot be understood."""
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return dict(found) if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownArgumentType]


def try_lock(descriptor: int, operation: int) -> bool:
    """Whether the lock was had at once."""
    try:
        fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def lock_within(descriptor: int, operation: int, seconds: float) -> bool:
    """Whether the lock was had in that time."""
    deadline = time.monotonic() + seconds
    while not try_lock(descriptor, operation):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def supervisor_lives(layout: Layout) -> bool:
    """Whether a supervisor holds its lock; never makes the file."""
    try:
        descriptor = os.open(layout.supervisor_lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        return not try_lock(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def log_tail(layout: Layout, lines: int = 15) -> str:
    """The last lines of the log."""
    try:
        with layout.log.open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - 16_384))
            text = log.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    return "\n".join(text.splitlines()[-lines:])
