"""An MCP client that stays connected beside a browser: each needs an event loop of its own."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import anyio
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ToolsListChanged
from mcp.shared.exceptions import MCPError

from harness import DEADLINE, Workspace


@dataclass(frozen=True)
class Connected:
    """The SDK's client, listening."""

    client: Client
    changes: AsyncIterator[Any]
    portal: BlockingPortal

    def names(self) -> list[str]:
        """The tools it is shown now."""
        return self.portal.call(self._names)

    def hear(self, until: Callable[[list[str]], bool]) -> None:
        """Wait until it is told of a change after which its tools are as they should be."""
        self.portal.call(self._hear, until)

    def call(self, tool: str, **arguments: Any) -> str | None:
        """Call a tool; the code of a refusal or mistake."""
        return self.portal.call(self._call, tool, arguments)

    async def _names(self) -> list[str]:
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def _hear(self, until: Callable[[list[str]], bool]) -> None:
        with anyio.fail_after(DEADLINE):
            async for change in self.changes:
                assert isinstance(change, ToolsListChanged)
                if until(await self._names()):
                    return
        raise AssertionError("the stream ended")

    async def _call(self, tool: str, arguments: dict[str, Any]) -> str | None:
        try:
            answer = await self.client.call_tool(tool, arguments)
        except MCPError as refusal:
            return refusal.data["error_code"]
        told: dict[str, Any] = answer.structured_content
        return told.get("error_code")


@contextmanager
def connected(workspace: Workspace) -> Generator[Connected]:
    """A client with the workspace's key, which listens while the block runs."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(_listening(workspace)) as (client, told):
        yield Connected(client, told, portal)


@asynccontextmanager
async def _listening(workspace: Workspace) -> AsyncGenerator[tuple[Client, AsyncIterator[Any]]]:
    url, headers = f"{workspace.client.base_url}/mcp", {"Authorization": f"Bearer {workspace.key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=DEADLINE) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
        client.listen(tools_list_changed=True) as changes,
    ):
        yield client, aiter(changes)
