"""What a tool is: words for a model, typed input and output, and a handler that calls a use case."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, field_validator
from pydantic_core import PydanticCustomError

from pinakes.domain.errors import CallerError
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.storable import BROKEN_TEXT, has_broken_text
from pinakes.services.resources import Resources


class Interface(StrEnum):
    """The way a call came in."""

    REST = "rest"
    MCP = "mcp"
    PYTHON = "python"


# How far a call has come, in per cent, and what it is at.
Progress = Callable[[float, str], Awaitable[None]]


async def _unheard(_percent: float, _words: str) -> None:
    """Nobody asked how far the call has come."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls a tool, and through what.

    An agent may call only what is switched on; `roots` are the folders whose files it may name.
    `base_url` is where the caller reaches the server, for links; a tool that takes its time tells `report_progress`.
    """

    resources: Resources
    identity: Identity
    interface: Interface
    is_agent: bool = True
    agent_name: str | None = None
    base_url: str = ""
    roots: tuple[Path, ...] = ()
    report_progress: Progress = _unheard

    def link_to_original(self, token: str) -> str:
        """Where a signed original is fetched."""
        return f"{self.base_url.rstrip('/')}/api/originals?token={quote(token, safe='')}"


def document_uri(document_id: str, chunk_id: str | None = None) -> str:
    """How a document or a passage of it is opened over MCP."""
    return f"pinakes://documents/{document_id}" + (f"/chunks/{chunk_id}" if chunk_id else "")


class ToolInput(BaseModel):
    """What a tool takes; a misspelt argument is an error, not a surprise."""

    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)

    @field_validator("*", mode="before")
    @classmethod
    def _refuse_what_is_no_text(cls, value: object) -> object:
        if has_broken_text(value):
            raise PydanticCustomError("broken_text", BROKEN_TEXT)
        return value


class ToolOutput(BaseModel):
    """What a program reads of a tool's answer."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says to the model, and the same for a program."""

    text: str
    output: ToolOutput


class Mistake(CallerError):
    """Something the model can mend: it is told in words what to do, and nothing is raised to it."""

    def __init__(self, code: str, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message, code=code, details=details)


@dataclass(frozen=True, slots=True)
class Annotations:
    """What a client may want to know before it lets a model call a tool."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False


@dataclass(frozen=True, slots=True)
class Labels:
    """What a user interface shows while a tool runs and when it is done."""

    running: str
    complete: str


@cache
def _schema(model: type[BaseModel], mode: Literal["validation", "serialization"]) -> dict[str, Any]:
    """Made once: a client lists the tools again and again. Nobody changes it."""
    return model.model_json_schema(mode=mode)


Handler = Callable[[Caller, Any], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `subject` is the argument that says what a call is about; only a digest of it is kept."""

    name: str
    title: str
    description: str
    labels: Labels
    input: type[ToolInput]
    output: type[ToolOutput]
    scope: Scope
    annotations: Annotations
    handler: Handler
    subject: str | None = None
    # What only reads knowledge may be called from the start; a person switches the rest on.
    on_by_default: bool = field(default=False)

    def is_in_scope(self, identity: Identity) -> bool:
        """Whether these scopes are enough: what writes looks up what is there, and tells of it."""
        return {self.scope, Scope.READ} <= identity.scopes

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return _schema(self.input, "validation")

    @property
    def output_schema(self) -> dict[str, Any]:
        """The JSON schema of `metadata` in its answer."""
        return _schema(self.output, "serialization")


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools that belong together, and how a model should go about using them."""

    toolset_id: str
    name: str
    description: str
    category: str
    icon: str
    tags: tuple[str, ...]
    guidance: str
    tool_type: str
    tools: tuple[Tool, ...]
