"""What of `pinakes mcp` needs the whole application in this process."""

from collections.abc import Sequence
from pathlib import Path

from pinakes.cli.client import address, running_server
from pinakes.cli.terminal import note
from pinakes.mcp.local import serve_local
from pinakes.mcp.wire import Wire
from pinakes.settings import Settings
from pinakes.wiring import open_app
from pinakes.worker.tasks import working


async def speak_here(settings: Settings, wire: Wire, roots: Sequence[Path]) -> None:
    """Speak for the data of this machine; what the agent uploads is indexed in this process too."""
    base_url = settings.public_url or await running_server(settings) or address(settings.host, settings.port)
    async with open_app(settings, report=note) as app, working(app):
        await serve_local(app, wire, base_url=base_url, roots=roots)
