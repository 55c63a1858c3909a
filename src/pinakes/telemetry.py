"""Traces: sent where the standard OpenTelemetry variables point, nowhere otherwise."""

import os

from opentelemetry import trace

from pinakes import __version__

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def configure_traces(service: str) -> None:
    """Export spans if, and only if, an endpoint is configured."""
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return
    # Heavy, and most have nowhere to send traces to.
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    provider = TracerProvider(resource=Resource.create({"service.name": service, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
