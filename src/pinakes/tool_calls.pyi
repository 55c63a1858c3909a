"""A method for every tool. Made from the registry by `make types`; do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pinakes.client import Result

class ToolCalls:
    async def create_catalog(
        self,
        *,
        catalog_name: str,
        description: str = ...,
    ) -> Result:
        """Create Catalog."""

    async def list_catalogs(self) -> Result:
        """List Catalogs."""

    async def upload_to_catalog(
        self,
        *,
        catalog_id: str,
        file_content: str | None = ...,
        filename: str | None = ...,
        document_id: str | None = ...,
        path: str | None = ...,
        replace: bool = ...,
    ) -> Result:
        """Upload Document."""

    async def list_catalog_documents(
        self,
        *,
        catalog_id: str,
        limit: int = ...,
        offset: int = ...,
    ) -> Result:
        """List Documents."""

    async def delete_catalog_document(
        self,
        *,
        catalog_id: str,
        document_id: str,
    ) -> Result:
        """Delete Document."""

    async def select_catalog(
        self,
        *,
        catalog_id: str,
        thread_id: str | None = ...,
    ) -> Result:
        """Select Catalog."""

    async def query_catalog(
        self,
        *,
        query: str,
        catalog_id: str | None = ...,
        num_results: int = ...,
        thread_id: str | None = ...,
    ) -> Result:
        """Query Catalog."""

    async def delete_catalog(
        self,
        *,
        catalog_id: str,
        confirm: bool = ...,
    ) -> Result:
        """Delete Catalog."""

    async def get_indexing_status(
        self,
        *,
        catalog_id: str,
    ) -> Result:
        """Check Indexing."""

    async def download_from_catalog(
        self,
        *,
        catalog_id: str,
        document_id: str,
    ) -> Result:
        """Download Document."""

    async def create_knowledge(
        self,
        *,
        content: str | Sequence[Mapping[str, Any]],
        resource: str | None = ...,
        title: str | None = ...,
        tags: Sequence[str] | None = ...,
        content_type: Literal['markdown', 'blocks'] = ...,
    ) -> Result:
        """Write down knowledge."""

    async def update_knowledge(
        self,
        *,
        id: str,
        content: str | Sequence[Mapping[str, Any]] | None = ...,
        resource: str | None = ...,
        title: str | None = ...,
        tags: Sequence[str] | None = ...,
        content_type: Literal['markdown', 'blocks'] | None = ...,
        revision: str | None = ...,
    ) -> Result:
        """Change knowledge."""

    async def list_user_resources(self) -> Result:
        """List resources."""

    async def search_user_knowledges(
        self,
        *,
        query: str,
        resource: str | None = ...,
        tags: Sequence[str] = ...,
        limit: int = ...,
        min_score: float = ...,
    ) -> Result:
        """Search notes."""

    async def create_resource(
        self,
        *,
        id: str,
        title: str,
        description: str = ...,
        cycle: int = ...,
    ) -> Result:
        """Make a resource."""

    async def delete_knowledge(
        self,
        *,
        id: str,
    ) -> Result:
        """Delete knowledge."""

    async def batch_create_knowledge(
        self,
        *,
        items: Sequence[Mapping[str, Any]],
    ) -> Result:
        """Write down several notes."""

    async def create_from_template(
        self,
        *,
        template_id: str,
        variables: Mapping[str, Any] = ...,
        resource: str | None = ...,
        title: str | None = ...,
        tags: Sequence[str] | None = ...,
    ) -> Result:
        """Write a note from a template."""

    async def search(
        self,
        *,
        query: str,
    ) -> Result:
        """Search all knowledge."""

    async def fetch(
        self,
        *,
        id: str,
    ) -> Result:
        """Read a document."""
