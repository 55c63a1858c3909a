"""Documents from the web: fetched once, and again when asked."""

from pinakes.domain.document import Tags
from pinakes.domain.errors import Conflict
from pinakes.domain.identity import Identity, Scope
from pinakes.providers.fetching import check_url
from pinakes.services.documents import get_document
from pinakes.services.knowledge_bases import get_knowledge_base
from pinakes.services.resources import Resources
from pinakes.services.uploads import Uploaded, upload_document


async def add_url(
    resources: Resources,
    identity: Identity,
    kb_reference: str,
    url: str,
    *,
    title: str | None = None,
    tags: Tags | None = None,
    replace_existing: bool = False,
) -> Uploaded:
    """Fetch what an address points to and take it in as a document that remembers where it came from."""
    identity.require(Scope.WRITE)
    await get_knowledge_base(resources, identity, kb_reference)
    address = str(check_url(url))
    fetched = await resources.fetcher.fetch(address, workspace_id=identity.workspace_id)
    return await upload_document(
        resources,
        identity,
        kb_reference,
        name=fetched.name,
        content=fetched.content,
        title=title,
        tags=tags,
        source=address,
        replace_existing=replace_existing,
    )


async def refetch_document(resources: Resources, identity: Identity, document_id: str) -> Uploaded:
    """Fetch a document's address again; the version that answers goes on until the new one is indexed."""
    identity.require(Scope.WRITE)
    document = await get_document(resources, identity, document_id)
    if document.source is None or not document.source.startswith(("http://", "https://")):
        raise Conflict(f"'{document.name}' was not fetched from the web, so it cannot be fetched again.")
    fetched = await resources.fetcher.fetch(document.source, workspace_id=identity.workspace_id)
    return await upload_document(
        resources,
        identity,
        document.kb_id,
        name=document.name,
        content=fetched.content,
        source=document.source,
        replace_existing=True,
    )
