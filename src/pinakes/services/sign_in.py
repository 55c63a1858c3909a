"""Who is asking: keys, sessions and links become identities."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pinakes.domain.errors import NotFound, Unauthenticated
from pinakes.domain.identity import Identity, Role, SignInLink, User, Workspace, hash_secret
from pinakes.domain.ids import new_id, new_secret
from pinakes.domain.knowledge_base import clean_name
from pinakes.services.resources import Resources
from pinakes.services.workspaces import create_workspace
from pinakes.store import api_keys, users, workspaces
from pinakes.store.database import enter_workspace

LINK_LIFETIME = timedelta(minutes=15)
INVITATION_LIFETIME = timedelta(days=7)
SESSION_LIFETIME = timedelta(days=30)
LOCAL_SESSION_LIFETIME = timedelta(days=3650)
_LOCAL_OWNER_LOCK = 0x6F776E6572


async def identify_key(resources: Resources, key: str) -> Identity:
    """The caller behind an API key `pk_<workspace>_<secret>`."""
    prefix, _, rest = key.partition("_")
    workspace, _, secret = rest.partition("_")
    if prefix == "pk" and workspace and secret and key.isascii() and key.isprintable():
        workspace_id = f"ws_{workspace}"
        async with resources.database.transaction(workspace_id) as connection:
            holder = await api_keys.find_key_holder(connection, workspace_id, hash_secret(secret))
        if holder is not None:
            return Identity(
                user=holder.user,
                workspace_id=workspace_id,
                role=holder.role,
                scopes=holder.scopes & holder.role.scopes,
                key_id=holder.key_id,
            )
    raise Unauthenticated("This API key is not valid: it is unknown, expired or revoked. Make a new one.")


async def session_user(resources: Resources, token: str) -> User:
    """The person behind a session."""
    async with resources.database.transaction() as connection:
        user = await users.find_session_user(connection, hash_secret(token))
    if user is None:
        raise Unauthenticated("The session is not valid any more. Sign in again.")
    return user


async def identify_user(resources: Resources, user: User, workspace_id: str | None) -> Identity:
    """A person in the workspace they name, or else in their first one."""
    async with resources.database.transaction(workspace_id, user_id=user.user_id) as connection:
        if workspace_id is not None:
            workspace = await workspaces.find_workspace(connection, workspace_id, user.user_id)
        else:
            workspace = next(iter(await workspaces.list_workspaces(connection, user.user_id)), None)
    if workspace is None:
        raise NotFound("There is no such workspace, or you are not a member of it.")
    return Identity(user, workspace.workspace_id, workspace.role, workspace.role.scopes)


async def list_workspaces(resources: Resources, user: User) -> list[Workspace]:
    """The workspaces a person may choose among."""
    async with resources.database.transaction(user_id=user.user_id) as connection:
        return await workspaces.list_workspaces(connection, user.user_id)


async def rename_user(resources: Resources, user: User, name: str) -> User:
    """Be called something else."""
    renamed = User(user.user_id, clean_name(name))
    async with resources.database.transaction() as connection:
        await users.rename_user(connection, renamed.user_id, renamed.name)
    return renamed


async def make_sign_in_link(resources: Resources, user: User) -> SignInLink:
    """A link with which this person can sign in once, soon."""
    token, expires_at = new_secret(), datetime.now(UTC) + LINK_LIFETIME
    async with resources.database.transaction() as connection:
        await users.insert_sign_in_link(connection, hash_secret(token), user.user_id, expires_at)
    return SignInLink(token, expires_at)


@dataclass(frozen=True)
class SignedIn:
    """What a link brought: a new session's token, and the workspace that was joined if it was an invitation."""

    user: User
    session: str
    joined: str | None


async def use_link(resources: Resources, token: str, current: User | None) -> SignedIn:
    """Use a link up: who is signed in now, and what they joined.

    An invitation admits whoever opens it: the person signed in already, or else somebody new. It names
    nobody, so that inviting a name can never hand over an account that exists elsewhere.
    """
    session = new_secret()
    async with resources.database.transaction() as connection:
        link = await users.use_link(connection, hash_secret(token))
        if link is None:
            raise Unauthenticated("This link was used already or has expired. Ask for a new one.")
        user = current
        if link.user_id is not None:
            user = await users.find_user(connection, link.user_id)
        elif user is None:
            user = User(new_id("usr"), link.name or "Member")
            await users.insert_user(connection, user)
        assert user is not None
        await users.insert_session(connection, hash_secret(session), user.user_id, datetime.now(UTC) + SESSION_LIFETIME)
        if link.workspace_id is not None:
            await enter_workspace(connection, link.workspace_id)
            await workspaces.insert_member(connection, link.workspace_id, user.user_id, link.role or Role.VIEWER)
    return SignedIn(user, session, link.workspace_id)


async def sign_out(resources: Resources, token: str) -> None:
    """End a session."""
    async with resources.database.transaction() as connection:
        await users.delete_session(connection, hash_secret(token))


async def ensure_local_owner(resources: Resources, token: str | None, *, trusted: bool) -> str | None:
    """A session for the person at this machine: the one they have, or a new one.

    On an empty database the local owner and a first workspace are made. On one that has people in it, a new
    session is given only where holding the machine means holding the database (`trusted`).
    """
    if token is not None:
        async with resources.database.transaction() as connection:
            if await users.find_session_user(connection, hash_secret(token)):
                return token
    async with resources.database.transaction() as connection:
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCAL_OWNER_LOCK])
        owner = await users.oldest_user(connection)
        if owner is not None and not trusted:
            return None
        session = new_secret()
        first_time = owner is None
        if owner is None:
            owner = User(new_id("usr"), "Local owner")
            await users.insert_user(connection, owner)
        await users.insert_session(
            connection, hash_secret(session), owner.user_id, datetime.now(UTC) + LOCAL_SESSION_LIFETIME
        )
    if first_time:
        await create_workspace(resources, owner, "My workspace")
    return session
