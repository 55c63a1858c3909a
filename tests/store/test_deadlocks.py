"""Transactions that wait for each other: the one that is given up is done again."""

import asyncio

from pinakes.providers.postgres.engine import EngineUrls
from pinakes.store.database import Database, outlast_deadlocks


async def test_the_transaction_that_was_given_up_is_done_again(database_urls: EngineUrls) -> None:
    # K12
    database = Database(database_urls.app_url, size=2)
    await database.open()
    both_hold_one = asyncio.Barrier(2)
    tries: list[int] = []

    async def take(first: int, second: int) -> None:
        tries.append(first)
        async with database.transaction() as connection:
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", [first])
            if len(tries) <= 2:
                await both_hold_one.wait()
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", [second])

    try:
        await asyncio.gather(
            outlast_deadlocks(lambda: take(70_001, 70_002)), outlast_deadlocks(lambda: take(70_002, 70_001))
        )
    finally:
        await database.close()
    assert len(tries) == 3
