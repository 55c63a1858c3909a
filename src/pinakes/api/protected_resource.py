"""Where to get an access token, for clients that come without (RFC 9728); told only where an issuer is trusted."""

from collections.abc import Sequence

from fastapi import APIRouter, Request

from pinakes.api.access import get_app
from pinakes.domain.errors import NotFound
from pinakes.domain.identity import TOKEN_SCOPES, Scope

router = APIRouter(include_in_schema=False)
_WELL_KNOWN = "/.well-known/oauth-protected-resource"
_MCP_PATH = "/mcp"


@router.get(_WELL_KNOWN)
async def describe_api(request: Request) -> dict[str, object]:
    """The whole server as a protected resource."""
    return _describe(request, "", list(TOKEN_SCOPES))


@router.get(_WELL_KNOWN + _MCP_PATH)
async def describe_mcp(request: Request) -> dict[str, object]:
    """The protocol's endpoint as one; clients ask for all the scopes that stand here, and no tool needs more."""
    return _describe(request, _MCP_PATH, [name for name, scope in TOKEN_SCOPES.items() if scope is not Scope.ADMIN])


def challenge(request: Request) -> str:
    """What a client is told that did not say who it is, or not well enough."""
    if get_app(request).settings.oidc_issuer is None:
        return "Bearer"
    fault = 'error="invalid_token", ' if "authorization" in request.headers else ""
    return f"Bearer {fault}{_metadata(request)}"


def challenge_scopes(request: Request, scopes: Sequence[str]) -> str:
    """What a client is told whose token is good, but not for this: the scopes that the next one should have."""
    return f'Bearer error="insufficient_scope", scope="{" ".join(scopes)}", {_metadata(request)}'


def _metadata(request: Request) -> str:
    path = _MCP_PATH if request.url.path == _MCP_PATH else ""
    return f'resource_metadata="{_base_url(request)}{_WELL_KNOWN}{path}"'


def _describe(request: Request, path: str, scopes: list[str]) -> dict[str, object]:
    issuer = get_app(request).settings.oidc_issuer
    if issuer is None:
        raise NotFound("This server has no issuer of access tokens. Send an API key.")
    return {
        "resource": _base_url(request) + path,
        "authorization_servers": [issuer],
        "scopes_supported": scopes,
        "bearer_methods_supported": ["header"],
        "resource_name": "Pinakes",
    }


def _base_url(request: Request) -> str:
    return str(request.base_url).rstrip("/")
