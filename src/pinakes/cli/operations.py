"""`pinakes operations`: what happens behind."""

from typing import Annotated, Any

import typer

from pinakes.cli.client import connect
from pinakes.cli.terminal import JsonOption, moment, out, print_table, run
from pinakes.domain.operation import OperationStatus
from pinakes.settings import Settings

operations_app = typer.Typer()
StatusOption = Annotated[OperationStatus | None, typer.Option(help="Only those that stand there.")]
LimitOption = Annotated[int, typer.Option(min=1, max=500)]
OffsetOption = Annotated[int, typer.Option(min=0)]


@operations_app.callback(invoke_without_command=True)
def operations(
    context: typer.Context,
    status: StatusOption = None,
    limit: LimitOption = 50,
    offset: OffsetOption = 0,
    as_json: JsonOption = False,
) -> None:
    """List what is being indexed, waits or is done, newest first."""
    # There is one thing to do with them, so scripts and people leave its name out.
    if context.invoked_subcommand is None:
        list_operations(status, limit, offset, as_json)


@operations_app.command("list")
def list_operations(
    status: StatusOption = None,
    limit: LimitOption = 50,
    offset: OffsetOption = 0,
    as_json: JsonOption = False,
) -> None:
    """List what is being indexed, waits or is done, newest first."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/operations", status=status, limit=limit, offset=offset)

    def show(page: Any) -> None:
        rows = [(_about(o), _state(o), o["attempts"], moment(o["createdAt"]), o["id"]) for o in page["items"]]
        print_table(("DOCUMENT", "STATUS", "ATTEMPTS", "BEGUN", "ID"), rows, "There is no operation.")
        if page["total"] > len(rows) + offset:
            out.print(f"{page['total'] - len(rows) - offset} more; use --offset {offset + len(rows)}.")

    run(work, show, as_json=as_json)


def _about(operation: Any) -> str:
    return operation["documentName"] or f"(switch of {operation['knowledgeBaseName']})"


def _state(operation: Any) -> str:
    if operation["error"]:
        return f"{operation['status']}: {operation['error']}"
    return f"running {operation['progress']} %" if operation["status"] == "running" else operation["status"]
