"""A program that holds the embedded engine open and answers one line for each line it is sent."""

import asyncio
import sys
import time
from pathlib import Path

import psycopg

from pinakes.domain.errors import ProviderFault
from pinakes.providers.postgres.engine import open_engine


def ask_until_answered(url: str) -> str:
    """Connects anew until it works, as a pool would."""
    deadline = time.monotonic() + 20
    while True:
        try:
            with psycopg.connect(url, connect_timeout=2) as connection:
                row = connection.execute("SELECT lower('ПРИВЕТ')").fetchone()
                return str(row and row[0])
        except psycopg.OperationalError as error:
            if time.monotonic() > deadline:
                return f"error {error}"
            time.sleep(0.05)


def answer(held: psycopg.Connection, url: str, line: str) -> str:
    """`held` asks over the connection that was open before, `anew` over a new one."""
    if line == "anew":
        return ask_until_answered(url)
    try:
        row = held.execute("SELECT lower('ПРИВЕТ')").fetchone()
    except psycopg.Error as error:
        return f"error {error}"
    return str(row and row[0])


async def main() -> None:
    """Opens the engine of the home named first and stays until stdin ends."""
    try:
        engine = await open_engine(Path(sys.argv[1]))
    except ProviderFault as fault:
        print(f"fault {fault.message}".replace("\n", " "), flush=True)  # noqa: T201
        return
    with psycopg.connect(engine.urls.app_url, autocommit=True) as held:
        print(f"ready {engine.urls.migrate_url}", flush=True)  # noqa: T201
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(await asyncio.to_thread(answer, held, engine.urls.app_url, line.strip()), flush=True)  # noqa: T201
    await engine.close()


if __name__ == "__main__":
    asyncio.run(main())
