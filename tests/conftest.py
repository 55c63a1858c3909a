"""One server for the whole run; every test works in a workspace of its own.

It brings its own database. To run the tests against a PostgreSQL of yours, make an empty database with the
extension `vector`, owned by a role that may create roles but is no superuser, and a second role that owns
nothing, and name both:

    PINAKES_DATABASE_URL=postgresql://app:…@host/name PINAKES_MIGRATE_URL=postgresql://owner:…@host/name make test

Tests that need a server of their own, to kill or to configure it, go on bringing a database of their own.
"""

import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from harness import Server, Workspace, remove_home
from pinakes.providers.postgres.engine import EngineUrls, open_engine
from stored import Stored, look_into

# A run in the background of a script ignores Ctrl-C, and so would every program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
# Every HTTP client would read the list of certificate authorities anew: 20 ms, several times in most tests.
for transports in map(import_module, ("httpx._transports.default", "httpx2._transports.default")):
    vars(transports)["create_ssl_context"] = cache(transports.create_ssl_context)
DATABASE_VARIABLES = ("PINAKES_DATABASE_URL", "PINAKES_MIGRATE_URL")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with few tests go first: they hold the long ones, and the many short ones fill the end evenly."""
    tests = Counter(item.path for item in items)
    items.sort(key=lambda item: tests[item.path])


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A running server on a data folder with a space in its name."""
    given = {name: os.environ[name] for name in DATABASE_VARIABLES if name in os.environ}
    # Servers that tests start have this address; by any other name it is as private as ever.
    given["PINAKES_OUTBOUND_HOSTS"] = "127.0.0.1"
    server = Server(tmp_path_factory.mktemp("data") / "pinakes home", environment=given).start()
    yield server
    server.stop()
    remove_home(server.home)


@pytest.fixture(scope="session")
async def database_urls(server: Server) -> AsyncIterator[EngineUrls]:
    """The server's own database, as the role it runs as and as the role that owns the tables."""
    if "PINAKES_MIGRATE_URL" in server.environment:
        yield EngineUrls(server.environment["PINAKES_MIGRATE_URL"], server.environment["PINAKES_DATABASE_URL"])
        return
    engine = await open_engine(server.home)
    yield engine.urls
    await engine.close()


@pytest.fixture(scope="session")
def stored(server: Server) -> Iterator[Stored]:
    """What the server really stored."""
    with look_into(server) as stored:
        yield stored


@pytest.fixture
def workspace(server: Server) -> Workspace:
    """A workspace of its own."""
    return server.new_workspace()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A data folder for a server of the test's own."""
    folder = tmp_path / "home"
    yield folder
    remove_home(folder)
