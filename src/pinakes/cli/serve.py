"""`pinakes serve` and `pinakes worker`."""

from typing import Annotated, Any

import typer

from pinakes.cli.terminal import JsonOption, fail
from pinakes.domain.errors import PinakesError
from pinakes.settings import load_settings


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on; 127.0.0.1 unless told.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")] = None,
    worker: Annotated[bool, typer.Option("--worker/--no-worker", help="Run a worker too.")] = True,
    sample: Annotated[bool, typer.Option("--sample/--no-sample", help="Load the sample on the first start.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Start the server: API, worker and, unless you bring your own, PostgreSQL."""
    from pinakes.cli.serving import run_server  # noqa: PLC0415 - heavy, see client.connect

    try:
        given: dict[str, Any] = {name: v for name, v in (("host", host), ("port", port)) if v is not None}
        settings = load_settings().model_copy(update=given)
        run_server(settings, with_worker=worker, with_sample=sample, as_json=as_json)
    except PinakesError as error:
        fail(error, as_json=as_json)


def worker(
    concurrency: Annotated[int | None, typer.Option(min=1, max=64, help="Documents at a time.")] = None,
    attached: Annotated[bool, typer.Option("--attached", hidden=True)] = False,
    as_json: JsonOption = False,
) -> None:
    """Index documents in the background; any number of workers share the work."""
    from pinakes.cli.working import run_worker_alone  # noqa: PLC0415 - heavy, see client.connect

    try:
        run_worker_alone(load_settings(), concurrency, attached=attached)
    except PinakesError as error:
        fail(error, as_json=as_json)
