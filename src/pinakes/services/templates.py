"""Templates for notes: those that come with the program, and a workspace's own."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from psycopg.errors import UniqueViolation

from pinakes.domain.errors import Conflict, InvalidInput, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.domain.ids import new_id
from pinakes.domain.knowledge_base import MAX_DESCRIPTION, clean_name
from pinakes.domain.note import ContentType, read_note, read_tags, show_tags
from pinakes.domain.template import SHIPPED, Filled, Template, fill_template
from pinakes.services.resources import Resources
from pinakes.store import templates

_MOST = 200


async def list_templates(resources: Resources, identity: Identity) -> list[Template]:
    """All that may be used: shipped ones first, then the workspace's own by name."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return [*SHIPPED, *await templates.list_templates(connection, identity.workspace_id)]


async def get_template(resources: Resources, identity: Identity, reference: str) -> Template:
    """By id or name; NotFound says which there are, for what is one's own to see."""
    there = await list_templates(resources, identity)
    for template in there:
        if reference == template.template_id or reference.casefold() == template.name.casefold():
            return template
    listed = "; ".join(
        f"{template.template_id} ({template.name}: {', '.join(template.variables) or 'no variables'})"
        for template in there
    )
    raise NotFound(f"Template '{reference}' not found. Available templates: {listed}.")


async def create_template(
    resources: Resources,
    identity: Identity,
    *,
    name: str,
    content: str,
    description: str = "",
    title: str = "",
    tags: Sequence[str] = (),
) -> Template:
    """Keep a template; where it has no title, notes made from it are called after their first line."""
    identity.require(Scope.WRITE)
    if len(description) > MAX_DESCRIPTION:
        raise InvalidInput(f"The description has {len(description)} characters; at most {MAX_DESCRIPTION} are allowed.")
    template = Template(
        new_id("tpl"),
        clean_name(name),
        description.strip(),
        clean_name(title, "title") if title.strip() else "",
        read_note(content, ContentType.MARKDOWN, resources.limits.note_characters).markdown,
        tuple(show_tags(read_tags(tags, resources.limits.tags_per_document))),
    )
    if any(template.name.casefold() in {one.name.casefold(), one.template_id} for one in SHIPPED):
        raise _name_exists(template.name)
    try:
        async with resources.database.transaction(identity.workspace_id) as connection:
            if len(await templates.list_templates(connection, identity.workspace_id)) >= _MOST:
                raise Conflict(f"There are {_MOST} templates here, which is the most. Delete some first.")
            await templates.insert_template(connection, identity.workspace_id, template, identity.user.user_id)
    except UniqueViolation as error:
        raise _name_exists(template.name) from error
    return template


async def delete_template(resources: Resources, identity: Identity, reference: str) -> Template:
    """Delete a template of the workspace's own; notes made from it stay."""
    identity.require(Scope.WRITE)
    template = await get_template(resources, identity, reference)
    if template.shipped:
        raise Conflict(f"'{template.name}' comes with the program and cannot be deleted.")
    async with resources.database.transaction(identity.workspace_id) as connection:
        await templates.delete_template(connection, identity.workspace_id, template.template_id)
    return template


async def fill(resources: Resources, identity: Identity, reference: str, variables: Mapping[str, str]) -> Filled:
    """A template with its variables put in; `date` is today's where it is not given."""
    template = await get_template(resources, identity, reference)
    today = datetime.now(UTC).date().isoformat()
    return fill_template(template, variables, today, resources.limits.note_characters)


def _name_exists(name: str) -> Conflict:
    return Conflict(f"A template named '{name}' exists already. Choose another name.", code="NAME_EXISTS")
