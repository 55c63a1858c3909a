"""The data of this machine for the one client that started this process."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import mcp_types as types
from mcp.server.session import ServerSession

from pinakes.domain.errors import Unauthenticated
from pinakes.domain.identity import Identity
from pinakes.mcp.changes import Streams, watching_tools
from pinakes.mcp.roots import Roots
from pinakes.mcp.server import Context, make_server, name_agent
from pinakes.mcp.wire import Wire, speak
from pinakes.services import sign_in
from pinakes.tools.calling import list_tools
from pinakes.tools.definition import Caller, Interface
from pinakes.wiring import App


async def serve_local(app: App, wire: Wire, *, base_url: str, roots: Sequence[Path]) -> None:
    """Speak for the data of this process, as the person at this machine."""
    callers = _LocalCallers(app, base_url, Roots(roots))
    server = make_server(callers, Streams())
    server.middleware.append(callers.roots.ask_first)
    server.add_notification_handler("notifications/roots/list_changed", types.NotificationParams, callers.roots.forget)
    async with watching_tools(callers.list_names, callers.tell_of_change):
        await speak(server, wire)


@dataclass
class _LocalCallers:
    """The one client at the other end; who it acts for is asked anew with every request."""

    app: App
    base_url: str
    roots: Roots
    _session: ServerSession | None = None

    async def find(self, context: Context) -> Caller:
        """The person at this machine, through their agent."""
        # Notices of change go to whoever spoke last: there is but one.
        self._session = context.session
        return Caller(
            resources=self.app.resources,
            identity=await self._identify(),
            interface=Interface.MCP,
            agent_name=name_agent(context),
            base_url=self.base_url,
            roots=await self.roots.find(context),
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

    async def _identify(self) -> Identity:
        resources, settings = self.app.resources, self.app.settings
        if settings.api_key is not None:
            return await sign_in.identify_key(resources, settings.api_key)
        if self.app.owner_token is None:
            raise Unauthenticated("Nobody owns this data folder. Set PINAKES_API_KEY to a key of your workspace.")
        user = await sign_in.session_user(resources, self.app.owner_token)
        return await sign_in.identify_user(resources, user, settings.workspace)
