"""Pinakes: a self-hosted knowledge layer for AI agents."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from pinakes.client import Tools

__version__ = "0.2.0.dev0"


def connect(
    url: str | None = None, key: str | None = None, *, agent: str | None = "python"
) -> "AbstractAsyncContextManager[Tools]":
    """The tools of a server: `async with pinakes.connect() as tools: await tools.list_catalogs()`.

    Without `url` it is the configured server (`PINAKES_URL`), else the one that runs on this machine; without `key`
    the configured key (`PINAKES_API_KEY`), else the session of whoever owns the data folder. `agent` is the name
    under which calls are kept; None calls as the person you are, whom no switch of a tool stops.
    """
    # Whoever imports a part of the package must not pay for the rest.
    from pinakes.client import open_tools  # noqa: PLC0415

    return open_tools(url, key, agent=agent)
