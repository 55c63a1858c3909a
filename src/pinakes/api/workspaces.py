"""Workspaces, members and API keys over REST."""

from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import AwareDatetime, Field

from pinakes.api.access import Caller, Person, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.paths import InvitationId, KeyId, UserId, WorkspaceId
from pinakes.domain.errors import NotFound
from pinakes.domain.identity import ApiKey, Identity, Member, Role, Scope, Workspace
from pinakes.domain.knowledge_base import MAX_NAME
from pinakes.services import sign_in, workspaces
from pinakes.services.resources import Resources

router = APIRouter(prefix="/api", tags=["Workspaces"])
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]


class WorkspaceOut(ApiModel):
    """A workspace as the caller sees it."""

    id: str
    name: str
    role: Role
    created_at: datetime


class WorkspaceIn(RequestModel):
    """A workspace's name."""

    name: Name


class MemberOut(ApiModel):
    """A person's place in the workspace."""

    user_id: str
    name: str
    role: Role
    created_at: datetime


class RoleChange(RequestModel):
    """A member's new role."""

    role: Role


class InvitationIn(RequestModel):
    """Whom to invite: a name to know them by, and a role."""

    name: Name
    role: Role = Role.VIEWER


class InvitationOut(ApiModel):
    """An invitation that can still be used."""

    id: str
    name: str
    role: Role
    created_at: datetime
    expires_at: datetime


class InvitationLink(ApiModel):
    """Hand this link over: whoever opens it first joins the workspace."""

    url: str
    expires_at: datetime


class ApiKeyIn(RequestModel):
    """A key to make."""

    name: Name
    scopes: Annotated[frozenset[Scope], Field(default=frozenset({Scope.READ}), min_length=1)]
    expires_at: AwareDatetime | None = None


class ApiKeyOut(ApiModel):
    """A key without its secret; `hint` is how it ends."""

    id: str
    name: str
    hint: str
    user_id: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


class NewApiKey(ApiKeyOut):
    """A new key; its text is shown this once."""

    key: str


class UserOut(ApiModel):
    """A person."""

    user_id: str
    name: str


class UserChange(RequestModel):
    """A person's new name."""

    name: Name


class MeOut(ApiModel):
    """Who the caller is, where, and what they may do."""

    user_id: str
    name: str
    workspace_id: str
    workspace_name: str
    role: Role
    scopes: list[Scope]
    key_id: str | None


@router.get("/me")
async def get_me(resources: ResourcesDep, caller: Caller) -> Success[MeOut]:
    """Who am I?"""
    return succeed(await describe_me(resources, caller))


@router.patch("/me")
async def rename_me(body: UserChange, resources: ResourcesDep, person: Person) -> Success[UserOut]:
    """Be called something else."""
    renamed = await sign_in.rename_user(resources, person, body.name)
    return succeed(UserOut(user_id=renamed.user_id, name=renamed.name))


@router.get("/workspaces")
async def list_workspaces(resources: ResourcesDep, person: Person) -> Success[list[WorkspaceOut]]:
    """The workspaces I am a member of."""
    return succeed([_workspace(w) for w in await sign_in.list_workspaces(resources, person)])


@router.post("/workspaces", status_code=201)
async def create_workspace(body: WorkspaceIn, resources: ResourcesDep, person: Person) -> Success[WorkspaceOut]:
    """Make a workspace of one's own."""
    return succeed(_workspace(await workspaces.create_workspace(resources, person, body.name)))


@router.patch("/workspaces/{workspaceId}")
async def rename_workspace(
    workspace_id: WorkspaceId, body: WorkspaceIn, resources: ResourcesDep, caller: Caller
) -> Success[WorkspaceOut]:
    """Rename the workspace."""
    _same(caller, workspace_id)
    return succeed(_workspace(await workspaces.rename_workspace(resources, caller, body.name)))


@router.delete("/workspaces/{workspaceId}")
async def delete_workspace(
    workspace_id: WorkspaceId,
    resources: ResourcesDep,
    caller: Caller,
    confirm: Annotated[bool, Query(description="Must be true: everything in it is deleted.")] = False,
) -> Success[None]:
    """Delete the workspace with everything in it."""
    _same(caller, workspace_id)
    await workspaces.delete_workspace(resources, caller, confirm=confirm)
    return succeed(None)


@router.get("/members")
async def list_members(resources: ResourcesDep, caller: Caller) -> Success[list[MemberOut]]:
    """Who belongs to the workspace."""
    return succeed([_member(member) for member in await workspaces.list_members(resources, caller)])


@router.patch("/members/{userId}")
async def change_role(user_id: UserId, body: RoleChange, resources: ResourcesDep, caller: Caller) -> Success[MemberOut]:
    """Give a member another role."""
    return succeed(_member(await workspaces.change_role(resources, caller, user_id, body.role)))


@router.delete("/members/{userId}")
async def remove_member(user_id: UserId, resources: ResourcesDep, caller: Caller) -> Success[None]:
    """Take a member, and their API keys, out of the workspace."""
    await workspaces.remove_member(resources, caller, user_id)
    return succeed(None)


@router.post("/invitations", status_code=201)
async def invite_member(
    body: InvitationIn, request: Request, resources: ResourcesDep, caller: Caller
) -> Success[InvitationLink]:
    """A single-use link with which somebody can join."""
    expires_at = datetime.now(UTC) + sign_in.INVITATION_LIFETIME
    link = await workspaces.invite_member(resources, caller, body.name, body.role, expires_at)
    return succeed(InvitationLink(url=sign_in_url(request, link.token), expires_at=link.expires_at))


@router.get("/invitations")
async def list_invitations(resources: ResourcesDep, caller: Caller) -> Success[list[InvitationOut]]:
    """Invitations that can still be used."""
    found = await workspaces.list_invitations(resources, caller)
    return succeed(
        [
            InvitationOut(
                id=i.invitation_id, name=i.name, role=i.role, created_at=i.created_at, expires_at=i.expires_at
            )
            for i in found
        ]
    )


@router.delete("/invitations/{invitationId}")
async def withdraw_invitation(invitation_id: InvitationId, resources: ResourcesDep, caller: Caller) -> Success[None]:
    """Make an invitation useless."""
    await workspaces.withdraw_invitation(resources, caller, invitation_id)
    return succeed(None)


@router.get("/keys")
async def list_api_keys(resources: ResourcesDep, caller: Caller) -> Success[list[ApiKeyOut]]:
    """API keys: an owner sees all, others their own."""
    return succeed([ApiKeyOut(**_key(key)) for key in await workspaces.list_api_keys(resources, caller)])


@router.post("/keys", status_code=201)
async def create_api_key(body: ApiKeyIn, resources: ResourcesDep, caller: Caller) -> Success[NewApiKey]:
    """Make an API key; its text is shown this once."""
    key, text = await workspaces.create_api_key(resources, caller, body.name, body.scopes, body.expires_at)
    return succeed(NewApiKey(**_key(key), key=text))


@router.delete("/keys/{keyId}")
async def revoke_api_key(key_id: KeyId, resources: ResourcesDep, caller: Caller) -> Success[None]:
    """Revoke an API key at once."""
    await workspaces.revoke_api_key(resources, caller, key_id)
    return succeed(None)


async def describe_me(resources: Resources, caller: Identity) -> MeOut:
    """The caller as the API shows them."""
    workspace = await workspaces.get_workspace(resources, caller)
    return MeOut(
        user_id=caller.user.user_id,
        name=caller.user.name,
        workspace_id=caller.workspace_id,
        workspace_name=workspace.name,
        role=caller.role,
        scopes=sorted(caller.scopes),
        key_id=caller.key_id,
    )


def sign_in_url(request: Request, token: str) -> str:
    """A link as a person opens it."""
    return str(request.url_for("open_link").include_query_params(token=token))


def _same(caller: Identity, workspace_id: str) -> None:
    if caller.workspace_id != workspace_id:
        raise NotFound("There is no such workspace, or this is not the one you are in.")


def _workspace(workspace: Workspace) -> WorkspaceOut:
    return WorkspaceOut(
        id=workspace.workspace_id, name=workspace.name, role=workspace.role, created_at=workspace.created_at
    )


def _member(member: Member) -> MemberOut:
    return MemberOut(user_id=member.user.user_id, name=member.user.name, role=member.role, created_at=member.created_at)


def _key(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.key_id,
        "name": key.name,
        "hint": key.hint,
        "user_id": key.user_id,
        "scopes": sorted(key.scopes),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
    }
