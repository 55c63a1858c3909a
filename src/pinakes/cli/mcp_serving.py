"""The program behind `pinakes mcp`."""

import asyncio
import signal
from collections.abc import Sequence
from pathlib import Path

from pinakes.logs import configure_logs
from pinakes.mcp.relay import relay
from pinakes.mcp.wire import Wire, take_wire
from pinakes.settings import Settings


def run_stdio(settings: Settings, roots: Sequence[Path]) -> None:
    """Speak the protocol on standard input and output until the client leaves."""
    wire = take_wire()
    configure_logs("WARNING" if settings.log_level == "INFO" else settings.log_level)
    # Nothing here is worth waiting for, and a reader of standard input cannot be told to stop.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    asyncio.run(_speak(settings, wire, [root.expanduser().resolve() for root in roots]))


async def _speak(settings: Settings, wire: Wire, roots: Sequence[Path]) -> None:
    if settings.url is None:
        from pinakes.cli.mcp_here import speak_here  # noqa: PLC0415 - heavy, see client.connect

        await speak_here(settings, wire, roots)
        return
    headers = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
    if settings.workspace is not None:
        headers["X-Pinakes-Workspace"] = settings.workspace
    await relay(wire, settings.url, headers)
