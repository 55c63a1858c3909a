"""Who is asking, in which workspace, and what they may do there."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pinakes.domain.errors import Forbidden, InsufficientScope


class Scope(StrEnum):
    """What a credential may be used for."""

    READ = "read"
    WRITE = "write"
    ADMIN = "admin"


class Role(StrEnum):
    """What a member is in a workspace."""

    OWNER = "owner"
    EDITOR = "editor"
    VIEWER = "viewer"

    @property
    def scopes(self) -> frozenset[Scope]:
        """Everything a member of this role may do."""
        return _SCOPES[self]


# What the scopes are called in a token, where those of other services stand beside them.
TOKEN_SCOPES = {f"pinakes:{scope}": scope for scope in Scope}
_SCOPES = {
    Role.OWNER: frozenset({Scope.READ, Scope.WRITE, Scope.ADMIN}),
    Role.EDITOR: frozenset({Scope.READ, Scope.WRITE}),
    Role.VIEWER: frozenset({Scope.READ}),
}


@dataclass(frozen=True, slots=True)
class User:
    """A person."""

    user_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A caller in one workspace; `scopes` is what both role and credential allow."""

    user: User
    workspace_id: str
    role: Role
    scopes: frozenset[Scope]
    key_id: str | None = None
    has_token: bool = False

    @property
    def is_program(self) -> bool:
        """Whether a credential for programs came, an API key or an access token, and not a person's session."""
        return self.key_id is not None or self.has_token

    def require(self, scope: Scope) -> None:
        """Raise Forbidden unless the caller may do this."""
        if scope in self.scopes:
            return
        held = ", ".join(sorted(self.scopes)) or "none"
        needs = f"This needs the '{scope}' scope; yours are: {held}."
        if self.has_token and scope in self.role.scopes:
            # With those that it has: who gets another token for one scope more loses none.
            wanted = [name for name, each in TOKEN_SCOPES.items() if each == scope or each in self.scopes]
            raise InsufficientScope(f"{needs} Get an access token with the scope 'pinakes:{scope}'.", wanted)
        raise Forbidden(f"{needs} Ask an owner of the workspace for a key or role that has it.")


@dataclass(frozen=True, slots=True)
class Workspace:
    """The tenant boundary, with the role its reader has in it."""

    workspace_id: str
    name: str
    role: Role
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    """A person's place in a workspace."""

    user: User
    role: Role
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A program's credential, without its secret."""

    key_id: str
    user_id: str
    name: str
    hint: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What a token says that an issuer made for us; `scopes` is None where it names none of ours."""

    issuer: str
    subject: str
    name: str | None
    scopes: frozenset[Scope] | None


@dataclass(frozen=True, slots=True)
class LinkedIdentity:
    """A subject of an issuer that is known to be a certain person."""

    identity_id: str
    issuer: str
    subject: str
    linked_at: datetime


@dataclass(frozen=True, slots=True)
class Newcomers:
    """What becomes of people whom an issuer vouches for and nobody here knows yet."""

    workspace_id: str
    role: Role


@dataclass(frozen=True, slots=True)
class SignInLink:
    """A single-use secret that signs in, or invites into a workspace."""

    token: str
    expires_at: datetime


def hash_secret(secret: str) -> bytes:
    """What is stored of a key, link or session; the secrets are random, so one round is enough."""
    return hashlib.sha256(secret.encode()).digest()
