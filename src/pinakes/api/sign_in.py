"""Signing in and out in a browser."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response

from pinakes.api.access import SESSION_COOKIE, Person, ResourcesDep, SessionToken
from pinakes.api.envelope import Success, succeed
from pinakes.api.workspaces import InvitationLink, sign_in_url
from pinakes.domain.errors import Unauthenticated
from pinakes.services import sign_in

router = APIRouter(tags=["Sign-in"])


@router.get("/sign-in", response_class=RedirectResponse, status_code=303, name="open_link")
async def open_link(
    request: Request,
    resources: ResourcesDep,
    session: SessionToken,
    token: Annotated[str, Query(max_length=200)],
) -> RedirectResponse:
    """Use a sign-in link or an invitation up, and go on signed in."""
    current = None
    if session is not None:
        try:
            current = await sign_in.session_user(resources, session)
        except Unauthenticated:
            current = None
    _, new_session = await sign_in.use_link(resources, token, current)
    response = RedirectResponse("/docs", status_code=303)
    response.set_cookie(
        SESSION_COOKIE,
        new_session,
        max_age=int(sign_in.SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/api/sign-in-links", status_code=201)
async def make_sign_in_link(request: Request, resources: ResourcesDep, person: Person) -> Success[InvitationLink]:
    """A single-use link with which I can sign in elsewhere within 15 minutes."""
    link = await sign_in.make_sign_in_link(resources, person)
    return succeed(InvitationLink(url=sign_in_url(request, link.token), expires_at=link.expires_at))


@router.post("/api/sign-out")
async def sign_out(response: Response, resources: ResourcesDep, session: SessionToken) -> Success[None]:
    """End this session."""
    if session is not None:
        await sign_in.sign_out(resources, session)
    response.delete_cookie(SESSION_COOKIE)
    return succeed(None)
