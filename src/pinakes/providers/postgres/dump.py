"""A whole database out into a stream and in from one, with PostgreSQL's own programs."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import IO

from psycopg import conninfo, pq

from pinakes.domain.errors import ProviderFault
from pinakes.providers.postgres.binaries import wheel_binaries

_PIECE = 1 << 18
# Owners and rights name roles, which elsewhere are called differently; they travel by themselves.
_PLAIN = ("--no-owner", "--no-privileges", "--no-comments", "--no-publications", "--no-subscriptions")
_SINCE_17 = b"SET transaction_timeout = 0;\n"


async def dump_database(url: str, snapshot: str) -> AsyncIterator[bytes]:
    """The database as that snapshot sees it, in pg_dump's custom format."""
    arguments = ("--format=custom", f"--snapshot={snapshot}", "--no-security-labels", "--no-tablespaces", *_PLAIN)
    async with _program("pg_dump", arguments, url) as program:
        assert program.stdout
        while piece := await program.stdout.read(_PIECE):
            yield piece
        await _end_well(program, "pg_dump")


async def restore_database(
    url: str, archive: IO[bytes], *, before: Sequence[str], after: Sequence[str], server_version: int
) -> None:
    """A dump into an empty database, with statements before and after it: all of it or, whatever happens, nothing."""
    script = ("--file=-", *_PLAIN, "--no-security-labels", "--no-tablespaces")
    # Not psql's own single transaction: that is committed when its input ends, be it only because we were killed.
    obey = ("--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output=/dev/null")
    async with _program("pg_restore", script, url) as reader, _program("psql", obey, url) as writer:
        assert reader.stdin
        assert reader.stdout
        assert writer.stdin
        feeding = asyncio.create_task(_feed(archive, reader.stdin))
        try:
            writer.stdin.write("".join(("BEGIN;\n", *before)).encode())
            await _copy_script(reader.stdout, writer.stdin, with_17=server_version >= 170_000)
            await feeding
            await _end_well(reader, "pg_restore")
            writer.stdin.write("".join((*after, "COMMIT;\n")).encode())
            writer.stdin.write_eof()
        except (BrokenPipeError, ConnectionResetError):
            await _end_well(writer, "psql")
            raise
        finally:
            feeding.cancel()
        await _end_well(writer, "psql")


async def _feed(archive: IO[bytes], pipe: asyncio.StreamWriter) -> None:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        while piece := await asyncio.to_thread(archive.read, _PIECE):
            pipe.write(piece)
            await pipe.drain()
        pipe.write_eof()


async def _copy_script(source: asyncio.StreamReader, target: asyncio.StreamWriter, *, with_17: bool) -> None:
    """The script as it is, but for a setting in its head that servers before 17 do not know."""
    head = b""
    while len(head) < _PIECE and (piece := await source.read(_PIECE)):
        head += piece
    target.write(head if with_17 else head.replace(_SINCE_17, b"", 1))
    await target.drain()
    while piece := await source.read(_PIECE):
        target.write(piece)
        await target.drain()


@asynccontextmanager
async def _program(name: str, arguments: Sequence[str], url: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    """One of PostgreSQL's programs; it is gone when the block ends, however it ends."""
    process = await asyncio.create_subprocess_exec(
        str(wheel_binaries() / name),
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), **_connection_variables(url, name)},
        limit=_PIECE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
        await process.wait()


def _connection_variables(url: str, program: str) -> dict[str, str]:
    """Where to connect, in variables: what stands in a command, everybody on the machine can read."""
    if program == "pg_restore":
        return {}
    given = conninfo.conninfo_to_dict(url)
    names = {option.keyword.decode(): option.envvar.decode() for option in pq.Conninfo.get_defaults() if option.envvar}
    return {names[keyword]: str(value) for keyword, value in given.items() if keyword in names and value is not None}


async def _end_well(process: asyncio.subprocess.Process, name: str) -> None:
    assert process.stderr
    said = (await process.stderr.read()).decode(errors="replace").strip()
    if await process.wait() != 0:
        last = said.splitlines()[-1] if said else f"it ended with {process.returncode}"
        raise ProviderFault(f"{name} could not do it: {last}")
