"""Documents are indexed while everything is killed at random; afterwards nothing may be missing or left over."""

import asyncio
import io
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import psutil
from reportlab.pdfgen.canvas import Canvas  # pyright: ignore[reportMissingTypeStubs]

from bench.writing import Writer
from pinakes.services.sweeping import sweep
from pinakes.settings import Settings
from pinakes.store.database import Connection, fetch_all
from pinakes.wiring import open_app

VICTIMS = ("worker", "server", "parser", "postgres", "supervisor")
_SETTLE_SECONDS = 150.0
_START_SECONDS = 60.0
_UPLOADS_AT_ONCE = 4
_FIND_SECONDS = 5.0


class Violation(Exception):
    """Something was lost, doubled, stuck or left behind."""


# Documents ---------------------------------------------------------------------------------------


def make_documents(count: int, seed: int) -> dict[str, bytes]:
    """Files by name, TXT, MD and PDF in turn, of one to a few dozen chunks; the same seed makes the same ones."""
    dice, writer = random.Random(seed), Writer(seed)
    makers: tuple[tuple[str, Callable[[str], bytes]], ...] = (("txt", str.encode), ("md", str.encode), ("pdf", _pdf))
    documents: dict[str, bytes] = {}
    for number in range(count):
        suffix, make = makers[number % len(makers)]
        # Most are short, a few are long, as in life.
        documents[f"{number:04}.{suffix}"] = make(writer.write_document(int(400 * 40 ** dice.random() ** 2)))
    return documents


def _pdf(text: str) -> bytes:
    file = io.BytesIO()
    canvas: Any = Canvas(file, invariant=1)
    words = text.split()
    for at in range(0, len(words), 200):
        page = canvas.beginText(50, 800)
        for line in range(at, min(at + 200, len(words)), 10):
            page.textLine(" ".join(words[line : line + 10]))
        canvas.drawText(page)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


# The server and its kin --------------------------------------------------------------------------


@dataclass
class Installation:
    """A data folder and the server on it, which is started again whenever it dies."""

    home: Path
    url: str = ""
    restarts: int = -1
    _process: "subprocess.Popen[bytes] | None" = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def environment(self) -> dict[str, str]:
        """What a program on this data folder needs."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PINAKES_", "OTEL_"))}
        return clean | {"PINAKES_HOME": str(self.home), "PINAKES_HEARTBEAT_SECONDS": "1"}

    def ensure_running(self) -> None:
        """Start the server unless it runs, and wait until it answers."""
        with self._lock:
            deadline = time.monotonic() + _START_SECONDS
            while self._process is None or self._process.poll() is not None or not self._answers():
                if time.monotonic() > deadline:
                    raise Violation(f"The server does not come back; see {self.home}/server.log")
                if self._process is None or self._process.poll() is not None:
                    self._start()
                time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server as a person would, and see that nothing of it stays."""
        with self._lock:
            family = self.family()
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
                self._process.wait(_START_SECONDS)
        _, alive = psutil.wait_procs(family, 15)
        if alive:
            raise Violation(f"Still there after the server was stopped: {[process.name() for process in alive]}")

    def remove(self) -> None:
        """Delete the data folder, and the database where that lies elsewhere."""
        engine = self.home / "postgres"
        if engine.is_symlink():
            shutil.rmtree(engine.resolve(), ignore_errors=True)
        shutil.rmtree(self.home, ignore_errors=True)

    @contextmanager
    def client(self) -> Generator[httpx.Client]:
        """A client signed in as the local owner."""
        headers = {"Authorization": f"Bearer {(self.home / 'owner.token').read_text().strip()}"}
        with httpx.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False) as client:
            yield client

    def family(self) -> list[psutil.Process]:
        """The server, all that descend from it, and the database's processes."""
        engine = self._engine()
        found = [psutil.Process(self._process.pid)] if self._process and self._process.poll() is None else []
        found += [
            psutil.Process(engine[name])
            for name in ("supervisor", "postgres")
            if engine.get(name) and psutil.pid_exists(engine[name])
        ]
        for process in list(found):
            try:
                found += process.children(recursive=True)
            except psutil.Error:
                continue
        return found

    def find(self, victim: str) -> psutil.Process | None:
        """A process of this kind, if one lives now."""
        if victim in {"postgres", "supervisor"}:
            pid = self._engine().get(victim)
            return psutil.Process(pid) if pid and psutil.pid_exists(pid) else None
        if self._process is None or self._process.poll() is not None:
            return None
        server = psutil.Process(self._process.pid)
        marks = {"worker": "--attached", "parser": "pinakes.providers.parsers.child"}
        if victim == "server":
            return server
        found = [process for process in server.children(recursive=True) if _mentions(process, marks[victim])]
        return random.choice(found) if found else None

    def _start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        (self.home / "server.json").unlink(missing_ok=True)
        self.restarts += 1
        with (self.home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pinakes", "serve", "--port", "0", "--no-sample"],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _answers(self) -> bool:
        try:
            self.url = json.loads((self.home / "server.json").read_text())["url"]
            return httpx.get(f"{self.url}/readyz", timeout=5, trust_env=False).is_success
        except (OSError, ValueError, httpx.HTTPError):
            return False

    def _engine(self) -> dict[str, Any]:
        try:
            return json.loads((self.home / "postgres" / "state.json").read_text())
        except (OSError, ValueError):
            return {}


def _mentions(process: psutil.Process, mark: str) -> bool:
    try:
        return mark in " ".join(process.cmdline())
    except psutil.Error:
        return False


# One cycle ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cycle:
    """What one cycle did."""

    workspace_id: str
    kills: Mapping[str, int]
    seconds: float
    settled_after: float


def run_cycle(
    installation: Installation,
    documents: Mapping[str, bytes],
    *,
    dice: random.Random,
    kills: int,
    pause: tuple[float, float] = (0.0, 1.5),
) -> Cycle:
    """Upload documents into a new workspace, kill so many times meanwhile, and wait until nothing is in the works."""
    installation.ensure_running()
    began = time.monotonic()
    workspace_id = _patiently(installation, "POST", "/api/workspaces", None, json={"name": "Recovery"})["id"]
    kb = _patiently(installation, "POST", "/api/knowledge-bases", workspace_id, json={"name": "Papers"})["id"]

    def upload(name: str) -> None:
        path, file = f"/api/knowledge-bases/{kb}/documents", {"file": (name, documents[name])}
        _patiently(installation, "POST", path, workspace_id, files=file, data={"replace": "true"})

    killed: Counter[str] = Counter()
    waiting: list[str] = []
    with ThreadPoolExecutor(_UPLOADS_AT_ONCE) as pool:
        # A share of the documents before each kill, so that every kill meets work.
        names, share = list(documents), -(-len(documents) // (kills + 1))
        uploads = [pool.submit(upload, name) for name in names[:share]]
        for number in range(1, kills + 1):
            uploads += [pool.submit(upload, name) for name in names[number * share : (number + 1) * share]]
            time.sleep(dice.uniform(*pause))
            # Each kind once before any a second time, in an order that is never the same.
            waiting = waiting or dice.sample(VICTIMS, len(VICTIMS))
            killed += _kill_one(installation, waiting.pop())
            installation.ensure_running()
        for done in uploads:
            done.result()
    quiet = time.monotonic()
    _wait_until_settled(installation, workspace_id, len(documents))
    return Cycle(workspace_id, killed, time.monotonic() - began, time.monotonic() - quiet)


def _kill_one(installation: Installation, victim: str) -> Counter[str]:
    deadline = time.monotonic() + _FIND_SECONDS
    while (process := installation.find(victim)) is None:
        if time.monotonic() > deadline:
            return Counter()
        time.sleep(0.01)
    try:
        process.send_signal(signal.SIGKILL)
        if victim == "server":
            process.wait(10)
    except psutil.NoSuchProcess:
        return Counter()
    return Counter([victim])


def _patiently(installation: Installation, method: str, path: str, workspace_id: str | None, **request: Any) -> Any:
    """What a call gives once it succeeds; what is away is asked again, what is refused is a violation."""
    headers = {"X-Pinakes-Workspace": workspace_id} if workspace_id else {}
    deadline = time.monotonic() + _SETTLE_SECONDS
    problem = "never asked"
    while time.monotonic() < deadline:
        try:
            with installation.client() as client:
                response = client.request(method, path, headers=headers, **request)
            if response.is_success:
                return response.json()["data"]
            problem = f"{response.status_code} {response.text}"
            if response.status_code < 500 or response.json()["errorCode"] == "INTERNAL_ERROR":
                raise Violation(f"{method} {path}: {problem}")
        except (OSError, httpx.HTTPError) as error:
            problem = repr(error)
        time.sleep(0.2)
    raise Violation(f"{method} {path} did not succeed in {_SETTLE_SECONDS:g} s: {problem}")


def _wait_until_settled(installation: Installation, workspace_id: str, count: int) -> None:
    """Until every document is indexed and no operation is left that waits or runs."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        totals = {
            status: _patiently(installation, "GET", f"/api/operations?status={status}&limit=1", workspace_id)["total"]
            for status in ("pending", "running", "completed", "failed", "terminated")
        }
        open_jobs = _count_open_jobs(installation)
        if totals["completed"] >= count and not totals["pending"] and not totals["running"] and not open_jobs:
            return
        if time.monotonic() > deadline:
            raise Violation(f"Stuck: {totals}, {open_jobs} jobs, {_SETTLE_SECONDS:g} s after the last kill")
        time.sleep(0.2)


def _count_open_jobs(installation: Installation) -> int:
    lines = httpx.get(f"{installation.url}/metrics", timeout=30, trust_env=False).text.splitlines()
    counts = dict(line.rsplit(" ", 1) for line in lines if line.startswith("pinakes_jobs{"))
    return sum(int(float(counts.get(f'pinakes_jobs{{status="{status}"}}', 0))) for status in ("todo", "doing"))


# What is there afterwards ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Stock:
    """All a workspace holds: each document's passages, the sums of its terms, and what should not be there."""

    documents: Mapping[str, Any]
    terms: Mapping[int, int]
    counts: Mapping[str, int]
    leftovers: Mapping[str, Any]


_DOCUMENTS = """
    SELECT d.name, v.status, v.number, v.chunk_count, d.active_version_id = v.version_id AS answers,
           (SELECT array_agg(o.status) FROM operation o WHERE o.version_id = v.version_id) AS operations,
           (SELECT array_agg(c.ordinal || ' ' || encode(c.text_hash, 'hex') || ' ' || md5(x.embedding::text)
                             ORDER BY c.ordinal)
            FROM chunk c LEFT JOIN chunk_vector x ON x.workspace_id = c.workspace_id AND x.chunk_id = c.chunk_id
            WHERE c.workspace_id = v.workspace_id AND c.version_id = v.version_id) AS passages
    FROM document d JOIN document_version v ON v.workspace_id = d.workspace_id AND v.document_id = d.document_id
    ORDER BY d.name, v.number
"""
_COUNTS = """
    SELECT (SELECT count(*) FROM chunk) AS chunks, (SELECT count(*) FROM chunk_vector) AS vectors,
           (SELECT count(*) FROM chunk_posting) AS postings, (SELECT count(*) FROM document) AS documents,
           (SELECT count(*) FROM document_version) AS versions, (SELECT count(*) FROM operation) AS operations,
           (SELECT count(*) FROM blob) AS blobs, (SELECT coalesce(sum(chunk_count), 0) FROM document_version) AS said
"""
_LEFTOVERS = {
    "staged embeddings": "SELECT version_id FROM staged_embedding",
    "objects nobody needs": "SELECT blob_key, state FROM blob b WHERE state <> 'live' OR NOT EXISTS "
    "(SELECT FROM document_version v WHERE v.blob_key = b.blob_key)",
    "versions without an object": "SELECT version_id FROM document_version v WHERE NOT EXISTS "
    "(SELECT FROM blob b WHERE b.blob_key = v.blob_key)",
    "chunks without a version": "SELECT chunk_id FROM chunk c WHERE NOT EXISTS "
    "(SELECT FROM document_version v WHERE v.version_id = c.version_id)",
    "chunks of a version that does not answer": "SELECT chunk_id FROM chunk c WHERE NOT EXISTS "
    "(SELECT FROM document d WHERE d.active_version_id = c.version_id)",
    "unfinished operations": "SELECT operation_id, status FROM operation WHERE status <> 'completed'",
    "unfinished jobs": "SELECT j.id, j.status::text FROM procrastinate_jobs j JOIN operation o "
    "ON o.operation_id = j.args ->> 'operation_id' WHERE j.status <> 'succeeded'",
}


def take_stock(installation: Installation, workspace_id: str) -> Stock:
    """Sweep once, then write down everything the workspace holds; no server runs meanwhile."""
    return asyncio.run(_take_stock(installation, workspace_id))


async def _take_stock(installation: Installation, workspace_id: str) -> Stock:
    async with open_app(Settings(home=installation.home, database_url=None, migrate_url=None)) as app:
        await sweep(app.resources, intent_age=timedelta(0))
        async with app.resources.database.transaction(workspace_id) as connection:
            documents = await fetch_all(connection, _DOCUMENTS)
            terms = await fetch_all(connection, "SELECT term, sum(chunks) AS n FROM term_delta GROUP BY term")
            counts = (await fetch_all(connection, _COUNTS))[0]
            leftovers: dict[str, Any] = {name: await fetch_all(connection, query) for name, query in _LEFTOVERS.items()}
            leftovers["files"] = await _compare_files(connection, installation.home / "originals", workspace_id)
    return Stock(
        documents={f"{row.pop('name')} v{row['number']}": row for row in documents},
        terms={row["term"]: row["n"] for row in terms if row["n"]},
        counts=counts,
        leftovers={name: found for name, found in leftovers.items() if found},
    )


async def _compare_files(connection: Connection, originals: Path, workspace_id: str) -> list[str]:
    """Keys that have a row but no file, or a file but no row."""
    rows = await fetch_all(connection, "SELECT blob_key FROM blob")
    files = {str(path.relative_to(originals)) for path in (originals / workspace_id).rglob("*") if path.is_file()}
    return sorted({row["blob_key"] for row in rows} ^ files)


def compare(undisturbed: Stock, disturbed: Stock) -> list[str]:
    """What differs, in words; nothing may."""
    problems = [f"{name}: {found}" for name, found in disturbed.leftovers.items()]
    for name in sorted(undisturbed.documents.keys() | disturbed.documents.keys()):
        wanted, found = undisturbed.documents.get(name), disturbed.documents.get(name)
        if wanted != found:
            problems.append(f"{name}: {found} instead of {wanted}")
    if undisturbed.terms != disturbed.terms:
        known = undisturbed.terms.keys() | disturbed.terms.keys()
        wrong = [term for term in known if undisturbed.terms.get(term) != disturbed.terms.get(term)]
        problems.append(f"The counts of {len(wrong)} terms differ")
    if undisturbed.counts != disturbed.counts:
        problems.append(f"{disturbed.counts} instead of {undisturbed.counts}")
    if len({disturbed.counts.get(name) for name in ("chunks", "vectors", "postings", "said")}) != 1:
        problems.append(f"Not as many vectors and postings as chunks: {disturbed.counts}")
    return problems
