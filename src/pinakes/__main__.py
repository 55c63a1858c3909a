"""`python -m pinakes` is the command line."""

from pinakes.cli.main import run

run()
