"""Calling a tool: one way in for every interface, and one line of audit for every call."""

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import ValidationError

from pinakes.domain.errors import CallerError, Forbidden, NotFound, PinakesError, ProviderFault, Unauthenticated
from pinakes.domain.identity import Scope
from pinakes.domain.ids import new_id
from pinakes.services.activity import CallRecord, record_call
from pinakes.services.tool_switches import list_switched
from pinakes.tools.definition import Answer, Caller, Tool, Toolset
from pinakes.tools.problems import describe_problems, list_problems, shorten
from pinakes.tools.registry import all_tools, find_tool

log = logging.getLogger("pinakes.tools")
_recording: set["asyncio.Task[None]"] = set()


@dataclass(frozen=True, slots=True)
class Result:
    """What a tool answered; `metadata` says the same as `text`, for a program."""

    status: Literal["success", "error"]
    text: str
    metadata: Mapping[str, Any]

    @property
    def error_code(self) -> str | None:
        """The stable code of an error."""
        return self.metadata.get("error_code")

    @property
    def incident(self) -> str | None:
        """The number under which the log tells more, where the fault was ours."""
        return self.metadata.get("error_details", {}).get("incident")

    def envelope(self) -> dict[str, Any]:
        """The answer as every interface gives it that has no form of its own."""
        return {"content": [{"text": self.text}], "status": self.status, "metadata": dict(self.metadata)}


async def list_tools(caller: Caller) -> list[Tool]:
    """What this caller may call: in scope and, for an agent, switched on."""
    allowed = [tool for tool in all_tools() if tool.is_in_scope(caller.identity)]
    if not caller.is_agent:
        return allowed
    switched = await list_switched(caller.resources, caller.identity)
    return [tool for tool in allowed if switched.get(tool.name, tool.on_by_default)]


async def find_tool_for(caller: Caller, name: str) -> tuple[Toolset, Tool]:
    """A tool and its set; NotFound tells an agent of those alone that it may call."""
    try:
        return find_tool(name)
    except NotFound as error:
        if not caller.is_agent:
            raise
        known = ", ".join(tool.name for tool in await list_tools(caller)) or "none"
        raise NotFound(f"There is no tool '{name}'. You may call: {known}.", code=error.code) from None


async def call_tool(caller: Caller, name: str, arguments: Mapping[str, Any]) -> Result:
    """Call a tool by name.

    Raises NotFound for a tool that there is not, and Forbidden for one that the caller may not call. Whatever else
    goes wrong is an answer in words: what the model can mend says how, our own fault says only its number. A call whose
    caller hangs up is on record too: much may have been done by then.
    """
    toolset, tool = await find_tool_for(caller, name)
    begun = time.perf_counter()
    kind = {"tool_type": toolset.tool_type}
    try:
        await require_tool(caller, tool)
        outcome, result = await _answer(caller, tool, arguments, kind)
    except CallerError as refusal:
        await asyncio.shield(_record(caller, tool, arguments, "refused", refusal.code, begun))
        raise
    except asyncio.CancelledError:
        _record(caller, tool, arguments, "error", "CANCELLED", begun)
        raise
    await asyncio.shield(_record(caller, tool, arguments, outcome, result.error_code, begun))
    return result


async def require_tool(caller: Caller, tool: Tool) -> None:
    """Raise Forbidden unless this caller may call the tool."""
    for scope in (tool.scope, Scope.READ):
        caller.identity.require(scope)
    if not caller.is_agent:
        return
    switched = await list_switched(caller.resources, caller.identity)
    if not switched.get(tool.name, tool.on_by_default):
        raise Forbidden(
            f"The tool '{tool.name}' is switched off in this workspace. A person can switch it on: in the page under "
            f"Tools, or with 'pinakes tools on {tool.name}'.",
            code="TOOL_OFF",
        )


async def _answer(
    caller: Caller, tool: Tool, arguments: Mapping[str, Any], kind: Mapping[str, Any]
) -> tuple[Literal["success", "error", "fault"], Result]:
    try:
        answer: Answer = await tool.handler(caller, tool.input.model_validate(dict(arguments)))
    except ValidationError as error:
        return "error", _failed("INVALID_ARGUMENTS", _words(error), {"problems": list_problems(error)}, kind)
    except (Unauthenticated, Forbidden):
        raise
    except (CallerError, ProviderFault) as error:
        return "error", _failed(error.code, error.message, error.details, kind)
    except Exception as error:  # the edge of the tools: a fault of ours is logged here and numbered for the caller
        incident = secrets.token_hex(4)
        log.exception("The tool '%s' failed", tool.name, extra={"incident": incident})
        code = error.code if isinstance(error, PinakesError) else "INTERNAL_ERROR"
        message = f"Something went wrong on our side (incident {incident}). Try again, or tell whoever runs the server."
        return "fault", _failed(code, message, {"incident": incident}, kind)
    return "success", Result("success", answer.text, {**answer.output.model_dump(mode="json"), **kind})


def _failed(code: str, message: str, details: Mapping[str, Any] | None, kind: Mapping[str, Any]) -> Result:
    metadata = {"error_code": code, "error_details": shorten(dict(details or {})), **kind}
    return Result("error", f"Error: {message}", metadata)


def _words(error: ValidationError) -> str:
    return (
        f"The arguments are not right: {describe_problems(error)}. Look at the tool's input schema and call it again."
    )


def _record(
    caller: Caller, tool: Tool, arguments: Mapping[str, Any], outcome: str, error_code: str | None, begun: float
) -> "asyncio.Task[None]":
    """Keep the call, in a task of its own: it goes on where the caller does not wait for it any more."""
    subject = arguments.get(tool.subject) if tool.subject else None
    digest = hashlib.sha256(subject.encode("utf-8", "replace")).hexdigest()[:8] if isinstance(subject, str) else None
    record = CallRecord(
        call_id=new_id("call"),
        tool=tool.name,
        interface=caller.interface,
        agent_name=caller.agent_name,
        topic_digest=digest,
        result=outcome,
        error_code=error_code,
        milliseconds=(time.perf_counter() - begun) * 1000,
    )
    recording = asyncio.create_task(record_call(caller.resources, caller.identity, record))
    # A task that nobody holds on to may be collected before it is done.
    _recording.add(recording)
    recording.add_done_callback(_recording.discard)
    return recording
