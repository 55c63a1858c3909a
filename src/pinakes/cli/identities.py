"""Commands for who you are to the issuer of access tokens."""

import sys
from typing import Any

import typer

from pinakes.cli.client import connect, path_part
from pinakes.cli.terminal import JsonOption, moment, out, print_table, run, say
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

identities_app = typer.Typer(
    no_args_is_help=True,
    help="Whose access tokens count as yours: list, link, remove (with PINAKES_OIDC_ISSUER).",
)


@identities_app.command("list")
def list_identities(as_json: JsonOption = False) -> None:
    """List the subjects whose access tokens count as yours."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/me/identities")

    def show(identities: Any) -> None:
        rows = [(each["subject"], each["issuer"], moment(each["linkedAt"]), each["id"]) for each in identities]
        print_table(("SUBJECT", "ISSUER", "SINCE", "ID"), rows, "None. `pinakes identities link` adds one.")

    run(work, show, as_json=as_json)


@identities_app.command("link")
def link_identity(as_json: JsonOption = False) -> None:
    """Show one of your access tokens, piped in or typed when asked: from then on its subject is you."""

    async def work(settings: Settings) -> Any:
        token = _read_token()
        if not token:
            raise InvalidInput("No access token came. Pipe one in: `get-a-token | pinakes identities link`.")
        async with connect(settings) as client:
            return await client.post("/api/me/identities", json={"token": token})

    def show(made: Any) -> None:
        say(f"Whoever comes with an access token of '{made['subject']}' from {made['issuer']} is you now.")

    run(work, show, as_json=as_json)


@identities_app.command("remove")
def remove_identity(identity_id: str, as_json: JsonOption = False) -> None:
    """Let access tokens of a subject count as yours no more."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.delete(f"/api/me/identities/{path_part(identity_id)}")

    run(work, lambda _: out.print("Removed."), as_json=as_json)


def _read_token() -> str:
    """Never an argument: those stand in histories and lists of processes."""
    typed = typer.prompt("Access token", hide_input=True) if sys.stdin.isatty() else sys.stdin.readline()
    return str(typed).strip()
