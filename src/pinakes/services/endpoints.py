"""What a workspace brings that is served over HTTP: its API key, its first call, its name."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from pinakes.domain.endpoint import hint_of, same_origin
from pinakes.domain.errors import Conflict, DocumentFault, InvalidInput, PinakesError, ProviderFault
from pinakes.services.resources import Resources

T = TypeVar("T")
_TRIAL_SECONDS = 60


def seal_key(resources: Resources, workspace_id: str, purpose: str, key: str | None) -> tuple[bytes | None, str | None]:
    """A key as it is stored, and how it ends."""
    return (resources.vault.seal(workspace_id, purpose, key), hint_of(key)) if key else (None, None)


def open_key(
    resources: Resources, workspace_id: str, purpose: str, sealed: bytes | None, *, name: str, reference: str
) -> str | None:
    """The key itself, or ProviderFault with how to enter it again; `purpose` is also what people call its holder."""
    try:
        return resources.vault.open(workspace_id, purpose, sealed) if sealed else None
    except PinakesError as error:
        raise ProviderFault(
            f"The API key of the {purpose} '{name}' cannot be read. {error.message} "
            f"To enter it: `pinakes {purpose}s update {reference} --api-key -`."
        ) from error


def check_key_stays(before_url: str, url: str, *, holds_key: bool) -> None:
    """Raise InvalidInput where a stored key would go to another server.

    Otherwise whoever may change the address could have the key sent to an address of their own.
    """
    if holds_key and not same_origin(before_url, url):
        raise InvalidInput("The key was given for another address. Give the key for the new one along with it.")


async def try_out(attempt: Awaitable[T], purpose: str, name: str) -> T:
    """What a first call brings, or InvalidInput: whoever sets it up can mend it."""
    code = f"{purpose.upper()}_UNUSABLE"
    try:
        async with asyncio.timeout(_TRIAL_SECONDS):
            return await attempt
    except (ProviderFault, DocumentFault) as fault:
        raise InvalidInput(fault.message, code=code) from fault
    except TimeoutError as error:
        raise InvalidInput(f"The {purpose} '{name}' does not answer.", code=code) from error


def name_exists(purpose: str, name: str) -> Conflict:
    """That another one has this name."""
    return Conflict(f"Another {purpose} is named '{name}' already. Choose another name.", code="NAME_EXISTS")


def changed_meanwhile(purpose: str, name: str) -> Conflict:
    """That somebody else was faster."""
    return Conflict(f"The {purpose} '{name}' was changed meanwhile. Look at it and try again.")
