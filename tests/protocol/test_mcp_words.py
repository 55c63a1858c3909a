"""What the protocol's server says of progress and of faults, without any transport around it."""

from typing import Any, cast

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from pinakes.domain.identity import Scope
from pinakes.mcp.changes import Streams
from pinakes.mcp.server import make_server
from pinakes.services.resources import Resources
from pinakes.tools import calling
from pinakes.tools.definition import Annotations, Caller, Interface, Labels, Tool, ToolInput, ToolOutput


class _Callers:
    """One caller who stands on nothing."""

    async def find(self, context: Any) -> Caller:
        return Caller(cast("Resources", None), cast("Any", None), Interface.MCP)

    renew = find


def _tool(*, read_only: bool) -> Tool:
    return Tool(
        name="write",
        title="Write",
        description="Write.",
        labels=Labels("Writing", "Wrote"),
        input=ToolInput,
        output=ToolOutput,
        scope=Scope.WRITE,
        annotations=Annotations(read_only=read_only),
        handler=cast("Any", None),
    )


@pytest.mark.parametrize("read_only", [True, False])
async def test_a_call_that_writes_tells_how_far_it_is_from_begin_to_end(
    monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    # E10
    async def call(caller: Caller, _name: str, _arguments: Any) -> calling.Result:
        await caller.report_progress(40, "Indexing")
        return calling.Result("success", "Done.", {})

    async def find(_caller: Caller, _name: str) -> tuple[None, Tool]:
        return None, _tool(read_only=read_only)

    async def nothing(_caller: Caller) -> list[Tool]:
        return []

    monkeypatch.setattr(calling, "find_tool_for", find)
    monkeypatch.setattr(calling, "call_tool", call)
    monkeypatch.setattr(calling, "list_tools", nothing)
    heard: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with Client(make_server(_Callers(), Streams())) as client:
        await client.call_tool("write", {}, progress_callback=hear)
    expected = [(0, 100, "Writing"), (40, 100, "Indexing"), (100, 100, "Wrote")]
    assert heard == ([] if read_only else expected)


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_a_fault_of_ours_gives_its_number_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mode: str
) -> None:
    # D8
    async def fail(_caller: Caller) -> Any:
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr(calling, "list_tools", fail)
    async with Client(make_server(_Callers(), Streams()), mode=mode) as client:
        with pytest.raises(MCPError, match=r"Something went wrong on our side \(incident \w{8}\)") as fault:
            await client.list_tools()
    assert "hunter2" not in str(fault.value) + str(fault.value.data)
    incident = fault.value.data["error_details"]["incident"]
    assert any(getattr(record, "incident", None) == incident for record in caplog.records)
