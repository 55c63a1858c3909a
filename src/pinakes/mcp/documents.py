"""Documents as resources, so that a client can open what a citation names."""

import re

import mcp_types as types

from pinakes.domain.errors import NotFound
from pinakes.mcp.rendering import render_error
from pinakes.tools.calling import call_tool
from pinakes.tools.definition import Caller, Mistake

_URI = re.compile(r"pinakes://documents/(?P<document>[\w-]+)(?:/chunks/(?P<chunk>[\w-]+))?")
_MEDIA_TYPE = "text/plain"
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
    result = await call_tool(caller, "fetch", {"id": reference})
    if result.status == "error":
        details = result.metadata.get("error_details")
        raise render_error(Mistake(result.error_code or "NOT_FOUND", result.text.removeprefix("Error: "), details))
    text = types.TextResourceContents(uri=uri, mime_type=_MEDIA_TYPE, text=result.metadata["text"])
    return types.ReadResourceResult(contents=[text])
