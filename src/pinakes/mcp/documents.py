"""Documents as resources, so that a client can open what a citation names."""

import re

import mcp_types as types

from pinakes.domain.document import ReadableDocument
from pinakes.domain.errors import InvalidInput, NotFound
from pinakes.mcp.rendering import render_error
from pinakes.services.documents import list_readable
from pinakes.tools.calling import call_tool, list_tools
from pinakes.tools.definition import Caller, Mistake, document_uri

_URI = re.compile(r"pinakes://documents/(?P<document>[\w-]+)(?:/chunks/(?P<chunk>[\w-]+))?")
_CURSOR = re.compile(r"doc_\w+", re.ASCII)
_MEDIA_TYPE = "text/plain"
_READING_TOOL = "fetch"
_PAGE = 100
TEMPLATES = [
    types.ResourceTemplate(
        name="document",
        title="Document",
        uri_template="pinakes://documents/{documentId}",
        description="The text of a document, quoted as data. Ids come from search results and citations.",
        mime_type=_MEDIA_TYPE,
    ),
    types.ResourceTemplate(
        name="passage",
        title="Passage of a document",
        uri_template="pinakes://documents/{documentId}/chunks/{chunkId}",
        description="One passage of a document, quoted as data: what a citation points to.",
        mime_type=_MEDIA_TYPE,
    ),
]


async def list_resources(caller: Caller, cursor: str | None) -> types.ListResourcesResult:
    """A page of the documents that the caller may open, newest first; none to whom reading them would be refused."""
    if cursor is not None and _CURSOR.fullmatch(cursor) is None:
        raise InvalidInput("This is no cursor of ours. Begin again without one.")
    if not any(tool.name == _READING_TOOL for tool in await list_tools(caller)):
        return types.ListResourcesResult(resources=[])
    # One more than is shown tells whether there are older ones.
    found = await list_readable(caller.resources, caller.identity, before=cursor, limit=_PAGE + 1)
    shown = found[:_PAGE]
    return types.ListResourcesResult(
        resources=[_resource(document) for document in shown],
        next_cursor=shown[-1].document_id if len(found) > _PAGE else None,
    )


def _resource(document: ReadableDocument) -> types.Resource:
    return types.Resource(
        name=document.name,
        title=document.title or document.name,
        uri=document_uri(document.document_id),
        description=f"In the knowledge base '{document.kb_name}'.",
        mime_type=_MEDIA_TYPE,
        annotations=types.Annotations(last_modified=document.updated_at.isoformat()),
    )


async def read_resource(caller: Caller, uri: str) -> types.ReadResourceResult:
    """What a `pinakes://` address stands for.

    It is read with the tool `fetch`: who may not call that may not read here, and every reading is on record.
    """
    match = _URI.fullmatch(uri)
    if match is None:
        raise render_error(
            NotFound(
                f"There is nothing at '{uri}'. An address is pinakes://documents/ID or "
                "pinakes://documents/ID/chunks/ID, with ids from search results."
            )
        )
    reference = "/".join(part for part in match.groups() if part)
    result = await call_tool(caller, _READING_TOOL, {"id": reference})
    if result.status == "error":
        details = result.metadata.get("error_details")
        raise render_error(Mistake(result.error_code or "NOT_FOUND", result.text.removeprefix("Error: "), details))
    text = types.TextResourceContents(uri=uri, mime_type=_MEDIA_TYPE, text=result.metadata["text"])
    return types.ReadResourceResult(contents=[text])
