"""What is counted, for Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

REGISTRY = CollectorRegistry()
REQUESTS = Counter(
    "pinakes_requests", "Requests by route and status.", ["method", "route", "status"], registry=REGISTRY
)
REQUEST_SECONDS = Histogram(
    "pinakes_request_seconds",
    "Time to answer a request.",
    ["method", "route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=REGISTRY,
)
SEARCHES = Counter("pinakes_searches", "Searches by whether anything was found.", ["found"], registry=REGISTRY)
JOBS = Gauge("pinakes_jobs", "Jobs in the queue by status.", ["status"], registry=REGISTRY)


def render_metrics() -> bytes:
    """Everything in Prometheus' text format."""
    return generate_latest(REGISTRY)
