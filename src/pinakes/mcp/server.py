"""The protocol's requests, answered by the one registry of tools."""

import logging
import secrets
from dataclasses import replace
from typing import Any, Protocol

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from pinakes import __version__
from pinakes.domain.errors import CallerError
from pinakes.mcp.changes import Streams
from pinakes.mcp.documents import TEMPLATES, list_resources, read_resource
from pinakes.mcp.rendering import render_error, render_instructions, render_result, render_tool
from pinakes.tools import calling
from pinakes.tools.definition import Caller
from pinakes.tools.problems import describe_problems

log = logging.getLogger("pinakes.mcp")
Context = ServerRequestContext[Any, Any]
_MOST_NAME = 100


class Callers(Protocol):
    """Who is calling, as the transport knows it."""

    async def find(self, context: Context) -> Caller:
        """The caller of a request."""
        ...

    async def renew(self, context: Context) -> Caller:
        """The same, asked anew: raises once a key is revoked."""
        ...


def make_server(callers: Callers, streams: Streams) -> Server[Any]:
    """A server for any number of callers; it keeps nothing between two requests."""

    async def on_list_tools(context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        # Before a call the SDK looks for arguments that a schema wants in headers. No schema of ours does.
        if _header(context, "mcp-method") == "tools/call":
            return types.ListToolsResult(tools=[])
        tools = await calling.list_tools(await callers.find(context))
        return types.ListToolsResult(tools=[render_tool(tool) for tool in tools])

    async def on_call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        caller = await callers.find(context)
        return render_result(await _call(context, caller, params.name, params.arguments or {}))

    async def on_list_resources(
        context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        return await list_resources(await callers.find(context), params.cursor if params else None)

    async def on_list_templates(
        _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def on_read(context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await read_resource(await callers.find(context), str(params.uri))

    async def on_listen(
        context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        async def names() -> list[str]:
            return [tool.name for tool in await calling.list_tools(await callers.renew(context))]

        identity = (await callers.find(context)).identity
        return await streams.listen(context, params, names, whose=identity.key_id or identity.user.user_id)

    server = Server[Any](
        "pinakes",
        version=__version__,
        title="Pinakes",
        description="A knowledge layer for agents: documents in, cited passages out.",
        instructions=render_instructions(),
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
        on_list_resources=on_list_resources,
        on_list_resource_templates=on_list_templates,
        on_read_resource=on_read,
        on_subscriptions_listen=on_listen,
    )
    # Ours alone: the SDK's own spans would stand between a request's span and those of the work.
    server.middleware[:] = [in_our_words]
    return server


async def _call(context: Context, caller: Caller, name: str, arguments: dict[str, Any]) -> calling.Result:
    """Call a tool; one that changes something tells its client how far it is, if the client asked for that."""

    async def report(percent: float, words: str) -> None:
        await context.session.report_progress(percent, 100, words)

    _, tool = await calling.find_tool_for(caller, name)
    if tool.annotations.read_only:
        return await calling.call_tool(caller, name, arguments)
    await report(0, tool.labels.running)
    result = await calling.call_tool(replace(caller, report_progress=report), name, arguments)
    await report(100, tool.labels.complete if result.status == "success" else "Failed")
    return result


async def in_our_words(ctx: Context, call_next: CallNext) -> HandlerResult:
    """A refusal says what to do; our own fault only gives its number."""
    try:
        return await call_next(ctx)
    except MCPError:
        raise
    except ValidationError as error:
        # Of the request itself, before a tool is asked: the SDK would say only that something in it is wrong.
        message = f"The request '{ctx.method}' is not right: {describe_problems(error)}."
        raise MCPError(types.INVALID_PARAMS, message, {"error_code": "INVALID_ARGUMENTS"}) from error
    except CallerError as error:
        raise render_error(error) from error
    except Exception as error:  # the edge of the protocol: a fault of ours is logged here and numbered for the caller
        incident = secrets.token_hex(4)
        log.exception("The request '%s' failed", ctx.method, extra={"incident": incident})
        message = f"Something went wrong on our side (incident {incident}). Try again, or tell whoever runs the server."
        data = {"error_code": "INTERNAL_ERROR", "error_details": {"incident": incident}}
        raise MCPError(types.INTERNAL_ERROR, message, data) from error


def name_agent(context: Context) -> str | None:
    """What the client calls itself: a label, not a proof of anything."""
    known = context.session.client_params
    given = _header(context, "x-pinakes-agent") or (known.client_info.name if known else "")
    return "".join(character for character in given if character.isprintable())[:_MOST_NAME].strip() or None


def _header(context: Context, name: str) -> str | None:
    return None if context.request is None else context.request.headers.get(name)
