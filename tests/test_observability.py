"""Health, metrics, logs and traces."""

import gzip
import io
import json
import logging
import re
import sys
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from harness import Server, Workspace, data_of, failure_of, remove_home, wait_for
from pinakes import __version__
from pinakes.logs import configure_logs

# Health and metrics ----------------------------------------------------------------------------


def test_a_server_says_that_it_lives_and_that_it_is_ready_without_a_credential(server: Server) -> None:
    # F4
    assert data_of(httpx.get(f"{server.url}/healthz")) == {"status": "ok", "version": __version__}
    ready = data_of(httpx.get(f"{server.url}/readyz"))
    assert ready["ready"] is True
    assert ready["checks"]
    assert set(ready["checks"].values()) <= {"ok", "keywords only"}


def metric(server: Server, name: str, **labels: str) -> float:
    """The value of one time series, 0 where there is none yet."""
    answer = httpx.get(f"{server.url}/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in answer.text.splitlines():
        found = re.fullmatch(rf"{name}(?:{{(.*)}})? (\S+)", line)
        if found and dict(re.findall(r'(\w+)="([^"]*)"', found[1] or "")) == labels:
            return float(found[2])
    return 0.0


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Real-IP", "Via"])
def test_what_a_proxy_on_this_machine_passes_on_is_not_from_this_machine(header: str, server: Server) -> None:
    # F2, F4
    passed_on = httpx.get(f"{server.url}/metrics", headers={header: "127.0.0.1"})
    failure_of(passed_on, 401, "UNAUTHENTICATED")


def test_requests_searches_and_jobs_are_counted(server: Server, workspace: Workspace) -> None:
    # F4
    route = {"method": "POST", "route": "/api/search", "status": "200"}
    before = [
        metric(server, "pinakes_requests_total", **route),
        metric(server, "pinakes_searches_total", found="true"),
        metric(server, "pinakes_searches_total", found="false"),
        metric(server, "pinakes_jobs", status="succeeded"),
    ]
    workspace.search("nothing is here")
    workspace.add(workspace.make_kb(), "owls.txt", "Owls hunt at night.")
    workspace.search("owls")
    wait_for(lambda: metric(server, "pinakes_jobs", status="succeeded") >= before[3] + 1, "the job is not counted")
    assert metric(server, "pinakes_requests_total", **route) == before[0] + 2
    assert metric(server, "pinakes_searches_total", found="true") == before[1] + 1
    assert metric(server, "pinakes_searches_total", found="false") == before[2] + 1
    assert metric(server, "pinakes_request_seconds_count", method="POST", route="/api/search") >= 2


def test_no_id_and_no_unknown_path_becomes_a_time_series(server: Server, workspace: Workspace) -> None:
    # F4
    kb = workspace.make_kb()
    workspace.client.get(f"/api/knowledge-bases/{kb}")
    workspace.client.get("/api/no/such/place-nobody-knows-me")
    text = httpx.get(f"{server.url}/metrics").text
    assert kb not in text
    assert "nobody-knows-me" not in text
    assert 'route="unmatched"' in text


# Logs ------------------------------------------------------------------------------------------


@contextmanager
def new_lines(server: Server) -> Generator[list[dict[str, Any]]]:
    """What the server logs during the block; a line that is not JSON is an error."""
    lines: list[dict[str, Any]] = []
    path = server.home / "server.log"
    start = path.stat().st_size
    yield lines
    lines += [json.loads(line) for line in path.read_bytes()[start:].decode().splitlines()]


def test_each_request_is_a_line_of_json_with_the_id_of_the_answer(server: Server, workspace: Workspace) -> None:
    # F4
    with new_lines(server) as lines:
        found = workspace.client.get("/api/knowledge-bases")
        missing = workspace.client.get("/api/documents/doc_nothere")
        assert found.headers["x-request-id"] != missing.headers["x-request-id"]
        # The line is written once the answer is sent.
        log = server.home / "server.log"
        wait_for(lambda: missing.headers["x-request-id"] in log.read_text(), "the request is not logged")
    by_id = {line["requestId"]: line for line in lines if line["logger"] == "pinakes.request"}
    line = by_id[found.headers["x-request-id"]]
    assert (line["level"], line["message"], line["status"]) == ("INFO", "GET /api/knowledge-bases", 200)
    assert line["durationMs"] > 0
    assert line["time"].endswith("+00:00")
    assert by_id[missing.headers["x-request-id"]]["status"] == 404


def test_a_request_id_of_the_client_is_kept_if_it_is_a_sane_one(server: Server, workspace: Workspace) -> None:
    # F4
    with new_lines(server) as lines:
        kept = workspace.client.get("/api/me", headers={"X-Request-Id": "trace-me.7:1"})
        for given in ('x" injected="1', "x" * 65, "a b", ""):
            answer = workspace.client.get("/api/me", headers={"X-Request-Id": given})
            assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["x-request-id"])
    assert kept.headers["x-request-id"] == "trace-me.7:1"
    assert [line["status"] for line in lines if line.get("requestId") == "trace-me.7:1"] == [200]


def test_logs_hold_no_secret_and_nothing_people_wrote(server: Server, workspace: Workspace) -> None:
    # F4, C3
    kb = workspace.make_kb("Quxsecretname")
    with new_lines(server) as lines:
        document = workspace.add(kb, "quxfilename.txt", "Quxcontent is here.", tags=["quxtag"], title="Quxtitle")
        workspace.add(kb, "quxbad.pdf", b"%PDF-1.7 quxbroken")
        workspace.search("Quxquery about owls", tagFilters=[{"tagName": "quxfilter", "tagValue": "x"}])
        data_of(workspace.client.post("/api/ask", json={"query": "Quxquestion"}))
        failure_of(workspace.client.post("/api/search", json={"query": "Quxinvalid\0"}), 422)
        failure_of(workspace.client.get(f"/api/knowledge-bases/{kb}/documents?tag=quxparameter%00"), 422)
        link = data_of(workspace.client.get(f"/api/documents/{document['id']}/download"))["url"]
        httpx.get(link)
        httpx.get(f"{server.url}/api/me", headers={"Authorization": "Bearer pk_quxkey_quxkeysecret"})
    assert lines
    text = json.dumps(lines).lower()
    assert "qux" not in text, re.findall(r".{0,60}qux.{0,60}", text)
    for secret in (
        workspace.key,
        workspace.key.rpartition("_")[2],
        (server.home / "owner.token").read_text().strip(),
        link.partition("token=")[2],
    ):
        assert secret.lower() not in text


class Terminal(io.StringIO):
    """Somewhere a person looks."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def test_at_a_terminal_logs_are_short_lines_that_cannot_steer_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # F4
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    try:
        configure_logs("INFO")
        logging.getLogger("pinakes.request").info("GET /a\x1b[2J", extra={"status": 200, "durationMs": 1.5})
        logging.getLogger("pinakes.request").warning("GET /b", extra={"status": 500})
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    first, second = shown.getvalue().splitlines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d GET /a\\x1b\[2J status=200 durationMs=1\.5", first)
    assert re.fullmatch(r"\d\d:\d\d:\d\d WARNING GET /b status=500", second)


# Traces ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Span:
    """One step of a trace."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    attributes: str


class Collector:
    """Takes spans in over HTTP as an OpenTelemetry collector does."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                if self.headers.get("content-encoding") == "gzip":
                    body = gzip.decompress(body)
                assert self.path == "/v1/traces"
                collector.take(body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                del format, args

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            services = [a.value.string_value for a in resource.resource.attributes if a.key == "service.name"]
            for scope in resource.scope_spans:
                self.spans += [
                    Span(
                        services[0],
                        span.name,
                        span.trace_id.hex(),
                        span.span_id.hex(),
                        span.parent_span_id.hex(),
                        str(span.attributes),
                    )
                    for span in scope.spans
                ]

    def trace(self, trace_id: str, *names: str) -> dict[str, Span]:
        """The spans of a trace by name, once all of these have come."""

        def found() -> dict[str, Span] | None:
            spans = {span.name: span for span in self.spans if span.trace == trace_id}
            return spans if set(names) <= set(spans) else None

        return wait_for(found, f"{names} are not all among {[span.name for span in self.spans]}", seconds=20)


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    """A collector that listens."""
    collector = Collector()
    yield collector
    collector.server.shutdown()


@pytest.fixture(scope="module")
def traced(collector: Collector, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace of a server that sends its traces to the collector."""
    home: Path = tmp_path_factory.mktemp("traced") / "home"
    environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": collector.url, "OTEL_BSP_SCHEDULE_DELAY": "100"}
    server = Server(home, environment).start()
    yield server.new_workspace()
    server.stop()
    remove_home(home)


def test_an_upload_is_one_trace_from_the_request_to_the_last_step_in_the_worker(
    traced: Workspace, collector: Collector
) -> None:
    # F4
    kb = traced.make_kb()
    answer = traced.upload(kb, "owls.txt", "Owls hunt at night. Zqcontent.")
    assert traced.settle(data_of(answer)["document"]["id"])["status"] == "indexed"
    request = f"POST /api/knowledge-bases/{kb}/documents"
    wait_for(lambda: request in {span.name for span in collector.spans}, "no span of the request")
    (trace_id,) = {span.trace for span in collector.spans if span.name == request}
    steps = ("parse", "chunk", "embed", "write")
    spans = collector.trace(trace_id, request, "upload", "index", *steps)
    assert spans[request].parent == ""
    assert spans["upload"].parent == spans[request].id
    assert spans["index"].parent == spans["upload"].id
    for step in steps:
        assert spans[step].parent == spans["index"].id
        assert spans[step].service == "pinakes-worker"
    assert spans[request].service == "pinakes-api"
    assert data_of(answer)["operationId"] in spans["index"].attributes


def test_a_search_has_its_spans_and_they_do_not_tell_the_question(traced: Workspace, collector: Collector) -> None:
    # F4
    kb = traced.make_kb("Searched")
    traced.add(kb, "owls.txt", "Owls hunt at night.")
    trace_id, caller = "0af7651916cd43dd8448eb211c80319c", "00f067aa0ba902b7"
    traced.client.post(
        "/api/ask",
        json={"query": "Zqquestion about owls", "knowledgeBaseIds": [kb]},
        headers={"traceparent": f"00-{trace_id}-{caller}-01"},
    )
    spans = collector.trace(trace_id, "POST /api/ask", "search", "embed_query", "answer")
    # The caller's own trace goes on here.
    assert spans["POST /api/ask"].parent == caller
    assert spans["search"].parent == spans["POST /api/ask"].id
    assert spans["embed_query"].parent == spans["search"].id
    assert spans["answer"].parent == spans["POST /api/ask"].id
    assert "pinakes.hits" in spans["search"].attributes
    assert "Zq" not in "".join(span.name + span.attributes for span in collector.spans)


def test_two_requests_are_two_traces(traced: Workspace, collector: Collector) -> None:
    # F4
    for _ in range(2):
        traced.client.get("/api/me")
    wait_for(lambda: len([span for span in collector.spans if span.name == "GET /api/me"]) >= 2, "no spans")
    traces = [span.trace for span in collector.spans if span.name == "GET /api/me"]
    assert len(set(traces)) == len(traces)
