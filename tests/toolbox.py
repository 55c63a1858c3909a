"""Tools called in this process, on the database of the running server."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from harness import Server, Workspace
from pinakes.services.resources import Resources
from pinakes.services.sign_in import identify_key
from pinakes.settings import Settings
from pinakes.tools.calling import Result, call_tool
from pinakes.tools.definition import Caller, Interface
from pinakes.wiring import open_app


@asynccontextmanager
async def open_resources(server: Server) -> AsyncGenerator[Resources]:
    """What the server stands on, a second time."""
    own = server.environment
    settings = Settings(
        home=server.home,
        database_url=own.get("PINAKES_DATABASE_URL"),
        migrate_url=own.get("PINAKES_MIGRATE_URL"),
    )
    async with open_app(settings) as app:
        yield app.resources


class Toolbox:
    """The tools as one key may call them; a person's call, so that no switch stands in the way."""

    def __init__(self, resources: Resources, workspace: Workspace, *, is_agent: bool = False) -> None:
        self.resources = resources
        self.workspace = workspace
        self.is_agent = is_agent

    async def call(self, name: str, /, **arguments: Any) -> Result:
        """What a tool answers."""
        identity = await identify_key(self.resources, self.workspace.key)
        caller = Caller(self.resources, identity, Interface.PYTHON, is_agent=self.is_agent)
        return await call_tool(caller, name, arguments)

    async def succeed(self, name: str, /, **arguments: Any) -> Result:
        """The same, where it must succeed."""
        result = await self.call(name, **arguments)
        assert result.status == "success", result.text
        return result

    async def fail(self, name: str, /, **arguments: Any) -> Result:
        """The same, where it must be answered with an error in words."""
        result = await self.call(name, **arguments)
        assert result.status == "error", result.text
        assert result.text.startswith("Error: ")
        return result

    async def note(self, **arguments: Any) -> str:
        """The id of a note that is written and indexed."""
        note_id = (await self.succeed("create_knowledge", **arguments)).metadata["id"]
        assert self.workspace.settle(note_id)["status"] == "indexed"
        return note_id
