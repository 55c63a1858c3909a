"""The web application: routes, their surroundings, and the interactive documentation."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module, resources
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from pinakes import __version__
from pinakes.api import (
    activity,
    bundles,
    calibration,
    documents,
    embedders,
    generations,
    health,
    identities,
    knowledge_bases,
    notes,
    operations,
    originals,
    page,
    protected_resource,
    rerankers,
    sample,
    search,
    sign_in,
    templates,
    tools,
    uploads,
    workspaces,
)
from pinakes.api.envelope import Failure
from pinakes.api.errors import add_error_handlers
from pinakes.api.live import EventHub
from pinakes.api.middleware import Surroundings
from pinakes.wiring import App

if TYPE_CHECKING:
    from pinakes.api.mcp import McpEndpoint

_ROUTERS: tuple[APIRouter, ...] = (
    knowledge_bases.router,
    bundles.router,
    documents.router,
    originals.router,
    uploads.router,
    notes.router,
    templates.router,
    embedders.router,
    calibration.router,
    generations.router,
    rerankers.router,
    sample.router,
    search.router,
    operations.router,
    tools.router,
    activity.router,
    workspaces.router,
    sign_in.router,
    identities.router,
    protected_resource.router,
    health.router,
)
_FAILURES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Failure, "description": "The request cannot be done as asked; `error` says what to do."},
    "5XX": {"model": Failure, "description": "We could not do it; nothing was changed."},
}
_DOCS_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


def make_api() -> FastAPI:
    """The web application with nothing behind it yet: every route, and their description."""
    api = FastAPI(
        title="Pinakes",
        version=__version__,
        description="A knowledge layer for agents: documents in, cited passages out.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        generate_unique_id_function=_operation_id,
        responses=_FAILURES,
        # Its own spans would stand beside ours and take the children away from them.
        telemetry={"tracing": False, "metrics": False, "logs": False, "operation_spans": False},
    )
    # First: paths are tried in turn, and this is the one that agents call all the time.
    api.router.routes.append(Route("/mcp", endpoint=_Mcp()))
    for router in _ROUTERS:
        api.include_router(router)
    _add_docs(api)
    # Last: it answers every path that nothing else does.
    api.include_router(page.router)
    add_error_handlers(api)
    return api


@asynccontextmanager
async def open_api(app: App) -> AsyncGenerator[FastAPI]:
    """The web application over a running one, with its ear on the database's events."""
    api = make_api()
    api.state.pinakes = app
    api.add_middleware(Surroundings, settings=app.settings)
    async with EventHub().listening(app.resources.database) as hub, AsyncExitStack() as stack:
        api.state.events = hub
        api.state.mcp = _Protocol(app, stack)
        yield api


class _Mcp:
    """Where the Model Context Protocol is spoken, by whatever the running application has put there."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        await scope["app"].state.mcp(scope, receive, send)


class _Protocol:
    """The endpoint of the protocol, opened by the first who speaks it: its SDK takes most of a second to load."""

    def __init__(self, app: App, stack: AsyncExitStack) -> None:
        self._app = app
        self._stack = stack
        self._opening = asyncio.Lock()
        self._endpoint: McpEndpoint | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        endpoint = self._endpoint or await self._open()
        await endpoint(scope, receive, send)

    def dismiss(self) -> None:
        """End the streams of clients that listen."""
        if self._endpoint is not None:
            self._endpoint.dismiss()

    async def _open(self) -> "McpEndpoint":
        async with self._opening:
            if self._endpoint is not None:
                return self._endpoint
            module = await asyncio.to_thread(import_module, "pinakes.api.mcp")
            endpoint: McpEndpoint = module.McpEndpoint(self._app)
            self._endpoint = await self._stack.enter_async_context(endpoint.running())
            return endpoint


def _operation_id(route: APIRoute) -> str:
    first, *rest = route.name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _add_docs(api: FastAPI) -> None:
    """Interactive documentation from our own address: it must work with no network."""
    static = str(resources.files("fastapi_offline") / "static")
    api.mount("/docs/assets", StaticFiles(directory=static), name="docs-assets")

    @api.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        page = get_swagger_ui_html(
            openapi_url="/api/openapi.json",
            title="Pinakes API",
            swagger_js_url="/docs/assets/swagger-ui-bundle.js",
            swagger_css_url="/docs/assets/swagger-ui.css",
            swagger_favicon_url="data:,",
        )
        page.headers["content-security-policy"] = _DOCS_POLICY
        return page
