"""The web page: built files from our own address, under a policy that lets nothing else in."""

import functools
import secrets
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.convertors import Convertor, register_url_convertor

from pinakes.domain.errors import NotFound

router = APIRouter(include_in_schema=False)
BUILT = Path(__file__).parent.parent / "web"
_NONCE_MARK = "__STYLE_NONCE__"
_NOT_FOR_THE_PAGE = ("api", "docs", "assets", "sign-in", "healthz", "readyz", "metrics", "mcp", r"\.well-known")
# Mantine writes its variables into style elements; those carry a nonce, so that no other inline style counts.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; connect-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; worker-src 'self'; object-src 'none'; frame-src 'none'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)
# For the worker that reads PDFs, which has a policy of its own: its decoders, and nothing from elsewhere.
_FILE_POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; frame-ancestors 'none'; "
    "base-uri 'none'; form-action 'none'"
)
_ENCODINGS = {"br": ".br", "gzip": ".gz"}
_TYPES = {
    **dict.fromkeys((".js", ".mjs"), "text/javascript"),
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    # Character maps and fonts that a PDF may do without; the viewer fetches them.
    **dict.fromkeys((".bcmap", ".pfb", ".ttf"), "application/octet-stream"),
}
_NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Pinakes: the page is not built</title>
<h1>The page is not built yet</h1>
<p>The server is running, and the API and the command line work. Only this page is missing:
it is built when Pinakes is installed, which needs a package registry within reach.</p>
<p>To build it, run <code>make run</code>, or <code>pip install .</code>, in the project's folder, then load this
page again. The API is described at <a href="/docs">/docs</a>.</p>
"""


class _PagePath(Convertor[str]):
    """Any path that is not the API's: the page itself knows what to show there."""

    regex = "(?!(?:" + "|".join(_NOT_FOR_THE_PAGE) + ")(?:/|$)).*"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("page", _PagePath())


@router.get("/assets/{name}")
async def asset(name: str, request: Request) -> Response:
    """A built file; its name changes with its content, so it may be kept for ever."""
    if name not in _names(BUILT / "assets"):
        raise NotFound("There is no such file. Load the page again: it was probably updated.")
    return _file(BUILT / "assets" / name, request, "public, max-age=31536000, immutable")


@router.get("/{path:page}")
async def page(path: str, request: Request) -> Response:
    """A file beside the page, or else the page, which is always asked for anew."""
    index = BUILT / "index.html"
    if path != index.name and path in _names(BUILT):
        return _file(BUILT / path, request, "no-cache")
    if not index.is_file():
        headers = {"cache-control": "no-store", "content-security-policy": _POLICY.format(nonce=secrets.token_hex(16))}
        return HTMLResponse(_NOT_BUILT, 503, headers)
    nonce = secrets.token_urlsafe(16)
    headers = {"cache-control": "no-cache", "content-security-policy": _POLICY.format(nonce=nonce)}
    return HTMLResponse(_text(index, index.stat().st_mtime_ns).replace(_NONCE_MARK, nonce), headers=headers)


def _names(folder: Path) -> set[str]:
    """What may be asked for; a name that is none of these never becomes a path."""
    return {path.name for path in folder.iterdir() if path.suffix in _TYPES} if folder.is_dir() else set()


@functools.lru_cache(maxsize=1)
def _text(path: Path, _changed: int) -> str:
    return path.read_text(encoding="utf-8")


def _file(path: Path, request: Request, caching: str) -> Response:
    """A file, compressed the best way that the browser knows and the build made."""
    headers = {"cache-control": caching, "vary": "accept-encoding", "content-security-policy": _FILE_POLICY}
    wanted = {part.split(";")[0].strip() for part in request.headers.get("accept-encoding", "").split(",")}
    for encoding, suffix in _ENCODINGS.items():
        packed = path.with_name(path.name + suffix)
        if encoding in wanted and packed.is_file():
            headers["content-encoding"] = encoding
            return FileResponse(packed, headers=headers, media_type=_TYPES[path.suffix])
    return FileResponse(path, headers=headers, media_type=_TYPES[path.suffix])
