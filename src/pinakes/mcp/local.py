"""The data of this machine for the one client that started this process."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

import mcp_types as types
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from pinakes.domain.errors import Unauthenticated
from pinakes.domain.identity import Identity
from pinakes.mcp.changes import Streams, watching_tools
from pinakes.mcp.server import Context, make_server, name_agent
from pinakes.mcp.wire import Wire, speak
from pinakes.services import sign_in
from pinakes.tools.calling import list_tools
from pinakes.tools.definition import Caller, Interface
from pinakes.wiring import App

_ROOTS_SECONDS = 5.0


async def serve_local(app: App, wire: Wire, *, base_url: str, roots: Sequence[Path]) -> None:
    """Speak for the data of this process, as the person at this machine."""
    callers = _LocalCallers(app, base_url, tuple(roots))
    streams = Streams()
    server = make_server(callers, streams)
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, callers.forget_roots)
    async with watching_tools(callers.list_names, callers.tell_of_change):
        await speak(server, wire)


@dataclass
class _LocalCallers:
    """The one client at the other end; who it acts for is asked anew with every request."""

    app: App
    base_url: str
    given_roots: tuple[Path, ...]
    _session: ServerSession | None = None
    _asked_roots: tuple[Path, ...] | None = field(default=None)

    async def find(self, context: Context) -> Caller:
        """The person at this machine, through their agent."""
        # Notices of change go to whoever spoke last: there is but one.
        self._session = context.session
        asked = await self._ask_roots(context) if context.method == "tools/call" else ()
        return Caller(
            resources=self.app.resources,
            identity=await self._identify(),
            interface=Interface.MCP,
            agent_name=name_agent(context),
            base_url=self.base_url,
            roots=(*self.given_roots, *asked),
        )

    async def renew(self, context: Context) -> Caller:
        """The same."""
        return await self.find(context)

    async def list_names(self) -> list[str]:
        """What may be called now."""
        caller = Caller(self.app.resources, await self._identify(), Interface.MCP)
        return [tool.name for tool in await list_tools(caller)]

    async def tell_of_change(self) -> None:
        """To a client of an older revision; a newer one listens on a stream."""
        if self._session is not None:
            await self._session.send_tool_list_changed()

    async def forget_roots(self, _context: Context, _params: types.NotificationParams) -> None:
        """The client has other folders open now."""
        self._asked_roots = None

    async def _identify(self) -> Identity:
        resources, settings = self.app.resources, self.app.settings
        if settings.api_key is not None:
            return await sign_in.identify_key(resources, settings.api_key)
        if self.app.owner_token is None:
            raise Unauthenticated("Nobody owns this data folder. Set PINAKES_API_KEY to a key of your workspace.")
        user = await sign_in.session_user(resources, self.app.owner_token)
        return await sign_in.identify_user(resources, user, settings.workspace)

    async def _ask_roots(self, context: Context) -> tuple[Path, ...]:
        """The folders that the client has open, where it tells: only their files may be named by path."""
        able = context.session.client_capabilities
        if self._asked_roots is None and able is not None and able.roots is not None:
            try:
                answer = await context.session.send_request(
                    types.ListRootsRequest(), types.ListRootsResult, request_read_timeout_seconds=_ROOTS_SECONDS
                )
            except (MCPError, TimeoutError, ValidationError):
                # Not asked again: every call would wait for it.
                self._asked_roots = ()
                return ()
            folders = (folder_of(str(root.uri)) for root in answer.roots)
            self._asked_roots = tuple(folder for folder in folders if folder is not None)
        return self._asked_roots or ()


def folder_of(uri: str) -> Path | None:
    """The folder that a root names; None for one that is not of this machine, or no folder at all."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = unquote(parts.path)
    if parts.scheme != "file" or parts.netloc not in {"", "localhost"} or not path.startswith("/") or "\0" in path:
        return None
    return Path(path)
