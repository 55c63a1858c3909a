"""`pinakes kb calibrate`: a knowledge base's scores, adjusted to its embedder."""

from typing import Any

from pinakes.cli.client import connect
from pinakes.cli.knowledge import KbArgument
from pinakes.cli.terminal import JsonOption, run, say
from pinakes.settings import Settings


def calibrate(kb: KbArgument, as_json: JsonOption = False) -> None:
    """Measure on a knowledge base's own passages what its embedder's cosines are worth, and score by that."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.post(f"{await client.kb_path(kb)}/calibration")

    def show(done: Any) -> None:
        say(done["explanation"])
        needed = f"{_needed(done['after'])} (before: {_needed(done['before'])})"
        say(f"Cosine from which a passage without a word of the question scores 0.7: {needed}.")

    run(work, show, as_json=as_json)


def _needed(calibration: Any) -> str:
    needed = calibration["neededCosine"]
    return "none" if needed is None else f"{needed:.2f}"
