"""Whether everything the application needs is there."""

from psycopg import OperationalError
from psycopg_pool import PoolTimeout

from pinakes.domain.errors import ProviderFault
from pinakes.services.resources import Resources
from pinakes.store import health


async def check_readiness(resources: Resources) -> dict[str, str]:
    """Each thing by name: `ok`, or what is wrong with it."""
    checks = {
        "embedder": "ok" if resources.embedder else "keywords only",
        "originals": await _originals_state(resources),
    }
    try:
        async with resources.database.transaction() as connection:
            checks["database"] = "ok"
            checks["schema"] = await health.schema_state(connection)
            checks["role"] = await health.role_state(connection)
    except (OperationalError, PoolTimeout) as error:
        checks["database"] = f"does not answer ({error})"
    return checks


async def _originals_state(resources: Resources) -> str:
    try:
        await resources.blobs.check()
    except ProviderFault as fault:
        return fault.message
    return "ok"


async def count_jobs(resources: Resources) -> dict[str, int]:
    """Jobs in the queue by status."""
    async with resources.database.transaction() as connection:
        return await health.count_jobs(connection)
