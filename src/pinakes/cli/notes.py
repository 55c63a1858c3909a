"""Commands for notes and their templates."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from pinakes.cli.client import Client, connect, path_part
from pinakes.cli.knowledge import show_freed
from pinakes.cli.terminal import TAG_HELP, JsonOption, YesOption, confirm, moment, out, print_table, run, say
from pinakes.domain.document import parse_tag
from pinakes.domain.errors import InvalidInput
from pinakes.settings import Settings

notes_app = typer.Typer(no_args_is_help=True, help="Notes: list, show, add, edit, delete; templates for them.")
template_app = typer.Typer(no_args_is_help=True, help="Templates for notes: list, show, add, use, delete.")
notes_app.add_typer(template_app, name="template")
_PAUSE = 0.1
NoteArgument = Annotated[str, typer.Argument(help="The note's id.")]
TemplateArgument = Annotated[str, typer.Argument(help="The template's id or name.")]
ResourceOption = Annotated[
    str | None, typer.Option("--resource", "-r", help="Knowledge base: slug, id or name; default: knowledge.")
]
TitleOption = Annotated[str | None, typer.Option(help="Its title; default: its first line.")]
TagOption = Annotated[list[str] | None, typer.Option("--tag", help=TAG_HELP)]
FileOption = Annotated[
    Path | None, typer.Option("--file", "-f", help="Read the text from this file; - is standard input.")
]
BlocksOption = Annotated[bool, typer.Option("--blocks", help="The text is JSON: a list of blocks.")]


@notes_app.command("list")
def list_notes(
    words: Annotated[str | None, typer.Argument(help="Part of the title.")] = None,
    resource: Annotated[str | None, typer.Option("--resource", "-r", help="Only in this knowledge base.")] = None,
    tag: Annotated[str | None, typer.Option(help="name=value, or a bare value.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500)] = 100,
    offset: Annotated[int, typer.Option(min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """List notes, the one changed last first."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/notes", q=words, resource=resource, tag=tag, limit=limit, offset=offset)

    def show(page: Any) -> None:
        rows = [
            (note["title"], note["resource"], _tags(note), note["status"], moment(note["updatedAt"]), note["id"])
            for note in page["items"]
        ]
        print_table(("TITLE", "RESOURCE", "TAGS", "STATUS", "CHANGED", "ID"), rows, "There is no note here.")
        if page["total"] > len(rows) + offset:
            out.print(f"{page['total'] - len(rows) - offset} more; use --offset {offset + len(rows)}.")

    run(work, show, as_json=as_json)


@notes_app.command("show")
def show_note(note: NoteArgument, as_json: JsonOption = False) -> None:
    """Print a note as Markdown."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get(f"/api/notes/{path_part(note)}")

    run(work, lambda found: say(found["content"]), as_json=as_json)


@notes_app.command("add")
def add_note(
    text: Annotated[str | None, typer.Argument(help="The text, in Markdown; or give --file.")] = None,
    file: FileOption = None,
    resource: ResourceOption = None,
    title: TitleOption = None,
    tag: TagOption = None,
    blocks: BlocksOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a note."""

    async def work(settings: Settings) -> Any:
        content = _read_text(text, file)
        if content is None:
            raise InvalidInput("Nothing to write: give the text, or --file.")
        body = {"content": content, "resource": resource, "title": title, "tags": tag or None}
        async with connect(settings, work=True) as client:
            kind = {"contentType": "blocks" if blocks else "markdown"}
            return await _follow(client, await client.post("/api/notes", json=body | kind))

    run(work, _show_created, as_json=as_json)


@notes_app.command("edit")
def edit_note(
    note: NoteArgument,
    text: Annotated[str | None, typer.Argument(help="The whole new text; or give --file.")] = None,
    file: FileOption = None,
    resource: Annotated[str | None, typer.Option("--resource", "-r", help="Move it to this knowledge base.")] = None,
    title: Annotated[str | None, typer.Option(help="Another title.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help=f"{TAG_HELP} Takes the place of all tags.")] = None,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Take all tags away.")] = False,
    blocks: BlocksOption = False,
    revision: Annotated[
        str | None, typer.Option(help="Change it only if it still is of this revision ('notes show --json' tells).")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Change a note's text, title or tags, or move it."""

    async def work(settings: Settings) -> Any:
        if tag and no_tags:
            raise InvalidInput("Give either --tag or --no-tags.")
        given = {"content": _read_text(text, file), "resource": resource, "title": title}
        body: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        if tag or no_tags:
            body["tags"] = tag or []
        if not body:
            raise InvalidInput("Nothing to change: give a text, --file, --resource, --title, --tag or --no-tags.")
        if "content" in body:
            body["contentType"] = "blocks" if blocks else "markdown"
        if revision is not None:
            body["revision"] = revision
        async with connect(settings, work=True) as client:
            return await _follow(client, await client.call("PATCH", f"/api/notes/{path_part(note)}", json=body))

    def show(changed: Any) -> None:
        say(f"Changed {', '.join(changed['updatedFields'])} of '{changed['note']['title']}'.")

    run(work, show, as_json=as_json)


@notes_app.command("delete")
def delete_note(note: NoteArgument, yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Delete a note for good."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            path = f"/api/notes/{path_part(note)}"
            found = await client.get(path)
            if not yes:
                confirm(f"Delete '{found['title']}'?", as_json=as_json)
            return await client.delete(path)

    run(work, show_freed, as_json=as_json)


@template_app.command("list")
def list_templates(as_json: JsonOption = False) -> None:
    """List templates."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get("/api/templates")

    def show(found: Any) -> None:
        rows = [(one["name"], one["description"], ", ".join(one["variables"]), one["id"]) for one in found]
        print_table(("NAME", "FOR", "VARIABLES", "ID"), rows, "There is no template.")

    run(work, show, as_json=as_json)


@template_app.command("show")
def show_template(template: TemplateArgument, as_json: JsonOption = False) -> None:
    """Print a template."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.get(f"/api/templates/{path_part(template)}")

    run(work, lambda found: say(found["content"]), as_json=as_json)


@template_app.command("add")
def add_template(
    name: str,
    file: Annotated[Path, typer.Option("--file", "-f", help="Markdown with {{variables}}; - is standard input.")],
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    title: Annotated[str, typer.Option(help="The title of notes made from it; may hold {{variables}}.")] = "",
    tag: TagOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a template."""

    async def work(settings: Settings) -> Any:
        body = {"name": name, "content": _read_text(None, file), "description": description, "title": title}
        async with connect(settings) as client:
            return await client.post("/api/templates", json=body | {"tags": tag or []})

    run(work, lambda made: say(f"Kept {made['name']} ({made['id']})."), as_json=as_json)


@template_app.command("use")
def use_template(
    template: TemplateArgument,
    variable: Annotated[list[str] | None, typer.Option("--var", help="name=value; may be repeated.")] = None,
    resource: ResourceOption = None,
    title: Annotated[str | None, typer.Option(help="Instead of the template's title.")] = None,
    tag: TagOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a note from a template."""

    async def work(settings: Settings) -> Any:
        if any("=" not in given for given in variable or []):
            raise InvalidInput("Give variables as --var name=value.")
        variables = dict(map(parse_tag, variable or []))
        body = {"variables": variables, "resource": resource, "title": title, "tags": tag or None}
        async with connect(settings, work=True) as client:
            return await _follow(client, await client.post(f"/api/templates/{path_part(template)}/notes", json=body))

    run(work, _show_created, as_json=as_json)


@template_app.command("delete")
def delete_template(template: TemplateArgument, as_json: JsonOption = False) -> None:
    """Delete a template of one's own; notes made from it stay."""

    async def work(settings: Settings) -> Any:
        async with connect(settings) as client:
            return await client.delete(f"/api/templates/{path_part(template)}")

    run(work, lambda gone: say(f"Deleted {gone['name']}."), as_json=as_json)


async def _follow(client: Client, answer: Any) -> Any:
    """An answer at once from a server; a worker in our own process ends with us, so that its work is waited for."""
    while client.in_process and answer["operationId"]:
        operation = await client.get(f"/api/operations/{answer['operationId']}")
        if operation["status"] not in {"pending", "running"}:
            break
        await asyncio.sleep(_PAUSE)
    return answer


def _read_text(text: str | None, file: Path | None) -> str | None:
    if text is not None and file is not None:
        raise InvalidInput("Give either the text or --file.")
    if file is None:
        return text
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} cannot be read as text: {error}.") from error


def _show_created(created: Any) -> None:
    note = created["note"]
    say(f"Wrote '{note['title']}' to {note['resource']} ({note['id']}); it is indexed in the background.")
    if created["suggestedResource"]:
        say(f"Tip: '{created['suggestedResource']}' might be a better fit.")
    if created["suggestedTags"]:
        say(f"Suggested tags: {', '.join(created['suggestedTags'])}")


def _tags(note: Any) -> str:
    return ", ".join(f"{tag['tagName']}={tag['tagValue']}" for tag in note["tags"])
