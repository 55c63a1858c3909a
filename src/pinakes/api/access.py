"""Who is calling: an API key, a session or an issuer's access token, as a bearer; the first two also in a cookie."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Cookie, Depends, Header, Query, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from pinakes.domain.errors import CallerError, Forbidden, ProviderFault, Unauthenticated
from pinakes.domain.identity import Identity, Scope, User
from pinakes.services import identities, sign_in
from pinakes.services.resources import Resources
from pinakes.wiring import App

SESSION_COOKIE = "pinakes_session"
KEY_PREFIX = "pk_"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
bearer = HTTPBearer(auto_error=False, description="An API key (`pk_…`), or an access token.")


def get_app(request: Request) -> App:
    """The running application."""
    return request.app.state.pinakes


def get_resources(app: Annotated[App, Depends(get_app)]) -> Resources:
    """What the use cases stand on."""
    return app.resources


ResourcesDep = Annotated[Resources, Depends(get_resources)]
_Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
_SessionCookie = Annotated[str | None, Cookie(alias=SESSION_COOKIE, include_in_schema=False)]


def session_token(request: Request, credentials: _Credentials, cookie: _SessionCookie = None) -> str | None:
    """The session the request carries, or the key in its cookie; a cookie must come from our own pages."""
    if credentials is not None:
        return None if credentials.credentials.startswith(KEY_PREFIX) else credentials.credentials
    if cookie is not None and request.method not in _SAFE:
        refuse_foreign_origin(request)
    return cookie


SessionToken = Annotated[str | None, Depends(session_token)]


async def get_user(resources: ResourcesDep, token: SessionToken, credentials: _Credentials) -> User:
    """The person calling; a program's key is not enough."""
    if token is None and credentials is None:
        raise _nobody()
    if token is None or token.startswith(KEY_PREFIX):
        raise Forbidden("An API key belongs to one workspace. Sign in as a person to do this.")
    # Else a token of a few minutes and of narrow scopes could become a session that has neither bound.
    if credentials is not None and _is_access_token(resources, token):
        raise Forbidden("An access token is a program's. Sign in as a person to do this.")
    return await sign_in.session_user(resources, token)


async def get_identity(
    resources: ResourcesDep,
    token: SessionToken,
    credentials: _Credentials,
    x_pinakes_workspace: Annotated[
        str | None, Header(description="The workspace to work in, for people in several.")
    ] = None,
) -> Identity:
    """The caller in one workspace."""
    if credentials is not None:
        return await identify_bearer(resources, credentials.credentials, x_pinakes_workspace)
    if token is None:
        raise _nobody()
    if token.startswith(KEY_PREFIX):
        return await sign_in.identify_key(resources, token)
    user = await sign_in.session_user(resources, token)
    return await sign_in.identify_user(resources, user, x_pinakes_workspace)


async def identify_bearer(resources: Resources, secret: str, workspace_id: str | None) -> Identity:
    """Whoever sends this as a bearer."""
    if secret.startswith(KEY_PREFIX):
        return await sign_in.identify_key(resources, secret)
    if _is_access_token(resources, secret):
        return await identities.identify_token(resources, secret, workspace_id)
    try:
        user = await sign_in.session_user(resources, secret)
    except Unauthenticated as unknown:
        raise Unauthenticated(
            f"This is no API key, which begins with '{KEY_PREFIX}', and no session that is still valid. "
            "Make a key, or sign in again."
        ) from unknown
    return await sign_in.identify_user(resources, user, workspace_id)


def _is_access_token(resources: Resources, secret: str) -> bool:
    """Whether this has the three parts that sessions never have, and anybody is trusted to make such."""
    return secret.count(".") == 2 and resources.issuer is not None


Caller = Annotated[Identity, Depends(get_identity)]


async def get_linked_identity(
    resources: ResourcesDep,
    token: SessionToken,
    credentials: _Credentials,
    x_pinakes_workspace: Annotated[
        str | None, Header(description="The workspace to work in, for people in several.")
    ] = None,
    workspace_id: Annotated[
        str | None, Query(alias="workspaceId", description="The same, for a link, which carries no headers.")
    ] = None,
) -> Identity:
    """The caller in one workspace, where a browser may be sent by a plain link."""
    return await get_identity(resources, token, credentials, workspace_id or x_pinakes_workspace)


LinkedCaller = Annotated[Identity, Depends(get_linked_identity)]


async def get_recheck(
    resources: ResourcesDep,
    token: SessionToken,
    credentials: _Credentials,
    x_pinakes_workspace: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> Callable[[], Awaitable[bool]]:
    """A way to ask, during a long answer, whether the caller may still have it."""

    async def still_allowed() -> bool:
        try:
            await get_identity(resources, token, credentials, x_pinakes_workspace)
        except (CallerError, ProviderFault):
            return False
        return True

    return still_allowed


Recheck = Annotated[Callable[[], Awaitable[bool]], Depends(get_recheck)]
Person = Annotated[User, Depends(get_user)]


async def identify(request: Request) -> Identity:
    """Who sends this, where no dependency can be asked."""
    credentials = await bearer(request)
    token = session_token(request, credentials, request.cookies.get(SESSION_COOKIE))
    workspace_id = request.headers.get("x-pinakes-workspace")
    return await get_identity(get_app(request).resources, token, credentials, workspace_id)


class WriterFirst(APIRoute):
    """Looks at who is calling before the body: the framework would first take in all of it, gigabytes perhaps."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind the question who sends something."""
        answer = super().get_route_handler()

        async def answer_writer(request: Request) -> Response:
            if request.method not in _SAFE:
                (await identify(request)).require(Scope.WRITE)
            return await answer(request)

        return answer_writer


def _nobody() -> Unauthenticated:
    return Unauthenticated("Sign in, or send an API key as 'Authorization: Bearer pk_…'.")


def refuse_foreign_origin(request: Request) -> None:
    """A browser says where a request comes from; another site must not act with our cookie."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        foreign = site not in {"same-origin", "none"}
    else:
        foreign = origin is not None and _host_of(origin) != request.headers.get("host")
    if foreign:
        raise Forbidden("This request came from another site and was refused.", code="CROSS_SITE")


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
