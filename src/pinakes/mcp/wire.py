"""The protocol on standard input and output."""

import io
import os
from typing import Any

import anyio
from anyio import AsyncFile
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.stdio import stdio_server

Wire = tuple[AsyncFile[str], AsyncFile[str]]


def take_wire() -> Wire:
    """Keep standard input and output for the protocol alone.

    To be called before anything is started: what this process and its children print goes to standard error, and no
    child keeps the client's pipes open.
    """
    reading, writing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    incoming = io.TextIOWrapper(os.fdopen(reading, "rb"), encoding="utf-8", errors="replace")
    outgoing = io.TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8", newline="\n")
    return anyio.wrap_file(incoming), anyio.wrap_file(outgoing)


async def speak(server: Server[Any], wire: Wire) -> None:
    """Serve until the client closes its end."""
    options = server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server(*wire) as (incoming, outgoing):
        await server.run(incoming, outgoing, options)
