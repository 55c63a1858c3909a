"""`pinakes doctor` and `pinakes status`."""

from dataclasses import asdict
from typing import Any

from rich.markup import escape

from pinakes import __version__
from pinakes.cli.client import connect, running_server
from pinakes.cli.terminal import JsonOption, counted, harmless, megabytes, out, print_table, run, say
from pinakes.settings import Settings

_MARKS = {"ok": "[green]✓[/green]", "warning": "[yellow]![/yellow]", "error": "[red]✗[/red]"}


def doctor(as_json: JsonOption = False) -> None:
    """Check everything and say how to mend what is wrong."""

    async def work(settings: Settings) -> list[dict[str, Any]]:
        from pinakes.cli.examination import examine  # noqa: PLC0415 - heavy, see client.connect

        return [asdict(finding) async for finding in examine(settings)]

    def show(findings: list[dict[str, Any]]) -> None:
        for finding in findings:
            out.print(
                f"{_MARKS[finding['state']]} {finding['check']}: {escape(harmless(finding['detail']))}", soft_wrap=True
            )
            if finding["advice"]:
                say(f"    → {finding['advice']}")
        out.print(f"\n{_sum_up([finding['state'] for finding in findings])}")

    run(work, show, as_json=as_json, failed=lambda fs: any(f["state"] == "error" for f in fs))


def _sum_up(states: list[str]) -> str:
    bad, warnings = states.count("error"), counted(states.count("warning"), "warning")
    if bad:
        return f"{bad} of {len(states)} checks failed; {warnings}."
    return f"Nothing is broken; {warnings}." if "warning" in states else "Everything works."


def status(as_json: JsonOption = False) -> None:
    """Show what is running and how much is in it."""

    async def work(settings: Settings) -> Any:
        url = settings.url or await running_server(settings)
        async with connect(settings) as client:
            kbs = await client.get("/api/knowledge-bases", limit=500)
            me = await client.get("/api/me")
            waiting = await client.get("/api/operations", status="pending", limit=1)
            running = await client.get("/api/operations", status="running", limit=1)
            cache = await client.get("/api/search/cache")
        return {
            "version": __version__,
            "server": url,
            "home": str(settings.home_folder),
            "workspaceId": me["workspaceId"],
            "role": me["role"],
            "knowledgeBases": kbs["total"],
            "documents": sum(kb["stats"]["documentCount"] for kb in kbs["items"]),
            "chunks": sum(kb["stats"]["chunkCount"] for kb in kbs["items"]),
            "sizeBytes": sum(kb["stats"]["sizeBytes"] for kb in kbs["items"]),
            "operations": {"pending": waiting["total"], "running": running["total"]},
            "queryCache": cache,
        }

    def show(state: Any) -> None:
        rows = [
            ("Version", state["version"]),
            ("Server", state["server"] or "not running (this command opened the engine itself)"),
            ("Data folder", state["home"]),
            ("Workspace", f"{state['workspaceId']} ({state['role']})"),
            ("Knowledge bases", state["knowledgeBases"]),
            (
                "Documents",
                f"{state['documents']} ({megabytes(state['sizeBytes'])}), {state['chunks']} chunks",
            ),
            (
                "Operations",
                f"{state['operations']['running']} running, {state['operations']['pending']} waiting",
            ),
            ("Query cache", _cache_words(state["queryCache"])),
        ]
        print_table(("", ""), rows, "")

    run(work, show, as_json=as_json)


def _cache_words(cache: Any) -> str:
    if cache["hitRate"] is None:
        return "no question in this workspace since the server started"
    return f"{cache['hits']} hits, {cache['misses']} misses, {cache['errors']} errors ({cache['hitRate']:.0%} hits)"
