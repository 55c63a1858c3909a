"""Who is asking, in which workspace, and what they may do there."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pinakes.domain.errors import Forbidden


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

    def require(self, scope: Scope) -> None:
        """Raise Forbidden unless the caller may do this."""
        if scope not in self.scopes:
            held = ", ".join(sorted(self.scopes)) or "none"
            raise Forbidden(
                f"This needs the '{scope}' scope; yours are: {held}. "
                "Ask an owner of the workspace for a key or role that has it."
            )


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
class SignInLink:
    """A single-use secret that signs in, or invites into a workspace."""

    token: str
    expires_at: datetime


def hash_secret(secret: str) -> bytes:
    """What is stored of a key, link or session; the secrets are random, so one round is enough."""
    return hashlib.sha256(secret.encode()).digest()
