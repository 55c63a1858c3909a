"""Carrying a trace from the request into the job it starts."""

from opentelemetry.context import Context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_propagator = TraceContextTextMapPropagator()


def current_traceparent() -> str | None:
    """The current trace as it is stored with an operation."""
    carrier: dict[str, str] = {}
    _propagator.inject(carrier)
    return carrier.get("traceparent")


def trace_context(traceparent: str | None) -> Context:
    """The context a job's spans hang under."""
    return _propagator.extract({"traceparent": traceparent} if traceparent else {})
