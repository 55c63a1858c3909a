"""Logs: one JSON object a line, with the request it belongs to."""

import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime

from opentelemetry import trace

request_id_var: ContextVar[str | None] = ContextVar("request_id", default=None)
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonFormatter(logging.Formatter):
    """Time, level, logger, message, request and trace ids, and whatever `extra` brought."""

    def format(self, record: logging.LogRecord) -> str:
        """One line of JSON."""
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if request_id := request_id_var.get():
            entry["requestId"] = request_id
        span = trace.get_current_span().get_span_context()
        if span.is_valid:
            entry["traceId"] = f"{span.trace_id:032x}"
        entry |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str, ensure_ascii=False)


def configure_logs(level: str) -> None:
    """Send every log line to standard error as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # The queue reports every job at INFO with its arguments; our own lines say it better.
    for name in ("procrastinate", "httpx", "httpx2", "psycopg.pool", "uvicorn.access", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
