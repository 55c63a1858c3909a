"""`pinakes kb switch` and its companions: a knowledge base's embedding model, changed and changed back."""

import asyncio
from typing import Annotated, Any

import typer

from pinakes.cli.client import Client, connect, path_part
from pinakes.cli.knowledge import KbArgument
from pinakes.cli.terminal import JsonOption, moment, note, out, print_table, run, say
from pinakes.domain.errors import NotFound
from pinakes.settings import Settings

_POLL_SECONDS = 0.5
_RUNNING = frozenset({"pending", "running"})


def switch(
    kb: KbArgument,
    embedder: Annotated[
        str, typer.Option(help="Embedder: name or id, builtin for the built-in model, none for keywords only.")
    ],
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it answers with the new one.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Switch a knowledge base to another embedding model, or back.

    Every passage is embedded in the background. Until that is done searches are answered as before; afterwards the
    old embeddings are kept, so that switching back embeds only what was added meanwhile.
    """

    async def work(settings: Settings) -> Any:
        async with connect(settings, work=wait) as client:
            operation = await client.post(f"{await client.kb_path(kb)}/generations", json={"embedder": embedder})
            return await _wait_for(client, operation) if wait else operation

    def show(operation: Any) -> None:
        if operation["status"] == "completed":
            say(f"{operation['knowledgeBaseName']} answers with {embedder} now. The generation before is kept.")
        elif operation["status"] in _RUNNING:
            say(f"Switching {operation['knowledgeBaseName']} in the background: {operation['id']}.")
        else:
            say(f"The switch {operation['status']}: {operation['error'] or 'it was cancelled.'}")

    run(work, show, as_json=as_json, failed=lambda operation: operation["status"] in {"failed", "terminated"})


def cancel_switch(kb: KbArgument, as_json: JsonOption = False) -> None:
    """Stop a switch that is under way; the knowledge base goes on answering as before."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            for generation in await client.get(f"{await client.kb_path(kb)}/generations"):
                if generation["operationId"] is not None:
                    return await client.post(f"/api/operations/{generation['operationId']}/cancel")
            raise NotFound("This knowledge base is not being switched.")

    run(work, lambda operation: say(f"{operation['knowledgeBaseName']} stays as it is."), as_json=as_json)


def list_generations(kb: KbArgument, as_json: JsonOption = False) -> None:
    """List the embedding models a knowledge base answers with, answered with, or will."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get(f"{await client.kb_path(kb)}/generations")

    def show(generations: Any) -> None:
        rows = [
            (g["embedder"], g["dims"] or "none", g["state"], g["chunkCount"], moment(g["createdAt"]), g["id"])
            for g in generations
        ]
        print_table(("EMBEDDER", "DIMENSIONS", "STATE", "CHUNKS", "MADE", "ID"), rows, "There is no generation.")

    run(work, show, as_json=as_json)


def drop_generation(
    kb: KbArgument,
    generation: Annotated[str, typer.Argument(help="Its id, as `pinakes kb generations` lists it.")],
    as_json: JsonOption = False,
) -> None:
    """Delete the embeddings of a generation that does not answer any more; the documents stay."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.delete(f"{await client.kb_path(kb)}/generations/{path_part(generation)}")

    run(work, lambda _: out.print("Dropped."), as_json=as_json)


async def _wait_for(client: Client, operation: Any) -> Any:
    """The operation once it is over; what it waits for meanwhile is told once."""
    told: set[str] = set()
    while operation["status"] in _RUNNING:
        if operation["error"] and operation["error"] not in told:
            told.add(operation["error"])
            note(f"Still waiting: {operation['error']}")
        await asyncio.sleep(_POLL_SECONDS)
        operation = await client.get(f"/api/operations/{operation['id']}")
    return operation
