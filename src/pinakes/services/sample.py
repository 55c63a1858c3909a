"""The sample knowledge base: something to ask about before anything was uploaded."""

from importlib import resources as package_files

from pinakes.domain.errors import Conflict
from pinakes.domain.identity import Identity
from pinakes.services.knowledge_bases import create_knowledge_base
from pinakes.services.resources import Resources
from pinakes.services.uploads import upload_document

SAMPLE_NAME = "Sample"
_SUFFIXES = (".md", ".txt", ".pdf")


async def load_sample(resources: Resources, identity: Identity) -> int:
    """Make the sample knowledge base and put its documents in; how many were uploaded."""
    kb = await create_knowledge_base(
        resources,
        identity,
        name=SAMPLE_NAME,
        description="The Library of Alexandria and the first catalogue: a sample to ask questions about.",
        sample=True,
    )
    folder = package_files.files("pinakes") / "sample"
    count = 0
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(_SUFFIXES):
            try:
                await upload_document(resources, identity, kb.kb_id, name=file.name, content=file.read_bytes())
            except Conflict:
                continue
            count += 1
    return count
