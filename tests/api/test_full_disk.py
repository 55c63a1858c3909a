"""A full disk is nobody's mistake and no mystery."""

import httpx
from fastapi import FastAPI
from psycopg.errors import DiskFull

from harness import failure_of
from pinakes.api.errors import add_error_handlers


async def test_a_full_disk_under_the_database_is_said_in_words() -> None:
    # F6
    api = FastAPI()
    add_error_handlers(api)

    @api.get("/")
    async def fill() -> None:  # pyright: ignore[reportUnusedFunction]
        raise DiskFull("could not extend file")

    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://localhost") as client:
        assert "disk is full" in failure_of(await client.get("/"), 507, "DISK_FULL")
