"""`make soak`, second part: thousands of damaged files; each must end in words, and nothing else may happen."""

import io
import random
import re
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from bench.installation import Installation, Violation

_UPLOADS_AT_ONCE = 4
_SETTLE_SECONDS = 900.0
_LARGEST_SEED = 600_000
_GROWTH = 1.35
# Something of ours that broke, whatever it says.
_INCIDENT = re.compile(r"incident [0-9a-f]{8}|Something went wrong on our side")

Mutate = Callable[[bytes, random.Random], bytes]


def _flip_bits(content: bytes, dice: random.Random) -> bytes:
    damaged = bytearray(content)
    for _ in range(dice.randint(1, 64)):
        damaged[dice.randrange(len(damaged))] ^= 1 << dice.randrange(8)
    return bytes(damaged)


def _truncate(content: bytes, dice: random.Random) -> bytes:
    return content[: dice.randint(1, len(content))]


def _swap_parts(content: bytes, dice: random.Random) -> bytes:
    size = max(1, dice.randint(1, max(1, len(content) // 4)))
    first, second = sorted(dice.sample(range(max(2, len(content) - size + 1)), 2))
    second = max(second, first + size)
    part, other = content[first : first + size], content[second : second + size]
    return content[:first] + other + content[first + size : second] + part + content[second + size :]


def _insert_noise(content: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(content) + 1)
    return content[:at] + dice.randbytes(dice.randint(1, 4_096)) + content[at:]


def _zero_out(content: bytes, dice: random.Random) -> bytes:
    at, size = dice.randrange(len(content)), dice.randint(1, max(1, len(content) // 8))
    return content[:at] + bytes(size) + content[at + size :]


def _damage_member(content: bytes, dice: random.Random) -> bytes:
    """A ZIP whose directory is sound while one of its parts is not: it gets past the first look."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError):
        return _flip_bits(content, dice)
    filled = [name for name, part in parts.items() if part]
    if filled:
        name = dice.choice(filled)
        parts[name] = dice.choice((_flip_bits, _truncate, _swap_parts, _zero_out))(parts[name], dice)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


MUTATIONS: Mapping[str, Mutate] = {
    "bits": _flip_bits,
    "cut": _truncate,
    "swap": _swap_parts,
    "noise": _insert_noise,
    "zeros": _zero_out,
    "member": _damage_member,
}


@dataclass
class Outcomes:
    """How the damaged files ended."""

    refused: Counter[str] = field(default_factory=Counter[str])
    failed: Counter[str] = field(default_factory=Counter[str])
    indexed: int = 0
    problems: list[str] = field(default_factory=list[str])
    seconds: float = 0.0
    memory: tuple[float, float] = (0.0, 0.0)


def read_seeds(folder: Path) -> dict[str, bytes]:
    """The files to damage by name; very large ones would only take longer."""
    files = [path for path in sorted(folder.iterdir()) if path.is_file()]
    return {path.name: path.read_bytes() for path in files if 0 < path.stat().st_size <= _LARGEST_SEED}


def damage(seeds: Mapping[str, bytes], number: int, seed: int) -> tuple[str, bytes]:
    """The nth damaged file, the same for the same seed."""
    dice = random.Random(f"{seed}/{number}")
    name = dice.choice(sorted(seeds))
    how = dice.choice(sorted(MUTATIONS))
    content = MUTATIONS[how](seeds[name], dice) or b"\x00"
    stem, dot, suffix = name.rpartition(".")
    return f"{number:05}-{how}-{stem or suffix}{dot}{suffix}", content


def run_mutations(installation: Installation, seeds: Mapping[str, bytes], count: int, seed: int) -> Outcomes:
    """Send so many damaged files, wait for each, and look after the service meanwhile."""
    installation.ensure_running()
    outcomes, began = Outcomes(), time.monotonic()
    with installation.client() as client:
        kb = _data(client.post("/api/knowledge-bases", json={"name": f"Damaged {seed}", "embedder": "none"}))["id"]
        warm = min(count // 4, 200)
        _send(client, kb, seeds, range(warm), seed, outcomes)
        _settle(client, kb, outcomes)
        workers, before = _workers(installation), _megabytes(installation)
        _send(client, kb, seeds, range(warm, count), seed, outcomes)
        _settle(client, kb, outcomes)
        _collect(client, kb, outcomes)
        outcomes.memory = (before, _megabytes(installation))
    if _workers(installation) != workers or installation.restarts:
        outcomes.problems.append("A worker or the server died.")
    if outcomes.memory[1] > outcomes.memory[0] * _GROWTH + 30:
        outcomes.problems.append(f"Memory grew from {before:.0f} to {outcomes.memory[1]:.0f} MB.")
    ended = outcomes.indexed + outcomes.failed.total() + outcomes.refused.total()
    if ended != count:
        outcomes.problems.append(f"{count - ended} of {count} files have no end.")
    outcomes.seconds = time.monotonic() - began
    return outcomes


def _send(
    client: httpx.Client, kb: str, seeds: Mapping[str, bytes], numbers: range, seed: int, outcomes: Outcomes
) -> None:
    def upload(number: int) -> None:
        name, content = damage(seeds, number, seed)
        response = client.post(f"/api/knowledge-bases/{kb}/documents", files={"file": (name, content)})
        if response.is_success:
            return
        body = response.json()
        if response.status_code >= 500 or not body.get("error") or _INCIDENT.search(body["error"]):
            outcomes.problems.append(f"{name}: {response.status_code} {body}")
        outcomes.refused[re.sub(r"'[^']*'", "'…'", str(body.get("error")))[:100]] += 1

    with ThreadPoolExecutor(_UPLOADS_AT_ONCE) as pool:
        list(pool.map(upload, numbers))


def _settle(client: httpx.Client, kb: str, outcomes: Outcomes) -> None:
    """Until nothing waits or runs; a document that does not end is what this is about."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while any(_count(client, kb, status) for status in ("pending", "indexing")):
        if time.monotonic() > deadline:
            outcomes.problems.append("Documents are still being indexed; something hangs.")
            return
        time.sleep(0.5)


def _collect(client: httpx.Client, kb: str, outcomes: Outcomes) -> None:
    outcomes.indexed = _count(client, kb, "indexed")
    offset, total = 0, 1
    while offset < total:
        path = f"/api/knowledge-bases/{kb}/documents?status=failed&limit=200&offset={offset}"
        page = _data(client.get(path))
        total, offset = page["total"], offset + 200
        for document in page["items"]:
            reason = document["error"] or ""
            if len(reason) < 10 or _INCIDENT.search(reason):
                outcomes.problems.append(f"{document['name']} failed without a reason for a person: {reason!r}")
            outcomes.failed[reason[:100]] += 1


def _count(client: httpx.Client, kb: str, status: str) -> int:
    return _data(client.get(f"/api/knowledge-bases/{kb}/documents?status={status}&limit=1"))["total"]


def _workers(installation: Installation) -> int | None:
    worker = installation.find("worker")
    return worker.pid if worker else None


def _megabytes(installation: Installation) -> float:
    """What server and worker hold; parser children come and go."""
    family = (installation.find("server"), installation.find("worker"))
    return sum(process.memory_info().rss for process in family if process and psutil.pid_exists(process.pid)) / 2**20


def _data(response: httpx.Response) -> Any:
    if not response.is_success:
        raise Violation(f"{response.request.url}: {response.status_code} {response.text}")
    return response.json()["data"]
