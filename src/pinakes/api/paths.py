"""The ids that stand in paths."""

from typing import Annotated

from fastapi import Path

KnowledgeBaseId = Annotated[str, Path(alias="knowledgeBaseId", description="Id, slug or name.")]
DocumentId = Annotated[str, Path(alias="documentId")]
ChunkId = Annotated[str, Path(alias="chunkId")]
GenerationId = Annotated[str, Path(alias="generationId")]
OperationId = Annotated[str, Path(alias="operationId")]
WorkspaceId = Annotated[str, Path(alias="workspaceId")]
UserId = Annotated[str, Path(alias="userId")]
InvitationId = Annotated[str, Path(alias="invitationId")]
EmbedderId = Annotated[str, Path(alias="embedderId", description="Id or name.")]
RerankerId = Annotated[str, Path(alias="rerankerId", description="Id or name.")]
NoteId = Annotated[str, Path(alias="noteId")]
TemplateId = Annotated[str, Path(alias="templateId", description="Id or name.")]
KeyId = Annotated[str, Path(alias="keyId")]
IdentityId = Annotated[str, Path(alias="identityId")]
ToolName = Annotated[str, Path(alias="toolName")]
