"""The store of originals belongs to one installation, and says so."""

from pinakes.domain.errors import InvalidInput, NotFound
from pinakes.services.resources import Resources
from pinakes.store.installation import find_installation_id

STORE_MARK = "installation"


async def claim_store(resources: Resources) -> None:
    """Mark the store as ours; InvalidInput if it is another installation's, whose files a sweep would delete."""
    async with resources.database.transaction() as connection:
        own = await find_installation_id(connection)
    try:
        marked = (await resources.blobs.get(STORE_MARK)).decode(errors="replace").strip()
    except NotFound:
        await resources.blobs.put(STORE_MARK, f"{own}\n".encode())
        return
    if marked != own:
        raise InvalidInput(
            "The store of originals belongs to another installation: its object 'installation' names another "
            "database than this one. Set PINAKES_ORIGINALS to a place of its own, or connect the database that "
            "belongs to these files. If that database is gone for good, empty the store first."
        )
