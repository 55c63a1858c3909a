"""What the notes tools take and give."""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from pinakes.domain.note import ContentType
from pinakes.tools.definition import ToolInput, ToolOutput

_BLOCKS = (
    "With contentType 'blocks': a list of objects, or the same as JSON text. Types: heading {text, level 1-6}, "
    "paragraph {text}, list {items: [text], ordered}, checklist {items: [{text, checked}]}, quote {text}, "
    "code {text, language}, table {header: [text], rows: [[text]]}, divider {}."
)
Content = Annotated[
    str | list[dict[str, Any]],
    Field(description=f"The text in Markdown, complete: it is stored as it is. {_BLOCKS}"),
]
ResourceId = Annotated[
    str | None,
    Field(
        description="Where it belongs: a value of the ID column of list_user_resources. Left out: 'knowledge'.",
        examples=["knowledge"],
    ),
]
Title = Annotated[
    str | None, Field(description="A short title of its own. Left out: the first line of the content becomes it.")
]
TagList = Annotated[
    list[str] | None,
    Field(description="Tags such as 'meeting' or 'project=apollo'; at most 20.", examples=[["meeting"]]),
]
# In place, not by reference: the schema of a batch holds that of a note.
_Kind = Annotated[ContentType, WithJsonSchema({"type": "string", "enum": [kind.value for kind in ContentType]})]
GivenType = Annotated[
    _Kind, Field(alias="contentType", description="'markdown', unless the content is a list of blocks.")
]
NoteId = Annotated[
    str, Field(description="The id that create_knowledge or search_user_knowledges gave: doc_… ; never a title.")
]


class CreateKnowledgeInput(ToolInput):
    """One note to write."""

    content: Content
    resource: ResourceId = None
    title: Title = None
    tags: TagList = None
    content_type: GivenType = ContentType.MARKDOWN


class BatchInput(ToolInput):
    """Several notes to write."""

    items: Annotated[
        # Each is judged by itself, so that one that is wrong does not keep the others from being written.
        list[Annotated[Any, WithJsonSchema(CreateKnowledgeInput.model_json_schema())]],
        Field(min_length=1, max_length=50, description="What create_knowledge takes, for each; at most 50."),
    ]


class UpdateKnowledgeInput(ToolInput):
    """What to change of a note."""

    id: NoteId
    content: Annotated[
        str | list[dict[str, Any]] | None,
        Field(description=f"The whole new text: it takes the place of the old one, nothing is appended. {_BLOCKS}"),
    ] = None
    resource: Annotated[
        str | None, Field(description="Another resource to move it to: an ID of list_user_resources. Its id stays.")
    ] = None
    title: Annotated[str | None, Field(description="Another title; an empty one is made anew from the content.")] = None
    tags: Annotated[
        list[str] | None, Field(description="All tags it is to have: they take the place of its tags; [] clears them.")
    ] = None
    content_type: Annotated[
        _Kind | None, Field(alias="contentType", description="Of the new content; left out: as it was.")
    ] = None
    revision: Annotated[
        str | None,
        Field(description="The revision that was read: if somebody else was faster, nothing is changed."),
    ] = None


class NoArguments(ToolInput):
    """Nothing."""


class SearchInput(ToolInput):
    """What to look for."""

    query: Annotated[str, Field(description="A question, or words that stand in the note.")]
    resource: Annotated[str | None, Field(description="Only in this resource; left out: in all.")] = None
    tags: Annotated[
        list[str],
        Field(
            default_factory=list[str],
            description="Only notes with these tags: values of one name are OR, names are AND.",
        ),
    ]
    limit: Annotated[int, Field(ge=1, le=20, description="How many notes at most.")] = 5
    min_score: Annotated[
        float, Field(alias="minScore", ge=0, le=1, description="Only what is at least so probably relevant.")
    ] = 0.0


class CreateResourceInput(ToolInput):
    """A resource to make."""

    id: Annotated[
        str, Field(description="Its id for good: small letters, digits and hyphens.", examples=["meeting-notes"])
    ]
    title: Annotated[str, Field(description="What people call it.")]
    description: Annotated[
        str, Field(description="What belongs there, in a sentence: notes are matched with it later.")
    ] = ""
    cycle: Annotated[
        int, Field(ge=0, le=36_500, description="Days after its last change that knowledge expires in it; 0: never.")
    ] = 0


class DeleteKnowledgeInput(ToolInput):
    """What to delete."""

    id: NoteId


class FromTemplateInput(ToolInput):
    """A template and what to fill it with."""

    template_id: Annotated[str, Field(alias="templateId", description="Id or name of the template.")]
    variables: Annotated[
        dict[str, str],
        Field(
            default_factory=dict[str, str],
            description="A value for each of its variables, in Markdown; 'date' is today's unless given.",
        ),
    ]
    resource: ResourceId = None
    title: Annotated[str | None, Field(description="Instead of the template's title.")] = None
    tags: Annotated[list[str] | None, Field(description="Instead of the template's tags.")] = None


class CreatedOutput(ToolOutput):
    """A note that was written; it can be found once its operation is completed."""

    id: str
    title: str
    resource: str
    tags: list[str]
    revision: str
    operation_id: str | None
    suggested_resource: str | None
    suggested_tags: list[str]


class BatchItem(ToolOutput):
    """What became of one item; counted from 0."""

    index: int
    status: Literal["created", "error"]
    id: str | None
    resource: str | None
    title: str | None
    error: str | None
    error_code: str | None


class BatchOutput(ToolOutput):
    """What became of each item, in their order."""

    created: int
    failed: int
    results: list[BatchItem]


class UpdatedOutput(ToolOutput):
    """A note that was changed; with an operation it is being indexed anew."""

    id: str
    title: str
    resource: str
    tags: list[str]
    revision: str
    updated_fields: list[str]
    operation_id: str | None


class ResourceOut(ToolOutput):
    """A resource."""

    id: str
    title: str
    description: str
    cycle: int


class ResourcesOutput(ToolOutput):
    """All resources."""

    resources: list[ResourceOut]


class FoundNote(ToolOutput):
    """A note that was found; `snippet` is quoted from it."""

    id: str
    title: str
    resource: str
    tags: list[str]
    snippet: str
    score: float


class SearchOutput(ToolOutput):
    """The notes that were found, best first."""

    results: list[FoundNote]
    waiting: int


class DeletedOutput(ToolOutput):
    """What a deletion gave back."""

    id: str
    title: str
    chunks: int
    size_bytes: int
