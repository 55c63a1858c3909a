"""Logs: one JSON object a line, with the request it belongs to; at a terminal, short lines for people."""

import json
import logging
import re
import sys
from contextvars import ContextVar
from datetime import UTC, datetime

from opentelemetry import trace

request_id_var: ContextVar[str | None] = ContextVar("request_id", default=None)
# What a client sends must not steer the terminal it is logged on.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
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
        entry |= _extra(record)
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str, ensure_ascii=False)


class TerminalFormatter(logging.Formatter):
    """The time of day, the message and what `extra` brought; from warnings on the level and the request as well."""

    def format(self, record: logging.LogRecord) -> str:
        """One line, and a traceback where there is one."""
        parts = [f"{datetime.fromtimestamp(record.created).astimezone():%H:%M:%S}"]
        extra = _extra(record)
        if record.levelno >= logging.WARNING:
            parts.append(record.levelname)
            if request_id := request_id_var.get():
                extra["requestId"] = request_id
        parts.append(record.getMessage())
        parts += [f"{key}={value}" for key, value in extra.items() if value is not None]
        line = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", " ".join(parts))
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _extra(record: logging.LogRecord) -> dict[str, object]:
    return {key: value for key, value in vars(record).items() if key not in _STANDARD}


def configure_logs(level: str) -> None:
    """Send every log line to standard error: as JSON, unless a person looks at it."""
    handler = logging.StreamHandler(sys.stderr)
    at_terminal = sys.stderr.isatty()
    handler.setFormatter(TerminalFormatter() if at_terminal else JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # The queue reports every job at INFO with its arguments; our own lines say it better.
    for name in ("procrastinate", "httpx", "httpx2", "psycopg.pool", "uvicorn.access", "mcp"):
        logging.getLogger(name).setLevel(logging.WARNING)
    if at_terminal:
        # That the server has started is said in words, with the link; these four lines would stand above it.
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
