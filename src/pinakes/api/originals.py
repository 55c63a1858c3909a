"""Originals over REST: whole or in parts, and never as something that a browser would run."""

import re
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response, StreamingResponse

from pinakes.api.access import ResourcesDep
from pinakes.api.errors import error_response
from pinakes.services.documents import open_download

router = APIRouter(tags=["Documents"])
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_BINARY = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


class _OutOfRange(Exception):
    """The original has no such bytes."""

    def __init__(self, size: int) -> None:
        self.size = size


@router.get(
    "/api/originals",
    response_class=StreamingResponse,
    name="fetch_original",
    responses={
        200: {"content": _BINARY, "description": "The file; with `Range` the part of it that was asked for, as 206."},
    },
)
async def fetch_original(
    resources: ResourcesDep,
    token: Annotated[str, Query(max_length=1000)],
    wanted: Annotated[str | None, Header(alias="range", description="`bytes=first-last`, one range.")] = None,
    if_range: Annotated[str | None, Header(description="The `ETag` of the file that the range is meant for.")] = None,
) -> Response:
    """The original a signed link stands for, or a part of it, always as an attachment."""
    chosen: range | None = None

    def choose_span(size: int, sha256: str) -> range | None:
        nonlocal chosen
        if if_range is None or if_range == _tag(sha256):
            chosen = find_span(wanted, size)
        return chosen

    try:
        download = await open_download(resources, token, choose_span)
    except _OutOfRange as error:
        refusal = error_response(416, f"The file has only {error.size} bytes.", "RANGE_NOT_SATISFIABLE")
        refusal.headers["content-range"] = f"bytes */{error.size}"
        return refusal
    size = download.size_bytes
    headers = {
        "accept-ranges": "bytes",
        "content-length": str(size if chosen is None else len(chosen)),
        "content-disposition": f"attachment; filename*=UTF-8''{quote(download.name, safe='')}",
        "content-security-policy": "sandbox; default-src 'none'",
        "cache-control": "private, no-store",
        "etag": _tag(download.sha256),
    }
    if chosen is not None:
        headers["content-range"] = f"bytes {chosen.start}-{chosen.stop - 1}/{size}"
    status = 200 if chosen is None else 206
    return StreamingResponse(download.content, status, headers, media_type="application/octet-stream")


def find_span(wanted: str | None, size: int) -> range | None:
    """The bytes that a Range header asks for; None for all, also where it asks in a way that may be ignored."""
    match = _RANGE.fullmatch(wanted.strip()) if wanted else None
    if match is None or match[1] == match[2] == "":
        return None
    if match[1] == "":
        first, last = max(size - int(match[2]), 0), size - 1
    else:
        first, last = int(match[1]), min(int(match[2] or size), size - 1)
        if match[2] and int(match[2]) < first:
            return None
    if first >= size:
        raise _OutOfRange(size)
    return range(first, last + 1)


def _tag(sha256: str) -> str:
    return f'"{sha256}"'
