"""Chunks by the hundred thousand, written straight into the tables: what is measured is search, not loading."""

import hashlib
import struct
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, LiteralString

import numpy as np
from psycopg import AsyncConnection, sql
from psycopg.types.json import Jsonb

from bench.speed.mixture import Batch
from bench.speed.truth import CHUNKS_A_DOCUMENT, SHARES, matching
from pinakes.domain.analysis import TERM_SPACE
from pinakes.domain.bm25 import Posting, make_posting
from pinakes.domain.identity import Identity
from pinakes.domain.knowledge_base import KbIndex
from pinakes.services import sign_in
from pinakes.services.knowledge_bases import create_knowledge_base
from pinakes.services.resources import Resources
from pinakes.services.vectors import LARGE, build_own_tables
from pinakes.settings import Settings
from pinakes.store import knowledge_bases
from pinakes.wiring import open_app, open_storage

Owner = AsyncConnection[tuple[Any, ...]]
Note = Callable[[Batch, Sequence[Posting]], None]
_PIECES, _PROCESSES = 10, 2
_COPIES: dict[str, tuple[LiteralString, list[str]]] = {
    "document": (
        (
            "COPY document (workspace_id, document_id, kb_id, kind, name, tags, active_version_id, latest_version_id) "
            "FROM STDIN (FORMAT binary)"
        ),
        ["text", "text", "text", "text", "text", "jsonb", "text", "text"],
    ),
    "version": (
        (
            "COPY document_version (workspace_id, version_id, document_id, number, blob_key, size_bytes, sha256, "
            "media_type, status, chunk_count) FROM STDIN (FORMAT binary)"
        ),
        ["text", "text", "text", "int4", "text", "int8", "bytea", "text", "text", "int4"],
    ),
    "chunk": (
        (
            "COPY chunk (workspace_id, chunk_id, version_id, ordinal, content, start_offset, end_offset, headings, "
            "start_line, end_line, tokens, text_hash) FROM STDIN (FORMAT binary)"
        ),
        ["text", "text", "text", "int4", "text", "int4", "int4", "text[]", "int4", "int4", "int4", "bytea"],
    ),
    "posting": (
        "COPY chunk_posting (workspace_id, index_id, chunk_id, terms, weights) FROM STDIN (FORMAT binary)",
        ["text", "text", "text", "int4[]", "bytea"],
    ),
    "vector": (
        "COPY chunk_vector (workspace_id, index_id, chunk_id, embedding) FROM STDIN (FORMAT binary)",
        ["text", "text", "text", "bytea"],
    ),
    "term": (
        "COPY term_delta (workspace_id, index_id, term, chunks) FROM STDIN (FORMAT binary)",
        ["text", "text", "int4", "int4"],
    ),
}


@dataclass(frozen=True, slots=True)
class Site:
    """The product in this process, signed in as its local owner, and what is needed to load it in bulk."""

    resources: Resources
    identity: Identity
    owner: Owner
    pool: ProcessPoolExecutor

    async def make_kb(self, name: str) -> KbIndex:
        """A new, empty knowledge base."""
        kb = await create_knowledge_base(self.resources, self.identity, name=name)
        return await self.find_index(kb.kb_id)

    async def find_index(self, kb_id: str) -> KbIndex:
        """The generation that answers for a knowledge base."""
        async with self.resources.database.transaction(self.identity.workspace_id) as connection:
            (index,) = await knowledge_bases.active_indexes(connection, self.identity.workspace_id, [kb_id])
        return index


@asynccontextmanager
async def open_site(home: Path, **settings: Any) -> AsyncGenerator[Site]:
    """The product on this data folder."""
    chosen = Settings(home=home, **settings)
    async with open_app(chosen) as app, open_storage(chosen) as storage:
        assert app.owner_token is not None
        user = await sign_in.session_user(app.resources, app.owner_token)
        identity = await sign_in.identify_user(app.resources, user, None)
        owner = await AsyncConnection.connect(storage.urls.migrate_url, autocommit=True)
        async with owner:
            with ProcessPoolExecutor(_PROCESSES, mp_context=get_context("spawn")) as pool:
                yield Site(app.resources, identity, owner, pool)


async def fill(site: Site, index: KbIndex, batches: Iterable[Batch], note: Note | None = None) -> None:
    """Load chunks into an empty knowledge base; who wants to know of each batch is told."""
    # Rows are right by construction; looking each up in three other tables would take most of the time.
    await site.owner.execute("SET session_replication_role = replica")
    terms = Counter[int]()
    for batch in batches:
        pieces = [batch.texts[at::_PIECES] for at in range(_PIECES)]
        analysed = list(site.pool.map(_analyse, pieces, [index.avgdl_ref] * _PIECES))
        postings = [analysed[at % _PIECES][at // _PIECES] for at in range(len(batch.texts))]
        await _write(site, index, batch, postings)
        for posting in postings:
            terms.update(posting.terms)
        # Term 0 counts chunks.
        terms[0] += len(batch.texts)
        if note is not None:
            note(batch, postings)
        if batch.first % 50_000 == 45_000:
            print(f"  {batch.first + len(batch.texts):,} chunks loaded", flush=True)
    workspace = site.identity.workspace_id
    await _copy(site.owner, "term", ((workspace, index.index_id, term, chunks) for term, chunks in terms.items()))
    await site.owner.execute("SET session_replication_role = DEFAULT")


@asynccontextmanager
async def without_slow_indexes(site: Site) -> AsyncGenerator[None]:
    """Drop what makes a large load slow and build it again afterwards."""
    cursor = await site.owner.execute(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' "
        "AND tablename IN ('chunk', 'chunk_posting', 'chunk_vector') AND indexdef NOT LIKE 'CREATE UNIQUE%'"
    )
    dropped = await cursor.fetchall()
    for name, _ in dropped:
        await site.owner.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
    try:
        yield
    finally:
        await site.owner.execute("SET maintenance_work_mem = '1GB'")
        for _, definition in dropped:
            await site.owner.execute(definition.encode())


async def give_own_tables(site: Site, index: KbIndex, size: int = LARGE) -> KbIndex:
    """What a worker does for a knowledge base of at least this size: tables and indexes of its own."""
    await build_own_tables(site.resources, site.identity.workspace_id, index.index_id, size=size)
    return await site.find_index(index.kb_id)


async def settle(site: Site) -> None:
    """Leave the tables as the database's own housekeeping does within minutes."""
    await site.owner.execute("VACUUM (ANALYZE)")
    await site.owner.execute("CHECKPOINT")


def chunk_id(index: KbIndex, number: int) -> str:
    """Ids that sort as they were made, and tell their number."""
    return f"chk_{index.index_id[-16:]}{number:010}"


def chunk_number(chunk_id: str) -> int:
    """The number in an id."""
    return int(chunk_id[-10:])


async def _write(site: Site, index: KbIndex, batch: Batch, postings: Sequence[Posting]) -> None:
    workspace = site.identity.workspace_id
    numbers = range(batch.first, batch.first + len(batch.texts))
    documents = range(batch.first // CHUNKS_A_DOCUMENT, -(-numbers.stop // CHUNKS_A_DOCUMENT))
    await _copy(site.owner, "document", (_document(workspace, index, number) for number in documents))
    await _copy(site.owner, "version", (_version(workspace, index, number) for number in documents))
    await _copy(
        site.owner,
        "chunk",
        (_chunk(workspace, index, number, text) for number, text in zip(numbers, batch.texts, strict=True)),
    )
    keys = [(workspace, index.index_id, chunk_id(index, number)) for number in numbers]
    await _copy(
        site.owner,
        "posting",
        ((*key, posting.terms, _sparsevec(posting)) for key, posting in zip(keys, postings, strict=True)),
    )
    await _copy(
        site.owner,
        "vector",
        ((*key, _halfvec(vector)) for key, vector in zip(keys, batch.vectors, strict=True)),
    )


async def _copy(owner: Owner, what: str, rows: Iterable[tuple[object, ...]]) -> None:
    statement, types = _COPIES[what]
    async with owner.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(types)
        for row in rows:
            await copy.write_row(row)


def _analyse(texts: list[str], average_length: float) -> list[Posting]:
    return [make_posting(text, average_length) for text in texts]


def _ids(index: KbIndex, document: int) -> tuple[str, str]:
    rest = f"{index.index_id[-16:]}{document:010}"
    return f"doc_{rest}", f"ver_{rest}"


def _document(workspace: str, index: KbIndex, number: int) -> tuple[object, ...]:
    document, version = _ids(index, number)
    first = np.asarray([number * CHUNKS_A_DOCUMENT])
    shares = [share for share in SHARES if matching(share, first)[0]]
    tags = Jsonb({"share": shares} if shares else {})
    return workspace, document, index.kb_id, "file", f"{number}.txt", tags, version, version


def _version(workspace: str, index: KbIndex, number: int) -> tuple[object, ...]:
    document, version = _ids(index, number)
    digest = hashlib.sha256(version.encode()).digest()
    chunks = CHUNKS_A_DOCUMENT
    return workspace, version, document, 1, version, 1_000 * chunks, digest, "text/plain", "indexed", chunks


def _chunk(workspace: str, index: KbIndex, number: int, text: str) -> tuple[object, ...]:
    _, version = _ids(index, number // CHUNKS_A_DOCUMENT)
    ordinal = number % CHUNKS_A_DOCUMENT
    start, line, tokens = 1_000 * ordinal, 10 * ordinal + 1, len(text) // 4
    digest = hashlib.sha256(text.encode()).digest()
    place = (start, start + len(text), list[str](), line, line, tokens)
    return (workspace, chunk_id(index, number), version, ordinal, text, *place, digest)


def _halfvec(vector: "np.ndarray[tuple[int], np.dtype[np.float32]]") -> bytes:
    return struct.pack(">hh", len(vector), 0) + vector.astype(">f2").tobytes()


def _sparsevec(posting: Posting) -> bytes:
    # Its binary form counts dimensions from 0.
    head = struct.pack(">iii", TERM_SPACE, len(posting.terms), 0)
    terms = (np.asarray(posting.terms, ">i4") - 1).astype(">i4").tobytes()
    return head + terms + np.asarray(posting.weights, ">f4").tobytes()
