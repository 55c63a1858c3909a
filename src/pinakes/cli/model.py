"""`pinakes model`: the embedding model on this machine."""

from collections.abc import Callable
from typing import Any

import typer
from rich.progress import BarColumn, Progress, TextColumn

from pinakes.cli.terminal import JsonOption, err, run, say
from pinakes.domain.errors import ProviderFault
from pinakes.providers.minilm.install import install_model, is_installed, model_folder
from pinakes.settings import Settings

model_app = typer.Typer(no_args_is_help=True, help="The built-in embedding model: install.")


@model_app.command("install")
def install(as_json: JsonOption = False) -> None:
    """Fetch and build the embedding model."""

    async def work(settings: Settings) -> Any:
        folder = model_folder(settings.cache_folder)
        there = is_installed(folder)
        if not there:
            await _install(settings)
        return {"folder": str(folder), "installed": True, "wasInstalled": there}

    def show(result: Any) -> None:
        words = "is installed already" if result["wasInstalled"] else "is installed"
        say(f"The embedding model {words}: {result['folder']}")

    run(work, show, as_json=as_json)


@model_app.callback()
def _group() -> None:
    """The built-in embedding model."""


async def ensure_model(settings: Settings, say: Callable[[str], None]) -> None:
    """Install the model if it is missing; without it everything works by keywords."""
    if is_installed(model_folder(settings.cache_folder)):
        return
    try:
        await _install(settings)
    except ProviderFault as fault:
        say(f"The embedding model could not be installed, so search is by keywords only. {fault.message}")


async def _install(settings: Settings) -> None:
    progress = Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:.0f} %"), console=err
    )
    with progress:
        task = progress.add_task("Embedding model", total=1.0)
        await install_model(
            model_folder(settings.cache_folder),
            lambda stage, fraction: progress.update(task, description=stage, completed=fraction),
        )
