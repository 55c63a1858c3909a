"""`pinakes activity`: who called which tool, and how it went."""

import json
from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Annotated, Any

import httpx
import typer

from pinakes.cli.client import ApiFailure, Client, connect
from pinakes.cli.terminal import JsonOption, note, out, print_json_line, print_table, run, say
from pinakes.domain.call import CallResult
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

# The server says that it is there more often than this.
_SILENCE = httpx.Timeout(60, connect=5)


def activity(
    tool: Annotated[str | None, typer.Option(help="Only calls of this tool.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only calls of this agent, by its name or its key's.")] = None,
    result: Annotated[CallResult | None, typer.Option(help="Only calls that went so.")] = None,
    since: Annotated[datetime | None, typer.Option(help="Only calls from then on, such as 2026-01-31.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with calls as they are made.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the calls of tools, newest first; with --follow newest last, and on."""
    # What a person types is the time on their own clock.
    moment = since.astimezone().isoformat() if since else None
    filters: dict[str, Any] = {"tool": tool, "agent": agent, "result": result}

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            if follow:
                await _follow(client, filters | {"since": moment, "limit": limit}, as_json=as_json)
                return None
            return await client.get("/api/activity", **filters, since=moment, limit=limit)

    def show(page: Any) -> None:
        columns = ("WHEN", "TOOL", "AGENT", "RESULT", "MS", "SUBJECT", "ID")
        print_table(columns, [(*_cells(call), call["id"]) for call in page["items"]], "No tool was called.")
        if page["next"]:
            out.print("There are older ones; give --limit or --since.")

    run(work, (lambda _: None) if follow else show, as_json=as_json and not follow)


async def _follow(client: Client, query: dict[str, Any], *, as_json: bool) -> None:
    if client.in_process:
        raise InvalidInput("There is nothing to follow: no server runs here. Start one with `pinakes serve`.")
    seen: set[str] = set()
    while True:
        try:
            async with client.http.stream("GET", "/api/activity/events", timeout=_SILENCE) as response:
                if not response.is_success:
                    await client.get("/api/activity", limit=1)
                    raise ApiFailure("The server does not tell of calls.")
                async for call in _calls(client, response, query):
                    if call["id"] not in seen:
                        seen.add(call["id"])
                        print_json_line(call) if as_json else say("  ".join(_cells(call)))
        except httpx.HTTPError as error:
            raise ApiFailure(f"The server stopped answering ({type(error).__name__}).", code="UNAVAILABLE") from error
        note("The stream ended; beginning again.")


async def _calls(client: Client, response: httpx.Response, query: dict[str, Any]) -> AsyncGenerator[Any]:
    """Those made so far, oldest first, once the stream has begun, and then those that it tells of."""
    begun = False
    async for line in response.aiter_lines():
        if not begun:
            begun = True
            for call in reversed((await client.get("/api/activity", **query))["items"]):
                yield call
        if line.startswith("data: ") and _matches(call := json.loads(line.removeprefix("data: ")), query):
            yield call


def _matches(call: Any, query: dict[str, Any]) -> bool:
    return (
        query["tool"] in (None, call["tool"])
        and query["agent"] in (None, call["agentName"], call["keyName"], call["keyId"])
        and query["result"] in (None, call["result"])
    )


def _cells(call: Any) -> tuple[str, ...]:
    when = datetime.fromisoformat(call["calledAt"]).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    agent = call["agentName"] or call["keyName"] or call["userName"] or call["userId"]
    ended = f"{call['result']} {call['errorCode']}" if call["errorCode"] else call["result"]
    return when, call["tool"], agent, ended, f"{call['durationMs']:.0f}", call["topicDigest"] or ""
