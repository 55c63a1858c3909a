"""What the use cases stand on; the composition root fills it in."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import procrastinate

from pinakes.domain.identity import AccessToken, Newcomers
from pinakes.domain.limits import Limits
from pinakes.domain.parsing import MediaType, ParsedDocument
from pinakes.providers.blobs import BlobStore
from pinakes.providers.embedding import Embedder
from pinakes.providers.fetching import Fetcher
from pinakes.providers.query_cache import QueryCache
from pinakes.providers.remote_embedder import RemoteEmbedders
from pinakes.providers.reranking import RemoteRerankers
from pinakes.providers.vault import Vault
from pinakes.store.database import Database


class Parser(Protocol):
    """Reads files, whatever is in them, without harm to the process that asks."""

    async def parse(self, media_type: MediaType, content: bytes) -> ParsedDocument:
        """The text and its structure, or DocumentFault with the reason."""
        ...


class Issuer(Protocol):
    """Makes access tokens that we trust."""

    async def verify(self, token: str) -> AccessToken:
        """What a token says, Unauthenticated if it is not good, or ProviderFault while that cannot be told."""
        ...


@dataclass(frozen=True, slots=True)
class Resources:
    """Everything outside the process that a use case may need."""

    database: Database
    queue: procrastinate.App
    blobs: BlobStore
    parser: Parser
    embedder: Embedder | None
    remote_embedders: RemoteEmbedders
    remote_rerankers: RemoteRerankers
    query_cache: QueryCache
    # Documents being indexed take turns, a batch each: while some embed, others are read or written.
    embedding_turns: asyncio.Semaphore
    # Whole files in memory at a time; uploads that wait are on disk.
    upload_turns: asyncio.Semaphore
    fetcher: Fetcher
    vault: Vault
    count_tokens: Callable[[str], int]
    limits: Limits
    issuer: Issuer | None = None
    newcomers: Newcomers | None = None
