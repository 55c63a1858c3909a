"""Templates for notes over REST."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from pinakes.api.access import Caller, ResourcesDep
from pinakes.api.envelope import ApiModel, RequestModel, Success, succeed
from pinakes.api.notes import CreatedOut, ResourceField, TagsIn, created_out
from pinakes.api.paths import TemplateId
from pinakes.domain.knowledge_base import MAX_DESCRIPTION, MAX_NAME
from pinakes.domain.template import Template
from pinakes.services import notes, templates

router = APIRouter(prefix="/api/templates", tags=["Notes"])


class TemplateOut(ApiModel):
    """A template; `{{name}}` stands for a variable."""

    id: str
    name: str
    description: str
    title: str = Field(description="Of the notes made from it; empty: their first line.")
    content: str
    tags: list[str]
    variables: list[str] = Field(description="In the order in which they stand there; `date` may be left out.")
    shipped: bool = Field(description="Whether it comes with the program.")


class TemplateIn(RequestModel):
    """A template to keep."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    content: str = Field(description="Markdown with {{variables}}.")
    description: str = Field(default="", max_length=MAX_DESCRIPTION)
    title: str = Field(default="", max_length=MAX_NAME)
    tags: list[str] = Field(default_factory=list)


class FillIn(RequestModel):
    """What to fill a template with."""

    variables: dict[str, str] = Field(default_factory=dict)
    resource: ResourceField = None
    title: Annotated[str | None, Field(max_length=MAX_NAME, description="Instead of the template's.")] = None
    tags: TagsIn = None


@router.get("")
async def list_templates(resources: ResourcesDep, caller: Caller) -> Success[list[TemplateOut]]:
    """List templates: those that come with the program, then the workspace's own."""
    return succeed([_out(template) for template in await templates.list_templates(resources, caller)])


@router.post("", status_code=201)
async def create_template(body: TemplateIn, resources: ResourcesDep, caller: Caller) -> Success[TemplateOut]:
    """Keep a template."""
    made = await templates.create_template(
        resources,
        caller,
        name=body.name,
        content=body.content,
        description=body.description,
        title=body.title,
        tags=body.tags,
    )
    return succeed(_out(made))


@router.get("/{templateId}")
async def get_template(template_id: TemplateId, resources: ResourcesDep, caller: Caller) -> Success[TemplateOut]:
    """One template."""
    return succeed(_out(await templates.get_template(resources, caller, template_id)))


@router.delete("/{templateId}")
async def delete_template(template_id: TemplateId, resources: ResourcesDep, caller: Caller) -> Success[TemplateOut]:
    """Delete a template of the workspace's own; notes made from it stay."""
    return succeed(_out(await templates.delete_template(resources, caller, template_id)))


@router.post("/{templateId}/notes", status_code=201)
async def create_note_from_template(
    template_id: TemplateId, body: FillIn, resources: ResourcesDep, caller: Caller
) -> Success[CreatedOut]:
    """Write a note from a template."""
    created = await notes.create_from_template(
        resources,
        caller,
        template_id,
        body.variables,
        resource=body.resource,
        title=body.title,
        tags=body.tags,
    )
    return succeed(created_out(created))


def _out(template: Template) -> TemplateOut:
    return TemplateOut(
        id=template.template_id,
        name=template.name,
        description=template.description,
        title=template.title,
        content=template.content,
        tags=list(template.tags),
        variables=list(template.variables),
        shipped=template.shipped,
    )
