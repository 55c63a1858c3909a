"""A small knowledge base beside a thousand big ones: what they cost it.

The same small knowledge base lies in two databases, alone and in the crowd, and both are asked in turns. Every big
one has vectors in a table of its own with an index of its own, as those over the threshold have; their sizes differ
by a factor of a hundred, but to load them in minutes they are smaller than a big one really is. What a neighbour
costs the planner does not depend on its rows.
"""

import argparse
import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from psycopg.errors import Diagnostic

from bench.speed.bulk import Site, fill, give_own_tables, open_site, settle
from bench.speed.figures import Finding, percentile, shown
from bench.speed.folders import temporary_folder
from bench.speed.material import KnownEmbedder, Material, load_material
from bench.speed.mixture import Mixture
from pinakes.domain.knowledge_base import KbIndex
from pinakes.services.ingestion import index_version
from pinakes.services.search import SearchRequest, search_knowledge
from pinakes.services.uploads import upload_document

NEIGHBOURS = 1_000
SMALL = 1_000
LIMIT = 1.2
_SMALLEST, _LARGEST = 10, 1_000
_ORIGINALS, _QUESTIONS = 1_000, 50
_DOCUMENTS = 10
_TOP = 10
# Of the processor, so that a plan that was interrupted does not look expensive.
_SPENT = re.compile(r"([\d.]+) s user, ([\d.]+) s system")


@dataclass
class Home:
    """A database with the small knowledge base in it, and what was measured there."""

    name: str
    site: Site
    index: KbIndex
    searches: list[float] = field(default_factory=list[float])
    plans: list[float] = field(default_factory=list[float])
    loads: list[float] = field(default_factory=list[float])
    planned: float = 0.0

    async def watch_planning(self) -> None:
        """From now on the database says how long each plan took to make."""
        (role,) = await _app_role(self.site)
        await self.site.owner.execute(f'GRANT SET ON PARAMETER log_planner_stats TO "{role}"'.encode())
        pool = self.site.resources.database.pool
        async with AsyncExitStack() as stack:
            for _ in range(pool.max_size):
                connection = await stack.enter_async_context(pool.connection())
                await connection.execute("SET log_planner_stats = on")
                await connection.execute("SET client_min_messages = log")
                connection.add_notice_handler(self._note)

    def _note(self, notice: Diagnostic) -> None:
        if (notice.message_primary or "").startswith("PLANNER") and notice.message_detail:
            found = _SPENT.search(notice.message_detail)
            self.planned += float(found[1]) + float(found[2]) if found else 0.0


def measure(given: argparse.Namespace) -> Finding:
    """Fill both databases, then ask and load both in turns."""
    material = load_material(given.corpus, _ORIGINALS, _QUESTIONS)
    with temporary_folder() as temporary:
        return asyncio.run(_measure(given, temporary, material))


async def _measure(given: argparse.Namespace, folder: Path, material: Material) -> Finding:
    finding = Finding("many")
    mixture = Mixture(material)
    async with AsyncExitStack() as stack:
        homes: list[Home] = []
        for name in ("alone", "in the crowd"):
            settings = {"max_knowledge_bases": given.neighbours + 10, "database_connections": 2}
            site = await stack.enter_async_context(open_site(folder / name.replace(" ", "-"), **settings))
            index = await site.make_kb("Small")
            await fill(site, index, mixture.batches(SMALL))
            homes.append(Home(name, site, index))
        sizes = await _crowd(homes[1].site, mixture, given.neighbours)
        for home in homes:
            await settle(home.site)
        await _search_in_turns(homes, material)
        finding.wait_for_quiet()
        for number in range(given.rounds):
            for home, seconds in zip(homes, await _search_in_turns(homes, material), strict=True):
                home.searches += seconds
            await _load_in_turns(homes, material, number)
            print(f"  round {number + 1} of {given.rounds} done", flush=True)
        for home in homes:
            await home.watch_planning()
        for _ in range(given.rounds + 1):
            await _search_in_turns(homes, material)
    _report(finding, homes, sizes)
    return finding


async def _crowd(site: Site, mixture: Mixture, neighbours: int) -> list[int]:
    """Knowledge bases from small to large, evenly by the logarithm of their size."""
    sizes: list[int] = []
    for number in range(neighbours):
        size = round(_SMALLEST * (_LARGEST / _SMALLEST) ** (number / max(1, neighbours - 1)))
        index = await site.make_kb(f"Neighbour {number}")
        await fill(site, index, mixture.batches(size, seed=number + 2))
        await give_own_tables(site, index, size=1)
        sizes.append(size)
        if number % 100 == 99:
            print(f"  {number + 1} neighbours moved in", flush=True)
    return sizes


async def _search_in_turns(homes: Sequence[Home], material: Material) -> list[list[float]]:
    """How long each question takes here and there, and how long its plans took to make where that is watched."""
    seconds: list[list[float]] = [[] for _ in homes]
    for number, question in enumerate(material.questions):
        for at in (0, 1) if number % 2 else (1, 0):
            home = homes[at]
            home.planned = 0.0
            request = SearchRequest(question, knowledge_bases=(home.index.kb_id,), top_k=_TOP)
            started = time.perf_counter()
            await search_knowledge(home.site.resources, home.site.identity, request)
            seconds[at].append(time.perf_counter() - started)
            if home.planned:
                home.plans.append(home.planned)
    return seconds


async def _load_in_turns(homes: Sequence[Home], material: Material, turn: int) -> None:
    """How long a document takes from upload to answer, but for its embedding."""
    known = dict(zip(material.texts, material.vectors, strict=True))
    for number in range(_DOCUMENTS):
        for home in homes if number % 2 else homes[::-1]:
            assert home.site.resources.embedder is not None
            resources = replace(home.site.resources, embedder=KnownEmbedder(home.site.resources.embedder, known))
            text, name = material.texts[number].encode(), f"{turn}-{number}.txt"
            started = time.perf_counter()
            uploaded = await upload_document(resources, home.site.identity, home.index.kb_id, name=name, content=text)
            assert uploaded.operation_id is not None
            await index_version(resources, home.site.identity.workspace_id, uploaded.operation_id)
            home.loads.append(time.perf_counter() - started)


async def _app_role(site: Site) -> tuple[str]:
    async with site.resources.database.transaction() as connection:
        cursor = await connection.execute("SELECT current_user::text AS role")
        row = await cursor.fetchone()
    assert row is not None
    return (row["role"],)


def _report(finding: Finding, homes: Sequence[Home], sizes: Sequence[int]) -> None:
    finding.say(
        f"A knowledge base of {SMALL:,} chunks, alone in a database and beside {len(sizes):,} others of {min(sizes)} "
        f"to {max(sizes):,} chunks ({sum(sizes):,} in all), each with a table and an index of its own."
    )
    finding.show(
        ["small knowledge base", "search p50 ms", "search p95 ms", "planning p50 ms", "load of a document p50 ms"],
        [
            [
                home.name,
                shown(percentile(home.searches, 50)),
                shown(percentile(home.searches, 95)),
                shown(percentile(home.plans, 50)),
                shown(percentile(home.loads, 50)),
            ]
            for home in homes
        ],
    )
    alone, crowded = homes
    for what, one, other in (
        ("search", alone.searches, crowded.searches),
        ("planning", alone.plans, crowded.plans),
        ("loading", alone.loads, crowded.loads),
    ):
        finding.check(f"{what} in the crowd against alone", percentile(other, 50) / percentile(one, 50), LIMIT)
