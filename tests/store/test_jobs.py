"""The job queue inside our transactions."""

from contextlib import suppress

import pytest
from psycopg import OperationalError

from pinakes.providers.postgres.engine import EngineUrls
from pinakes.store.database import Database
from pinakes.store.jobs import enqueue_indexing, make_queue


async def test_a_database_that_dies_while_a_job_is_enqueued_fails_in_its_own_words(database_urls: EngineUrls) -> None:
    # K3: what answers this with "try again in a moment" knows nothing of the queue's own errors
    database = Database(database_urls.app_url, size=2)
    await database.open()
    try:
        async with make_queue(database).open_async() as queue, database.pool.connection() as other:
            # What is left of the transaction fails as well.
            with suppress(OperationalError):
                async with database.transaction("ws_none") as connection:
                    await other.execute("SELECT pg_terminate_backend(%s)", [connection.info.backend_pid])
                    with pytest.raises(OperationalError):
                        await enqueue_indexing(queue, connection, "ws_none", "op_none", size_bytes=1)
    finally:
        await database.close()
