"""Commands for workspaces, members and API keys."""

from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from pinakes.cli.client import connect, path_part
from pinakes.cli.terminal import JsonOption, YesOption, confirm, moment, note, out, print_table, run, say
from pinakes.domain.errors import Conflict, NotFound
from pinakes.domain.identity import Role, Scope
from pinakes.settings import Settings

keys_app = typer.Typer(no_args_is_help=True, help="API keys: list, create, revoke.")
members_app = typer.Typer(no_args_is_help=True, help="Members: list, invite, invitations, withdraw, role, remove.")
workspaces_app = typer.Typer(no_args_is_help=True, help="Workspaces: list, create, rename, delete.")


def _call(method: str, path: str, **options: Any) -> Any:
    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.call(method, path, **options)

    return work


def _make_link(path: str, **options: Any) -> Any:
    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            link = await client.post(path, **options)
            if client.in_process:
                note("No server is running. Start it with `pinakes serve` before you open the link.")
            return link

    return work


@keys_app.command("list")
def list_keys(as_json: JsonOption = False) -> None:
    """List API keys."""

    def show(keys: Any) -> None:
        rows = [
            (
                key["name"],
                f"…{key['hint']}",
                " ".join(key["scopes"]),
                _key_state(key),
                moment(key["lastUsedAt"]),
                moment(key["expiresAt"]),
                key["id"],
            )
            for key in keys
        ]
        columns = ("NAME", "KEY", "SCOPES", "STATE", "LAST USED", "EXPIRES", "ID")
        print_table(columns, rows, "There is no API key yet.")

    run(_call("GET", "/api/keys"), show, as_json=as_json)


def _key_state(key: Any) -> str:
    if key["revokedAt"]:
        return "revoked"
    over = key["expiresAt"] and datetime.fromisoformat(key["expiresAt"]) <= datetime.now(UTC)
    return "expired" if over else "active"


@keys_app.command("create")
def create_key(
    name: str,
    scope: Annotated[list[Scope] | None, typer.Option("--scope", help="May be repeated; default: read.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Make an API key; it is shown this once."""
    body = {"name": name, "scopes": [str(s) for s in scope or [Scope.READ]]}

    def show(key: Any) -> None:
        say(key["key"])
        note(f"Keep it safe: it is not shown again. Scopes: {' '.join(key['scopes'])}.")

    run(_call("POST", "/api/keys", json=body), show, as_json=as_json)


@keys_app.command("revoke")
def revoke_key(
    key: Annotated[str, typer.Argument(help="The key's id, or its name if no other key has it.")],
    as_json: JsonOption = False,
) -> None:
    """Make an API key useless at once."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.delete(f"/api/keys/{_pick_key(await client.get('/api/keys'), key)}")

    run(work, lambda _: out.print("Revoked."), as_json=as_json)


def _pick_key(keys: list[dict[str, Any]], reference: str) -> str:
    found = [key["id"] for key in keys if key["id"] == reference]
    found = found or [key["id"] for key in keys if key["name"] == reference and not key["revokedAt"]]
    if not found:
        raise NotFound(f"There is no such API key: '{reference}'. `pinakes keys list` shows those there are.")
    if len(found) > 1:
        raise Conflict(f"{len(found)} API keys are called '{reference}'. Give the id of one: {', '.join(found)}.")
    return found[0]


@members_app.command("list")
def list_members(as_json: JsonOption = False) -> None:
    """List the members of the workspace."""

    def show(members: Any) -> None:
        rows = [(member["name"], member["role"], member["userId"]) for member in members]
        print_table(("NAME", "ROLE", "ID"), rows, "Nobody.")

    run(_call("GET", "/api/members"), show, as_json=as_json)


@members_app.command("invite")
def invite_member(
    name: str,
    role: Annotated[Role, typer.Option(help="owner, editor or viewer.")] = Role.VIEWER,
    as_json: JsonOption = False,
) -> None:
    """Make a single-use link with which somebody can join."""

    def show(link: Any) -> None:
        say(link["url"])
        note(f"Whoever opens it first joins as {role}. Good until {moment(link['expiresAt'])}.")

    run(_make_link("/api/invitations", json={"name": name, "role": str(role)}), show, as_json=as_json)


@members_app.command("invitations")
def list_invitations(as_json: JsonOption = False) -> None:
    """List invitations that can still be used."""

    def show(invitations: Any) -> None:
        rows = [(i["name"], i["role"], moment(i["expiresAt"]), i["id"]) for i in invitations]
        print_table(("NAME", "ROLE", "GOOD UNTIL", "ID"), rows, "There is no open invitation.")

    run(_call("GET", "/api/invitations"), show, as_json=as_json)


@members_app.command("withdraw")
def withdraw_invitation(invitation_id: str, as_json: JsonOption = False) -> None:
    """Withdraw an invitation."""
    run(
        _call("DELETE", f"/api/invitations/{path_part(invitation_id)}"),
        lambda _: out.print("Withdrawn."),
        as_json=as_json,
    )


@members_app.command("role")
def change_role(user_id: str, role: Role, as_json: JsonOption = False) -> None:
    """Give a member another role."""

    def show(member: Any) -> None:
        say(f"{member['name']} is {member['role']} now.")

    run(_call("PATCH", f"/api/members/{path_part(user_id)}", json={"role": str(role)}), show, as_json=as_json)


@members_app.command("remove")
def remove_member(user_id: str, as_json: JsonOption = False) -> None:
    """Take a member and their API keys out of the workspace."""
    run(_call("DELETE", f"/api/members/{path_part(user_id)}"), lambda _: out.print("Removed."), as_json=as_json)


@workspaces_app.command("list")
def list_workspaces(as_json: JsonOption = False) -> None:
    """List the workspaces you are a member of."""

    def show(workspaces: Any) -> None:
        rows = [(workspace["name"], workspace["role"], workspace["id"]) for workspace in workspaces]
        print_table(("NAME", "ROLE", "ID"), rows, "None.")

    run(_call("GET", "/api/workspaces"), show, as_json=as_json)


@workspaces_app.command("create")
def create_workspace(name: str, as_json: JsonOption = False) -> None:
    """Make a workspace of your own."""

    def show(workspace: Any) -> None:
        say(f"Made {workspace['name']}. Work in it with PINAKES_WORKSPACE={workspace['id']}.")

    run(_call("POST", "/api/workspaces", json={"name": name}), show, as_json=as_json)


@workspaces_app.command("rename")
def rename_workspace(workspace_id: str, name: str, as_json: JsonOption = False) -> None:
    """Rename a workspace you own."""
    options: dict[str, Any] = {"json": {"name": name}, "headers": {"X-Pinakes-Workspace": workspace_id}}
    run(
        _call("PATCH", f"/api/workspaces/{path_part(workspace_id)}", **options),
        lambda workspace: say(f"It is called {workspace['name']} now."),
        as_json=as_json,
    )


@workspaces_app.command("delete")
def delete_workspace(workspace_id: str, yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Delete a workspace with everything in it."""

    async def work(settings: Settings) -> Any:
        if not yes:
            confirm(f"Delete the workspace {workspace_id} with everything in it?", as_json=as_json)
        async with connect(settings) as client:
            headers = {"X-Pinakes-Workspace": workspace_id}
            path = f"/api/workspaces/{path_part(workspace_id)}"
            return await client.call("DELETE", path, params={"confirm": "true"}, headers=headers)

    run(work, lambda _: out.print("Deleted."), as_json=as_json)


def sign_in_link(as_json: JsonOption = False) -> None:
    """Make a single-use link with which you can sign in within 15 minutes."""
    run(_make_link("/api/sign-in-links"), lambda link: say(link["url"]), as_json=as_json)


def whoami(
    rename: Annotated[str | None, typer.Option("--rename", help="Be called something else.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show who you are and what you may do, or change your name."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            if rename is not None:
                await client.call("PATCH", "/api/me", json={"name": rename})
            return await client.get("/api/me")

    def show(me: Any) -> None:
        say(f"{me['name']} ({me['userId']}), {me['role']} of {me['workspaceId']}: {', '.join(me['scopes'])}")

    run(work, show, as_json=as_json)
