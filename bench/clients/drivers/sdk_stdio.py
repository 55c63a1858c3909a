# pyright: basic, reportMissingImports=false
"""The official SDK's client, with the server as a program of its own."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from mcp import Client, StdioServerParameters

from bench.clients.drivers.sdk import SdkClient
from bench.clients.journey import Given, run


@asynccontextmanager
async def connect(given: Given) -> AsyncGenerator[SdkClient]:
    """`pinakes mcp`, told by the environment which server and key to use."""
    command, *arguments = given.program
    # A client hands on little of its own environment, and this repository's code is what has to run.
    known = {"PINAKES_URL": given.url, "PINAKES_API_KEY": given.key, "PYTHONPATH": os.environ["PYTHONPATH"]}
    async with Client(StdioServerParameters(command=command, args=arguments, env=known)) as client:
        yield SdkClient(client)


if __name__ == "__main__":
    run(connect, "mcp")
