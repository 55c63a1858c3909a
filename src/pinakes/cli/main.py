"""`pinakes`: the command line."""

import sys


def run() -> None:
    """The program's entry. Loading the commands takes a moment, in which Ctrl-C must be as quiet as later."""
    try:
        from pinakes.cli.commands import app  # noqa: PLC0415

        app()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
