"""The composition root: settings in, a running application out."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg import Error as DatabaseFault
from psycopg import OperationalError
from psycopg_pool import PoolTimeout

from pinakes.domain.errors import InvalidInput, ProviderFault
from pinakes.domain.identity import Newcomers, Role
from pinakes.providers.blobs import BlobStore, local_blobs
from pinakes.providers.embedding import Embedder
from pinakes.providers.fetching import Fetcher
from pinakes.providers.http_client import guarded_client
from pinakes.providers.minilm.embedder import load_minilm
from pinakes.providers.minilm.install import model_folder
from pinakes.providers.parsers.pool import ParserLimits, ParserPool
from pinakes.providers.postgres.engine import EngineUrls, open_engine
from pinakes.providers.query_cache import make_query_cache
from pinakes.providers.remote_embedder import RemoteEmbedders
from pinakes.providers.reranking import RemoteRerankers
from pinakes.providers.s3 import parse_s3_place, s3_blobs
from pinakes.providers.token_counting import count_tokens
from pinakes.providers.vault import Vault, load_secret_key, parse_secret_key
from pinakes.services.originals import claim_store
from pinakes.services.resources import Resources
from pinakes.services.sign_in import ensure_local_owner
from pinakes.settings import Settings
from pinakes.store.database import Database
from pinakes.store.jobs import make_queue
from pinakes.store.migrate import FIRST, migrate
from pinakes.store.search import PLANNED

if TYPE_CHECKING:
    from pinakes.providers.access_tokens import OpenIdIssuer

log = logging.getLogger("pinakes")
Report = Callable[[str], None]
# One alone would leave a thread idle at the end of every batch.
_EMBEDDING_TURNS = 2
_UPLOAD_TURNS = 8
HOME_ADVICE = "Set PINAKES_HOME to a folder that you can write to."


@dataclass(frozen=True, slots=True)
class App:
    """A running application; `owner_token` signs in the person at this machine, where there is one."""

    settings: Settings
    resources: Resources
    owner_token: str | None


@dataclass(frozen=True, slots=True)
class Storage:
    """Where everything is kept."""

    urls: EngineUrls
    blobs: BlobStore


@asynccontextmanager
async def open_app(
    settings: Settings, report: Report = lambda _: None, *, take_over: bool = False
) -> AsyncGenerator[App]:
    """Start what is missing, migrate, and give everything back at the end.

    With `take_over` whoever runs this signs in as the first owner, also on a database that is not embedded.
    """
    async with AsyncExitStack() as stack:
        storage = await stack.enter_async_context(open_storage(settings, report))
        await _migrate(storage.urls, report)
        database = Database(storage.urls.app_url, size=settings.database_connections, planned=PLANNED)
        await _open_pool(database)
        stack.push_async_callback(database.close)
        resources = await _open_resources(settings, stack, database, storage.blobs)
        await claim_store(resources)
        yield App(settings, resources, await _owner_token(settings, resources, take_over=take_over))


async def _open_resources(settings: Settings, stack: AsyncExitStack, database: Database, blobs: BlobStore) -> Resources:
    queue = make_queue(database)
    await stack.enter_async_context(queue.open_async())
    limits = ParserLimits(wall_seconds=settings.parser_seconds, memory_bytes=settings.parser_megabytes * 1024 * 1024)
    parser = ParserPool(size=settings.parser_processes, limits=limits, ocr_languages=settings.ocr_languages)
    stack.push_async_callback(parser.close)
    embedder = load_embedder(settings)
    if embedder is not None:
        stack.push_async_callback(embedder.close)
    outbound = frozenset(settings.outbound_hosts)
    fetcher = Fetcher(max_bytes=settings.max_file_bytes, allowed_hosts=outbound)
    stack.push_async_callback(fetcher.close)
    remote_embedders = RemoteEmbedders(guarded_client(allowed_hosts=outbound))
    stack.push_async_callback(remote_embedders.close)
    remote_rerankers = RemoteRerankers(guarded_client(allowed_hosts=outbound))
    stack.push_async_callback(remote_rerankers.close)
    query_cache = make_query_cache(settings.redis_url)
    stack.push_async_callback(query_cache.close)
    await query_cache.open()
    issuer = open_issuer(settings)
    if issuer is not None:
        stack.push_async_callback(issuer.close)
    return Resources(
        database=database,
        queue=queue,
        blobs=blobs,
        parser=parser,
        embedder=embedder,
        remote_embedders=remote_embedders,
        remote_rerankers=remote_rerankers,
        query_cache=query_cache,
        embedding_turns=asyncio.Semaphore(_EMBEDDING_TURNS),
        upload_turns=asyncio.Semaphore(_UPLOAD_TURNS),
        fetcher=fetcher,
        vault=Vault(load_key(settings)),
        count_tokens=count_tokens,
        limits=settings.limits,
        issuer=issuer,
        newcomers=Newcomers(settings.oidc_workspace, Role(settings.oidc_role)) if settings.oidc_workspace else None,
    )


def open_issuer(settings: Settings) -> "OpenIdIssuer | None":
    """The issuer whose tokens are accepted, where one is named; nothing is asked of it yet."""
    if settings.oidc_issuer is None or settings.oidc_audience is None:
        return None
    # What reads tokens takes time to load, and few installations have an issuer.
    from pinakes.providers.access_tokens import OpenIdIssuer  # noqa: PLC0415

    return OpenIdIssuer(settings.oidc_issuer, settings.oidc_audience)


async def _migrate(urls: EngineUrls, report: Report) -> None:
    try:
        done = await migrate(urls.migrate_url, urls.app_url)
        # What an empty database went through is nothing anybody need know.
        for line in ["Set up the database."] if FIRST in done else [f"Migrated the database: {name}" for name in done]:
            report(line)
    except OperationalError as error:
        raise ProviderFault(f"The database does not answer: {error}") from error
    except (DatabaseFault, ValueError) as error:
        raise InvalidInput(f"The database could not be prepared: {error}") from error


@asynccontextmanager
async def open_storage(settings: Settings, report: Report = lambda _: None) -> AsyncGenerator[Storage]:
    """The database and the originals as they are, nothing migrated and nobody signed in."""
    if (problem := prepare_home(settings.home_folder)) is not None:
        raise InvalidInput(f"{problem} {HOME_ADVICE}")
    blobs = make_blobs(settings)
    await blobs.check()
    async with AsyncExitStack() as stack:
        yield Storage(await _database_urls(settings, stack, report), blobs)


def prepare_home(home: Path) -> str | None:
    """Make the data folder where it is missing; why it cannot be used, if so."""
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        if os.access(home, os.R_OK | os.W_OK | os.X_OK):
            return None
        reason = "It is read-only" if os.access(home, os.R_OK | os.X_OK) else "Permission denied"
    except (FileExistsError, NotADirectoryError):
        reason = "It is a file or lies below one"
    except OSError as error:
        reason = str(error.strerror)
    return f"The data folder {home} cannot be used: {reason}."


def make_blobs(settings: Settings) -> BlobStore:
    """The store of originals the settings name; nothing is asked of it yet."""
    if (folder := settings.originals_folder) is not None:
        return local_blobs(folder)
    secret = settings.s3_secret_key
    return s3_blobs(
        parse_s3_place(
            settings.originals or "",
            endpoint=settings.s3_endpoint,
            region=settings.s3_region,
            access_key=settings.s3_access_key,
            secret_key=secret.get_secret_value() if secret else None,
        )
    )


def load_key(settings: Settings) -> bytes:
    """The key that credentials are encrypted with: the configured one, else the data folder's own."""
    if settings.secret_key is None:
        return load_secret_key(settings.home_folder / "secret.key")
    key = parse_secret_key(settings.secret_key.get_secret_value())
    if key is None:
        raise InvalidInput("PINAKES_SECRET_KEY must be 64 hexadecimal digits. Make one with: openssl rand -hex 32")
    return key


def load_embedder(settings: Settings) -> Embedder | None:
    """The built-in model, or None with a warning: then search is by keywords only."""
    threads = settings.embed_threads or os.cpu_count() or 1
    try:
        return load_minilm(model_folder(settings.cache_folder), threads=threads)
    except ProviderFault as fault:
        log.warning("Search is by keywords only: %s", fault.message)
        return None


async def _database_urls(settings: Settings, stack: AsyncExitStack, report: Report) -> EngineUrls:
    if settings.database_url is None and settings.migrate_url is None:
        engine = await open_engine(settings.home_folder, report=report)
        stack.push_async_callback(engine.close)
        return engine.urls
    if settings.database_url is None or settings.migrate_url is None:
        raise InvalidInput(
            "Only one of PINAKES_DATABASE_URL and PINAKES_MIGRATE_URL is set. Give both: the first for the role "
            "the application runs as, the second for the role that owns the tables."
        )
    return EngineUrls(migrate_url=settings.migrate_url, app_url=settings.database_url)


async def _open_pool(database: Database) -> None:
    try:
        await database.open()
    except PoolTimeout as error:
        raise ProviderFault(f"The database does not answer: {error}") from error


async def _owner_token(settings: Settings, resources: Resources, *, take_over: bool) -> str | None:
    """The local owner's session, kept in the data folder for the command line."""
    path = settings.home_folder / "owner.token"
    held = path.read_text().strip() if path.exists() else None
    token = await ensure_local_owner(resources, held, trusted=take_over or settings.database_url is None)
    if token is not None and token != held:
        _write_private(path, token)
    return token


def _write_private(path: Path, text: str) -> None:
    temporary = path.with_suffix(f".{os.getpid()}")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    temporary.replace(path)
