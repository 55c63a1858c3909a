"""The command line in this process, against the one server."""

import logging
import subprocess
from collections.abc import Callable, Iterator

import pytest
from typer.testing import CliRunner

from harness import Server, Workspace
from pinakes.cli.commands import app

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def cli(server: Server, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """`pinakes` as the local owner in a workspace of its own, run in this process to save the start of another."""
    for name, value in (server.variables() | {"PINAKES_WORKSPACE": workspace.id}).items():
        monkeypatch.setenv(name, value)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level

    def run(*arguments: str, check: bool = True) -> "subprocess.CompletedProcess[str]":
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert not check or done.exit_code == 0, done.output
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    yield run
    root.handlers[:] = handlers
    root.setLevel(level)
