"""One database cluster: made whole or not at all, with our two roles, and the command that serves it."""

import contextlib
import json
import locale
import os
import secrets
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from pinakes.providers.postgres.layout import (
    POSTGRES_MAJOR,
    Layout,
    read_json,
    write_private,
)
from pinakes.providers.postgres.processes import start_tied, stop_leftovers

OWNER_ROLE = "pinakes"
APP_ROLE = "pinakes_app"
DATABASE = "pinakes"
PORT = 5432

_SOCKET_PATH_LIMIT = 100
_SHORT_PARENT = Path("/tmp")  # noqa: S108
_SHORT_PREFIX = "pinakes-"
_ROOMY_SHARED_MEMORY = 1 << 30
_CONTAINER_MEMORY = Path("/sys/fs/cgroup/memory.max")
_LEAST_BUFFERS = 128
_MOST_BUFFERS = 8192
_HBA = f"""# Only these two roles, only through the socket, only with their passwords.
local all {OWNER_ROLE} scram-sha-256
local all {APP_ROLE} scram-sha-256
"""


class ClusterError(Exception):
    """The cluster cannot be made or served; the message says why."""


def prepare_cluster(layout: Layout) -> None:
    """Makes the cluster and the passwords where they are missing; nothing half-made is left."""
    remove_drafts(layout)
    known = read_json(layout.passwords)
    passwords = {role: str(known.get(role) or secrets.token_urlsafe(24)) for role in (OWNER_ROLE, APP_ROLE)}
    if passwords != known:
        write_private(layout.passwords, json.dumps(passwords))
    if not layout.data.exists():
        _make_cluster(layout, passwords)
        return
    version = (layout.data / "PG_VERSION").read_text().strip()
    if version != POSTGRES_MAJOR:
        raise ClusterError(
            f"{layout.data} was made by PostgreSQL {version}; this one is {POSTGRES_MAJOR} and has no programs of "
            f"{version} to upgrade it with. Make a back-up with the version of Pinakes that made it (`pinakes "
            "backup`), and bring it back with this one in a new data folder (`pinakes restore`)."
        )
    if passwords != known:
        run_single(layout, layout.data, "postgres", _password_statements(passwords))


def remove_drafts(layout: Layout) -> None:
    """What a killed supervisor was writing; there is only ever one, so nobody is still at it."""
    for draft in layout.folder.glob("data.new-*"):
        # An upgrade starts servers of its own, which do not end with it.
        stop_leftovers(draft)
        shutil.rmtree(draft, ignore_errors=True)
    for path in (layout.state, layout.passwords, layout.socket_record):
        for draft in layout.folder.glob(f".{path.name}-*"):
            draft.unlink(missing_ok=True)


def _make_cluster(layout: Layout, passwords: dict[str, str]) -> None:
    draft = init_draft(layout)
    # Nobody could reach the cluster while "trust" held: no server has been started on it yet.
    require_passwords(draft)
    statements = [
        f"CREATE ROLE {APP_ROLE} LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE",
        *_password_statements(passwords),
        f"CREATE DATABASE {DATABASE} OWNER {OWNER_ROLE}",
        f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC",
        f"GRANT CONNECT, TEMPORARY ON DATABASE {DATABASE} TO {APP_ROLE}",
    ]
    run_single(layout, draft, "postgres", statements)
    run_program(layout, [str(layout.bin / "initdb"), "--sync-only", "-D", str(draft)])
    draft.rename(layout.data)


def init_draft(layout: Layout, *options: str) -> Path:
    """A new cluster beside the place of the old, open to whoever reaches its socket."""
    draft = Path(tempfile.mkdtemp(prefix="data.new-", dir=layout.folder))
    _give_to_postgres(layout, draft)
    arguments = ["-D", str(draft), "-U", OWNER_ROLE, "-E", "UTF8", "-A", "trust", "--no-instructions"]
    arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--lc-collate=C", "-T", "simple"]
    run_program(layout, [str(layout.bin / "initdb"), *arguments, *options, "--no-sync"])
    return draft


def require_passwords(data: Path) -> None:
    """From its next start on the cluster lets in our two roles alone, with their passwords."""
    with os.fdopen(os.open(data / "pg_hba.conf", os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "w") as file:
        file.write(_HBA)


def _password_statements(passwords: dict[str, str]) -> list[str]:
    return [f"ALTER ROLE {role} PASSWORD '{password}'" for role, password in passwords.items()]


def run_single(layout: Layout, data: Path, database: str, statements: list[str], programs: Path | None = None) -> None:
    """Runs statements with no server and so no way in for anybody; they go through stdin, out of `ps`."""
    command = [str((programs or layout.bin) / "postgres"), "--single", "-D", str(data)]
    settings = ["-c", "exit_on_error=on", "-c", "log_min_error_statement=panic"]
    run_program(layout, [*command, *settings, database], "".join(f"{statement};\n" for statement in statements))


def run_program(
    layout: Layout,
    command: list[str],
    stdin: str = "",
    *,
    variables: dict[str, str] | None = None,
    folder: Path | None = None,
) -> None:
    """One of PostgreSQL's programs, as the user it must run as; an error of its own ends ours."""
    child = start_tied(
        command,
        run_as=layout.run_as,
        environment=server_environment() | (variables or {}),
        death_signal=signal.SIGKILL,
        stdin=subprocess.PIPE,
        folder=folder,
    )
    child.communicate(stdin.encode())
    if child.returncode != 0:
        raise ClusterError(f"{Path(command[0]).name} ended with {child.returncode}")


def server_environment() -> dict[str, str]:
    """A clean environment: nothing of the user's locale or PG* settings may reach the server."""
    for name in ("C.UTF-8", "en_US.UTF-8"):
        try:
            locale.setlocale(locale.LC_CTYPE, name)
        except locale.Error:
            continue
        return {"PATH": "/usr/bin:/bin", "LANG": name, "LC_ALL": name}
    return {"PATH": "/usr/bin:/bin", "LANG": "C", "LC_ALL": "C"}


def socket_dir(layout: Layout) -> Path:
    """Where the socket is: `run/`, or the short folder that stands in for it."""
    try:
        return Path(layout.socket_record.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return layout.folder / "run"


def prepare_socket_dir(layout: Layout) -> Path:
    """Makes the 0700 socket folder and empties it; clients that still live find it where it was."""
    folder = socket_dir(layout)
    if folder == layout.folder / "run" and _fits(folder):
        folder.mkdir(mode=0o700, exist_ok=True)
    elif folder == layout.folder / "run" or not _is_ours(layout, folder):
        folder = Path(tempfile.mkdtemp(prefix=_SHORT_PREFIX, dir=_SHORT_PARENT))
        write_private(layout.socket_record, str(folder))
    _give_to_postgres(layout, folder)
    _empty(folder)
    return folder


def clear_socket_dir(layout: Layout) -> None:
    """Leaves nothing of the socket behind; only for when no client is left that knows its place."""
    folder = socket_dir(layout)
    if folder == layout.folder / "run":
        _empty(folder)
    elif _is_ours(layout, folder):
        shutil.rmtree(folder, ignore_errors=True)
    layout.socket_record.unlink(missing_ok=True)


def _fits(folder: Path) -> bool:
    # libpq takes a comma in a host for a list of hosts.
    socket = folder / f".s.PGSQL.{PORT}"
    return len(os.fsencode(socket)) <= _SOCKET_PATH_LIMIT and "," not in str(folder)


def _is_ours(layout: Layout, folder: Path) -> bool:
    """The parent belongs to everybody, so a recorded name proves nothing; a swept-away one is made again."""
    if folder.parent != _SHORT_PARENT or not folder.name.startswith(_SHORT_PREFIX):
        return False
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        found = folder.lstat()
        return stat.S_ISDIR(found.st_mode) and found.st_uid == (layout.run_as or (os.geteuid(),))[0]
    return True


def _empty(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        for entry in folder.iterdir():
            entry.unlink(missing_ok=True)


def _give_to_postgres(layout: Layout, folder: Path) -> None:
    if layout.run_as is not None:
        os.chown(folder, *layout.run_as, follow_symlinks=False)


def server_command(layout: Layout, sockets: Path) -> list[str]:
    """How the server is started; every setting is here, so that a new release edits no file."""
    quoted = str(sockets).replace('"', '""')
    settings = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": f'"{quoted}"',
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        "shared_buffers": f"{_buffers()}MB",
        "maintenance_work_mem": "256MB",
        "max_parallel_workers_per_gather": "0",
        "jit": "off",
        "dynamic_shared_memory_type": _shared_memory_type(),
        "timezone": "UTC",
        "log_timezone": "UTC",
        "logging_collector": "off",
        "log_destination": "stderr",
        "log_checkpoints": "off",
        # Errors reach the caller; here only their first line, for the rest may quote a user's content.
        "log_min_messages": "error",
        "log_error_verbosity": "terse",
        "log_min_error_statement": "panic",
    }
    command = [str(layout.bin / "postgres"), "-D", str(layout.data)]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    return command


def _buffers() -> int:
    """Megabytes of tables and indexes at hand: a quarter of the memory, which is taken only as it is needed.

    A graph that does not fit is walked at half the speed.
    """
    found: list[int] = []
    # Not every system tells how much it has, and a container's limit may be a word.
    with contextlib.suppress(OSError, ValueError):
        found.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with contextlib.suppress(OSError, ValueError):
        found.append(int(_CONTAINER_MEMORY.read_text()))
    return min(max(min(found, default=0) // 4 >> 20, _LEAST_BUFFERS), _MOST_BUFFERS)


def _shared_memory_type() -> str:
    """Ordinary files where /dev/shm is small (64 MB in many containers) and index builds would fail."""
    if sys.platform != "linux":
        return "posix"
    try:
        found = os.statvfs("/dev/shm")  # noqa: S108
    except FileNotFoundError:
        return "mmap"
    return "posix" if found.f_frsize * found.f_bavail >= _ROOMY_SHARED_MEMORY else "mmap"
