"""Which tools agents may call in a workspace."""

from collections.abc import Mapping

from pinakes.domain.errors import Forbidden
from pinakes.domain.identity import Identity, Scope
from pinakes.services.resources import Resources
from pinakes.store import tool_switches
from pinakes.store.events import ToolsSwitched, publish


async def list_switched(resources: Resources, identity: Identity) -> dict[str, bool]:
    """The tools that somebody has switched, and whether they are on; the others are as they came."""
    return await tool_switches.list_switches(resources.database, identity.workspace_id)


async def switch_tools(resources: Resources, identity: Identity, switched: Mapping[str, bool]) -> None:
    """Switch tools on or off and tell whoever watches; each by itself, so that two people at once lose nothing."""
    identity.require(Scope.ADMIN)
    if identity.is_program:
        credential = "an access token" if identity.has_token else "an API key"
        raise Forbidden(
            f"Tools are switched by people. Do it in the page, or on the command line, not with {credential}."
        )
    async with resources.database.transaction(identity.workspace_id) as connection:
        for tool, is_on in sorted(switched.items()):
            await tool_switches.set_switch(connection, identity.workspace_id, tool, is_on, identity.user.user_id)
        await publish(connection, ToolsSwitched(identity.workspace_id))
