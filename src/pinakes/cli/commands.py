"""Every command of `pinakes`."""

from typing import Annotated

import typer

from pinakes import __version__
from pinakes.cli.activity import activity
from pinakes.cli.add import add
from pinakes.cli.backup import backup, restore
from pinakes.cli.bundles import export_kb, import_kb
from pinakes.cli.calibration import calibrate
from pinakes.cli.doctor import doctor, status
from pinakes.cli.documents import docs_app
from pinakes.cli.embedders import embedders_app
from pinakes.cli.generations import cancel_switch, drop_generation, list_generations, switch
from pinakes.cli.identities import identities_app
from pinakes.cli.knowledge import kb_app
from pinakes.cli.mcp import mcp_app
from pinakes.cli.model import model_app
from pinakes.cli.notes import notes_app
from pinakes.cli.operations import operations_app
from pinakes.cli.rerankers import rerankers_app
from pinakes.cli.search import ask, search
from pinakes.cli.serve import serve, worker
from pinakes.cli.sync import sync
from pinakes.cli.tools import tools_app
from pinakes.cli.upgrade import upgrade
from pinakes.cli.workspaces import keys_app, members_app, sign_in_link, whoami, workspaces_app

app = typer.Typer(
    name="pinakes",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="A knowledge layer for agents: documents in, cited passages out.",
)
for command in (serve, worker, add, sync, search, ask, whoami, status, doctor, backup, restore, upgrade):
    app.command()(command)
app.command()(activity)
app.command("sign-in-link")(sign_in_link)
app.command("export")(export_kb)
app.command("import")(import_kb)
kb_app.command("switch")(switch)
kb_app.command("cancel-switch")(cancel_switch)
kb_app.command("generations")(list_generations)
kb_app.command("drop-generation")(drop_generation)
kb_app.command("calibrate")(calibrate)
app.add_typer(kb_app, name="kb")
app.add_typer(docs_app, name="docs")
app.add_typer(notes_app, name="notes")
app.add_typer(operations_app, name="operations")
app.add_typer(keys_app, name="keys")
app.add_typer(identities_app, name="identities")
app.add_typer(members_app, name="members")
app.add_typer(workspaces_app, name="workspaces")
app.add_typer(embedders_app, name="embedders")
app.add_typer(rerankers_app, name="rerankers")
app.add_typer(model_app, name="model")
app.add_typer(tools_app, name="tools")
app.add_typer(mcp_app, name="mcp")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _main(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A knowledge layer for agents: documents in, cited passages out."""
