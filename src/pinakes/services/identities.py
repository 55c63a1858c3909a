"""Access tokens of an issuer become identities; people say which of its subjects they are."""

import logging
from dataclasses import replace

from pinakes.domain.errors import Conflict, Forbidden, InvalidInput, NotFound, Unauthenticated
from pinakes.domain.identity import AccessToken, Identity, LinkedIdentity, Newcomers, User
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import clean_name
from pinakes.services.resources import Issuer, Resources
from pinakes.services.sign_in import identify_user
from pinakes.store import identities, users, workspaces
from pinakes.store.database import enter_workspace

log = logging.getLogger("pinakes.identities")


async def identify_token(resources: Resources, token: str, workspace_id: str | None) -> Identity:
    """The caller behind an access token, in the workspace they name, or else in their first one."""
    told = await _issuer(resources).verify(token)
    person = await identify_user(resources, await _find_user(resources, told), workspace_id)
    scopes = person.scopes if told.scopes is None else person.scopes & told.scopes
    return replace(person, scopes=scopes, has_token=True)


async def link_identity(resources: Resources, user: User, token: str) -> LinkedIdentity:
    """Whoever comes with a token of this subject is this person from now on; the token is the proof."""
    try:
        told = await _issuer(resources).verify(token)
    except Unauthenticated as error:
        # It is not the credential of this request that is no good.
        raise InvalidInput(error.message) from error
    async with resources.database.transaction() as connection:
        await identities.lock_subject(connection, told.issuer, told.subject)
        known = await identities.find_subject(connection, told.issuer, told.subject)
        holder = known.user if known is not None else None
        if holder is not None and holder.user_id != user.user_id:
            await enter_workspace(connection, None, holder.user_id)
            # Somebody who is in no workspace loses nothing; that is how an owner sets a subject free.
            if await workspaces.list_workspaces(connection, holder.user_id):
                raise Conflict(
                    "This identity belongs to somebody else here. It can be linked once they have removed it, or "
                    "were removed from their workspaces."
                )
        return await identities.link_subject(connection, new_id("idn"), told.issuer, told.subject, user.user_id)


async def list_identities(resources: Resources, user: User) -> list[LinkedIdentity]:
    """A person's identities."""
    async with resources.database.transaction() as connection:
        return await identities.list_identities(connection, user.user_id)


async def unlink_identity(resources: Resources, user: User, identity_id: str) -> None:
    """Make an identity nobody's: its tokens are refused from now on."""
    async with resources.database.transaction() as connection:
        if not await identities.unlink_identity(connection, identity_id, user.user_id):
            raise NotFound("You have no such identity.")


async def _find_user(resources: Resources, told: AccessToken) -> User:
    async with resources.database.transaction() as connection:
        known = await identities.find_subject(connection, told.issuer, told.subject)
    if known is None and resources.newcomers is not None:
        return await _welcome(resources, told, resources.newcomers)
    if known is None or known.user is None:
        raise _stranger(told)
    return known.user


async def _welcome(resources: Resources, told: AccessToken, newcomers: Newcomers) -> User:
    """Somebody new, in the workspace that is there for them."""
    async with resources.database.transaction(newcomers.workspace_id) as connection:
        await identities.lock_subject(connection, told.issuer, told.subject)
        known = await identities.find_subject(connection, told.issuer, told.subject)
        if known is not None:
            # Two first requests at once: the other one was first.
            if known.user is None:
                raise _stranger(told)
            return known.user
        if not await workspaces.exists(connection, newcomers.workspace_id):
            log.error("PINAKES_OIDC_WORKSPACE names no workspace: %s", newcomers.workspace_id)
            raise _stranger(told)
        user = User(new_id("usr"), _name_of(told))
        await users.insert_user(connection, user)
        await identities.link_subject(connection, new_id("idn"), told.issuer, told.subject, user.user_id)
        await workspaces.insert_member(connection, newcomers.workspace_id, user.user_id, newcomers.role)
    return user


def _name_of(told: AccessToken) -> str:
    try:
        return clean_name(told.name or "")
    except InvalidInput:
        return "Member"


def _stranger(told: AccessToken) -> Forbidden:
    return Forbidden(
        f"The access token is good, but nobody here is the subject '{told.subject}' of {told.issuer}. Sign in, and "
        "link it to yourself once: `pinakes identities link`, or POST /api/me/identities.",
        code="IDENTITY_UNKNOWN",
    )


def _issuer(resources: Resources) -> Issuer:
    if resources.issuer is None:
        raise NotFound("This server accepts no access tokens: PINAKES_OIDC_ISSUER is not set where it runs.")
    return resources.issuer
