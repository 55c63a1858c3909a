"""Around every request: host check, size limit, request id, security headers, log line, metrics, trace."""

import logging
import re
import secrets
import time
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.trace import SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pinakes.api.errors import BodyTooLarge, broken_response, error_response
from pinakes.api.metrics import REQUEST_SECONDS, REQUESTS
from pinakes.logs import request_id_var
from pinakes.settings import Settings

log = logging.getLogger("pinakes.request")
_tracer = trace.get_tracer("pinakes")
_propagator = TraceContextTextMapPropagator()
_GONE = 499
_BODY_BYTES = 2 * 1024 * 1024
# What the other fields of an upload and the multipart framing may take.
_FORM_BYTES = 1024 * 1024
_UPLOAD_PATH = re.compile(r"/api/knowledge-bases/[^/]+/(?:documents|archives)")
_IMPORT_PATH = "/api/knowledge-bases/import"
# A tool may be given a file, as base64.
_CALL_PATH = re.compile(r"/mcp|/api/tools/[^/]+")
# A call is read at once, and everybody waits for it: a file is one value, fifty of the longest notes are fewer by far.
_MOST_VALUES = 2_000_000
_HOST = re.compile(r"(?:\[(?P<bracketed>[^\]]+)\]|(?P<plain>[^:@/\[\]]+))(?::\d*)?")
_REQUEST_ID = re.compile(r"[\w.:-]{1,64}")
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    # Pages bring a policy of their own; nothing else is meant to be shown or run.
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}


@dataclass
class _Exchange:
    """What is known about a request while it is being answered."""

    request_id: str
    status: int = 500
    started: float = field(default_factory=time.perf_counter)
    answering: bool = False


class Surroundings:
    """The ASGI layer every HTTP request goes through."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass on what is not HTTP."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        exchange = _Exchange(given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8))
        token = request_id_var.set(exchange.request_id)
        context = _propagator.extract(dict(headers))
        try:
            with _tracer.start_as_current_span(
                f"{scope['method']} {scope['path']}", context=context, kind=SpanKind.SERVER
            ) as span:
                await self._answer(scope, headers, receive, send, exchange)
                span.set_attribute("http.response.status_code", exchange.status)
        finally:
            _report(scope, exchange)
            request_id_var.reset(token)

    async def _answer(self, scope: Scope, headers: Headers, receive: Receive, send: Send, exchange: _Exchange) -> None:
        async def send_out(message: Message) -> None:
            if message["type"] == "http.response.start":
                exchange.status, exchange.answering = message["status"], True
                out = MutableHeaders(raw=message["headers"])
                out["x-request-id"] = exchange.request_id
                for name, value in _HEADERS.items():
                    out.setdefault(name, value)
                # What has a tag is a file that everybody gets, or says itself how long it may be kept.
                if "etag" not in out:
                    out.setdefault("cache-control", "no-store")
                message["headers"] = out.raw
            await send(message)

        if _host_name(headers.get("host", "")).lower() not in self._settings.hosts:
            refused = error_response(
                421,
                "This server does not answer to that host name. Set PINAKES_ALLOWED_HOSTS to allow it.",
                "HOST_NOT_ALLOWED",
            )
            await refused(scope, receive, send_out)
            return
        limit, refusal = self._body_limit(scope, headers)
        if _declared_length(headers) > limit:
            await error_response(413, refusal.detail, refusal.code)(scope, receive, send_out)
            return
        try:
            await self._app(self._as_public(scope), _counting(scope, receive, limit, refusal), send_out)
        except ClientDisconnect:
            # Gone before all was said: nobody is left to be answered.
            exchange.status = _GONE
        except Exception as error:
            if exchange.answering:
                raise
            await broken_response(error)(scope, receive, send_out)

    def _as_public(self, scope: Scope) -> Scope:
        """The request as people made it before a proxy passed it on: links and cookies are made for that address."""
        if self._settings.public_url is None:
            return scope
        public = urlsplit(self._settings.public_url)
        headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
        return {**scope, "scheme": public.scheme, "headers": [*headers, (b"host", public.netloc.encode())]}

    def _body_limit(self, scope: Scope, headers: Headers) -> tuple[int, BodyTooLarge]:
        """How much a route takes, and what to say to more."""
        upload = scope["method"] == "POST" and _UPLOAD_PATH.fullmatch(scope["path"])
        bundle = scope["method"] == "POST" and scope["path"] == _IMPORT_PATH
        limits = self._settings.limits
        # Nobody in particular gets no 50 MB of our attention.
        somebody = "authorization" in headers or "cookie" in headers
        if bundle and somebody:
            refusal = BodyTooLarge(limits.bundle_too_large("The bundle"), "BUNDLE_TOO_LARGE")
            return limits.bundle_bytes + _FORM_BYTES, refusal
        if upload and somebody:
            return limits.file_bytes + _FORM_BYTES, BodyTooLarge(limits.file_too_large("The file"), "FILE_TOO_LARGE")
        if scope["method"] == "POST" and _CALL_PATH.fullmatch(scope["path"]) and somebody:
            return limits.call_bytes, BodyTooLarge(limits.file_too_large("The file"), "FILE_TOO_LARGE")
        message = f"The body is larger than {_BODY_BYTES // 1024 // 1024} MB. Send less."
        return _BODY_BYTES, BodyTooLarge(message, "BODY_TOO_LARGE")


def _declared_length(headers: Headers) -> int:
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() else 0


def _counting(scope: Scope, receive: Receive, limit: int, refusal: BodyTooLarge) -> Receive:
    """Stop reading once more has come than is allowed, whatever the length header said."""
    is_call = _CALL_PATH.fullmatch(scope["path"]) is not None
    received = values = 0

    async def receive_some() -> Message:
        nonlocal received, values
        part = await receive()
        body = part.get("body", b"")
        received += len(body)
        # What stands in texts is counted as well, which is quicker than to tell the two apart.
        values += body.count(b",") + body.count(b"[") + body.count(b"{") if is_call else 0
        if received > limit:
            raise refusal
        if values > _MOST_VALUES:
            message = f"The call holds more than {_MOST_VALUES:,} values. Send less at once."
            raise BodyTooLarge(message, "BODY_TOO_LARGE")
        return part

    return receive_some


def _host_name(host: str) -> str:
    """The name without its port; brackets of an IPv6 address are no part of it."""
    match = _HOST.fullmatch(host)
    return (match["bracketed"] or match["plain"]) if match else ""


def _report(scope: Scope, exchange: _Exchange) -> None:
    seconds = time.perf_counter() - exchange.started
    # The pattern, not the path: ids would make a time series each.
    route = getattr(scope.get("route"), "path", "unmatched")
    REQUESTS.labels(scope["method"], route, exchange.status).inc()
    REQUEST_SECONDS.labels(scope["method"], route).observe(seconds)
    log.info(
        "%s %s",
        scope["method"],
        scope["path"],
        extra={"status": exchange.status, "durationMs": round(seconds * 1000, 1)},
    )
