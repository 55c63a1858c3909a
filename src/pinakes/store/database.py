"""The application's connections: one pool, and transactions that see one workspace."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, LiteralString, TypeVar, cast
from weakref import WeakKeyDictionary

from psycopg import AsyncClientCursor, AsyncConnection, OperationalError, sql
from psycopg.errors import DeadlockDetected, InvalidSqlStatementName
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

Connection = AsyncConnection[DictRow]
Row = dict[str, Any]
T = TypeVar("T")
log = logging.getLogger("pinakes.database")
_DEADLOCKS = 4


# When each connection last carried a transaction to its end.
_last_use: WeakKeyDictionary[Connection, float] = WeakKeyDictionary()
_FRESH_SECONDS = 1.0


async def _check(connection: Connection) -> None:
    """Raise unless the connection works: the database may have been restarted since its last use."""
    if time.monotonic() - _last_use.get(connection, -_FRESH_SECONDS) >= _FRESH_SECONDS:
        await AsyncConnectionPool.check_connection(cast("Any", connection))


@dataclass(frozen=True, slots=True)
class Planned:
    """A statement that each connection plans once, and that can go along with others in one message."""

    name: LiteralString
    types: LiteralString
    statement: LiteralString

    def call(self, *arguments: str | list[str]) -> LiteralString:
        """It, with what stands for its $1, $2 and so on."""
        return cast("LiteralString", f"EXECUTE {self.name}({', '.join(map(sql.quote, arguments))})")


class Database:
    """A pool of connections under the role that owns nothing; `planned` is what may be called when `reading`."""

    def __init__(self, url: str, *, size: int = 10, planned: Sequence[Planned] = ()) -> None:
        self.url = url
        self._planned = planned
        self.pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            url,
            connection_class=AsyncConnection[DictRow],
            # Transactions begin with what they need in one go. Compiling a query takes longer than any of ours runs.
            kwargs={"row_factory": dict_row, "autocommit": True, "options": "-c jit=off"},
            min_size=1,
            max_size=size,
            timeout=20,
            open=False,
            check=cast("Any", _check),
        )

    async def open(self) -> None:
        """Connect, or raise what kept us from it."""
        await self.pool.open(wait=True)

    async def close(self) -> None:
        """Let go of every connection."""
        await self.pool.close()

    @asynccontextmanager
    async def transaction(
        self,
        workspace_id: str | None = None,
        *,
        user_id: str | None = None,
        snapshot: bool = False,
        durable: bool = True,
        settings: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[Connection]:
        """A transaction that sees this workspace only (or, without one, the global tables).

        With `snapshot` all its statements see the database as it was at the first of them. One that is not
        `durable` does not wait for the disk: a crash of the database may lose it, and nothing that came before.
        `settings` are the database's own, for this transaction.
        """
        local = {"pinakes.user": user_id or "", **(settings or {})}
        if not durable:
            local["synchronous_commit"] = "off"
        async with self.pool.connection() as connection:
            await connection.execute(_opening(workspace_id, (*local.items(),), snapshot), prepare=False)
            yield connection
            _last_use[connection] = time.monotonic()

    @asynccontextmanager
    async def reading(
        self, workspace_id: str, settings: Mapping[str, str], first: LiteralString
    ) -> AsyncGenerator[tuple[Connection, list[Row]]]:
        """A snapshot of a workspace, and the rows of a first statement, which goes along in the same message."""
        async with self.pool.connection() as connection:
            opening = _opening(workspace_id, (*settings.items(),), True) + "; " + first
            try:
                cursor = await connection.execute(opening, prepare=False)
            except InvalidSqlStatementName:
                # A new connection, or one that has rolled back, after which psycopg forgets whatever was planned.
                await connection.rollback()
                await self._plan(connection)
                cursor = await connection.execute(opening, prepare=False)
            while cursor.nextset():
                pass
            yield connection, await cursor.fetchall()
            _last_use[connection] = time.monotonic()

    async def at_once(
        self, workspace_id: str, statement: LiteralString, parameters: Mapping[str, Any], *, durable: bool = True
    ) -> list[Row]:
        """The rows of a statement that is a transaction by itself: one message there, one back."""
        local = () if durable else (("synchronous_commit", "off"),)
        opening = _opening(workspace_id, local, False).replace("%", "%%")
        async with self.pool.connection() as connection:
            # Several statements go along in one message only where the parameters stand in them already.
            cursor = AsyncClientCursor(connection, row_factory=dict_row)
            await cursor.execute(f"{opening}; {statement}; COMMIT", parameters)
            # The beginning and the settings answer first.
            cursor.nextset()
            cursor.nextset()
            rows = await cursor.fetchall()
            _last_use[connection] = time.monotonic()
            return rows

    async def _plan(self, connection: Connection) -> None:
        for planned in self._planned:
            making = f"PREPARE {planned.name} ({planned.types}) AS {planned.statement}"
            await connection.execute(making, prepare=False)

    async def listen(self, *channels: str) -> AsyncIterator[str]:
        """Payloads notified on channels, for ever, across restarts of the database; '' after a gap."""
        while True:
            try:
                async with await AsyncConnection.connect(self.url, autocommit=True) as connection:
                    for channel in channels:
                        # A channel cannot be a parameter; ours are constants of this package.
                        await connection.execute(f"LISTEN {channel}".encode())
                    yield ""
                    async for notification in connection.notifies():
                        yield notification.payload
            except OperationalError:
                await asyncio.sleep(1)


@lru_cache(1_000)
def _opening(workspace_id: str | None, settings: tuple[tuple[str, str], ...], snapshot: bool) -> LiteralString:
    """One message, which may have no parameters: two statements would cost two round trips."""
    kind = " ISOLATION LEVEL REPEATABLE READ READ ONLY" if snapshot else ""
    local = (("pinakes.workspace", workspace_id or ""), *settings)
    made = ", ".join(f"set_config('{name}', {sql.quote(value)}, true)" for name, value in local)
    return cast("LiteralString", f"BEGIN{kind}; SELECT {made}")


async def fetch_and_end(connection: Connection, last: LiteralString) -> list[Row]:
    """Every row of a statement with which the transaction ends, in one message."""
    return await fetch_all(connection, last + "; COMMIT")


async def enter_workspace(connection: Connection, workspace_id: str | None, user_id: str | None = None) -> None:
    """Until the transaction ends, see this workspace's rows, and the user's own memberships."""
    await connection.execute(
        "SELECT set_config('pinakes.workspace', %s, true), set_config('pinakes.user', %s, true)",
        [workspace_id or "", user_id or ""],
    )


async def fetch_all(connection: Connection, query: Any, parameters: Any = None) -> list[Row]:
    """Every row of a query."""
    cursor = await connection.execute(query, parameters)
    return await cursor.fetchall()


async def fetch_one(connection: Connection, query: Any, parameters: Any = None) -> Row | None:
    """The first row of a query, if there is one."""
    cursor = await connection.execute(query, parameters)
    return await cursor.fetchone()


async def outlast_deadlocks(work: Callable[[], Awaitable[T]]) -> T:
    """Do a whole transaction, and again if it was the one given up for others to go on: nothing of it was done."""
    for _ in range(_DEADLOCKS):
        try:
            return await work()
        except DeadlockDetected as deadlock:
            log.info("Given up for others to go on, and done again: %s", deadlock.diag.message_detail)
    return await work()
