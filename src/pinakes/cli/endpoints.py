"""What the commands for embedders and re-rankers share: both are models that a workspace brings itself."""

import sys
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from pinakes.cli.client import connect, path_part
from pinakes.cli.terminal import out, run, say
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

Kind = Literal["embedders", "rerankers"]
Show = Callable[[Any], None]
KeyOption = Annotated[
    str | None, typer.Option("--api-key", help="Its API key; - to be asked for it, or to read it from standard input.")
]
_ASK = "-"


def list_them(kind: Kind, show: Show, *, as_json: bool) -> None:
    """List the workspace's."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get(f"/api/{kind}")

    run(work, show, as_json=as_json)


def add(kind: Kind, show: Show, *, as_json: bool, **fields: Any) -> None:
    """Add one of which this is given; fields are called as in the API."""

    async def work(settings: Settings) -> Any:
        body = _given(fields)
        async with connect(settings) as client:
            return await client.post(f"/api/{kind}", json=body)

    run(work, show, as_json=as_json)


def try_out(kind: Kind, reference: str, show: Show, *, as_json: bool) -> None:
    """Call one once and say whether it works."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"/api/{kind}/{path_part(reference)}/test")

    run(work, show, as_json=as_json)


def update(kind: Kind, reference: str, *, as_json: bool, **fields: Any) -> None:
    """Change of one what is given; fields are called as in the API."""

    async def work(settings: Settings) -> Any:
        body = _given(fields)
        if not body:
            raise InvalidInput("Nothing to change: give an option that says what, for instance --api-key or --name.")
        async with connect(settings) as client:
            return await client.call("PATCH", f"/api/{kind}/{path_part(reference)}", json=body)

    def show(changed: Any) -> None:
        say(f"Changed {changed['name']}. See whether it works: `pinakes {kind} test {changed['id']}`.")

    run(work, show, as_json=as_json)


def remove(kind: Kind, reference: str, *, as_json: bool) -> None:
    """Remove one."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.delete(f"/api/{kind}/{path_part(reference)}")

    run(work, lambda _: out.print("Removed."), as_json=as_json)


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    """What a person gave, with the key read where it is to be asked for."""
    given = {name: value for name, value in fields.items() if value is not None}
    return given | {"apiKey": _read_key()} if given.get("apiKey") == _ASK else given


def _read_key() -> str:
    """Typed without an echo, or piped in; so that it stands in no history and no list of processes."""
    return str(typer.prompt("API key", hide_input=True)) if sys.stdin.isatty() else sys.stdin.readline().strip()
