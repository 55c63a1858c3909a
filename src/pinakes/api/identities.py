"""The subjects of the issuer that a person is, over REST."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Person, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.paths import IdentityId
from pinakes.domain.identity import LinkedIdentity
from pinakes.services import identities

router = APIRouter(prefix="/api/me/identities", tags=["Sign-in"])


class TokenIn(RequestModel):
    """An access token of the issuer; it is looked at once and not kept."""

    token: str = Field(min_length=1, max_length=16_384)


class IdentityOut(ApiModel):
    """Who a person is to an issuer."""

    id: str
    issuer: str
    subject: str
    linked_at: datetime


@router.get("")
async def list_identities(resources: ResourcesDep, person: Person) -> Success[list[IdentityOut]]:
    """The subjects whose access tokens count as mine."""
    return succeed([_identity(identity) for identity in await identities.list_identities(resources, person)])


@router.post("", status_code=201)
async def link_identity(body: TokenIn, resources: ResourcesDep, person: Person) -> Success[IdentityOut]:
    """Show an access token once: from then on whoever comes with one of its subject is me."""
    return succeed(_identity(await identities.link_identity(resources, person, body.token.strip())))


@router.delete("/{identityId}")
async def remove_identity(identity_id: IdentityId, resources: ResourcesDep, person: Person) -> Success[None]:
    """Let access tokens of this subject be nobody's, at once."""
    await identities.unlink_identity(resources, person, identity_id)
    return succeed(None)


def _identity(identity: LinkedIdentity) -> IdentityOut:
    return IdentityOut(
        id=identity.identity_id, issuer=identity.issuer, subject=identity.subject, linked_at=identity.linked_at
    )
