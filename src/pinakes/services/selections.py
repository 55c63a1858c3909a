"""The catalog a conversation is about: kept for its thread, or else for whoever calls."""

from pinakes.domain.identity import Identity, Scope
from pinakes.services.knowledge_bases import find_id_or_raise
from pinakes.services.resources import Resources
from pinakes.store import selections


async def select_catalog(
    resources: Resources, identity: Identity, reference: str | None, thread_id: str | None = None
) -> None:
    """Select a knowledge base for the questions that follow, or none."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        kb_id = None if reference is None else await find_id_or_raise(connection, identity, reference)
        await selections.set_selection(connection, identity.workspace_id, _selector(identity, thread_id), kb_id)


async def selected_catalog(resources: Resources, identity: Identity, thread_id: str | None = None) -> str | None:
    """The id of the knowledge base that is selected."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await selections.find_selection(connection, identity.workspace_id, _selector(identity, thread_id))


def _selector(identity: Identity, thread_id: str | None) -> str:
    """A thread belongs to whoever talks in it: another's thread of the same name is another thread."""
    whose = identity.key_id or identity.user.user_id
    return whose if thread_id is None else f"{identity.user.user_id}/thread/{thread_id}"
