"""What of `pinakes mcp` needs the whole application in this process."""

from collections.abc import Sequence
from pathlib import Path

from pinakes.cli.client import address, running_server
from pinakes.cli.terminal import note
from pinakes.domain.errors import InvalidInput
from pinakes.domain.identity import Identity
from pinakes.mcp.local import serve_local
from pinakes.mcp.wire import Wire
from pinakes.services import sign_in
from pinakes.services.tool_switches import switch_tools
from pinakes.settings import Settings
from pinakes.tools.registry import all_tools
from pinakes.wiring import App, open_app
from pinakes.worker.tasks import working


async def speak_here(settings: Settings, wire: Wire, roots: Sequence[Path]) -> None:
    """Speak for the data of this machine; what the agent uploads is indexed in this process too."""
    base_url = settings.public_url or await running_server(settings) or address(settings.host, settings.port)
    async with open_app(settings, report=note) as app, working(app):
        await serve_local(app, wire, base_url=base_url, roots=roots)


async def enable_writing(settings: Settings) -> list[str]:
    """Switch on, in the local owner's workspace, every tool that is off until a person wants it; their names."""
    if settings.url is not None:
        raise InvalidInput("Tools are switched by people, where the server runs: unset PINAKES_URL, or use its page.")
    names = [tool.name for tool in all_tools() if not tool.on_by_default]
    async with open_app(settings, report=note) as app:
        identity = await _owner(app)
        await switch_tools(app.resources, identity, dict.fromkeys(names, True))
    return names


async def _owner(app: App) -> Identity:
    if app.owner_token is None:
        raise InvalidInput("Nobody at this machine owns the data. Switch the tools on in the page.")
    user = await sign_in.session_user(app.resources, app.owner_token)
    return await sign_in.identify_user(app.resources, user, app.settings.workspace)
