"""The Model Context Protocol over HTTP: who is calling, from where, and then the protocol's own server."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import cast

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from pinakes.api.access import identify_bearer
from pinakes.api.errors import error_response
from pinakes.domain.errors import Unauthenticated
from pinakes.domain.identity import Identity
from pinakes.mcp.changes import Streams
from pinakes.mcp.messages import find_fault
from pinakes.mcp.server import Context, make_server, name_agent
from pinakes.settings import Settings
from pinakes.tools.definition import Caller, Interface
from pinakes.wiring import App

_IDENTITY = "pinakes.identity"
_PERHAPS_NO_MESSAGE = frozenset({202, 400})


class McpEndpoint:
    """`/mcp`: every request stands for itself and brings its key."""

    path = "/mcp"

    def __init__(self, app: App) -> None:
        self._app = app
        self._streams = Streams()
        self._manager = StreamableHTTPSessionManager(
            make_server(self, self._streams),
            stateless=True,
            security_settings=_security(app.settings),
            max_request_body_size=app.settings.limits.call_bytes,
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["McpEndpoint"]:
        """Answer for as long as the block runs."""
        begun, ended = asyncio.Event(), asyncio.Event()

        # In a task of its own: what the SDK opens has to be closed by the task that opened it.
        async def run() -> None:
            async with self._manager.run():
                begun.set()
                await ended.wait()

        running = asyncio.create_task(run())
        await begun.wait()
        try:
            yield self
        finally:
            ended.set()
            await running

    def dismiss(self) -> None:
        """End the streams of clients that listen."""
        self._streams.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of somebody we know."""
        scope["route"] = self
        request = Request(scope, receive)
        scope[_IDENTITY] = await self._identify(request)
        if request.method != "POST":
            # There are no sessions to resume or end.
            refused = error_response(405, "Send the protocol's messages with POST.", "METHOD_NOT_ALLOWED")
            refused.headers["allow"] = "POST"
            await refused(scope, receive, send)
            return
        # Read here: the SDK takes a client that leaves while it sends for a fault, and says so with a traceback.
        body = await request.body()
        await self._manager.handle_request(scope, _said(body, receive), _in_our_words(body, request, send))

    async def find(self, context: Context) -> Caller:
        """The caller of a request, as identified when it came in."""
        request = _request(context)
        return Caller(
            resources=self._app.resources,
            identity=request.scope[_IDENTITY],
            interface=Interface.MCP,
            agent_name=name_agent(context),
            base_url=str(request.base_url).rstrip("/"),
        )

    async def renew(self, context: Context) -> Caller:
        """The caller, identified again."""
        return replace(await self.find(context), identity=await self._identify(_request(context)))

    async def _identify(self, request: Request) -> Identity:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            raise Unauthenticated("Send an API key as 'Authorization: Bearer pk_…'. `pinakes keys create` makes one.")
        return await identify_bearer(self._app.resources, token, request.headers.get("x-pinakes-workspace"))


def _said(body: bytes, receive: Receive) -> Receive:
    """What was read already, and then whatever else the client does."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_next() -> Message:
        return waiting.pop() if waiting else await receive()

    return receive_next


def _in_our_words(body: bytes, request: Request, send: Send) -> Send:
    """An answer that passes, unless it goes to what is no message: the SDK refuses some, and takes others for another.

    The body is read a second time only where that may be so: it may hold a file.
    """
    refused = False

    async def send_next(message: Message) -> None:
        nonlocal refused
        if message["type"] == "http.response.start" and message["status"] in _PERHAPS_NO_MESSAGE:
            fault = find_fault(body)
            if fault is not None:
                refused = True
                await JSONResponse(fault, 400)(request.scope, request.receive, send)
        if not refused:
            await send(message)

    return send_next


def _request(context: Context) -> Request:
    return cast("Request", context.request)


def _security(settings: Settings) -> TransportSecuritySettings:
    """Pages of other sites must not speak to us, whatever name they found for this machine."""
    names = [f"[{name}]" if ":" in name else name for name in sorted(settings.hosts)]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[*origins, *(f"{origin}:*" for origin in origins)],
    )
