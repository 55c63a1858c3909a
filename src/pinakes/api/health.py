"""Is it alive, is it ready, and how busy is it."""

import ipaddress

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from pinakes import __version__
from pinakes.api.access import ResourcesDep, identify
from pinakes.api.envelope import ApiModel, Success, succeed
from pinakes.api.metrics import JOBS, render_metrics, show_query_cache
from pinakes.domain.errors import ProviderFault
from pinakes.services.readiness import check_readiness, count_jobs

router = APIRouter(tags=["Health"])
_PASSED_ON = frozenset({"x-forwarded-for", "forwarded", "x-real-ip", "via"})
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class HealthOut(ApiModel):
    """The process answers."""

    status: str
    version: str


class ReadyOut(ApiModel):
    """Each thing it needs, and whether it is there."""

    ready: bool
    checks: dict[str, str]


@router.get("/healthz")
async def healthz() -> Success[HealthOut]:
    """Whether the process lives."""
    return succeed(HealthOut(status="ok", version=__version__))


@router.get("/readyz")
async def readyz(resources: ResourcesDep) -> Success[ReadyOut]:
    """Whether it can do its work: database, schema, rights of its role, store."""
    checks = await check_readiness(resources)
    failing = {name: state for name, state in checks.items() if state not in {"ok", "keywords only"}}
    if failing:
        problems = "; ".join(f"{name}: {state}" for name, state in failing.items())
        raise ProviderFault(f"Not ready. {problems}", code="NOT_READY", details={"checks": checks})
    return succeed(ReadyOut(ready=True, checks=checks))


async def _may_read_metrics(request: Request) -> None:
    if not _is_local(request):
        await identify(request)


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "Prometheus' text."}},
    dependencies=[Depends(_may_read_metrics)],
)
async def metrics(resources: ResourcesDep) -> Response:
    """Counters for Prometheus; from another machine they need a key."""
    counts = await count_jobs(resources)
    JOBS.clear()
    for status, count in counts.items():
        JOBS.labels(status).set(count)
    cache = resources.query_cache.counts()
    show_query_cache(hits=cache.hits, misses=cache.misses, errors=cache.errors)
    return Response(render_metrics(), media_type="text/plain; version=0.0.4")


def _is_local(request: Request) -> bool:
    """Whether a program on this machine asks, and not a proxy on it for somebody elsewhere."""
    if request.url.hostname not in _LOCAL_NAMES or not _PASSED_ON.isdisjoint(request.headers.keys()):
        return False
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False
