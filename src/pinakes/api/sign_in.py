"""Signing in and out in a browser."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response
from pydantic import Field

from pinakes.api.access import (
    SESSION_COOKIE,
    Person,
    ResourcesDep,
    SessionToken,
    refuse_foreign_origin,
)
from pinakes.api.envelope import RequestModel, Success, succeed
from pinakes.api.workspaces import InvitationLink, MeOut, describe_me, sign_in_url
from pinakes.domain.errors import Forbidden, Unauthenticated
from pinakes.services import sign_in
from pinakes.services.resources import Resources

router = APIRouter(tags=["Sign-in"])
# Where the page says that a link is of no use any more, and offers the other ways in.
_SPENT_LINK_PAGE = "/welcome?problem=link"
# Where it asks. The link's secret comes behind the '#', which no browser sends to a server or tells another site.
_QUESTION_PAGE = "/welcome/link"


class KeyIn(RequestModel):
    """The API key to sign in with."""

    key: str = Field(min_length=1, max_length=200)


@router.get("/sign-in", response_class=RedirectResponse, status_code=303, name="open_link")
async def open_link(
    request: Request,
    resources: ResourcesDep,
    session: SessionToken,
    token: Annotated[str, Query(max_length=200)],
) -> RedirectResponse:
    """Use a sign-in link or an invitation up, and go on signed in."""
    # A page led the browser here: another site's, or one of ours with a link that is part of a document.
    if request.headers.get("sec-fetch-site", "none") != "none":
        # An image with this address would sign somebody in behind their back.
        if request.headers.get("sec-fetch-dest", "document") != "document":
            raise Forbidden("A link is to be opened, not to be loaded by a page.", code="CROSS_SITE")
        # Else any site could have them go on, unawares, as somebody else.
        if session is not None:
            return RedirectResponse(f"{_QUESTION_PAGE}#{quote(token, safe='')}", status_code=303)
    return await _use_link(request, resources, session, token)


@router.post("/sign-in/agreed", include_in_schema=False)
async def agree_to_link(
    request: Request,
    resources: ResourcesDep,
    session: SessionToken,
    token: Annotated[str, Form(max_length=200)],
) -> RedirectResponse:
    """The answer to the question whether a link that came from elsewhere is to be used."""
    refuse_foreign_origin(request)
    return await _use_link(request, resources, session, token)


async def _use_link(request: Request, resources: Resources, session: str | None, token: str) -> RedirectResponse:
    current = None
    if session is not None:
        try:
            current = await sign_in.session_user(resources, session)
        except Unauthenticated:
            current = None
    try:
        used = await sign_in.use_link(resources, token, current)
    except Unauthenticated:
        if "text/html" not in request.headers.get("accept", ""):
            raise
        # Whoever is signed in already loses nothing by opening an old link again.
        return RedirectResponse("/" if current else _SPENT_LINK_PAGE, status_code=303)
    # The page says what was joined, and looks up itself whether that is so.
    response = RedirectResponse(f"/?joined={used.joined}" if used.joined else "/", status_code=303)
    _set_cookie(request, response, used.session)
    return response


@router.post("/api/session")
async def sign_in_with_key(
    body: KeyIn, request: Request, response: Response, resources: ResourcesDep
) -> Success[MeOut]:
    """Sign a browser in with an API key: it may do what the key may, for as long as the key holds."""
    refuse_foreign_origin(request)
    key = body.key.strip()
    caller = await sign_in.identify_key(resources, key)
    _set_cookie(request, response, key)
    return succeed(await describe_me(resources, caller))


@router.post("/api/sign-in-links", status_code=201)
async def make_sign_in_link(request: Request, resources: ResourcesDep, person: Person) -> Success[InvitationLink]:
    """A single-use link with which I can sign in elsewhere within 15 minutes."""
    link = await sign_in.make_sign_in_link(resources, person)
    return succeed(InvitationLink(url=sign_in_url(request, link.token), expires_at=link.expires_at))


@router.post("/api/sign-out")
async def sign_out(
    request: Request, response: Response, resources: ResourcesDep, session: SessionToken
) -> Success[None]:
    """End this session."""
    # Also where no cookie came: a form of another site comes without, and our answer would still remove it.
    refuse_foreign_origin(request)
    if session is not None:
        await sign_in.sign_out(resources, session)
    response.delete_cookie(SESSION_COOKIE)
    return succeed(None)


def _set_cookie(request: Request, response: Response, secret: str) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=int(sign_in.SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
