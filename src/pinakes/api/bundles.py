"""Bundles over REST: a knowledge base out as one file, and in from one."""

from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field

from pinakes.api.access import Caller, LinkedCaller, ResourcesDep, WriterFirst
from pinakes.api.envelope import ApiModel, Success, succeed
from pinakes.api.knowledge_bases import KnowledgeBaseOut, knowledge_base_out
from pinakes.api.paths import KnowledgeBaseId
from pinakes.services import bundles

router = APIRouter(prefix="/api/knowledge-bases", tags=["Bundles"], route_class=WriterFirst)


class ImportOut(ApiModel):
    """What a bundle became; its documents are indexed in the background."""

    knowledge_base: KnowledgeBaseOut
    documents: int
    embeddings: int = Field(description="Embeddings that came along and are not made again.")


@router.get(
    "/{knowledgeBaseId}/export",
    response_class=StreamingResponse,
    responses={
        200: {
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
            "description": "The bundle.",
        }
    },
)
async def export_knowledge_base(
    knowledge_base_id: KnowledgeBaseId,
    resources: ResourcesDep,
    caller: LinkedCaller,
    vectors: Annotated[bool, Query(description="With the embeddings, so that they need not be made again.")] = False,
) -> StreamingResponse:
    """A knowledge base as a portable file (see docs/backup.md for its format)."""
    export = await bundles.export_knowledge_base(resources, caller, knowledge_base_id, vectors=vectors)
    return StreamingResponse(
        export.content,
        media_type="application/zip",
        headers={
            "content-disposition": f"attachment; filename*=UTF-8''{quote(export.file_name, safe='')}",
            "cache-control": "private, no-store",
        },
    )


@router.post("/import", status_code=202)
async def import_bundle(
    resources: ResourcesDep,
    caller: Caller,
    file: Annotated[UploadFile, File(description="A bundle.")],
    name: Annotated[str | None, Form(max_length=200, description="Another name than the bundle's.")] = None,
    slug: Annotated[str | None, Form(max_length=64, description="The slug; made from the name if left out.")] = None,
    embedder: Annotated[str | None, Form(max_length=200, description="The embedding model of the new one.")] = None,
) -> Success[ImportOut]:
    """Make a knowledge base out of a bundle; it is checked as a whole before any of it is stored."""
    imported = await bundles.import_bundle(
        resources, caller, file.file, name=name or None, slug=slug or None, embedder=embedder or None
    )
    return succeed(
        ImportOut(
            knowledge_base=knowledge_base_out(imported.knowledge_base),
            documents=imported.documents,
            embeddings=imported.embeddings,
        )
    )
