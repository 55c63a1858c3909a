"""Workspaces, their members and API keys."""

from datetime import UTC, datetime

from pinakes.domain.errors import Conflict, Forbidden, InvalidInput, NotFound
from pinakes.domain.identity import (
    ApiKey,
    Identity,
    Member,
    Role,
    Scope,
    SignInLink,
    User,
    Workspace,
    hash_secret,
)
from pinakes.domain.ids import new_id, new_secret
from pinakes.domain.knowledge_base import clean_name
from pinakes.services.knowledge_bases import add_built_in_knowledge_bases
from pinakes.services.resources import Resources
from pinakes.store import api_keys, knowledge_bases, users, workspaces
from pinakes.store.backup import may_remove_objects
from pinakes.store.database import Connection, outlast_deadlocks
from pinakes.store.users import Invitation


async def create_workspace(resources: Resources, user: User, name: str) -> Workspace:
    """A workspace of one's own, with its notes and its memory."""
    workspace_id, name = new_id("ws"), clean_name(name)
    async with resources.database.transaction(workspace_id, user_id=user.user_id) as connection:
        await workspaces.insert_workspace(connection, workspace_id, name, user.user_id)
        await add_built_in_knowledge_bases(resources, connection, workspace_id)
        made = await workspaces.find_workspace(connection, workspace_id, user.user_id)
    assert made is not None
    return made


async def get_workspace(resources: Resources, identity: Identity) -> Workspace:
    """The workspace the caller is in."""
    async with resources.database.transaction(identity.workspace_id) as connection:
        workspace = await workspaces.find_workspace(connection, identity.workspace_id, identity.user.user_id)
    if workspace is None:
        raise NotFound("There is no such workspace, or you are not a member of it.")
    return workspace


async def rename_workspace(resources: Resources, identity: Identity, name: str) -> Workspace:
    """Give the workspace another name."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await workspaces.rename_workspace(connection, identity.workspace_id, clean_name(name))
        renamed = await workspaces.find_workspace(connection, identity.workspace_id, identity.user.user_id)
    assert renamed is not None
    return renamed


async def delete_workspace(resources: Resources, identity: Identity, *, confirm: bool) -> None:
    """Delete the workspace and everything in it."""
    identity.require(Scope.ADMIN)
    if not confirm:
        raise InvalidInput(
            "Deleting a workspace deletes everything in it. Repeat with confirm=true if you mean it.",
            code="CONFIRMATION_REQUIRED",
        )

    async def delete() -> None:
        async with resources.database.transaction(identity.workspace_id) as connection:
            await knowledge_bases.lock_contents(connection, identity.workspace_id)
            await workspaces.delete_workspace(connection, identity.workspace_id)

    await outlast_deadlocks(delete)
    # What a crash leaves of the originals the sweep finds: they are under a name no workspace has.
    await delete_originals(resources, identity.workspace_id)


async def delete_originals(resources: Resources, workspace_id: str) -> None:
    """Remove everything a workspace that is gone has in the object store, unless a back-up still reads it."""
    async with resources.database.transaction() as connection:
        if await may_remove_objects(connection):
            await resources.blobs.delete(await resources.blobs.list_keys(f"{workspace_id}/"))


async def list_members(resources: Resources, identity: Identity) -> list[Member]:
    """Who belongs to the workspace."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await workspaces.list_members(connection, identity.workspace_id)


async def invite_member(
    resources: Resources, identity: Identity, name: str, role: Role, expires_at: datetime
) -> SignInLink:
    """A link that lets whoever opens it first join under this role."""
    identity.require(Scope.ADMIN)
    token = new_secret()
    async with resources.database.transaction(identity.workspace_id) as connection:
        await users.insert_invitation(
            connection, hash_secret(token), identity.workspace_id, role, clean_name(name), expires_at
        )
    return SignInLink(token, expires_at)


async def list_invitations(resources: Resources, identity: Identity) -> list[Invitation]:
    """Invitations that can still be used."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await users.list_invitations(connection, identity.workspace_id)


async def withdraw_invitation(resources: Resources, identity: Identity, invitation_id: str) -> None:
    """Make an invitation useless."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        if not await users.delete_invitation(connection, identity.workspace_id, invitation_id):
            raise NotFound("There is no such invitation; it may have been used.")


async def change_role(resources: Resources, identity: Identity, user_id: str, role: Role) -> Member:
    """Give a member another role; the last owner stays one."""
    identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        member = await _member(connection, identity, user_id, losing_owner=role is not Role.OWNER)
        await workspaces.set_role(connection, identity.workspace_id, user_id, role)
    return Member(member.user, role, member.created_at)


async def remove_member(resources: Resources, identity: Identity, user_id: str) -> None:
    """Take a member out, with their API keys; anyone may leave, the last owner stays."""
    if user_id != identity.user.user_id or identity.is_program:
        identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        await _member(connection, identity, user_id, losing_owner=True)
        await workspaces.delete_member(connection, identity.workspace_id, user_id)


async def create_api_key(
    resources: Resources,
    identity: Identity,
    name: str,
    scopes: frozenset[Scope],
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """A key for a program, and its only showing; it can do no more than whoever makes it."""
    # Else a key or token that expires or is about to be revoked could live on in another one.
    if identity.is_program:
        identity.require(Scope.ADMIN)
    if not scopes:
        raise InvalidInput("Give the key at least one scope: read, write or admin.")
    for scope in scopes:
        identity.require(scope)
    if expires_at is not None and expires_at <= datetime.now(UTC):
        raise InvalidInput("The expiry date is in the past.")
    secret = new_secret()
    async with resources.database.transaction(identity.workspace_id) as connection:
        key = await api_keys.insert_api_key(
            connection,
            identity.workspace_id,
            key_id=new_id("key"),
            user_id=identity.user.user_id,
            name=clean_name(name),
            secret_hash=hash_secret(secret),
            hint=secret[-4:],
            scopes=scopes,
            expires_at=expires_at,
        )
    return key, f"pk_{identity.workspace_id.removeprefix('ws_')}_{secret}"


async def list_api_keys(resources: Resources, identity: Identity) -> list[ApiKey]:
    """An owner sees every key of the workspace, others see their own."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        keys = await api_keys.list_api_keys(connection, identity.workspace_id)
    everything = Scope.ADMIN in identity.scopes
    return [key for key in keys if everything or key.user_id == identity.user.user_id]


async def revoke_api_key(resources: Resources, identity: Identity, key_id: str) -> None:
    """Make a key useless at once; owners may revoke any, others their own, a key without admin scope itself."""
    if identity.is_program and identity.key_id != key_id:
        identity.require(Scope.ADMIN)
    async with resources.database.transaction(identity.workspace_id) as connection:
        key = await api_keys.find_api_key(connection, identity.workspace_id, key_id)
        if key is None:
            raise NotFound("There is no such API key.")
        if key.user_id != identity.user.user_id and Scope.ADMIN not in identity.scopes:
            raise Forbidden("Only an owner may revoke another member's key.")
        await api_keys.revoke_api_key(connection, identity.workspace_id, key_id)


async def _member(connection: Connection, identity: Identity, user_id: str, *, losing_owner: bool) -> Member:
    """The member, unless this would leave the workspace without an owner."""
    members = await workspaces.list_members(connection, identity.workspace_id)
    member = next((m for m in members if m.user.user_id == user_id), None)
    if member is None:
        raise NotFound("There is no such member in this workspace.")
    owners = [m for m in members if m.role is Role.OWNER]
    if losing_owner and owners == [member]:
        raise Conflict("This is the last owner of the workspace. Make somebody else an owner first.")
    return member
