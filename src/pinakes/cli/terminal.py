"""What every command shares: running, printing for people or as JSON, and failing in words."""

import asyncio
import json
import re
import sys
from collections.abc import Callable, Coroutine, Sequence
from datetime import datetime
from typing import Annotated, Any, NoReturn, TextIO, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, ProgressColumn
from rich.table import Column, Table
from rich.text import Text

from pinakes.domain.errors import InvalidInput, PinakesError
from pinakes.logs import configure_logs
from pinakes.settings import Settings, load_settings

T = TypeVar("T")
# Whatever a document holds, it must not steer the terminal it is shown on; half a character cannot be shown.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
TAG_HELP = "name=value, or a bare value; may be repeated."
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
# Wide enough for any table; the lines are as long as what is in them.
_UNBROKEN = 1_000_000


def _console(stream: TextIO, *, stderr: bool = False) -> Console:
    """What is shown is not made prettier than it is, and broken into lines only for a person at a terminal."""
    return Console(stderr=stderr, highlight=False, emoji=False, soft_wrap=not stream.isatty())


out = _console(sys.stdout)
err = _console(sys.stderr, stderr=True)


def harmless(text: str) -> str:
    """Text without the characters that steer a terminal."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def say(text: str) -> None:
    """A line of results as it is: no markup in it, and never broken, so that ids and links can be copied."""
    out.print(harmless(text), markup=False, soft_wrap=True)


def note(text: str) -> None:
    """Something on the side, on standard error so that it never mixes with results."""
    err.print(f"[dim]{escape(harmless(text))}[/dim]")


def run(
    work: Callable[[Settings], Coroutine[Any, Any, T]],
    show: Callable[[T], None],
    *,
    as_json: bool = False,
    failed: Callable[[T], bool] = lambda _: False,
) -> None:
    """Run a command to its end; errors of ours are one sentence and exit code 1, never a traceback."""
    try:
        settings = load_settings()
        configure_logs("WARNING" if settings.log_level == "INFO" else settings.log_level)
        result = asyncio.run(work(settings))
    except PinakesError as error:
        fail(error, as_json=as_json)
    except KeyboardInterrupt:
        err.print("Stopped.")
        raise typer.Exit(130) from None
    if as_json:
        print_json(result)
    else:
        show(result)
    if failed(result):
        raise typer.Exit(1)


def fail(error: PinakesError, *, as_json: bool) -> NoReturn:
    """Say what went wrong and leave."""
    if as_json:
        print_json({"success": False, "error": error.message, "errorCode": error.code})
    else:
        err.print(f"[red]Error:[/red] {escape(harmless(error.message))}", soft_wrap=True)
    raise typer.Exit(1)


def confirm(question: str, *, as_json: bool) -> None:
    """Ask, and leave unless the answer is yes."""
    if as_json:
        raise InvalidInput("Use --yes together with --json: there is nobody to ask.")
    typer.confirm(question, abort=True)


def print_json(data: object) -> None:
    """One JSON document on standard output."""
    _write_json(json.dumps(data, ensure_ascii=False, indent=2, default=str))


def print_json_line(data: object) -> None:
    """One JSON document on one line, at once: whoever reads a stream waits for it."""
    _write_json(json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str))
    sys.stdout.flush()


def _write_json(text: str) -> None:
    sys.stdout.write(_CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], empty: str) -> None:
    """A table, or a sentence where there is nothing to show; ids are whole however narrow the terminal is."""
    if not rows:
        out.print(empty)
        return
    texts = [[harmless(str(cell)) for cell in row] for row in rows]
    headed = [_column(name, [row[at] for row in texts]) for at, name in enumerate(columns)]
    table = Table(*headed, box=None, pad_edge=False, header_style="bold")
    for row in texts:
        table.add_row(*(Text(cell) for cell in row))
    console = out if out.is_terminal else Console(file=out.file, highlight=False, emoji=False, width=_UNBROKEN)
    console.print(table, crop=False)


def _column(name: str, cells: Sequence[str]) -> Column:
    if name != "ID":
        return Column(name, overflow="fold")
    return Column(name, no_wrap=True, overflow="ignore", min_width=max(map(len, cells)))


def counted(count: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def moment(time: str | None) -> str:
    """A time of the API on the clock of whoever reads it."""
    return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M") if time else "never"


def progress_bar(*columns: ProgressColumn) -> Progress:
    """How far something is, for a person who watches; it leaves nothing behind, and a pipe never sees it."""
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


def megabytes(size: int) -> str:
    """A size for people."""
    if size < 1024:
        return counted(size, "byte")
    return f"{size / 1024:.0f} kB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MB"
