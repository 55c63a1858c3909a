"""Tools over REST: which there are, which are on, and calling one."""

import json
from collections.abc import Collection
from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Depends, Header, Request
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.paths import ToolName
from pinakes.domain.errors import CallerError, InvalidInput, PinakesError
from pinakes.domain.identity import Scope
from pinakes.services.tool_switches import list_switched, switch_tools
from pinakes.tools import definition, manifest
from pinakes.tools.calling import call_tool, find_tool_for, list_tools, require_tool
from pinakes.tools.definition import Interface, Tool
from pinakes.tools.registry import TOOLSETS, all_tools, find_tool

router = APIRouter(prefix="/api", tags=["Tools"])
# What the Python client says it is.
PYTHON_CLIENT = "pinakes-python/"
_LONGEST_NAME = 100
_ARGUMENTS = {
    "description": "The tool's arguments, as its input schema says.",
    "content": {"application/json": {"schema": {"type": "object", "additionalProperties": True}}},
}


class AnnotationsOut(ApiModel):
    """What a client may want to know before it lets a model call a tool."""

    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool


class LabelsOut(ApiModel):
    """What a user interface shows while a tool runs and when it is done."""

    running: str
    complete: str


class ToolOut(ApiModel):
    """One tool."""

    name: str
    title: str
    description: str = Field(description="For the model that calls it.")
    toolset: str
    input_schema: dict[str, Any] = Field(description="JSON schema of its arguments.")
    output_schema: dict[str, Any] = Field(description="JSON schema of `metadata` in its answer.")
    annotations: AnnotationsOut
    display_name: LabelsOut
    scope: Scope = Field(description="What a credential needs to call it.")
    is_on: bool = Field(description="Whether agents may call it in this workspace.")
    on_by_default: bool
    may_call: bool = Field(description="Whether whoever asks may call it.")


class ToolTextOut(ApiModel):
    """A part of an answer."""

    text: str


class ToolAnswerOut(ApiModel):
    """What a tool answered: words for a model, and the same for a program."""

    content: list[ToolTextOut]
    status: Literal["success", "error"]
    metadata: dict[str, Any]


class SwitchIn(RequestModel):
    """Where the switch goes."""

    is_on: bool


class SwitchesIn(RequestModel):
    """Several switches at once."""

    switches: dict[str, bool] = Field(description="Names of tools, and whether each is on.", examples=[{}])


class ToolEntryOut(ApiModel):
    """A tool in a manifest."""

    id: str
    name: str
    display_name: LabelsOut


class ManifestOut(ApiModel):
    """A toolset as user interfaces show it."""

    id: str
    name: str
    description: str
    category: str
    icon: str
    enabled: bool = Field(description="Whether any of its tools is on.")
    is_dynamic: bool
    tags: list[str]
    system_prompt_guidance: str
    tools: list[ToolEntryOut]


def get_tool_caller(
    request: Request,
    resources: ResourcesDep,
    identity: Caller,
    x_pinakes_agent: Annotated[
        str | None, Header(description="What the agent that calls is called, for the activity.")
    ] = None,
    user_agent: Annotated[str, Header(include_in_schema=False)] = "",
) -> definition.Caller:
    """Who calls a tool: whoever holds a key or token or says so is an agent, a person who is signed in is not."""
    name = read_label(x_pinakes_agent or "")
    return definition.Caller(
        resources=resources,
        identity=identity,
        interface=Interface.PYTHON if user_agent.startswith(PYTHON_CLIENT) else Interface.REST,
        is_agent=identity.is_program or x_pinakes_agent is not None,
        agent_name=name or None,
        base_url=str(request.base_url).rstrip("/"),
    )


def read_label(header: str) -> str:
    """What an agent calls itself; headers are bytes, which most clients mean as UTF-8."""
    text = header.encode("latin-1", "replace").decode("utf-8", "replace")
    return "".join(filter(str.isprintable, text)).strip()[:_LONGEST_NAME]


ToolCaller = Annotated[definition.Caller, Depends(get_tool_caller)]


@router.get("/tools", name="list_tools")
async def list_all_tools(caller: ToolCaller) -> Success[list[ToolOut]]:
    """Every tool, for people; for agents those that they may call."""
    return succeed(await _tools_out(caller, await _shown(caller)))


@router.patch("/tools")
async def switch_several_tools(body: SwitchesIn, caller: ToolCaller) -> Success[list[ToolOut]]:
    """Switch tools on or off for the agents of the workspace, all or none; the tools that were switched."""
    tools = [find_tool(name)[1] for name in body.switches]
    await switch_tools(caller.resources, caller.identity, body.switches)
    return succeed(await _tools_out(caller, tools))


@router.get("/tools/{toolName}")
async def get_tool(tool_name: ToolName, caller: ToolCaller) -> Success[ToolOut]:
    """One tool."""
    _, tool = await find_tool_for(caller, tool_name)
    if caller.is_agent:
        await require_tool(caller, tool)
    (out,) = await _tools_out(caller, [tool])
    return succeed(out)


@router.post("/tools/{toolName}", name="call_tool", openapi_extra={"requestBody": _ARGUMENTS})
async def call_one_tool(tool_name: ToolName, caller: ToolCaller, request: Request) -> Success[ToolAnswerOut]:
    """Call a tool. What whoever calls can mend is an answer too, with `status` *error*."""
    arguments = await _read_arguments(request)
    result = await call_tool(caller, tool_name, arguments)
    if result.incident is not None:
        raise PinakesError(
            result.text.removeprefix("Error: "), code=result.error_code, details={"incident": result.incident}
        )
    return succeed(ToolAnswerOut.model_validate(result.envelope()))


async def _read_arguments(request: Request) -> dict[str, Any]:
    """The body, once it is known who sends it: the framework would take in all of it first, a whole file perhaps."""
    body = await request.body()
    if not body:
        return {}
    try:
        arguments = json.loads(body)
    except (ValueError, RecursionError) as error:
        words = "The body is not valid JSON. Check quotes, commas and braces."
        raise CallerError(words, code="INVALID_JSON") from error
    if not isinstance(arguments, dict) or "json" not in request.headers.get("content-type", ""):
        raise InvalidInput("Send the arguments as a JSON object, with 'Content-Type: application/json'.")
    return cast("dict[str, Any]", arguments)


@router.patch("/tools/{toolName}")
async def switch_tool(tool_name: ToolName, body: SwitchIn, caller: ToolCaller) -> Success[ToolOut]:
    """Switch a tool on or off for the agents of the workspace."""
    _, tool = find_tool(tool_name)
    await switch_tools(caller.resources, caller.identity, {tool.name: body.is_on})
    (out,) = await _tools_out(caller, [tool])
    return succeed(out)


@router.get("/toolsets")
async def list_toolsets(caller: ToolCaller) -> Success[list[ManifestOut]]:
    """The manifest of every toolset, for user interfaces; for agents with the tools that they may call."""
    shown = [tool.name for tool in await _shown(caller)]
    switched = await list_switched(caller.resources, caller.identity)
    on = {tool.name for tool in all_tools() if switched.get(tool.name, tool.on_by_default)}
    return succeed([ManifestOut.model_validate(made) for made in manifest.list_manifests(shown, on)])


async def _shown(caller: definition.Caller) -> list[Tool]:
    return await list_tools(caller) if caller.is_agent else all_tools()


async def _tools_out(caller: definition.Caller, tools: Collection[Tool]) -> list[ToolOut]:
    switched = await list_switched(caller.resources, caller.identity)
    toolsets = {tool.name: toolset.toolset_id for toolset in TOOLSETS for tool in toolset.tools}
    return [
        _tool_out(caller, tool, toolsets[tool.name], is_on=switched.get(tool.name, tool.on_by_default))
        for tool in tools
    ]


def _tool_out(caller: definition.Caller, tool: Tool, toolset: str, *, is_on: bool) -> ToolOut:
    return ToolOut(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        toolset=toolset,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=AnnotationsOut.model_validate(tool.annotations),
        display_name=LabelsOut.model_validate(tool.labels),
        scope=tool.scope,
        is_on=is_on,
        on_by_default=tool.on_by_default,
        may_call=tool.is_in_scope(caller.identity) and (is_on or not caller.is_agent),
    )
