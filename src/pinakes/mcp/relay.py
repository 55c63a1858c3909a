"""The protocol passed on to a server elsewhere, for clients that only start programs."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

import httpx2
import mcp_types as types
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError

from pinakes import __version__
from pinakes.domain.errors import PinakesError, ProviderFault, Unauthenticated
from pinakes.mcp.changes import ListNames, Streams, watching_tools
from pinakes.mcp.rendering import render_error
from pinakes.mcp.server import in_our_words
from pinakes.mcp.wire import Wire, speak

Context = ServerRequestContext[Any, Any]
_AWAY = "x-pinakes-away"
# Why the server does not answer as it should; None where it would.
Examine = Callable[[], Awaitable[PinakesError | None]]
# A tool may wait for a large document; connecting must not take long.
_TIMEOUT = httpx2.Timeout(300, connect=10)


async def relay(wire: Wire, url: str, headers: Mapping[str, str]) -> None:
    """Speak for the server at an address, until the client closes its end."""
    async with _connect(f"{url.rstrip('/')}/mcp", headers) as (remote, examine):
        session: list[ServerSession] = []

        async def names() -> list[str]:
            try:
                return [tool.name for tool in (await remote.list_tools(cache_mode="bypass")).tools]
            except MCPError as error:
                raise (await examine() or error) from error

        async def changed() -> None:
            if session:
                await session[-1].send_tool_list_changed()

        async with watching_tools(names, changed):
            server = _make_relay(remote, Streams(), session, names)
            server.middleware[:] = [_explaining(examine), in_our_words]
            await speak(server, wire)


class _Patient(httpx2.AsyncClient):
    """Answers itself where the server does not: the SDK would end for good, and the server may be back in a moment."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """What the server answers, or that it is away."""
        try:
            return await super().send(request, **options)
        except httpx2.TransportError as error:
            headers = {_AWAY: type(error).__name__}
            return httpx2.Response(HTTPStatus.SERVICE_UNAVAILABLE, headers=headers, request=request)


@asynccontextmanager
async def _connect(url: str, headers: Mapping[str, str]) -> AsyncGenerator[tuple[Client, Examine]]:
    async with _Patient(headers=dict(headers), timeout=_TIMEOUT) as http:

        async def examine() -> PinakesError | None:
            answer = await http.get(url)
            if _AWAY in answer.headers:
                return ProviderFault(f"The server at {url} does not answer ({answer.headers[_AWAY]}). Try again later.")
            # Of somebody it knows, the server wants a POST.
            if answer.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
                return None
            refusal = f"The server at {url} refuses: {_words(answer)} Check PINAKES_URL and PINAKES_API_KEY."
            unknown = answer.status_code in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}
            return Unauthenticated(refusal) if unknown else ProviderFault(refusal)

        if (wrong := await examine()) is not None:
            raise wrong
        async with Client(streamable_http_client(url, http_client=http)) as remote:
            yield remote, examine


def _explaining(examine: Examine) -> ServerMiddleware[Any]:
    async def explain(ctx: Context, call_next: CallNext) -> HandlerResult:
        """The SDK tells that a server refused, but not why."""
        try:
            return await call_next(ctx)
        except MCPError as error:
            wrong = await examine() if error.error.data is None else None
            if wrong is None:
                raise
            raise render_error(wrong) from error

    return explain


def _words(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["error"])
    except (ValueError, KeyError, TypeError):
        return f"status {answer.status_code}."


def _make_relay(remote: Client, streams: Streams, session: list[ServerSession], names: ListNames) -> Server[Any]:
    async def on_list_tools(context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        session[:] = [context.session]
        return await remote.list_tools(cache_mode="bypass")

    async def on_call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        report = context.session.report_progress
        return await remote.call_tool(params.name, params.arguments, progress_callback=report)

    async def on_list_resources(_: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return await remote.list_resources(cursor=params.cursor if params else None, cache_mode="bypass")

    async def on_list_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return await remote.list_resource_templates(cache_mode="bypass")

    async def on_read(_: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await remote.read_resource(str(params.uri), cache_mode="bypass")

    async def on_listen(
        context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await streams.listen(context, params, names)

    return Server[Any](
        "pinakes",
        version=__version__,
        title="Pinakes",
        instructions=remote.instructions,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_resources=on_list_resources,
        on_list_resource_templates=on_list_templates,
        on_read_resource=on_read,
        on_subscriptions_listen=on_listen,
    )
