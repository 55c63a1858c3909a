"""Many callers at a time: over HTTP and in one process, in turns."""

import argparse
import asyncio
import itertools
import json
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from bench.serving import Served, serving
from bench.speed.bulk import Site, fill, give_own_tables, open_site, settle
from bench.speed.figures import Finding, percentile, shown
from bench.speed.material import Material, load_material
from bench.speed.mixture import Mixture
from pinakes.services.search import SearchRequest, search_knowledge

CHUNKS = 10_000
_ORIGINALS, _QUESTIONS = 3_000, 100
_CALLERS = (1, 8, 64)
_SECONDS = 5.0
_TOP = 10
Ask = Callable[[str], Awaitable[None]]


@dataclass
class Level:
    """So many callers, one way to call, and how long each answer took."""

    way: str
    callers: int
    seconds: list[float] = field(default_factory=list[float])
    elapsed: float = 0.0


class Line:
    """One kept connection that speaks just enough HTTP, so that the caller costs next to nothing."""

    def __init__(self, served: Served, kb_id: str) -> None:
        url = served.client.base_url
        self._address = (url.host, url.port or 80)
        self._kb_id = kb_id
        self._head = (
            f"POST /api/search HTTP/1.1\r\nHost: {url.host}:{url.port}\r\nContent-Type: application/json\r\n"
            f"Authorization: {served.client.headers['Authorization']}\r\nContent-Length: "
        ).encode()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, question: str) -> None:
        """Send a question and read the whole answer."""
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._address)
        reader, writer = self._streams
        body = json.dumps({"query": question, "knowledgeBaseIds": [self._kb_id], "topK": _TOP}).encode()
        writer.write(self._head + str(len(body)).encode() + b"\r\n\r\n" + body)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        answer = await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
        if b" 200 " not in head.split(b"\r\n")[0]:
            raise SystemExit(answer.decode())

    def close(self) -> None:
        """Hang up; the next question calls again."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def measure(given: argparse.Namespace) -> Finding:
    """Load one knowledge base, then call it from all sides."""
    material = load_material(given.corpus, _ORIGINALS, _QUESTIONS)
    with serving() as served:
        return asyncio.run(_measure(given, served, material))


async def _measure(given: argparse.Namespace, served: Served, material: Material) -> Finding:
    finding = Finding("concurrency")
    levels = [Level(way, callers) for callers in _CALLERS for way in ("HTTP", "in process")]
    async with open_site(Path(served.environment["PINAKES_HOME"])) as site:
        index = await site.make_kb("Called")
        await fill(site, index, Mixture(material).batches(CHUNKS))
        await give_own_tables(site, index)
        await settle(site)
        lines = [Line(served, index.kb_id) for _ in range(max(_CALLERS))]
        inside = _asker(site, index.kb_id)
        for question in material.questions:
            await inside(question)
            await lines[0].ask(question)
        lines[0].close()
        finding.wait_for_quiet()
        for number in range(given.rounds):
            for level in levels:
                asking: list[Ask] = [line.ask for line in lines] if level.way == "HTTP" else [inside] * level.callers
                await _call(level, asking[: level.callers], material.questions)
                # The server hangs up on who is silent while others are measured.
                for line in lines:
                    line.close()
            print(f"  round {number + 1} of {given.rounds} done", flush=True)
    _report(finding, levels, given.rounds)
    return finding


def _asker(site: Site, kb_id: str) -> Ask:
    async def ask(question: str) -> None:
        request = SearchRequest(question, knowledge_bases=(kb_id,), top_k=_TOP)
        await search_knowledge(site.resources, site.identity, request)

    return ask


async def _call(level: Level, asking: list[Ask], questions: list[str]) -> None:
    """All callers ask one question after the other, for some seconds."""
    turns = itertools.cycle(questions)
    started = time.perf_counter()

    async def call(ask: Ask) -> None:
        while time.perf_counter() - started < _SECONDS:
            question = next(turns)
            asked = time.perf_counter()
            await ask(question)
            level.seconds.append(time.perf_counter() - asked)

    await asyncio.gather(*map(call, asking))
    level.elapsed += time.perf_counter() - started


def _report(finding: Finding, levels: list[Level], rounds: int) -> None:
    finding.say(
        f"A knowledge base of {CHUNKS:,} chunks, every question's vector cached, {rounds * _SECONDS:.0f} s each; "
        f"one server process, callers and database share {os.cpu_count()} cores."
    )
    finding.show(
        ["callers", "way", "searches/s", "p50 ms", "p95 ms"],
        [
            [
                str(level.callers),
                level.way,
                f"{len(level.seconds) / level.elapsed:.0f}",
                shown(percentile(level.seconds, 50)),
                shown(percentile(level.seconds, 95)),
            ]
            for level in levels
        ],
    )
    for way in ("HTTP", "in process"):
        one, *_, most = [len(level.seconds) / level.elapsed for level in levels if level.way == way]
        finding.check(
            f"searches a second with {_CALLERS[-1]} callers in those with one, {way}", most / one, 1, at_least=True
        )
