"""Pinakes, in this process: documents through its whole pipeline, questions through its public Python call."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil

from bench.speed.material import KnownEmbedder
from bench.speed.peers.speaking import Texts, Vector, speak
from pinakes.domain.errors import Conflict
from pinakes.domain.identity import Identity
from pinakes.services import sign_in
from pinakes.services.ingestion import index_version
from pinakes.services.knowledge_bases import create_knowledge_base
from pinakes.services.resources import Resources
from pinakes.services.search import SearchRequest, search_knowledge
from pinakes.services.sweeping import sweep
from pinakes.services.uploads import upload_document
from pinakes.settings import Settings
from pinakes.wiring import open_app

_AT_ONCE = 4
_KB = "Texts"


class Pinakes:
    """One knowledge base, one document a text; every document is parsed, chunked, written and safe on disk."""

    def __init__(self) -> None:
        self._loop = asyncio.Runner()
        self._stack = AsyncExitStack()
        self._known: dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
        self._folder = Path()
        self._resources: Resources
        self._identity: Identity

    def open(self, folder: Path) -> None:
        """The embedded database, started where it does not run."""
        self._folder = folder
        self._loop.run(self._open())

    def add(self, given: Texts) -> None:
        """Upload and index everything, several documents at a time, as a worker does."""
        self._known.update(zip(given.texts, given.vectors, strict=True))
        self._loop.run(self._add(given.texts))

    def query(self, text: str, vector: Vector, top: int) -> list[tuple[int, str]]:
        """Hybrid; the question's vector is in the query cache from the second time on."""
        if text not in self._known:
            self._known[text] = np.asarray(vector, np.float32)
        return self._loop.run(self._query(text, top))

    def processes(self) -> list[int]:
        """Those of the database, which are not this one's children."""
        running = self._folder / "postgres" / "data" / "postmaster.pid"
        if not running.exists():
            return []
        server = int(running.read_text().split()[0])
        return [server, *(child.pid for child in psutil.Process(server).children(recursive=True))]

    async def _open(self) -> None:
        app = await self._stack.enter_async_context(open_app(Settings(home=self._folder)))
        assert app.owner_token is not None
        assert app.resources.embedder is not None
        self._resources = replace(app.resources, embedder=KnownEmbedder(app.resources.embedder, self._known))
        user = await sign_in.session_user(self._resources, app.owner_token)
        self._identity = await sign_in.identify_user(self._resources, user, None)
        try:
            await create_knowledge_base(self._resources, self._identity, name=_KB)
        except Conflict:
            return

    async def _add(self, texts: list[str]) -> None:
        gate = asyncio.Semaphore(_AT_ONCE)

        async def take_in(number: int, text: str) -> None:
            async with gate:
                uploaded = await upload_document(
                    self._resources, self._identity, _KB, name=f"{number}.txt", content=text.encode()
                )
                assert uploaded.operation_id is not None
                await index_version(self._resources, self._identity.workspace_id, uploaded.operation_id)

        await asyncio.gather(*(take_in(number, text) for number, text in enumerate(texts)))
        # A server does this by itself every now and then.
        await sweep(self._resources)

    async def _query(self, text: str, top: int) -> list[tuple[int, str]]:
        found = await search_knowledge(
            self._resources, self._identity, SearchRequest(text, knowledge_bases=(_KB,), top_k=top)
        )
        return [(int(hit.document_name.removesuffix(".txt")), hit.content) for hit in found.hits]


if __name__ == "__main__":
    speak(Pinakes)
