"""The sample knowledge base: something to ask about before anything was uploaded."""

import json
from importlib import resources as package_files

from pinakes.domain.errors import Conflict, NotFound
from pinakes.domain.identity import Identity, Scope
from pinakes.services.knowledge_bases import Freed, create_knowledge_base, delete_knowledge_base
from pinakes.services.resources import Resources
from pinakes.services.uploads import upload_document
from pinakes.store.sample import SampleState, read_sample_state

SAMPLE_NAME = "Sample"
_FOLDER = package_files.files("pinakes") / "sample"
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
    count = 0
    for name in _names():
        try:
            content = (_FOLDER / name).read_bytes()
            await upload_document(resources, identity, kb.kb_id, name=name, content=content)
        except Conflict:
            continue
        count += 1
    return count


async def get_sample(resources: Resources, identity: Identity) -> SampleState:
    """Whether the sample is there, how much of it answers, and how much there is beside it."""
    identity.require(Scope.READ)
    async with resources.database.transaction(identity.workspace_id) as connection:
        return await read_sample_state(connection, identity.workspace_id, _names())


async def remove_sample(resources: Resources, identity: Identity) -> Freed:
    """Delete the sample, which can be loaded again; never anything that somebody put into it."""
    identity.require(Scope.WRITE)
    state = await get_sample(resources, identity)
    if state.kb_id is None:
        raise NotFound("There is no sample in this workspace.")
    if state.added_count:
        raise Conflict(
            f"The sample holds {state.added_count} documents that are not of it. "
            "Delete those first, or delete the knowledge base as a whole.",
            code="NOT_ONLY_SAMPLE",
        )
    return await delete_knowledge_base(resources, identity, state.kb_id, confirm=True)


def sample_questions() -> list[str]:
    """Questions that the sample answers."""
    entries = json.loads((_FOLDER / "questions.json").read_text(encoding="utf-8"))["questions"]
    return [entry["question"] for entry in entries]


def _names() -> list[str]:
    return sorted(file.name for file in _FOLDER.iterdir() if file.name.endswith(_SUFFIXES))
