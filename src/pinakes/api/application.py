"""The web application: routes, their surroundings, and the interactive documentation."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib import resources
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles

from pinakes import __version__
from pinakes.api import (
    activity,
    bundles,
    calibration,
    documents,
    embedders,
    generations,
    health,
    knowledge_bases,
    notes,
    operations,
    originals,
    page,
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
    # The tokenizer takes half a second to load; the first search should not wait for it.
    warming = asyncio.create_task(asyncio.to_thread(app.resources.count_tokens, ""))
    async with EventHub().listening(app.resources.database) as hub:
        api.state.events = hub
        yield api
    await warming


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
