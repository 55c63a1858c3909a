"""What is counted, for Prometheus."""

from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

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


class _CountedElsewhere(Collector):
    """Counts that the query cache keeps itself, as they are when metrics are asked for."""

    def __init__(self) -> None:
        self.counts: Mapping[str, int] = {}

    def collect(self) -> Iterable[CounterMetricFamily]:
        family = CounterMetricFamily("pinakes_query_cache", "Questions looked up in the cache.", labels=["result"])
        for result, count in self.counts.items():
            family.add_metric([result], count)
        yield family


_QUERY_CACHE = _CountedElsewhere()
REGISTRY.register(_QUERY_CACHE)


def show_query_cache(*, hits: int, misses: int, errors: int) -> None:
    """Put the cache's counts among the metrics."""
    _QUERY_CACHE.counts = {"hit": hits, "miss": misses, "error": errors}


def render_metrics() -> bytes:
    """Everything in Prometheus' text format."""
    return generate_latest(REGISTRY)
