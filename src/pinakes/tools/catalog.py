"""The catalog toolset: knowledge bases that an agent makes, fills and asks."""

from pinakes.tools.definition import Toolset
from pinakes.tools.fencing import GUIDANCE

TOOLSET = Toolset(
    toolset_id="catalog",
    name="Knowledge Base",
    description="Create, manage, and query personal document catalogs",
    category="knowledge",
    icon="📚",
    tags=("knowledge", "documents", "research", "rag"),
    guidance=GUIDANCE,
    tool_type="knowledge_base",
    tools=(),
)
